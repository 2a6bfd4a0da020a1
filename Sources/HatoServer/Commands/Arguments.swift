/// A command line that does not fit: printed with a hint, exit code 2.
package struct UsageError: Error, Sendable, Equatable {
    package var message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// An option that a command takes.
package struct Option: Sendable {
    package enum Form: Sendable {
        /// Stands alone: `--json`.
        case flag
        /// Takes one value and may be given once.
        case value
        /// Takes one or more values, up to the next option, and may be given again.
        case words
    }

    /// With its dashes: `--listen`.
    package var name: String
    package var form: Form

    package static func flag(_ name: String) -> Option { Option(name: name, form: .flag) }
    package static func value(_ name: String) -> Option { Option(name: name, form: .value) }
    package static func words(_ name: String) -> Option { Option(name: name, form: .words) }
}

/// Arguments taken apart by the options that a command knows: `--name value`, `--name=value`,
/// `--name value value`.
package struct Arguments: Sendable {
    package private(set) var positional: [String] = []
    private var values: [String: String] = [:]
    private var lists: [String: [String]] = [:]

    package init(_ arguments: [String], options: [Option]) throws(UsageError) {
        var rest = arguments[...]
        var takesOptions = true
        while let argument = rest.popFirst() {
            guard takesOptions, argument.hasPrefix("-"), argument != "-" else {
                positional.append(argument)
                continue
            }
            if argument == "--" {
                takesOptions = false
                continue
            }
            let parts = argument.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError("unknown option \(name)")
            }
            guard values[name] == nil else { throw UsageError("\(name) is given twice") }
            switch option.form {
            case .flag:
                guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
                values[name] = ""
            case .value:
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw UsageError("\(name) needs a value")
                }
                values[name] = value
            case .words:
                var words = parts.count == 2 ? [String(parts[1])] : []
                while parts.count == 1, let word = rest.first, !word.hasPrefix("-") {
                    words.append(word)
                    rest.removeFirst()
                }
                guard !words.isEmpty else { throw UsageError("\(name) needs a value") }
                lists[name, default: []] += words
            }
        }
    }

    package func has(_ name: String) -> Bool {
        values[name] != nil
    }

    package subscript(name: String) -> String? {
        values[name]
    }

    /// The values of an option that takes several; none when it is not given.
    package func words(_ name: String) -> [String] {
        lists[name] ?? []
    }

    /// Reads an `on` or `off` option; nil when it is not given.
    package func onOff(_ name: String) throws(UsageError) -> Bool? {
        switch values[name] {
        case nil: nil
        case "on": true
        case "off": false
        case .some: throw UsageError("\(name) is on or off")
        }
    }

    /// Reads a number inside `range`; nil when it is not given.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
