import HatoWire
package import ObjectModel

/// Reads a collection's query: `where`, `order`, `limit`, `skip`, `count` (ncmb-rest §10).
///
/// `include` is checked and otherwise left out: Pointers stay Pointers, as they do for objects that
/// the asker may not read, so that every client can already take them.
package struct ListQueryParser {
    static let defaultLimit = 100

    let className: ClassName
    var limits: QueryLimits
    let patterns: PatternCache

    init(className: ClassName, limits: QueryLimits = QueryLimits(), patterns: PatternCache) {
        self.className = className
        self.limits = limits
        self.patterns = patterns
    }

    /// Creates a parser that remembers no patterns of other requests.
    package init(className: ClassName, limits: QueryLimits = QueryLimits()) {
        self.init(className: className, limits: limits, patterns: PatternCache())
    }

    /// Errors: `malformedJSON` and others of `WhereParser`; `invalidValue` for `order`, `limit`,
    /// `skip`, `count`, and fields that no query may name; `invalidFormat` for damaged names.
    package func parse(_ parameters: QueryParameters) throws(DomainError) -> Query {
        var query = Query(className: className, limit: ListQueryParser.defaultLimit)
        if let filter = parameters[.where] {
            query.filter = try WhereParser(
                className: className,
                limits: limits,
                patterns: patterns
            )
            .parse(filter)
        }
        query.order = try order(parameters.text(.order), query.filter)
        if let limit = parameters[.limit] {
            query.limit = try ListQueryParser.number(
                limit,
                upTo: limits.objectCount,
                .limit
            )
        }
        if let skip = parameters[.skip] {
            query.skip = try ListQueryParser.number(skip, upTo: Int.max, .skip)
        }
        if let count = parameters[.count] {
            query.wantsCount = try ListQueryParser.number(count, upTo: 1, .count) == 1
        }
        if let include = try parameters.text(.include) {
            for part in include.string.utf8.split(separator: 0x2C) {
                let path = try FieldPath(Text(utf8: part))
                try HiddenFields.check(path, of: className)
            }
        }
        try query.check(limits)
        return query
    }

    /// Returns the order; where none is given the nearest first, or else the newest.
    private func order(_ text: Text?, _ filter: Filter) throws(DomainError) -> [OrderTerm] {
        guard let text, !text.utf8.isEmpty else {
            if let nearest = filter.nearestFirst { return [nearest] }
            return [OrderTerm(path: .createDate, isDescending: true)]
        }
        var terms: [OrderTerm] = []
        for part in text.utf8.split(separator: 0x2C, omittingEmptySubsequences: false) {
            let isDescending = part.first == 0x2D
            let name = Text(utf8: isDescending ? part.dropFirst() : part)
            guard !name.utf8.isEmpty else { throw DomainError(.invalidValue, "order") }
            let path = try FieldPath(name)
            try HiddenFields.check(path, of: className)
            terms.append(OrderTerm(path: path, isDescending: isDescending))
        }
        return terms
    }

    /// Reads plain decimal digits: no sign, no blank.
    private static func number(
        _ digits: [UInt8],
        upTo greatest: Int,
        _ name: QueryParameters.Name
    ) throws(DomainError) -> Int {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), number <= greatest
        else { throw DomainError(.invalidValue, Text(name.rawValue)) }
        return number
    }
}
