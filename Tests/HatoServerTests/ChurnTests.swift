import Foundation
import Glibc
import HatoTesting
import SQLiteStorage
import Synchronization
import Testing

@testable import HatoServer

/// Clients come and go at random while others write: nothing leaks, nothing traps.
@Suite("Churn")
struct ChurnTests {
    @Test(
        "leaves no channel behind after 1,000 clients came and went while 16 wrote",
        .timeLimit(.minutes(10))
    )
    func channels() async throws {
        let server = try RunningServer(settings: ["--loops", "2"])
        let keys = Keys(application: server.applicationKey, relay: server.relayKey)
        try await churn(clients: 1_000, port: server.port, keys)
        let deadline = Deadline()
        while server.server.channelCount > 0, !deadline.hasPassed {
            _ = try server.client().send("GET", "/classes/Churn?limit=1")
        }
        #expect(server.server.channelCount == 0)
    }

    @Test("gives back descriptors and memory, round after round", .timeLimit(.minutes(10)))
    func resources() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path(of: "data")
        let made = try ChildProcess(
            "hato",
            [
                "app", "create", "churn", "--application-key", "AK", "--relay-key", "RK", "--data",
                data,
            ]
        )
        try #require(try made.wait() == .exited(0))
        let process = try ChildProcess(
            "hato",
            ["serve", "--data", data, "--listen", "127.0.0.1:0", "--loops", "2", "--log", "off"]
        )
        let line = try process.line(containing: " serves ")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        let keys = Keys(application: "AK", relay: "RK")

        let listeners = try descriptors(of: process).sockets
        // What opens once and stays: the application's files, for each loop; and for each place of a
        // list that was ever needed, two descriptors.
        let lists = StoreLimits()
        let places = lists.listThreads + lists.slowListThreads
        try await churn(clients: 300, port: port, keys)
        let first = try await descriptorsAtRest(of: process, sockets: listeners)
        let memory = try residentBytes(of: process)
        for _ in 0..<2 { try await churn(clients: 300, port: port, keys) }
        #expect(try await descriptorsAtRest(of: process, sockets: listeners) <= first + 2 * places)
        let growth = try residentBytes(of: process) - memory
        #expect(growth < 8_000_000)
        process.send(SIGTERM)
        #expect(try process.wait() == .exited(0))
    }

    /// Counts the descriptors once no more than `sockets` of them are sockets.
    private func descriptorsAtRest(of process: ChildProcess, sockets: Int) async throws -> Int {
        let deadline = Deadline()
        var open = try descriptors(of: process)
        while open.sockets > sockets, !deadline.hasPassed {
            await Task.yield()
            open = try descriptors(of: process)
        }
        #expect(open.sockets <= sockets)
        return open.all
    }

    private func descriptors(of process: ChildProcess) throws -> (all: Int, sockets: Int) {
        let folder = "/proc/\(process.pid)/fd"
        let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
        }
        return (targets.count, targets.count { $0.hasPrefix("socket:") })
    }
}

private struct Keys: Sendable {
    var application: String
    var relay: String
}

/// Lets `clients` come and go, a tenth at a time, while 16 write.
private func churn(clients: Int, port: Int, _ keys: Keys) async throws {
    let stop = Flag()
    try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<16 {
            group.addTask {
                try await onThread {
                    try write(writer, port: port, key: keys.application, until: stop)
                }
            }
        }
        defer { stop.raise() }
        try await withThrowingTaskGroup(of: Void.self) { crowds in
            for crowd in 0..<10 {
                crowds.addTask {
                    try await onThread {
                        try comeAndGo(clients / 10, seed: UInt64(crowd), port: port, keys)
                    }
                }
            }
            try await crowds.waitForAll()
        }
        stop.raise()
        for try await count in group { #expect(count > 0) }
    }
}

private final class Flag: Sendable {
    private let raised = Mutex(false)

    func raise() { raised.withLock { $0 = true } }
    var isRaised: Bool { raised.withLock { $0 } }
}

private func write(_ writer: Int, port: Int, key: String, until stop: Flag) throws -> Int {
    let client = try APIClient(port: port, applicationKey: key, session: nil)
    var count = 0
    repeat {
        let answer = try client.send(
            "POST",
            "/classes/Churn",
            #"{"body":"w\#(writer)","n":\#(count)}"#
        )
        guard answer.status == 201 else { throw TestFailure.malformed(answer.text) }
        count += 1
    } while !stop.isRaised
    return count
}

/// Opens `count` connections one after the other and leaves each in its own way.
private func comeAndGo(_ count: Int, seed: UInt64, port: Int, _ keys: Keys) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<count {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let client = try APIClient(port: port, applicationKey: keys.application, session: nil)
            let answer = try client.send("GET", "/classes/Churn?limit=3")
            guard answer.status == 200 else { throw TestFailure.malformed(answer.text) }
        case 1:
            // Leaves in the middle of a request.
            let client = try TestHTTPClient(port: port)
            try client.send(
                "POST /2013-09-01/classes/Churn HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"
            )
            client.socket.reset()
        case 2:
            // Leaves with an unread answer on its way.
            let client = try TestHTTPClient(port: port)
            try client.send(
                "GET",
                "/2013-09-01/classes/Churn",
                headers: [("X-NCMB-Application-Key", keys.application)]
            )
            client.socket.reset()
        case 3:
            let socket = try TestWebSocketClient(
                port: port,
                target: "/v3/Churn?api_key=\(keys.relay)"
            )
            socket.vanish()
        case 4:
            let socket = try TestWebSocketClient(
                port: port,
                target: "/v3/Churn?api_key=\(keys.relay)"
            )
            _ = try socket.receive()
            try socket.sendClose()
        default:
            let socket = try TestWebSocketClient(
                port: port,
                target: "/v3/Churn?api_key=\(keys.relay)"
            )
            try socket.send(text: "hello")
            socket.http.close()
        }
    }
}
