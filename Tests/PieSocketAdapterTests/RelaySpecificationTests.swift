import Foundation
import HTTPServer
import HatoWire
import Testing

@testable import PieSocketAdapter

@Suite("api-spec/relay.json")
struct RelaySpecificationTests {
    private static func operations() throws -> [String: JSONObject] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("api-spec/relay.json")
        var operations: [String: JSONObject] = [:]
        guard case .object(let specification) = try JSON.parse(Array(try Data(contentsOf: file))),
            case .object(let paths)? = specification["paths"]
        else { return [:] }
        for path in paths.members {
            guard case .object(let methods) = path.value else { continue }
            for method in methods.members {
                guard case .object(let operation) = method.value else { continue }
                operations[method.name.string.uppercased() + " " + path.name.string] = operation
            }
        }
        return operations
    }

    @Test("names exactly the routes that the relay has")
    func routes() throws {
        let fixture = try RelayFixture()
        let routed = Set(fixture.router.table.map { "\($0.method.name) \($0.pattern)" })
        #expect(routed.count == 8)
        #expect(Set(try Self.operations().keys) == routed)
    }

    @Test("a publication's answers are all there")
    func publication() throws {
        guard
            case .object(let responses)? = try Self.operations()["POST /api/publish"]?["responses"]
        else {
            Issue.record("no responses")
            return
        }
        let refused = PublishRequest.Failure.allCases.map(\.status)
        #expect(
            Set(responses.members.map(\.name.string))
                == Set((refused + [200, 401, 429, 503]).map(String.init))
        )
    }
}
