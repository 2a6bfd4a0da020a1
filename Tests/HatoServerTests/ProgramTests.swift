import Foundation
import HatoTesting
import Testing

@testable import HatoServer

/// The binary as an operator meets it.
@Suite("Program")
struct ProgramTests {
    @Test("starts on an empty folder, prints keys that work, and ends with 0 on SIGTERM")
    func serve() throws {
        let folder = try TemporaryFolder()
        let (process, port) = try serve(folder)
        let key = try key("application key", of: process)
        let client = try APIClient(port: port, applicationKey: key, session: nil)
        #expect(try client.send("POST", "/classes/Chat", #"{"body":"x"}"#).status == 201)
        let clock = ContinuousClock()
        let start = clock.now
        process.send(SIGTERM)
        #expect(try process.wait() == .exited(0))
        let spent = clock.now - start
        #expect(spent < .seconds(1))
    }

    @Test("tells WebSockets 1001 when it stops, and waits for none that does not answer")
    func goingAway() throws {
        let folder = try TemporaryFolder()
        let (process, port) = try serve(folder)
        let key = try key("relay key", of: process)
        let polite = try TestWebSocketClient(port: port, target: "/v3/a?api_key=\(key)")
        let mute = try TestWebSocketClient(port: port, target: "/v3/a?api_key=\(key)")
        let clock = ContinuousClock()
        let start = clock.now
        process.send(SIGTERM)
        guard case .close(let code, _) = try polite.receive() else {
            Issue.record("no close frame")
            return
        }
        #expect(code == 1001)
        #expect(try process.wait() == .exited(0))
        let spent = clock.now - start
        #expect(spent < .milliseconds(1_500))
        mute.http.close()
    }

    @Test("refuses a folder that another server holds, and a port that is taken, with 1")
    func twice() throws {
        let folder = try TemporaryFolder()
        let (process, port) = try serve(folder)
        let sameFolder = try ChildProcess(
            "hato",
            ["serve", "--data", folder.path(of: "data"), "--listen", "127.0.0.1:0"]
        )
        #expect(try sameFolder.wait() == .exited(1))
        let samePort = try ChildProcess(
            "hato",
            ["serve", "--data", folder.path(of: "other"), "--listen", "127.0.0.1:\(port)"]
        )
        #expect(try samePort.wait() == .exited(1))
        process.send(SIGINT)
        #expect(try process.wait() == .exited(0))
    }

    @Test("carries out a command in a running server, in force for the next request")
    func commands() throws {
        let folder = try TemporaryFolder()
        let (process, port) = try serve(folder)
        let data = folder.path(of: "data")
        try run(["app", "create", "chat", "--application-key", "AK", "--data", data])
        let client = try APIClient(port: port, applicationKey: "AK", session: nil)
        #expect(try client.send("GET", "/classes/Chat").status == 200)
        try run(["app", "set", "chat", "--require-signature", "on", "--data", data])
        #expect(try client.send("GET", "/classes/Chat").status == 401)
        let clash = try ChildProcess("hato", ["app", "create", "chat", "--data", data])
        #expect(try clash.wait() == .exited(1))
        process.send(SIGTERM)
        try process.wait()
    }

    @Test("carries out a command itself when no server runs")
    func offline() throws {
        let folder = try TemporaryFolder()
        let data = folder.path(of: "data")
        let text = try run(
            [
                "app", "create", "chat", "--client-key", "CK", "--relay-key", "RK", "--json",
                "--data", data,
            ]
        )
        #expect(text.contains(#""clientKey":"CK","relayKey":"RK""#))
        #expect(
            try run(["class", "set", "Chat", "--relay", "events", "--data", data]).contains(
                "relay events"
            )
        )
        #expect(try run(["app", "list", "--data", data]).contains("client key       CK"))
    }

    @Test(
        "looks into a folder that no server runs on, and ends with 1 when a check finds something"
    )
    func inspection() throws {
        let folder = try TemporaryFolder()
        let (process, port) = try serve(folder)
        let key = try key("application key", of: process)
        let client = try APIClient(port: port, applicationKey: key, session: nil)
        #expect(try client.send("POST", "/classes/Chat", #"{"n":1}"#).status == 201)
        process.send(SIGTERM)
        try process.wait()
        let data = folder.path(of: "data")
        try run(["class", "set", "Chat", "--index", "n", "--data", data])
        let shown = try run(["class", "show", "Chat", "--data", data])
        #expect(shown.contains("n  1  Number"))
        #expect(shown.contains("n  declared"))
        #expect(try run(["check", "--data", data]) == "default: nothing is wrong\n")
        let apps = try FileManager.default.contentsOfDirectory(atPath: data + "/apps")
        let file = try FileHandle(
            forUpdating: URL(fileURLWithPath: "\(data)/apps/\(apps[0])/objects.db")
        )
        let size = try file.seekToEnd()
        try file.seek(toOffset: size - 4_096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4_096))
        try file.close()
        #expect(try ChildProcess("hato", ["check", "--data", data]).wait() == .exited(1))
    }

    @Test(
        "ends with 2 on wrong usage",
        arguments: [
            [], ["fly"], ["serve", "--port", "1"], ["app", "create"], ["config", "extra"],
        ]
    )
    func usage(words: [String]) throws {
        #expect(try ChildProcess("hato", words).wait() == .exited(2))
    }

    @Test("refuses an argument that is not UTF-8, whichever it is, and says which")
    func invalidText() throws {
        let hato = try ChildProcess.productsFolder() + "/hato"
        for words in ["class set Chat --index \"$bad\"", "\"$bad\"", "help \"a$bad\""] {
            let script = "bad=$(printf '\\377'); exec '\(hato)' \(words) 2>&1"
            let process = try ChildProcess("/bin/sh", ["-c", script])
            let number = words.split(separator: " ").count
            let line = try process.line(containing: "argument")
            #expect(line.contains("argument \(number) is not text in UTF-8"))
            #expect(try process.wait() == .exited(2))
        }
    }

    @Test("says whether a server is well")
    func health() throws {
        let folder = try TemporaryFolder()
        let (process, port) = try serve(folder)
        let ask = ["health", "--listen", "127.0.0.1:\(port)"]
        #expect(try ChildProcess("hato", ask).wait() == .exited(0))
        process.send(SIGTERM)
        try process.wait()
        #expect(try ChildProcess("hato", ask).wait() == .exited(1))
    }

    @Test(
        "answers 503 while the disk is full, keeps what it acknowledged, and goes on when there is room"
    )
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let hato = try ChildProcess.productsFolder() + "/hato"
        // 2 MB a file: the kernel refuses to let the log grow past it.
        let serve = "ulimit -S -f 4096; exec '\(hato)' serve --log off --listen 127.0.0.1:0 --data"
        let process = try ChildProcess("/bin/sh", ["-c", "\(serve) '\(folder.path(of: "data"))'"])
        let port = try port(of: process)
        let key = try key("application key", of: process)
        let client = try APIClient(port: port, applicationKey: key, session: nil)
        let filling = String(repeating: "x", count: 60_000)
        var acknowledged: [String] = []
        var refused: TestHTTPResponse?
        for number in 0..<200 where refused == nil {
            let answer = try client.send(
                "POST",
                "/classes/Chat",
                #"{"n":\#(number),"body":"\#(filling)"}"#
            )
            if answer.status == 201 {
                acknowledged.append(try #require(member("objectId", of: answer.text)))
            } else {
                refused = answer
            }
        }
        #expect(refused?.status == 503)
        #expect(member("code", of: refused?.text ?? "") == "E503001")
        #expect(acknowledged.count > 5)
        for id in acknowledged {
            #expect(try client.send("GET", "/classes/Chat/\(id)").status == 200)
        }
        let room = try ChildProcess(
            "/usr/bin/prlimit",
            ["--pid", "\(process.pid)", "--fsize=unlimited"]
        )
        try #require(try room.wait() == .exited(0))
        let again = try client.send("POST", "/classes/Chat", #"{"body":"\#(filling)"}"#)
        #expect(again.status == 201)
        for id in acknowledged {
            #expect(try client.send("GET", "/classes/Chat/\(id)").status == 200)
        }
        process.send(SIGTERM)
        #expect(try process.wait() == .exited(0))
    }

    private func serve(_ folder: TemporaryFolder) throws -> (ChildProcess, port: Int) {
        let process = try ChildProcess(
            "hato",
            ["serve", "--data", folder.path(of: "data"), "--listen", "127.0.0.1:0", "--log", "off"]
        )
        return (process, try port(of: process))
    }

    private func port(of process: ChildProcess) throws -> Int {
        let line = try process.line(containing: " serves ")
        return try #require(line.split(separator: ":").last.flatMap { Int($0) })
    }

    /// Reads `default: application key K, relay key R`.
    private func key(_ name: String, of process: ChildProcess) throws -> String {
        let line = try process.line(containing: name)
        let part = try #require(line.components(separatedBy: name + " ").last)
        return String(part.prefix { $0 != "," })
    }

    /// Runs a command that must end with 0 and returns what it printed.
    @discardableResult
    private func run(_ words: [String]) throws -> String {
        let process = try ChildProcess("hato", words)
        let text = try process.rest()
        #expect(try process.wait() == .exited(0))
        return text
    }
}
