import HatoTesting
import HatoWire
import Testing

@Suite("Requests of real SDKs")
struct VectorTests {
    /// Which issue a recorded request waits for; all others belong to what is built.
    enum Waiting: String {
        case subqueries = "sub-queries and relations"
        case mail = "mail"
        case roles = "roles"
        case installations = "installations and push"
        case files = "files"
    }

    static let waiting: [String: Waiting] = [
        "ncmb-android-4.2.0 7": .subqueries,
        "ncmb-android-4.2.0 12": .mail,
        "ncmb-android-4.2.0 13": .mail,
        "ncmb-android-4.2.0 15": .roles,
        "ncmb-android-4.2.0 16": .roles,
        "ncmb-android-4.2.0 17": .files,
        "ncmb-android-4.2.0 18": .files,
        "ncmb-android-4.2.0 19": .files,
        "ncmb-android-4.2.0 20": .files,
        "ncmb-android-4.2.0 21": .files,
        "ncmb-android-4.2.0 22": .installations,
        "ncmb-swift-1.4.2 8": .subqueries,
        "ncmb-swift-1.4.2 9": .subqueries,
        "ncmb-swift-1.4.2 13": .subqueries,
        "ncmb-swift-1.4.2 20": .mail,
        "ncmb-swift-1.4.2 21": .mail,
        "ncmb-swift-1.4.2 23": .roles,
        "ncmb-swift-1.4.2 24": .roles,
        "ncmb-swift-1.4.2 25": .installations,
        "ncmb-swift-1.4.2 26": .installations,
        "ncmb-swift-1.4.2 27": .installations,
        "ncmb-swift-1.4.2 28": .files,
        "ncmb-swift-1.4.2 29": .files,
        "ncmb-swift-1.4.2 30": .files,
        "ncmb-swift-1.4.2 31": .files,
        "ncmb-swift-1.4.2 32": .files,
    ]

    static let built = Vector.all.filter { waiting[$0.name] == nil }

    @Test("each request gets the service's own status", arguments: built)
    func served(vector: Vector) async throws {
        let isSignUp = vector.method == "POST" && vector.target.hasSuffix("/users")
        let world = try await World.serving(World.Wishes(hasYamada: !isSignUp))
        let answer = try world.answer(to: vector.bytes)
        #expect(answer.status == vector.status, "\(answer.text)")
        let hasBody = vector.method != "DELETE" && !vector.target.hasSuffix("/logout")
        #expect(answer.body.isEmpty == !hasBody)
        if hasBody {
            #expect(answer["Content-Type"]?.hasPrefix("application/json") == true)
            guard case .object = try JSON.parse(answer.body) else { return #expect(Bool(false)) }
        }
    }

    @Test("what waits for a later issue is refused, never half answered")
    func refused() async throws {
        #expect(Self.waiting.count + Self.built.count == Vector.all.count)
        let world = try await World.serving()
        for vector in Vector.all where Self.waiting[vector.name] != nil {
            let answer = try world.answer(to: vector.bytes)
            let expected = Self.waiting[vector.name] == .subqueries ? 400 : 404
            #expect(answer.status == expected, "\(vector.name): \(answer.text)")
        }
    }
}
