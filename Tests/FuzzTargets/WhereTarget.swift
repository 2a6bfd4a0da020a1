import HatoWire
import NCMBAdapter
import ObjectModel
import SQLStorage

/// `where`, from the request to the SQL and the matcher; the input is the filter's JSON, a NUL, and
/// a document's.
enum WhereTarget {
    private static let facts = ObjectFacts(
        id: "abcdefghijkl0123",
        created: Timestamp(iso: "2020-02-29T12:34:56.789Z") ?? Timestamp(millisecondsSinceEpoch: 0),
        updated: Timestamp(iso: "2021-01-01T00:00:00.000Z") ?? Timestamp(millisecondsSinceEpoch: 0)
    )

    static func check(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let className = try ClassName(dataStore: "Chat")
        let query: Query
        do throws(DomainError) {
            let parameters = try QueryParameters(rawQuery(parts[0])[...])
            query = try ListQueryParser(className: className).parse(parameters)
        } catch {
            try hold(error.code != .system, "a filter that is our own fault")
            return
        }
        try query.check()
        try checkSQL(query)
        guard parts.count == 2, let document = document(parts[1]) else { return }
        try checkMatcher(query.filter, document)
    }

    /// `where=…`, every byte coded, so that the JSON arrives as it is.
    private static func rawQuery(_ filter: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return Array("where=".utf8)
            + filter.flatMap { [0x25, digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// The document that a body's fields make; nil when they make none.
    private static func document(_ body: ArraySlice<UInt8>) -> [UInt8]? {
        guard let draft = try? ObjectDraft.decode(body: Array(body)) else { return nil }
        let members = draft.changes.compactMap { change -> ValueMember? in
            guard case .set(let value) = change.operation else { return nil }
            return ValueMember(name: change.name, value: value)
        }
        return Value.object(members).canonicalBytes
    }

    /// Every value is bound: a statement's text has as many parameters as it has values, and says
    /// the same for all filters that find objects in the same way.
    private static func checkSQL(_ query: Query) throws {
        for scope in [AccessPolicy.ReadScope.everything, .keys(["*", "user"])] {
            let compiler = ListCompiler(
                SQLiteDialect(),
                query,
                rows: ClassRows(classNumber: 7),
                scope: scope
            )
            for walk in [ListCompiler<SQLiteDialect>.Walk.scan, .visible] {
                for statement in [
                    compiler.page(walk, limit: query.limit, skip: query.skip),
                    compiler.count(walk),
                ] {
                    let parameterCount = statement.text.utf8.count { $0 == UInt8(ascii: "?") }
                    try hold(parameterCount == statement.values.count, "a value is not bound")
                    let limit = 8_192
                    try hold(statement.text.utf8.count <= limit, "a statement grows")
                }
            }
        }
    }

    /// What the matcher says must agree with all that finds objects before it is asked.
    private static func checkMatcher(_ filter: Filter, _ document: [UInt8]) throws {
        var matcher = Matcher(filter)
        let matches = matcher.matches(document.span, facts)
        guard matcher.failure == nil else {
            try hold(filter.hasPattern, "a filter without patterns is too costly")
            return
        }
        var again = Matcher(filter)
        try hold(again.matches(document.span, facts) == matches, "a second look says otherwise")
        try hold(!filter.isTrivial || matches, "a trivial filter refuses")
        if matches {
            for needle in Prefilter(filter).needles {
                try hold(contains(document, needle), "a match without its needle")
            }
            if let ids = filter.ids { try hold(ids.contains(facts.id), "a match of no id") }
        }
        for condition in filter.keyConditions { try check(condition, matches, document) }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    /// An index of the condition's field finds the document if it matches, and only then where the
    /// condition is exact.
    private static func check(
        _ condition: KeyCondition,
        _ matches: Bool,
        _ document: [UInt8]
    ) throws {
        let keys = FieldKeyReader(condition.path).keys(document.span, facts)
        guard !keys.isOverfull else { return }
        let isFound: Bool
        switch condition.keys {
        case .points(let points):
            isFound = points.contains(keys.whole) || keys.elements.contains { points.contains($0) }
        case .ranges(let whole, let element):
            isFound =
                whole.takes(keys.whole) || keys.elements.contains { element.takes($0) }
        }
        try hold(isFound || !matches, "an index misses a match")
        switch condition.exactness {
        case .never: return
        case .always: try hold(!isFound || matches, "an index finds what does not match")
        case .withoutElements:
            let isExact = !keys.elements.isEmpty || !isFound || matches
            try hold(isExact, "an index finds what does not match")
        }
    }
}

extension KeyRange {
    fileprivate func takes(_ key: [UInt8]) -> Bool {
        let isAbove =
            lower.lexicographicallyPrecedes(key) || includesLower && lower == key
        let isBelow =
            key.lexicographicallyPrecedes(upper) || includesUpper && upper == key
        return isAbove && isBelow
    }
}
