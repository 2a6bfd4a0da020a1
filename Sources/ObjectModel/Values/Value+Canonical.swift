package import HatoWire

extension Value {
    /// The canonical JSON that is stored.
    package var canonicalBytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// Appends the canonical JSON: typed objects with exactly their members in this order.
    package func append(to output: inout [UInt8]) {
        switch self {
        case .null: JSONWriter.append(literal: "null", to: &output)
        case .bool(true): JSONWriter.append(literal: "true", to: &output)
        case .bool(false): JSONWriter.append(literal: "false", to: &output)
        case .number(let number): JSONWriter.append(number, to: &output)
        case .string(let text): JSONWriter.append(string: text, to: &output)
        case .date(let timestamp):
            JSONWriter.append(literal: CanonicalJSON.datePrefix, to: &output)
            timestamp.append(to: &output)
            JSONWriter.append(literal: "\"}", to: &output)
        case .geoPoint(let latitude, let longitude):
            JSONWriter.append(literal: "{\"__type\":\"GeoPoint\",\"latitude\":", to: &output)
            JSONWriter.append(latitude, to: &output)
            JSONWriter.append(literal: ",\"longitude\":", to: &output)
            JSONWriter.append(longitude, to: &output)
            output.append(0x7D)
        case .pointer(let className, let objectID):
            JSONWriter.append(literal: "{\"__type\":\"Pointer\",\"className\":", to: &output)
            JSONWriter.append(string: className, to: &output)
            JSONWriter.append(literal: ",\"objectId\":", to: &output)
            JSONWriter.append(string: objectID, to: &output)
            output.append(0x7D)
        case .relation(let className):
            JSONWriter.append(literal: "{\"__type\":\"Relation\",\"className\":", to: &output)
            JSONWriter.append(string: className, to: &output)
            output.append(0x7D)
        case .array(let elements):
            output.append(0x5B)
            Value.append(elements, to: &output)
            output.append(0x5D)
        case .object(let members):
            output.append(0x7B)
            var isFirst = true
            for member in members {
                if !isFirst { output.append(0x2C) }
                isFirst = false
                JSONWriter.append(string: member.name, to: &output)
                output.append(0x3A)
                member.value.append(to: &output)
            }
            output.append(0x7D)
        }
    }

    /// Appends values with commas between them.
    static func append(_ elements: some Sequence<Value>, to output: inout [UInt8]) {
        var isFirst = true
        for element in elements {
            if !isFirst { output.append(0x2C) }
            isFirst = false
            element.append(to: &output)
        }
    }

    /// The value as a JSON tree.
    package var json: JSON {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .date(let timestamp):
            Value.typed("Date", [("iso", .string(timestamp.text))])
        case .geoPoint(let latitude, let longitude):
            Value.typed(
                "GeoPoint",
                [("latitude", .number(latitude)), ("longitude", .number(longitude))]
            )
        case .pointer(let className, let objectID):
            Value.typed(
                "Pointer",
                [("className", .string(className)), ("objectId", .string(objectID))]
            )
        case .relation(let className):
            Value.typed("Relation", [("className", .string(className))])
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members):
            .object(
                JSONObject(
                    members.map { JSONObject.Member(name: $0.name, value: $0.value.json) }
                )
            )
        }
    }

    private static func typed(_ type: Text, _ members: [(Text, JSON)]) -> JSON {
        let rest = members.map { JSONObject.Member(name: $0.0, value: $0.1) }
        return .object(
            JSONObject([JSONObject.Member(name: "__type", value: .string(type))] + rest)
        )
    }
}
