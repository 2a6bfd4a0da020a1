import Foundation
import HatoTesting
import Synchronization
import Testing

@testable import HatoServer

/// Clients come and go at random while others write: nothing leaks, nothing traps.
@Suite("Churn")
struct ChurnTests {
    @Test(
        "gives back every descriptor and channel after 1,000 clients came and went while 16 wrote",
        .timeLimit(.minutes(5))
    )
    func churn() async throws {
        let server = try RunningServer(settings: ["--loops", "2"])
        let (port, relayKey) = (server.port, server.relayKey)
        let key = server.applicationKey
        // What opens once and stays: the application's files, the loops' and list readers.
        for _ in 0..<8 {
            _ = try server.client().send("POST", "/classes/Churn", #"{"n":0}"#)
            _ = try server.client().send("GET", "/classes/Churn?limit=1")
        }
        let before = try openDescriptors()
        let stop = Flag()

        try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    try await onThread { try write(writer, port: port, key: key, until: stop) }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { clients in
                for crowd in 0..<10 {
                    clients.addTask {
                        try await onThread {
                            try comeAndGo(
                                100,
                                seed: UInt64(crowd),
                                port: port,
                                key: key,
                                relayKey: relayKey
                            )
                        }
                    }
                }
                try await clients.waitForAll()
            }
            stop.raise()
            var written = 0
            for try await count in group { written += count }
            #expect(written >= 16)
        }
        let deadline = Deadline(.seconds(20))
        var after = try openDescriptors()
        while after > before, !deadline.hasPassed {
            // Each round trip through both loops lets the closes before it be seen.
            for _ in 0..<4 { _ = try server.client().send("GET", "/classes/Churn?limit=1") }
            after = try openDescriptors()
        }
        #expect(after <= before)
        #expect(server.server.channelCount == 0)
    }
}

private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
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
private func comeAndGo(_ count: Int, seed: UInt64, port: Int, key: String, relayKey: String) throws
{
    var random = SeededGenerator(seed: seed)
    for _ in 0..<count {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let client = try APIClient(port: port, applicationKey: key, session: nil)
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
                headers: [("X-NCMB-Application-Key", key)]
            )
            client.socket.reset()
        case 3:
            let socket = try TestWebSocketClient(
                port: port,
                target: "/v3/Churn?api_key=\(relayKey)"
            )
            socket.vanish()
        case 4:
            let socket = try TestWebSocketClient(
                port: port,
                target: "/v3/Churn?api_key=\(relayKey)"
            )
            _ = try socket.receive()
            try socket.sendClose()
        default:
            let socket = try TestWebSocketClient(
                port: port,
                target: "/v3/Churn?api_key=\(relayKey)"
            )
            try socket.send(text: "hello")
            socket.http.close()
        }
    }
}
