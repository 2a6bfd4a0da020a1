package import HatoWire

/// A value of a field, with NCMB's typed objects recognised (ncmb-rest §6).
///
/// `==` and `hash` compare what was written; whether two values are equal in the meaning of a query
/// (1 equals 1.0, members in any order) says `OrderedKey`.
package enum Value: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(Text)
    case date(Timestamp)
    case geoPoint(latitude: JSONNumber, longitude: JSONNumber)
    case pointer(className: Text, objectID: Text)
    /// How a relation field reads: only the class of its members.
    case relation(className: Text)
    case array([Value])
    /// Members in the order they were written.
    case object([ValueMember])
}

/// A member of an object value.
package struct ValueMember: Sendable, Hashable {
    package var name: Text
    package var value: Value

    package init(name: Text, value: Value) {
        self.name = name
        self.value = value
    }
}
