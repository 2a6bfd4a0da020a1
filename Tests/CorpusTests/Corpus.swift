import Foundation

/// The inputs that are kept of one fuzz target: files of `Tests/Corpora/NAME`, each called after its SHA-1, as
/// libFuzzer does.
struct Corpus {
    struct Input {
        let name: String
        let bytes: [UInt8]
    }

    /// What a corpus may be: small, so that every test run replays it.
    static let inputLimit = 300
    static let limitBytes = 300_000

    static var root: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Corpora")
    }

    /// The names of all folders that there are.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
    }

    let inputs: [Input]

    init(_ name: String) throws {
        let folder = Corpus.root.appendingPathComponent(name)
        inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            Input(name: $0, bytes: Array(try Data(contentsOf: folder.appendingPathComponent($0))))
        }
    }
}
