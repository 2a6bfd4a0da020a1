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

exit(Program(arguments: Array(CommandLine.arguments.dropFirst()), environment: environment()).run())
