import Foundation

/// A fresh folder that is gone, with all in it, when the last reference to it is.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a trailing slash.
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("hato-test-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of `name` inside the folder, whether or not it exists.
    package func path(of name: String) -> String {
        path + "/" + name
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(of: name)))
    }

    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path(of: name))))
    }

    package func contains(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(of: name))
    }
}
