import HatoWire
import ObjectModel

/// An object of the test, as values: what evaluators are asked about.
struct Subject: Sendable {
    /// What answers call it: ids differ from run to run.
    var number: Int
    var fields: [ValueMember]
    var acl: [ACL.Entry]
    var id: Text
    var row: Int64
    var created: Timestamp
    var updated: Timestamp

    /// The object as the store would keep it.
    var stored: StoredObject {
        StoredObject(
            row: row,
            id: id,
            created: created,
            updated: updated,
            acl: ACL(acl),
            document: Value.object(fields).canonicalBytes
        )
    }

    /// Sets fields as an update does.
    mutating func set(_ changes: [ValueMember]) {
        for change in changes {
            if let index = fields.firstIndex(where: { $0.name == change.name }) {
                fields[index].value = change.value
            } else {
                fields.append(change)
            }
        }
    }
}

/// A query and who asks it.
struct Question: Sendable {
    var query: Query
    var principal: Principal
}

/// What an evaluator said: objects' numbers in order, and the count if it was asked for.
struct Answer: Equatable, Sendable {
    var numbers: [Int]
    var count: Int?
}
