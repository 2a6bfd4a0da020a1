import EventLoops
import HatoTesting
import HatoWire
import Realtime
import Testing

@Suite("Presence under a flood of comings and goings")
struct PresenceFloodTests {
    /// A connection of a test and the client at its other end.
    private struct Line {
        let client: TestHTTPClient
        let connection: Connection

        init(_ house: ChannelHouse) throws {
            client = try TestHTTPClient(port: house.port)
            try client.send("#")
            connection = try house.connections.next("the connection")
        }
    }

    private static let long = String(repeating: "n", count: 500)

    /// Runs `body` on the house's only loop.
    private func onLoop<Answer: Sendable>(
        _ house: ChannelHouse,
        _ body: @escaping @Sendable () throws -> Answer
    ) throws -> Answer {
        let answers = try Mailbox<Result<Answer, any Error>>()
        house.group.loops[0].execute { answers.put(Result { try body() }) }
        return try answers.next("the loop").get()
    }

    /// Returns the texts that come, to the first that holds `last`.
    private func texts(_ client: TestHTTPClient, to last: String) throws -> [String] {
        var texts: [String] = []
        while texts.last?.contains(last) != true {
            let head = try client.bytes(2)
            var count = Int(head[1])
            if count > 125 {
                count = try client.bytes(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
            }
            texts.append(String(decoding: try client.bytes(count), as: UTF8.self))
        }
        return texts
    }

    @Test("who comes and goes 10,000 times in a turn costs nobody the connection")
    func flood() throws {
        let house = try ChannelHouse(loops: 1)
        let (observer, flooder) = (try Line(house), try Line(house))
        let key = house.key("a")
        let watching = observer.connection
        let flooding = flooder.connection
        try onLoop(house) {
            _ = try house.hub.join(key, watching, as: Member(uuid: "o", user: "observer"))
            for number in 0..<10_000 {
                let member = Member(uuid: Text("\(number)"), user: Text(Self.long))
                house.hub.leave(try house.hub.join(key, flooding, as: member))
            }
            _ = try house.hub.join(key, flooding, as: Member(uuid: "last", user: "last"))
        }
        let heard = try texts(observer.client, to: #""member":{"uuid":"last""#)
        #expect(heard.first?.contains("system:member_list") == true)
        // Once the pace is used up, what came and went between two events is told to nobody.
        #expect(heard.count < 300)
        let members = #""members":[{"uuid":"o","user":"observer"},{"uuid":"last","user":"last"}]"#
        #expect(heard.last?.contains(members) == true)
    }
    /// Lines of which each loop has one at least, by loop.
    private func lines(_ house: ChannelHouse) throws -> [Line] {
        var lines: [Int: Line] = [:]
        while lines.count < house.group.loops.count {
            let line = try Line(house)
            lines[line.connection.loop.index] = line
        }
        return lines.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Has `comings` members come while the loop of another is held, with room for four events in its
    /// inbox; returns the client of that one, whose loop goes on.
    private func backlog(
        comings: Int,
        publication: Publication
    ) throws -> (ChannelHouse, TestHTTPClient) {
        let house = try ChannelHouse(limits: ChannelLimits(waitingMessagesPerLoop: 4))
        let lines = try lines(house)
        let (key, joined) = (house.key("a"), try Mailbox<Bool>())
        let join = { (connection: Connection, uuid: Text) throws in
            connection.loop.execute {
                let member = Member(uuid: uuid, user: "u")
                joined.put((try? house.hub.join(key, connection, as: member)) != nil)
            }
            #expect(try joined.next())
        }
        try join(lines[1].connection, "o")
        let gate = try Gate(lines[1].connection.loop)
        for number in 0..<comings { try join(lines[0].connection, Text("\(number)")) }
        try house.settle(lines[0].connection.loop)
        let message = MessageFrame.text(Array("message".utf8))
        #expect(house.hub.publish(message, to: key) == publication)
        gate.open()
        return (house, lines[1].client)
    }

    @Test("a loop whose inbox is full of events loses nothing and refuses messages")
    func fullInbox() throws {
        let (house, client) = try backlog(comings: 4, publication: .refused)
        let heard = try texts(client, to: #""member":{"uuid":"3""#)
        #expect(heard.count == 5)
        for (number, text) in heard.dropFirst().enumerated() {
            #expect(
                text.hasPrefix(
                    #"{"event":"system:member_joined","data":{"member":{"uuid":"\#(number)""#
                )
            )
        }
        // There is room again.
        house.hub.publish(MessageFrame.text(Array("later".utf8)), to: house.key("a"))
        #expect(try texts(client, to: "later") == ["later"])
    }

    @Test("a loop that could not take one more event closes its members with 1013 after the rest")
    func overfullInbox() throws {
        let (house, client) = try backlog(comings: 5, publication: .queued)
        #expect(try texts(client, to: #""member":{"uuid":"3""#).count == 5)
        #expect(try client.bytesToEnd() == [0x88, 2, 0x03, 0xF5])
        withExtendedLifetime(house) {}
    }
}
