import HatoWire

/// What is wrong with a configuration: names the file, variable or option, and the mend.
package struct ConfigurationError: Error, Sendable, Equatable {
    package var message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// Every setting's value in force, with where it came from:
/// defaults < JSON file < `HATO_*` environment < flags.
package struct EffectiveConfiguration: Sendable {
    package struct Entry: Sendable, Equatable {
        package var value: String
        package var source: String
    }

    private var entries: [String: Entry] = [:]

    /// Merges the four sources.
    ///
    /// `file` is the configuration file's name and bytes. Errors: an unknown member or variable, or
    /// a value that does not fit; the message names both.
    package init(
        file: (name: String, bytes: [UInt8])?,
        environment: [(name: String, value: String)],
        flags: Arguments
    ) throws(ConfigurationError) {
        for definition in SettingTable.all {
            entries[definition.name] = Entry(value: definition.standard, source: "default")
        }
        if let file { try merge(file: file.name, bytes: file.bytes) }
        try merge(environment: environment)
        for definition in SettingTable.all {
            guard let value = flags[definition.flag] else { continue }
            try set(definition, value, source: definition.flag)
        }
    }

    package subscript(name: String) -> Entry {
        entries[name] ?? Entry(value: "", source: "default")
    }

    /// A setting whose form is `integer`.
    package func integer(_ name: String) -> Int {
        Int(self[name].value) ?? 0
    }

    /// One line a setting: `name = value  (source)`, aligned.
    package var description: String {
        let width = SettingTable.all.map(\.name.count).max() ?? 0
        var lines = ""
        for definition in SettingTable.all {
            let entry = self[definition.name]
            let padding = String(repeating: " ", count: width - definition.name.count)
            lines += "\(definition.name)\(padding) = \(entry.value)  (\(entry.source))\n"
        }
        return lines
    }

    private mutating func merge(file: String, bytes: [UInt8]) throws(ConfigurationError) {
        let json: JSON
        do {
            json = try JSON.parse(bytes)
        } catch {
            throw ConfigurationError("\(file) is not JSON: \(error.code) at byte \(error.offset)")
        }
        guard case .object(let object) = json else {
            throw ConfigurationError(
                "\(file) must hold one JSON object, such as {\"listen\":\"0.0.0.0:8080\"}"
            )
        }
        for member in object.members {
            let name = member.name.string
            guard
                let definition = SettingTable.all.first(where: {
                    $0.member == name || $0.name == name
                })
            else {
                throw ConfigurationError(
                    "\(file): there is no setting \"\(name)\"; hato config lists them"
                )
            }
            switch member.value {
            case .string(let text): try set(definition, text.string, source: file)
            case .number(let number): try set(definition, number.text.string, source: file)
            case .null, .bool, .array, .object:
                throw ConfigurationError("\(file): \"\(name)\" must be a string or a number")
            }
        }
    }

    private mutating func merge(
        environment: [(name: String, value: String)]
    ) throws(ConfigurationError) {
        for (name, value) in environment where name.hasPrefix("HATO_") {
            // Container engines name a linked service's addresses so.
            if name.hasPrefix("HATO_PORT") || name.hasPrefix("HATO_SERVICE_") { continue }
            guard let definition = SettingTable.all.first(where: { $0.variable == name }) else {
                throw ConfigurationError("\(name) is no setting; hato config lists them")
            }
            try set(definition, value, source: name)
        }
    }

    private mutating func set(
        _ definition: SettingDefinition,
        _ value: String,
        source: String
    ) throws(ConfigurationError) {
        if let complaint = definition.complaint(about: value) {
            throw ConfigurationError("\(source): \(definition.name) \(complaint)")
        }
        entries[definition.name] = Entry(value: value, source: source)
    }
}
