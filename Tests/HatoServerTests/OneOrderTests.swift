import HatoTesting
import Testing

@testable import HatoServer

/// A channel has one order: saved objects and sent messages alike, on every loop.
@Suite("OneOrder")
struct OneOrderTests {
    static let writers = 4
    static let readers = 20
    static let messages = 10_000

    @Test(
        "shows 20 readers on both loops one sequence of 10,000 messages from 4 REST writers and 4 sockets",
        .timeLimit(.minutes(10))
    )
    func oneSequence() async throws {
        let server = try RunningServer(settings: ["--loops", "2"])
        let port = server.port
        let each = Self.messages / (2 * Self.writers)
        let readers = try (0..<Self.readers).map { _ in try server.listener("Chat") }
        #expect(server.server.connectionCounts().allSatisfy { $0 > 0 }, "both loops have readers")
        let keys = (server.applicationKey, server.relayKey)

        let sequences = try await withThrowingTaskGroup(of: [String]?.self) { group in
            for number in 0..<Self.writers {
                group.addTask {
                    try await onThread { try save(each, writer: number, port: port, key: keys.0) }
                    return nil
                }
                group.addTask {
                    try await onThread {
                        try sendMessages(each, writer: number, port: port, key: keys.1)
                    }
                    return nil
                }
            }
            for reader in readers {
                let reader = Handed(reader)
                group.addTask {
                    try await onThread { try receive(Self.messages, from: reader.value) }
                }
            }
            var all: [[String]] = []
            for try await sequence in group { if let sequence { all.append(sequence) } }
            return all
        }
        #expect(sequences.count == Self.readers)
        let first = try #require(sequences.first)
        #expect(Set(first).count == Self.messages)
        #expect(sequences.allSatisfy { $0 == first })
        for source in ["r", "s"] {
            for writer in 0..<Self.writers {
                let own = first.filter { $0.hasPrefix("\(source)\(writer).") }
                #expect(own == (0..<each).map { "\(source)\(writer).\($0)" })
            }
        }
    }
}

/// A value that one thread hands to another and keeps no hold of.
private struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

private func save(_ count: Int, writer: Int, port: Int, key: String) throws {
    let client = try APIClient(port: port, applicationKey: key, session: nil)
    for number in 0..<count {
        let answer = try client.send("POST", "/classes/Chat", #"{"body":"r\#(writer).\#(number)"}"#)
        guard answer.status == 201 else { throw TestFailure.malformed(answer.text) }
    }
}

private func sendMessages(_ count: Int, writer: Int, port: Int, key: String) throws {
    let socket = try TestWebSocketClient(
        port: port,
        target: "/v3/Chat?api_key=\(key)&notify_self=1"
    )
    var echoes = 0
    for number in 0..<count {
        try socket.send(text: #"{"body":"s\#(writer).\#(number)"}"#)
        // Its own echo paces the sender: nobody's outbox overflows.
        while echoes <= number {
            guard case .text(let text) = try socket.receive() else {
                throw TestFailure.ended("the echoes")
            }
            if member("body", of: text)?.hasPrefix("s\(writer).") == true { echoes += 1 }
        }
    }
    try socket.sendClose()
}

private func receive(_ count: Int, from socket: TestWebSocketClient) throws -> [String] {
    var bodies: [String] = []
    while bodies.count < count {
        guard case .text(let text) = try socket.receive(), let body = member("body", of: text)
        else {
            throw TestFailure.ended("the messages after \(bodies.count)")
        }
        bodies.append(body)
    }
    return bodies
}
