import Foundation

/// The repository's own files, as a developer's checkout has them.
struct Repository {
    /// One text file: its path from the root, and its lines.
    struct File {
        let path: String
        let text: String

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        var name: String { String(path.split(separator: "/").last ?? "") }
        /// The part of the name after its last dot; empty without one.
        var kind: String { name.contains(".") ? String(name.split(separator: ".").last ?? "") : "" }
    }

    let root: URL

    init() {
        root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    func file(_ path: String) throws -> File {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return File(path: path, text: text)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: root.appendingPathComponent(path).path)
    }

    /// Every text file of the project, sorted by path; what is built, served or fed to decoders stays
    /// out.
    func files() throws -> [File] {
        let skipped: Set = [".git", ".build", ".build-tsan", ".swiftpm", "data"]
        var found: [File] = []
        for entry in try names(in: "") where !skipped.contains(entry) && !entry.hasPrefix(".build")
        {
            try collect(entry, into: &found)
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The text files of one folder, at any depth.
    func files(below folder: String) throws -> [File] {
        try files().filter { $0.path.hasPrefix(folder + "/") }
    }

    /// The names in a folder, sorted.
    func names(in folder: String) throws -> [String] {
        let url = folder.isEmpty ? root : root.appendingPathComponent(folder)
        return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    private func collect(_ path: String, into found: inout [File]) throws {
        let url = root.appendingPathComponent(path)
        // No text of ours: what a fuzzer made.
        guard path != "Tests/Corpora" else { return }
        if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
            for name in try names(in: path) { try collect(path + "/" + name, into: &found) }
        } else if let text = String(data: try Data(contentsOf: url), encoding: .utf8) {
            found.append(File(path: path, text: text))
        }
    }
}
