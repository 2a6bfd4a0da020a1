/// A JSON value as a tree; numbers keep their own text, members keep their order.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(Text)
    case array([JSON])
    case object(JSONObject)
}

/// A JSON object: members in the order of the text, names unique by bytes.
package struct JSONObject: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package var name: Text
        package var value: JSON

        package init(name: Text, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    package var members: [Member]

    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// Returns the member's value; linear, objects are small.
    package subscript(name: Text) -> JSON? {
        members.first { $0.name == name }?.value
    }
}
