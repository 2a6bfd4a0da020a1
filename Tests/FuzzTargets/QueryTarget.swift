import HatoWire
import NCMBAdapter
import ObjectModel

/// Query strings: their items, percent-coding, and a collection's parameters.
enum QueryTarget {
    static func check(_ input: [UInt8]) throws {
        try checkItems(input)
        try checkCoding(input)
        try checkList(input)
    }

    private static func checkItems(_ input: [UInt8]) throws {
        let items = Array(QueryString(input[...]))
        let expected = input.split(separator: 0x26).map { Array($0) }
        let written = items.map { item in
            Array(item.rawName) + (item.rawValue.map { [0x3D] + Array($0) } ?? [])
        }
        try hold(written == expected, "items that are not those of the query")
        let first = items.first { $0.name == "api_key" }
        let found = QueryString(input[...]).value("api_key")
        try hold(found == first?.value, "another item of a name")
    }

    private static func checkCoding(_ input: [UInt8]) throws {
        for plusIsSpace in [false, true] {
            let decoded = PercentCoding.decode(input[...], plusIsSpace: plusIsSpace)
            try hold(decoded.count <= input.count, "decoding makes bytes")
            let text = PercentCoding.text(input[...], plusIsSpace: plusIsSpace)
            let repaired = String(decoding: decoded, as: UTF8.self)
            try hold(Text(text) == Text(repaired), "text that is not its bytes")
            let coded = Array(PercentCoding.encode(text).utf8)
            let again = PercentCoding.text(coded[...], plusIsSpace: plusIsSpace)
            try hold(Text(again) == Text(text), "coded text reads otherwise")
        }
        let untouched = PercentCoding.decode(input[...]) { _ in false }
        try hold(untouched == input, "what was not chosen is decoded")
    }

    private static func checkList(_ input: [UInt8]) throws {
        let className = try ClassName(dataStore: "Chat")
        let query: Query
        do throws(DomainError) {
            query = try ListQueryParser(className: className)
                .parse(try QueryParameters(input[...]))
        } catch {
            try hold(error.code != .system, "a query that is our own fault")
            return
        }
        let limits = QueryLimits()
        try hold((0...limits.objectCount).contains(query.limit), "more objects than the limit")
        try hold(query.skip >= 0, "a negative skip")
        try hold(query.order.count <= limits.orderCount, "more terms than the limit")
        try hold(!query.order.isEmpty, "a query without an order")
        for term in query.order {
            try hold(try FieldPath(term.path.text) == term.path, "a path that is another")
        }
    }
}
