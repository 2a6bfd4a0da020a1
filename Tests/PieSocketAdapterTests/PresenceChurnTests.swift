import Foundation
import HatoTesting
import ObjectModel
import PieSocketAdapter
import Realtime
import Testing

@Suite("Presence in one order")
struct PresenceChurnTests {
    private static let sockets = 200
    private static let threads = 4
    /// Fewer than sockets, so that one uuid comes and goes on several loops at a time.
    private static let uuids = 60

    @Test(
        "every observer's events replay exactly to the final list, whoever comes and goes where",
        // Forty events a second are fewer than there is to tell.
        arguments: [ChannelLimits(), ChannelLimits(presenceBytesPerSecond: 163_840)]
    )
    func replay(limits: ChannelLimits) throws {
        let fixture = try RelayFixture(channelLimits: limits)
        let early = try fixture.sockets("room", count: 4, "&presence=1")
        let done = try Mailbox<[Held]>()
        for thread in 0..<Self.threads {
            Thread.detachNewThread { done.put(Self.churn(fixture, thread)) }
        }
        var observers = early.map(Held.init)
        for _ in 0..<Self.threads { observers += try done.next("a thread") }
        #expect(observers.count > 40)

        // The probe comes when all others have come or gone: its list is the truth.
        while fixture.hub.counts.members > observers.count { try fixture.settle() }
        let probe = try fixture.socket("room", "&presence=1&uuid=probe&user=probe")
        let final = try probe.event()
        var reader = Reader()
        for observer in observers {
            #expect(try reader.replay(observer.socket, until: "probe") == final.members)
        }

        for observer in observers { observer.socket.vanish() }
        probe.vanish()
        while fixture.hub.counts.members > 0 { try fixture.settle() }
        #expect(fixture.hub.counts == ChannelHub.Counts())
        #expect(fixture.hub.counts(of: RelayFixture.application.relayKey) == ChannelHub.Counts())
    }

    /// Opens this thread's share of the sockets and closes most of them at random; returns the rest.
    private static func churn(_ fixture: RelayFixture, _ thread: Int) -> [Held] {
        var generator = SeededGenerator(seed: UInt64(thread) + 77)
        var open: [Held] = []
        for number in 0..<sockets / threads {
            let uuid = Int.random(in: 0..<uuids, using: &generator)
            let parameters = "&presence=1&uuid=u\(uuid)&user=\(thread)-\(number)"
            if let socket = try? fixture.socket("room", parameters) { open.append(Held(socket)) }
            while open.count > 14 || !open.isEmpty && Int.random(in: 0..<4, using: &generator) == 0
            {
                open.remove(at: Int.random(in: open.indices, using: &generator)).socket.vanish()
            }
        }
        return open
    }
}

/// A socket on its way from the thread that opened it to the test's.
///
/// `@unchecked Sendable`: the thread lets go of it when it hands it over.
private final class Held: @unchecked Sendable {
    let socket: TestWebSocketClient

    init(_ socket: TestWebSocketClient) {
        self.socket = socket
    }
}

/// Replays what observers hear; all hear the same texts, so that each is parsed once.
private struct Reader {
    private var parsed: [String: PresenceEvent] = [:]

    private mutating func event(_ message: TestWebSocketClient.Message) throws -> PresenceEvent {
        guard case .text(let text) = message else { throw TestFailure.malformed("\(message)") }
        if let event = parsed[text] { return event }
        let event = try PresenceEvent(message)
        parsed[text] = event
        return event
    }

    /// Returns the list as it is when `uuid` has joined; each event must fit the list before it.
    mutating func replay(
        _ socket: TestWebSocketClient,
        until uuid: String
    ) throws -> [PresenceEvent.Member] {
        let first = try event(socket.receive())
        #expect(first.kind == .list)
        var members = first.members
        while members.last?.uuid != uuid {
            let next = try event(socket.receive())
            switch (next.kind, next.member) {
            case (.joined, let member?):
                #expect(!members.contains { $0.uuid == member.uuid })
                members.append(member)
            case (.left, let member?):
                let index = try #require(members.firstIndex(of: member))
                members.remove(at: index)
            default: throw TestFailure.malformed("\(next)")
            }
            #expect(next.members == members)
        }
        return members
    }
}
