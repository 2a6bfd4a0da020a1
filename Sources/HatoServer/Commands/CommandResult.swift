/// What a command says and how it ends: 0 fine, 1 failed, 2 wrong usage.
package struct CommandResult: Sendable, Equatable {
    package var exitCode: Int32
    /// For standard output when `exitCode` is 0, for standard error otherwise; ends in a newline.
    package var text: String

    package init(exitCode: Int32, text: String) {
        self.exitCode = exitCode
        self.text = text
    }

    package static func success(_ text: String) -> CommandResult {
        CommandResult(exitCode: 0, text: text)
    }

    package static func failure(_ text: String) -> CommandResult {
        CommandResult(exitCode: 1, text: "hato: " + text + "\n")
    }

    package static func usage(_ text: String) -> CommandResult {
        CommandResult(exitCode: 2, text: "hato: " + text + "\nhato help lists the commands.\n")
    }
}
