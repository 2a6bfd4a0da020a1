import Glibc
import HatoServer

/// The environment as pairs; read once, here, and handed down.
private func environment() -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    var cursor = environ
    while let entry = cursor.pointee {
        let parts = String(cString: entry).split(
            separator: "=",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        if parts.count == 2 { pairs.append((String(parts[0]), String(parts[1]))) }
        cursor += 1
    }
    return pairs
}

/// The arguments as their bytes: `CommandLine.arguments` would repair what is no text.
private func arguments() -> [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
        CommandLine.unsafeArgv[index].map { start in
            Array(
                UnsafeBufferPointer(start: start, count: strlen(start)).map(UInt8.init(bitPattern:))
            )
        }
    }
}

exit(Program(arguments: arguments(), environment: environment()).run())
