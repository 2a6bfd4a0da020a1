package import HatoWire

/// The checked name of a class: `[A-Za-z][A-Za-z0-9_]{0,63}`, and not a built-in's (rulings 4).
package struct ClassName: Hashable, Sendable {
    package let text: Text

    /// Names a built-in class by its singular name, as Pointers do.
    private init(builtIn name: Text) {
        self.text = name
    }

    package static let user = ClassName(builtIn: "user")
    package static let role = ClassName(builtIn: "role")
    package static let installation = ClassName(builtIn: "installation")
    package static let file = ClassName(builtIn: "file")
    package static let push = ClassName(builtIn: "push")

    /// Whether the class belongs to the data store, not to a service with rules of its own.
    package var isDataStore: Bool { !ClassName.builtIns.contains(self) }

    private static let builtIns: [ClassName] = [.user, .role, .installation, .file, .push]

    /// Names any class, a built-in by its singular name.
    ///
    /// Errors: `invalidFormat` for a name that no class can have.
    package init(any name: Text) throws(DomainError) {
        if let builtIn = ClassName.builtIns.first(where: { $0.text == name }) {
            self = builtIn
        } else {
            try self.init(dataStore: name)
        }
    }

    /// Checks the name of a data store class.
    ///
    /// Errors: `invalidFormat` for a bad name, `prohibited` for a built-in's.
    package init(dataStore name: Text) throws(DomainError) {
        self.text = name
        var bytes = name.utf8.makeIterator()
        guard let first = bytes.next(), ClassName.isLetter(first), name.utf8.count <= 64 else {
            throw DomainError(.invalidFormat, "className")
        }
        while let byte = bytes.next() {
            guard ClassName.isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F else {
                throw DomainError(.invalidFormat, "className")
            }
        }
        guard isDataStore else { throw DomainError(.prohibited) }
    }

    /// Whether a Pointer or Relation may name this class: a built-in's singular name, or any that the
    /// data store could have.
    package static func isPointerTarget(_ name: Text) -> Bool {
        do throws(DomainError) {
            _ = try ClassName(dataStore: name)
            return true
        } catch {
            return error.code == .prohibited
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
