import EventLoops
import Foundation
import HatoTesting
import HatoWire
import Realtime
import Testing

@Suite("ChannelHub")
struct ChannelHubTests {
    @Test("delivers to the members of the channel on every loop, without the sender")
    func delivery() throws {
        let house = try ChannelHouse()
        let members = try house.joinOnAllLoops("a")
        let (stranger, _) = try house.join("b")
        try members[0].send("x")
        for member in members.dropFirst() { #expect(try member.bytes(1) == Array("x".utf8)) }
        #expect(house.hub.publish(Frame(Array("yz".utf8)), to: house.key("a")) == .queued)
        for member in members { #expect(try member.bytes(2) == Array("yz".utf8)) }
        #expect(house.hub.publish(Frame(Array("s".utf8)), to: house.key("b")) == .queued)
        #expect(try stranger.bytes(1) == Array("s".utf8))
    }

    @Test("keeps the same name under two scopes apart")
    func scopes() throws {
        let house = try ChannelHouse()
        let (member, _) = try house.join("a")
        let elsewhere = ChannelKey(scope: "other", name: "a")
        #expect(house.hub.publish(Frame([1]), to: elsewhere) == .unheard)
        #expect(!house.hub.isHeard(elsewhere))
        #expect(house.hub.isHeard(house.key("a")))
        #expect(house.hub.publish(Frame([2]), to: house.key("a")) == .queued)
        #expect(try member.bytes(1) == [2])
    }

    @Test("counts channels and members, and frees a channel with its last member")
    func counts() throws {
        let house = try ChannelHouse()
        let (first, _) = try house.join("a")
        let (second, _) = try house.join("a")
        let (third, _) = try house.join("b")
        #expect(house.hub.counts == ChannelHub.Counts(channels: 2, members: 3))
        #expect(house.hub.counts(of: "scope") == house.hub.counts)
        #expect(house.hub.counts(of: "other") == ChannelHub.Counts())
        var listing = house.hub.listing(of: "scope")
        let channels = try #require(house.hub.next(of: &listing)).sorted { $0.name < $1.name }
        #expect(channels.map(\.members) == [2, 1])
        #expect(channels.map(\.name) == ["a", "b"])

        try first.send("!")
        #expect(try first.bytes(1) == Array("-".utf8))
        #expect(house.hub.counts == ChannelHub.Counts(channels: 2, members: 2))
        try second.send("!")
        #expect(try second.bytes(1) == Array("-".utf8))
        #expect(house.hub.counts == ChannelHub.Counts(channels: 1, members: 1))
        #expect(house.hub.publish(Frame([1]), to: house.key("a")) == .unheard)
        try third.send("!")
        #expect(try third.bytes(1) == Array("-".utf8))
        #expect(house.hub.counts == ChannelHub.Counts())
        #expect(house.hub.counts(of: "scope") == ChannelHub.Counts())
    }

    @Test("gives the seats of those who left to those who come")
    func seats() throws {
        let house = try ChannelHouse(loops: 1)
        let (stays, _) = try house.join("a")
        for _ in 0..<10 {
            let (leaves, _) = try house.join("a")
            try leaves.send("!")
            #expect(try leaves.bytes(1) == Array("-".utf8))
            let (returns, answer) = try house.join("a")
            #expect(answer == "+")
            #expect(house.hub.counts.members == 2)
            #expect(house.hub.publish(Frame([7]), to: house.key("a")) == .queued)
            #expect(try stays.bytes(1) == [7])
            #expect(try returns.bytes(1) == [7])
            try returns.send("!")
            #expect(try returns.bytes(1) == Array("-".utf8))
        }
    }

    @Test("takes as many channels a scope and members a channel as the limits say, and no more")
    func limits() throws {
        let house = try ChannelHouse(
            limits: ChannelLimits(channelsPerScope: 2, membersPerChannel: 3)
        )
        var kept: [TestHTTPClient] = []
        for channel in ["a", "a", "a", "b"] as [Character] {
            let (client, answer) = try house.join(channel)
            #expect(answer == "+")
            kept.append(client)
        }
        let (_, fourthMember) = try house.join("a")
        #expect(fourthMember == "m")
        let (_, thirdChannel) = try house.join("c")
        #expect(thirdChannel == "c")
        #expect(house.hub.counts == ChannelHub.Counts(channels: 2, members: 4))
        try kept[3].send("!")
        #expect(try kept[3].bytes(1) == Array("-".utf8))
        let (_, again) = try house.join("c")
        #expect(again == "+")
    }

    @Test("queues as many messages for a busy loop as the limit says and refuses the next")
    func waitingMessages() throws {
        let house = try ChannelHouse(loops: 1, limits: ChannelLimits(waitingMessagesPerLoop: 4))
        let (member, _) = try house.join("a")
        let gate = try Gate(house.group.loops[0])
        for number in 1...4 as ClosedRange<UInt8> {
            #expect(house.hub.publish(Frame([number]), to: house.key("a")) == .queued)
        }
        #expect(house.hub.publish(Frame([5]), to: house.key("a")) == .refused)
        gate.open()
        #expect(try member.bytes(4) == [1, 2, 3, 4])
        #expect(house.hub.publish(Frame([6]), to: house.key("a")) == .queued)
        #expect(try member.bytes(1) == [6])
    }

    @Test("queues as many bytes for a busy loop as the limit says, and one message of any size")
    func waitingBytes() throws {
        let house = try ChannelHouse(loops: 1, limits: ChannelLimits(waitingBytesPerLoop: 10))
        let (member, _) = try house.join("a")
        let gate = try Gate(house.group.loops[0])
        #expect(house.hub.publish(Frame(count: 6) { _ in }, to: house.key("a")) == .queued)
        #expect(house.hub.publish(Frame(count: 5) { _ in }, to: house.key("a")) == .refused)
        #expect(house.hub.publish(Frame(count: 4) { _ in }, to: house.key("a")) == .queued)
        gate.open()
        #expect(try member.bytes(10).count == 10)
        let second = try Gate(house.group.loops[0])
        #expect(house.hub.publish(Frame(count: 11) { _ in }, to: house.key("a")) == .queued)
        #expect(house.hub.publish(Frame(count: 1) { _ in }, to: house.key("a")) == .refused)
        second.open()
        #expect(try member.bytes(11).count == 11)
    }

    @Test("closes those whom a message could not reach, after what was queued, and nobody later")
    func expulsion() throws {
        let house = try ChannelHouse()
        let members = try house.joinOnAllLoops("a")
        let (other, _) = try house.join("b")
        house.hub.publish(Frame([1]), to: house.key("a"))
        house.hub.expel(house.key("a"))
        let last: [UInt8] = [1, 0x88, 2, 0x03, 0xF5]  // a close frame: 1013, try again later
        for member in members {
            #expect(try member.bytesToEnd() == last)
            member.close()
        }
        while house.hub.counts.members > 1 { try house.settle() }
        let (newcomer, answer) = try house.join("a")
        #expect(answer == "+")
        #expect(house.hub.counts == ChannelHub.Counts(channels: 2, members: 2))
        house.hub.publish(Frame([2]), to: house.key("a"))
        #expect(try newcomer.bytes(1) == [2])
        house.hub.publish(Frame([3]), to: house.key("b"))
        #expect(try other.bytes(1) == [3])
    }

    @Test("closes a member that does not read, and nobody else notices")
    func slowMember() throws {
        let house = try ChannelHouse(outbox: OutboxLimits(bytes: 65_536, frames: 8))
        let (slow, _) = try house.join("a", receiveBufferBytes: 4_096)
        let (reader, _) = try house.join("a")
        let size = 262_144
        var sent = 0
        while house.hub.counts.members == 2 {
            try #require(sent < 200, "the slow member was never closed")
            house.hub.publish(Frame(count: size) { _ in }, to: house.key("a"))
            sent += 1
            #expect(try reader.bytes(size).count == size)
            try house.settle()
        }
        house.hub.publish(Frame([9]), to: house.key("a"))
        #expect(try reader.bytes(1) == [9])
        withExtendedLifetime(slow) {}
    }

    @Test("shows every member the same order, whatever threads and loops publish")
    func order() throws {
        let house = try ChannelHouse()
        var readers = try house.joinOnAllLoops("a")
        while readers.count < 6 { readers.append(try house.join("a").0) }
        let perThread = 500
        let threads = 4
        let done = try Mailbox<Int>()
        for thread in 0..<threads {
            Thread.detachNewThread {
                for number in 0..<perThread {
                    house.hub.publish(
                        Frame([UInt8(thread), UInt8(number >> 8), UInt8(number & 0xFF)]),
                        to: house.key("a")
                    )
                }
                done.put(thread)
            }
        }
        for _ in 0..<threads { _ = try done.next("a publisher") }
        let first = try readers[0].bytes(threads * perThread * 3)
        for reader in readers.dropFirst() {
            #expect(try reader.bytes(threads * perThread * 3) == first)
        }
        for thread in 0..<threads {
            let numbers = stride(from: 0, to: first.count, by: 3)
                .filter { first[$0] == UInt8(thread) }
                .map { Int(first[$0 + 1]) << 8 | Int(first[$0 + 2]) }
            #expect(numbers == Array(0..<perThread))
        }
    }

    @Test("delivers to a member nothing that was published before it joined")
    func nothingFromBefore() throws {
        let house = try ChannelHouse(loops: 1)
        let (early, _) = try house.join("a")
        let loop = house.group.loops[0]
        let client = try TestHTTPClient(port: house.port)
        try client.send("#")
        let connection = try house.connections.next("the connection")
        let gate = try Gate(loop)
        // In the loop's queue the join comes first, in the channel's order the message.
        let joined = try Mailbox<Bool>()
        loop.execute {
            let membership = try? house.hub.join(house.key("a"), connection)
            joined.put(membership != nil)
        }
        house.hub.publish(Frame([1]), to: house.key("a"))
        gate.open()
        #expect(try joined.next())
        house.hub.publish(Frame([2]), to: house.key("a"))
        #expect(try client.bytes(1) == [2])
        #expect(try early.bytes(2) == [1, 2])
    }
}
