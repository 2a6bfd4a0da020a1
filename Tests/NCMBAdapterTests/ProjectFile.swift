import Foundation

/// Files of the project that tests read: found from this file, wherever the clone lies.
enum ProjectFile {
    static func bytes(_ path: String) throws -> [UInt8] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }
}
