import HatoWire

/// Counts the fields of documents and the types of their values.
package struct FieldTally: Sendable {
    /// How many documents were counted.
    package private(set) var documentCount = 0
    /// The length of all of them.
    package private(set) var byteCount = 0

    private let limit: Int
    /// For each field a count for each `FieldType`.
    private var counts: [Text: [Int]] = [:]

    /// `limit`: names that are kept; fields that turn up after so many others are not counted.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Counts the fields at the top level of a canonical document.
    package mutating func add(_ document: Span<UInt8>) {
        documentCount += 1
        byteCount += document.count
        var cursor = MemberCursor(document)
        while let member = cursor.next(in: document) {
            guard let type = FieldType(canonical: document, at: member.valueStart),
                let place = FieldType.allCases.firstIndex(of: type)
            else { continue }
            let name = JSONEscapes.decode(document.extracting(member.name))
            if counts[name] == nil {
                guard counts.count < limit else { continue }
                counts[name] = Array(repeating: 0, count: FieldType.allCases.count)
            }
            counts[name]?[place] += 1
        }
    }

    /// The fields, the most frequent first; equally frequent ones by name.
    package var fields: [ClassReport.Field] {
        counts.map { name, counts in
            let places = counts.indices.filter { counts[$0] > 0 }
                .sorted { counts[$0] == counts[$1] ? $0 < $1 : counts[$0] > counts[$1] }
            let types = places.map {
                ClassReport.TypeCount(type: FieldType.allCases[$0], count: counts[$0])
            }
            return ClassReport.Field(name: name, types: types)
        }
        .sorted { $0.count == $1.count ? $0.name < $1.name : $0.count > $1.count }
    }
}
