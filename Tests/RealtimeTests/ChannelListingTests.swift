import EventLoops
import HatoTesting
import HatoWire
import Testing

@testable import Realtime

@Suite("ChannelListing")
struct ChannelListingTests {
    private static let scope: Text = "scope"

    /// A hub on one loop, and a connection to it that may join any number of channels.
    private struct Room {
        let house: ChannelHouse
        let client: TestHTTPClient
        let connection: Connection

        init() throws {
            house = try ChannelHouse(loops: 1)
            client = try TestHTTPClient(port: house.port)
            try client.send("#")
            connection = try house.connections.next("the connection")
        }

        /// Joins channels of these names on the loop.
        func join(_ names: [String]) throws -> [Membership] {
            let (hub, connection) = (house.hub, connection)
            let joined = try Mailbox<[Membership]>()
            connection.loop.execute {
                let keys = names.map {
                    ChannelKey(scope: ChannelListingTests.scope, name: Text($0))
                }
                joined.put(keys.compactMap { try? hub.join($0, connection) })
            }
            return try joined.next()
        }

        func leave(_ memberships: [Membership]) throws {
            let hub = house.hub
            let left = try Mailbox<Int>()
            connection.loop.execute {
                for membership in memberships { hub.leave(membership) }
                left.put(memberships.count)
            }
            _ = try left.next()
        }

        /// The rest of a walk.
        func rest(_ listing: inout ChannelListing) -> [String] {
            var names: [String] = []
            while let piece = house.hub.next(of: &listing) {
                #expect(piece.count <= ChannelListing.pieceCount)
                names += piece.map(\.name.string)
            }
            return names
        }
    }

    @Test("tells every channel once, in pieces that have a bound")
    func pieces() throws {
        let room = try Room()
        let names = (0...2 * ChannelListing.pieceCount).map { "c\($0)" }
        let memberships = try room.join(names + names.prefix(1))
        #expect(memberships.count == names.count + 1)
        var listing = room.house.hub.listing(of: Self.scope)
        let first = try #require(room.house.hub.next(of: &listing))
        #expect(first.count == ChannelListing.pieceCount)
        #expect(first.filter { $0.members == 2 }.map(\.name) == ["c0"])
        let second = try #require(room.house.hub.next(of: &listing))
        #expect(second.count == ChannelListing.pieceCount)
        let third = try #require(room.house.hub.next(of: &listing))
        #expect(third.count == 1)
        #expect(room.house.hub.next(of: &listing) == nil)
        let told = (first + second + third).map(\.name.string)
        #expect(told.sorted() == names.sorted())
        var nobody = room.house.hub.listing(of: "other")
        #expect(room.house.hub.next(of: &nobody) == nil)
    }

    @Test("tells no channel twice that ends and begins meanwhile, and all that stay")
    func churn() throws {
        let room = try Room()
        let count = ChannelListing.pieceCount
        let names = (0..<2 * count).map { "c\($0)" }
        let memberships = try room.join(names)
        var listing = room.house.hub.listing(of: Self.scope)
        let first = try #require(room.house.hub.next(of: &listing)).map(\.name.string)
        // Those that were told come back at the places of others that have not been.
        try room.leave(Array(memberships[0..<10]) + Array(memberships[count..<count + 10]))
        #expect(try room.join(Array(names[0..<10]) + ["new"]).count == 11)
        let told = first + room.rest(&listing)
        #expect(Set(told).count == told.count)
        #expect(Set(told).isSuperset(of: names[10..<count]))
        #expect(Set(told).isSuperset(of: names[(count + 10)...]))
        #expect(!told.contains("new"))
        var again = room.house.hub.listing(of: Self.scope)
        #expect(room.rest(&again).count == 2 * count - 10 + 1)
    }
}
