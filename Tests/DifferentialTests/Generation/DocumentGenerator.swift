import HatoTesting
import HatoWire
import ObjectModel

/// Random documents and access lists.
struct DocumentGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A document in which each field may be missing, null, of a foreign type, or in an array.
    mutating func fields() -> [ValueMember] {
        var members: [ValueMember] = []
        for field in Field.allCases where random.chance(field == .long ? 20 : 70) {
            members.append(member(field))
        }
        return random.chance(3) ? [] : members
    }

    /// One to three fields that an update sets.
    mutating func changes() -> [ValueMember] {
        var changes: [ValueMember] = []
        for field in random.several(Field.allCases, 1...3)
        where !changes.contains(where: { $0.name == field.rawValue }) {
            changes.append(member(field))
        }
        return changes
    }

    mutating func acl() -> [ACL.Entry] {
        random.pick([
            [entry("*", "rw")], [entry("*", "rw")], [entry("*", "r")], [entry("*", "r")], [],
            [entry("u1", "rw")], [entry("u2", "r")], [entry("u1", "r"), entry("u2", "w")],
            [entry("role:staff", "r")], [entry("*", "w"), entry("role:staff", "rw")],
            [entry("u1", "w"), entry("role:other", "r")], [entry("staff", "r")],
        ])
    }

    private mutating func member(_ field: Field) -> ValueMember {
        ValueMember(name: field.rawValue, value: value(field))
    }

    private mutating func value(_ field: Field) -> Value {
        switch random.below(20) {
        case 0: .null
        case 1 where field.isOrdered: random.pick(Field.mixed.pool)
        case 2, 3: .array(random.several(field.pool, 0...3))
        default: random.pick(field.pool)
        }
    }

    private func entry(_ key: Text, _ rights: String) -> ACL.Entry {
        ACL.Entry(key: key, mayRead: rights.contains("r"), mayWrite: rights.contains("w"))
    }
}
