import EventLoops

/// One setting of the server: its name, what it may be, and what it is when nobody says otherwise.
///
/// The name in kebab case is the flag (`--body-bytes`), in upper case with `HATO_` the environment
/// variable (`HATO_BODY_BYTES`), and as it is or in camel case the member of the JSON file (`bodyBytes`).
package struct SettingDefinition: Sendable {
    package enum Form: Sendable, Equatable {
        case text
        /// `HOST:PORT`, or `-` for none.
        case address
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    package var name: String
    package var form: Form
    package var standard: String
    package var help: String

    package init(_ name: String, _ form: Form, _ standard: String, _ help: String) {
        self.name = name
        self.form = form
        self.standard = standard
        self.help = help
    }

    package var flag: String { "--" + name }

    package var variable: String {
        "HATO_" + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    package var member: String {
        let parts = name.split(separator: "-")
        return parts.dropFirst().reduce(String(parts[0])) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }

    /// Says what is wrong with a value; nil when it fits.
    package func complaint(about value: String) -> String? {
        switch form {
        case .text:
            return value.isEmpty ? "must not be empty" : nil
        case .address:
            return value != Listening.none && ListenAddress(parsing: value) == nil
                ? "must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, or - for none" : nil
        case .integer(let range):
            if let number = Int(value), range.contains(number) { return nil }
            return "must be a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let choices):
            return choices.contains(value)
                ? nil : "must be one of " + choices.joined(separator: ", ")
        }
    }
}
