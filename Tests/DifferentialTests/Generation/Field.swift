import HatoTesting
import HatoWire
import ObjectModel

/// A field of the test's documents: what it usually holds, and how it may be asked for.
enum Field: Text, CaseIterable {
    case mixed = "m"
    case number = "n"
    case string = "s"
    case tags = "t"
    case inner = "o"
    case date = "d"
    case post = "p"
    case place
    case spot
    case long
    case composed = "é"
    case decomposed = "e\u{301}"

    /// Values that the field holds when it holds what it should.
    var pool: [Value] {
        switch self {
        case .mixed:
            ValuePools.constants + ValuePools.dates + ValuePools.pointers + ValuePools.arrays
                + ValuePools.objects + ValuePools.numbers.prefix(6) + ValuePools.strings.prefix(8)
        case .number: ValuePools.numbers
        case .string, .composed, .decomposed: ValuePools.strings
        case .tags: ValuePools.arrays
        case .inner: ValuePools.objects
        case .date: ValuePools.dates
        case .post: ValuePools.pointers
        case .place: ValuePools.places
        case .spot: ValuePools.spots
        case .long: ValuePools.longStrings
        }
    }

    /// Paths that begin with the field.
    var paths: [FieldPath] {
        switch self {
        case .inner: [path(), path(".a"), path(".b"), path(".a.b"), path(".é"), path(".x")]
        case .mixed: [path(), path(), path(), path(".a"), path(".objectId")]
        case .post: [path(), path(".objectId"), path(".className")]
        case .place: [path(), path(".latitude")]
        case .number, .string, .tags, .date, .spot, .long, .composed, .decomposed: [path()]
        }
    }

    /// What literals on the field are drawn from: the same values, and those inside them.
    var literals: [Value] {
        switch self {
        case .tags:
            pool + [ValuePools.number("5"), .string("a"), .string("b"), .string("é"), .bool(true)]
        case .inner:
            pool + [ValuePools.number("5"), ValuePools.number("4"), .string("x"), .string("ab")]
        case .post, .mixed: pool + [.string("a"), .string("Post")]
        case .place: pool + [ValuePools.number("90"), ValuePools.number("-16.5")]
        case .number, .string, .date, .spot, .long, .composed, .decomposed: pool
        }
    }

    /// Literals longer than a key are for equality only: order is by the cut key.
    var isOrdered: Bool { self != .long }

    private func path(_ rest: String = "") -> FieldPath {
        do throws(DomainError) {
            return try FieldPath(Text(rawValue.string + rest))
        } catch {
            preconditionFailure("a test's path is wrong")
        }
    }
}

extension FieldPath {
    /// The fields of the system, and a place inside one, where nothing is.
    static let system: [FieldPath] = [
        "objectId", "createDate", "updateDate", "updateDate.iso",
    ].map { (text: Text) -> FieldPath in
        do throws(DomainError) {
            return try FieldPath(text)
        } catch {
            preconditionFailure("a system field is no path")
        }
    }
}
