import HatoTesting
import HatoWire
import ObjectModel
import Testing

@Suite("Queries over REST")
struct QueryScenarioTests {
    private static let documents = [
        #"{"name":"one","n":1,"tags":["x","y"],"body":"Hello/鳩"}"#,
        #"{"name":"two","n":2.0,"tags":["y","z"],"loc":{"__type":"GeoPoint","latitude":35.5,"longitude":139.7}}"#,
        #"{"name":"three","n":3,"tags":"x","body":"hello","loc":{"__type":"GeoPoint","latitude":35.5,"longitude":139.75}}"#,
        #"{"name":"four","tags":[],"body":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","loc":{"__type":"GeoPoint","latitude":0,"longitude":-179.9}}"#,
        #"{"name":"five","n":null,"loc":[1,{"__type":"GeoPoint","latitude":90,"longitude":12}]}"#,
    ]

    private static let place = #"{"__type":"GeoPoint","latitude":35.5,"longitude":139.76}"#

    @Test("every operator answers for itself, the newest first, or the nearest")
    func operators() async throws {
        let world = try await Self.world()
        for (filter, names) in [
            (#"{"n":{"$nin":[1,3]}}"#, "five four two"),
            (#"{"n":{"$nin":[null]}}"#, "three two one"),
            (#"{"tags":{"$inArray":["x","q"]}}"#, "one"),
            (#"{"tags":{"$ninArray":["y"]}}"#, "five four three"),
            (#"{"tags":{"$all":["y","z"]}}"#, "two"), (#"{"tags":{"$all":[]}}"#, ""),
            (#"{"body":{"$regex":"^hello"}}"#, "three"),
            (#"{"body":{"$regex":"(?i)^HELL.*(鳩|o)$"}}"#, "three one"),
            (#"{"$or":[{"n":1},{"name":"five"},{"tags":"z"}]}"#, "five two one"),
            (#"{"n":{"$gt":0},"$or":[{"tags":"x"},{"$or":[{"n":2}]}]}"#, "three two one"),
            (#"{"loc":{"$nearSphere":"# + Self.place + "}}", "three two four five"),
            (
                #"{"loc":{"$nearSphere":"# + Self.place + #","$maxDistanceInKilometers":2}}"#,
                "three"
            ),
            (#"{"loc":{"$nearSphere":"# + Self.place + #","$maxDistanceInMiles":4}}"#, "three two"),
            (
                #"{"loc":{"$within":{"$box":[{"__type":"GeoPoint","latitude":-1,"longitude":179},{"__type":"GeoPoint","latitude":1,"longitude":-179}]}}}"#,
                "four"
            ),
            (
                #"{"loc":{"$within":{"$box":[{"__type":"GeoPoint","latitude":80,"longitude":-100},{"__type":"GeoPoint","latitude":90,"longitude":-99}]}}}"#,
                "five"
            ),
        ] {
            #expect(try Self.names(world, filter) == names, "\(filter)")
        }
    }

    @Test("an order that is asked for goes before that of a circle, and so do choices' circles")
    func orders() async throws {
        let world = try await Self.world()
        let near = #"{"loc":{"$nearSphere":"# + Self.place + "}}"
        #expect(try Self.names(world, near, "&order=name") == "five four three two")
        #expect(try Self.names(world, near, "&limit=1&skip=1&count=1") == "two")
        #expect(try Self.names(world, "{\"$or\":[\(near)]}") == "five four three two")
    }

    @Test("a pattern that is none, or that is too costly to look for, is refused")
    func refusals() async throws {
        let world = try await Self.world()
        for pattern in ["(", "(*COMMIT)a", "^(a+)+$", "(a|a)*[bc]"] {
            let answer = try Self.answer(world, "{\"body\":{\"$regex\":\"\(pattern)\"}}", "")
            #expect(answer.status == 400)
            #expect(answer.text == #"{"code":"E400005","error":"$regex is not a valid value."}"#)
        }
        // Counting alone is no way around.
        let counting = try Self.answer(
            world,
            #"{"body":{"$regex":"^(a+)+$"}}"#,
            "&count=1&limit=0"
        )
        #expect(counting.status == 400)
    }

    @Test("what a caller may not read can't void its query")
    func unreadable() async throws {
        let world = try await World.serving()
        let body = #"{"body":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","acl":{}}"#
        #expect(try world.request("POST", "/classes/Thing", body: body).status == 201)
        #expect(try Self.names(world, #"{"body":{"$regex":"^(a+)+$"}}"#) == "")
    }

    private static func world() async throws -> World {
        let world = try await World.serving()
        for document in documents {
            let answer = try world.request("POST", "/classes/Thing", body: document)
            #expect(answer.status == 201)
        }
        return world
    }

    private static func names(
        _ world: World,
        _ filter: String,
        _ rest: String = ""
    ) throws -> String {
        let answer = try answer(world, filter, rest)
        #expect(answer.status == 200, "\(answer.text)")
        return try Answered(answer).results()
            .map { object in
                guard case .string(let name)? = object["name"] else { return "?" }
                return name.string
            }
            .joined(separator: " ")
    }

    private static func answer(
        _ world: World,
        _ filter: String,
        _ rest: String
    ) throws -> TestHTTPResponse {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let hex = Array("0123456789ABCDEF".utf8)
        var coded: [UInt8] = []
        for byte in filter.utf8 {
            if unreserved.contains(byte) {
                coded.append(byte)
            } else {
                coded += [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        let filter = String(decoding: coded, as: UTF8.self)
        return try world.request("GET", "/classes/Thing?where=\(filter)\(rest)")
    }
}
