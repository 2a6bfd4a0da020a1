import Foundation
import Glibc
import HatoTesting
import Synchronization
import Testing

@testable import HatoServer

@Suite("ControlSocket")
struct ControlSocketTests {
    @Test("carries a command to the server and its result back, in a folder with a long path")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let deep = folder.path(of: String(repeating: "d", count: 120))
        try #require(mkdir(deep, 0o700) == 0)
        let server = try ControlServer(folder: deep) { words, _ in
            CommandResult(exitCode: Int32(words.count), text: words.joined(separator: "|") + "\n")
        }
        let result = ControlClient.send(
            ["app", "create", "鳩 \"x\""],
            folder: deep,
            answerTimeout: .seconds(30)
        )
        #expect(result == CommandResult(exitCode: 3, text: "app|create|鳩 \"x\"\n"))
        server.stop()
        #expect(ControlClient.send(["app"], folder: deep, answerTimeout: .seconds(30)) == nil)
    }

    @Test("tells how far a command is, however many lines come at once, and then its result")
    func progress() throws {
        let folder = try TemporaryFolder()
        let server = try ControlServer(folder: folder.path) { words, tell in
            for number in 0..<500 { tell("step \(number)\nof \(words[0])") }
            return .success("done\n")
        }
        var told: [String] = []
        let result = ControlClient.send(
            ["x"],
            folder: folder.path,
            answerTimeout: .seconds(30)
        ) { told.append($0) }
        #expect(result == .success("done\n"))
        #expect(told == (0..<500).map { "step \($0)\nof x" })
        server.stop()
    }

    @Test("takes the place of a killed server's socket")
    func leftover() throws {
        let folder = try TemporaryFolder()
        let first = try ControlServer(folder: folder.path) { _, _ in .success("first\n") }
        let second = try ControlServer(folder: folder.path) { _, _ in .success("second\n") }
        #expect(
            ControlClient.send(["x"], folder: folder.path, answerTimeout: .seconds(30))
                == .success("second\n")
        )
        first.stop()
        second.stop()
    }

    @Test("does not do what nobody waits for any more")
    func abandoned() throws {
        let folder = try TemporaryFolder()
        let begun = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let done = Mutex<[[String]]>([])
        let server = try ControlServer(folder: folder.path) { words, _ in
            if words == ["long"] {
                begun.signal()
                goOn.wait()
            }
            done.withLock { $0.append(words) }
            return .success("")
        }
        let path = folder.path
        let first = Thread {
            _ = ControlClient.send(["long"], folder: path, answerTimeout: .seconds(30))
        }
        first.start()
        begun.wait()
        let second = ControlClient.send(["given up"], folder: path, answerTimeout: .zero)
        #expect(second?.exitCode == 1)
        goOn.signal()
        #expect(
            ControlClient.send(["third"], folder: path, answerTimeout: .seconds(30))
                == .success("")
        )
        #expect(done.withLock { $0 } == [["long"], ["third"]])
        server.stop()
    }

    @Test("carries an answer that is longer than a command may be")
    func longAnswer() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "x", count: 2 * ControlMessage.limitBytes) + "\n"
        let server = try ControlServer(folder: folder.path) { _, _ in .success(text) }
        let answer = ControlClient.send(["a"], folder: folder.path, answerTimeout: .seconds(30))
        #expect(answer == .success(text))
        server.stop()
    }

    @Test("answers a line that is no command with a failure")
    func garbage() {
        #expect(ControlMessage.decodeWords(Array("{}".utf8)) == nil)
        #expect(ControlMessage.decodeWords(Array("[1]".utf8)) == nil)
        #expect(ControlMessage.decodeResult(Array(#"{"exit":1e99,"text":""}"#.utf8)) == nil)
    }
}
