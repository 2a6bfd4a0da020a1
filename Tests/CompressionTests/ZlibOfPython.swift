import Foundation

/// Python's zlib, as a reader and writer that shares no code with ours but the library.
enum ZlibOfPython {
    /// nil where Python is not installed.
    static let program = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":")
        .map { "\($0)/python3" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Runs `script` with `input` as hexadecimal lines on its standard input and returns the lines that
    /// it prints, decoded.
    static func run(_ script: String, _ input: [[UInt8]]) throws -> [[UInt8]] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "python3")
        let prelude = """
            import sys, zlib, gzip
            lines = [bytes.fromhex(line) for line in sys.stdin.read().split("\\n")[:-1]]
            def show(data): print(data.hex())

            """
        process.arguments = ["-c", prelude + script]
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        try process.run()
        let lines = input.map { hex($0) + "\n" }.joined()
        // Python reads all before it prints.
        try stdin.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
            .map { bytes($0) }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    private static func bytes(_ hex: Substring) -> [UInt8] {
        let digits = Array(hex.utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
