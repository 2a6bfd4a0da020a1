import Glibc
import HatoTesting
import Testing

@testable import HatoServer

@Suite("ControlSocket")
struct ControlSocketTests {
    @Test("carries a command to the server and its result back, in a folder with a long path")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let deep = folder.path(of: String(repeating: "d", count: 120))
        try #require(mkdir(deep, 0o700) == 0)
        let server = try ControlServer(folder: deep) { words in
            CommandResult(exitCode: Int32(words.count), text: words.joined(separator: "|") + "\n")
        }
        let result = ControlClient.send(["app", "create", "鳩 \"x\""], folder: deep)
        #expect(result == CommandResult(exitCode: 3, text: "app|create|鳩 \"x\"\n"))
        server.stop()
        #expect(ControlClient.send(["app"], folder: deep) == nil)
    }

    @Test("takes the place of a killed server's socket")
    func leftover() throws {
        let folder = try TemporaryFolder()
        let first = try ControlServer(folder: folder.path) { _ in .success("first\n") }
        let second = try ControlServer(folder: folder.path) { _ in .success("second\n") }
        #expect(ControlClient.send(["x"], folder: folder.path) == .success("second\n"))
        first.stop()
        second.stop()
    }

    @Test("answers a line that is no command with a failure")
    func garbage() {
        #expect(ControlMessage.decodeWords(Array("{}".utf8)) == nil)
        #expect(ControlMessage.decodeWords(Array("[1]".utf8)) == nil)
        #expect(ControlMessage.decodeResult(Array(#"{"exit":1e99,"text":""}"#.utf8)) == nil)
    }
}
