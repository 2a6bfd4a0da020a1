import Foundation
import HatoTesting
import Testing

@Suite("Walk-through of the front page")
struct WalkthroughTests {
    private let repository = Repository()

    @Test(
        "pasted as it stands, it ends where the page says",
        arguments: [("README.md", "A chat in five minutes"), ("README.ja.md", "5 分でチャット")]
    )
    func works(path: String, section: String) throws {
        let folder = try TemporaryFolder()
        let hato = try ChildProcess(
            "hato",
            ["serve", "--data", folder.path(of: "data"), "--listen", "127.0.0.1:0"]
        )
        let line = try hato.line(containing: "http://127.0.0.1:")
        let digits = line.firstMatch(of: /127\.0\.0\.1:(\d+)/)
        let port = try #require(digits.flatMap { Int($0.1) })

        // The channel exists from the moment that the application does: its creation comes first.
        let page = try repository.file(path)
        let program = try ChildProcess.productsFolder() + "/hato"
        let walk = Walkthrough(page, section: section, port: port, program: program)
        let steps = walk.script.split(separator: "\n", maxSplits: 1).map(String.init)
        #expect(steps.count == 2)
        try #expect(run(steps[0], in: folder).contains("walk-app"))

        let listener = try TestWebSocketClient(port: port, target: "/v3/Chat?api_key=walk-relay")
        let output = try run(steps[1], in: folder)
        #expect(output.contains(#""count":1"#))
        #expect(output.contains(#"{"code":"E403001","error":"No access with ACL."} 403"#))
        #expect(output.contains(/\{"updateDate":"[^"]+"\} 200/))
        #expect(output.contains(#"{"success":true}"#))

        guard case .text(let saved) = try listener.receive() else {
            throw TestFailure.malformed("something else than the saved object")
        }
        #expect(saved.contains(#""body":"こんにちは""#))
        #expect(!saved.contains("acl"))
        let published = try listener.receive()
        #expect(published == .text(#"{"event":"hello","data":"from a script"}"#))
    }

    /// Runs a script in a folder, as a reader's shell would; its errors are part of the output.
    private func run(_ script: String, in folder: TemporaryFolder) throws -> String {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = ["-c", script]
        shell.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let output = Pipe()
        shell.standardOutput = output
        shell.standardError = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
