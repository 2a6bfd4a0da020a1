import CLinux
import Cryptography
import Glibc

/// The command line: takes the first word, reads the configuration, and carries the command out.
package struct Program {
    package static let version = "0.1.0"

    private let words: [String]
    /// The place of the first argument that is no text, counted from 1.
    private let unreadable: Int?
    private let environment: [(name: String, value: String)]

    /// `arguments` without the program's own name, as the process was given them.
    package init(arguments: [[UInt8]], environment: [(name: String, value: String)]) {
        let words = arguments.map { String(validating: $0, as: UTF8.self) }
        self.unreadable = words.firstIndex(of: nil).map { $0 + 1 }
        self.words = words.compactMap { $0 }
        self.environment = environment
    }

    /// Runs the command to its end and returns the exit code: 0 fine, 1 failed, 2 wrong usage.
    package func run() -> Int32 {
        let result: CommandResult
        do {
            result = try command()
        } catch let error as UsageError {
            result = .usage(error.message)
        } catch let error as ConfigurationError {
            result = .failure(error.message)
        } catch {
            result = .failure("\(error)")
        }
        StandardOutput.write(result.text, to: result.exitCode == 0 ? STDOUT_FILENO : STDERR_FILENO)
        return result.exitCode
    }

    private func command() throws -> CommandResult {
        if let unreadable {
            return .usage("argument \(unreadable) is not text in UTF-8")
        }
        if words.contains("--help") { return .success(HelpText.text) }
        let rest = Array(words.dropFirst())
        switch words.first {
        case nil: return .usage("a command is missing")
        case "help", "--help", "-h": return .success(HelpText.text)
        case "version", "--version": return .success("hato \(Program.version)\n")
        case "serve": return ServeCommand.run(try configuration(rest))
        case "config": return .success(try configuration(rest).description)
        case "health": return HealthCheck.run(try configuration(rest))
        case "app", "class", "check": return try admin()
        case .some(let word): return .usage("there is no command \"\(word)\"")
        }
    }

    /// Reads the configuration of a command that takes settings only.
    private func configuration(_ rest: [String]) throws -> EffectiveConfiguration {
        let options = SettingTable.all.map { Option.value($0.flag) } + [.value("--config")]
        let arguments = try Arguments(rest, options: options)
        if let word = arguments.positional.first {
            throw UsageError("\"\(word)\" does not belong there")
        }
        return try effective(arguments)
    }

    private func effective(
        _ arguments: Arguments
    ) throws(ConfigurationError) -> EffectiveConfiguration {
        var file: (name: String, bytes: [UInt8])?
        if let name = arguments["--config"] {
            guard let bytes = SmallFile.read(name, limitBytes: 1_048_576) else {
                throw ConfigurationError(
                    "could not read the configuration file \(name): \(errnoText())"
                )
            }
            file = (name, bytes)
        }
        return try EffectiveConfiguration(file: file, environment: environment, flags: arguments)
    }

    /// Hands an admin command to the running server, or takes the folder and does it here.
    private func admin() throws -> CommandResult {
        let (own, location) = try AdminWords.split(words)
        guard let command = try AdminCommand.parse(own) else {
            return .usage("there is no command \"" + own.prefix(2).joined(separator: " ") + "\"")
        }
        let configuration = try effective(location)
        let folder = configuration["data"].value
        // For who looks on; a script wants the result alone.
        let tell = { @Sendable (text: String) in
            if isatty(STDERR_FILENO) == 1 { StandardOutput.write(text + "\n", to: STDERR_FILENO) }
        }
        if let result = ControlClient.send(
            own,
            folder: folder,
            answerTimeout: command.answerTimeout,
            telling: tell
        ) {
            return result
        }
        // Only what makes an application may make the folder: a mistyped path must not look well.
        guard command.makesFolder || OfflineStore.exists(at: folder) else {
            return .failure("\(folder) is no data folder of hato; name one with --data")
        }
        return try OfflineStore.with(configuration) { store in
            AdminCommandRunner(store: store, random: SecureRandom()).run(own, telling: tell)
        }
    }
}

/// Parts an admin command's own words from the options that say where: `--data`, `--config`.
enum AdminWords {
    static func split(_ words: [String]) throws(UsageError) -> (own: [String], location: Arguments)
    {
        var own: [String] = []
        var location: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
            guard name == "--data" || name == "--config" else {
                own.append(word)
                continue
            }
            location.append(word)
            if name == word, let value = rest.popFirst() { location.append(value) }
        }
        return (own, try Arguments(location, options: [.value("--data"), .value("--config")]))
    }
}

/// Writes whole texts to a descriptor; what can't be written is nobody's to hear.
enum StandardOutput {
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Reads a file that must be small.
enum SmallFile {
    /// Returns the bytes; nil with `errno` set when it can't be read or is over the limit (EFBIG).
    static func read(_ name: String, limitBytes: Int) -> [UInt8]? {
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limitBytes else {
                errno = EFBIG
                return nil
            }
        }
    }
}
