import HatoWire
import ObjectModel

/// Classes as the command line shows them.
enum ClassText {
    /// The settings in one line.
    static func settings(_ settings: ClassSettings) -> String {
        "relay \(settings.relay.rawValue), default-acl \(settings.defaultACL.rawValue)"
    }

    /// What has been done about a class's indexes.
    static func indexes(_ name: Text, _ indexed: [String], _ unindexed: [String]) -> String {
        var text = ""
        if !indexed.isEmpty {
            text += "\(name): an index on \(indexed.joined(separator: ", ")), built while the "
            text += "server goes on; hato class show \(name) tells how far it is\n"
        }
        if !unindexed.isEmpty {
            text += "\(name): no index on \(unindexed.joined(separator: ", ")) any more\n"
        }
        return text
    }

    // MARK: For people

    /// The classes, one a line.
    static func lines(_ classes: [ClassSummary]) -> String {
        guard !classes.isEmpty else {
            return "There is no class yet: the first object makes one.\n"
        }
        var table = TextTable([.left, .right, .left])
        for summary in classes {
            table.add(
                summary.name.text.string,
                "\(summary.objectCount)",
                summary.failedIndexes.map { "index on \($0) failed" }.joined(separator: ", ")
            )
        }
        return table.text(indent: "")
    }

    /// All of a report.
    static func lines(_ name: String, _ report: ClassReport) -> String {
        var facts = TextTable([.left, .left])
        facts.add("objects", "\(report.objectCount)")
        facts.add("size", (report.isSampled ? "about " : "") + size(report.documentBytes))
        facts.add("settings", settings(report.settings))
        var text = "\(name)\n" + facts.text(indent: "  ")
        text += "\nFields" + (report.isSampled ? " of the newest objects" : "") + "\n"
        text += table(report.fields)
        text += "\nIndexes\n" + table(report.indexes)
        text += "\nFilters that had to look at many objects, since the store was opened\n"
        text += table(report.slowFilters)
        return text
    }

    private static let none = "  none\n"

    private static func table(_ fields: [ClassReport.Field]) -> String {
        guard !fields.isEmpty else { return none }
        var table = TextTable([.left, .right, .left])
        for field in fields {
            let types =
                field.types.count == 1
                ? field.types[0].type.rawValue
                : field.types.map { "\($0.type.rawValue) \($0.count)" }.joined(separator: ", ")
            table.add(field.name.string, "\(field.count)", types)
        }
        return table.text(indent: "  ")
    }

    private static func table(_ indexes: [ClassReport.Index]) -> String {
        guard !indexes.isEmpty else { return none }
        var table = TextTable([.left, .left, .left, .right, .right, .left])
        for index in indexes {
            let state =
                switch index.state {
                case .ready: "ready"
                case .building(let done, let total): "building, \(done) of \(total)"
                case .failed: "failed"
                }
            table.add(
                index.path.string,
                index.isDeclared ? "declared" : "self-made",
                state,
                "\(index.keyCount) keys",
                size(index.byteCount),
                use(of: index)
            )
        }
        return table.text(indent: "  ") + failures(indexes)
    }

    private static func use(of index: ClassReport.Index) -> String {
        if case .failed = index.state { return "" }
        return index.lastUsed.map { "used \($0.text.string.prefix(10))" } ?? "not used yet"
    }

    /// What stopped the indexes that could not be built, and what to do about it.
    private static func failures(_ indexes: [ClassReport.Index]) -> String {
        var text = ""
        for index in indexes {
            guard case .failed(let failure) = index.state else { continue }
            let reason =
                switch failure.reason {
                case .longArray:
                    "has an array there of more than \(FieldKeys.elementLimit) elements; "
                        + "shorten it, then declare the index again"
                case .refusedKey:
                    "has a key there that the database did not take; "
                        + "run hato check, then declare the index again"
                }
            text += "  \(index.path): object \(failure.objectID) \(reason)\n"
        }
        return text
    }

    private static func table(_ filters: [ClassReport.SlowFilter]) -> String {
        guard !filters.isEmpty else { return none }
        var table = TextTable([.right, .right, .right, .left])
        for filter in filters {
            table.add(
                "\(filter.count) lists",
                "\(milliseconds(filter.duration)) ms",
                "\(filter.examinedRows) looked at",
                filter.shape.string
            )
        }
        return table.text(indent: "  ")
    }

    /// `812 B`, `1.2 KB`: one decimal, rounded down.
    static func size(_ bytes: Int) -> String {
        var whole = bytes
        var rest = 0
        var unit = ""
        for next in ["K", "M", "G", "T"] where whole >= 1_024 {
            rest = whole % 1_024
            whole /= 1_024
            unit = next
        }
        return unit.isEmpty ? "\(bytes) B" : "\(whole).\(rest * 10 / 1_024) \(unit)B"
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }
}

/// Classes as one line of JSON.
extension ClassText {
    static func json(_ classes: [ClassSummary]) -> String {
        string(
            .array(
                classes.map { summary in
                    object([
                        ("name", .string(summary.name.text)),
                        ("objects", number(summary.objectCount)),
                        ("failedIndexes", .array(summary.failedIndexes.map { .string($0) })),
                    ])
                }
            )
        )
    }

    static func json(_ name: String, _ report: ClassReport) -> String {
        string(
            object([
                ("name", .string(Text(name))),
                ("objects", number(report.objectCount)),
                ("documentBytes", number(report.documentBytes)),
                ("relay", .string(Text(report.settings.relay.rawValue))),
                ("defaultACL", .string(Text(report.settings.defaultACL.rawValue))),
                ("sampled", .bool(report.isSampled)),
                ("fields", .array(report.fields.map(json))),
                ("indexes", .array(report.indexes.map(json))),
                ("slowFilters", .array(report.slowFilters.map(json))),
            ])
        )
    }

    private static func json(_ field: ClassReport.Field) -> JSON {
        object([
            ("name", .string(field.name)),
            ("count", number(field.count)),
            ("types", object(field.types.map { (Text($0.type.rawValue), number($0.count)) })),
        ])
    }

    private static func json(_ index: ClassReport.Index) -> JSON {
        var members: [(Text, JSON)] = [
            ("field", .string(index.path)), ("declared", .bool(index.isDeclared)),
        ]
        switch index.state {
        case .ready: members.append(("state", .string("ready")))
        case .building(let done, let total):
            members += [
                ("state", .string("building")), ("done", number(done)), ("total", number(total)),
            ]
        case .failed(let failure):
            members += [
                ("state", .string("failed")), ("reason", .string(Text(failure.reason.rawValue))),
                ("objectId", .string(failure.objectID)),
            ]
        }
        members += [
            ("keys", number(index.keyCount)), ("bytes", number(index.byteCount)),
            ("lastUsed", index.lastUsed.map { .string($0.text) } ?? .null),
        ]
        return object(members)
    }

    private static func json(_ filter: ClassReport.SlowFilter) -> JSON {
        object([
            ("filter", .string(filter.shape)),
            ("lists", number(filter.count)),
            ("milliseconds", number(milliseconds(filter.duration))),
            ("examinedObjects", number(Int(clamping: filter.examinedRows))),
        ])
    }

    private static func object(_ members: [(Text, JSON)]) -> JSON {
        .object(JSONObject(members.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }

    private static func number(_ value: Int) -> JSON { .number(JSONNumber(Int64(value))) }

    private static func string(_ json: JSON) -> String {
        String(decoding: JSONWriter.bytes(json), as: UTF8.self)
    }
}
