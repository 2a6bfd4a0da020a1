import Glibc

/// A system call that the loops cannot do without has failed.
package struct LoopFailure: Error, Sendable, CustomStringConvertible {
    /// What was tried, and on what.
    package let message: String
    /// The system's errno.
    package let code: Int32

    package init(_ message: String, code: Int32) {
        self.message = message
        self.code = code
    }

    package var description: String {
        guard let text = strerror(code) else { return message }
        return "\(message): \(String(cString: text))"
    }
}
