import Foundation
import HTTPServer
import HatoWire
import Testing

@testable import HatoServer

/// Every route of the whole server is in the contract, and nothing else is.
@Suite("Contract")
struct ContractTests {
    @Test("describes exactly the routes that the server has")
    func routes() throws {
        let server = try RunningServer()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../api-spec")
        var described: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".json") {
            let data = try Data(contentsOf: folder.appendingPathComponent(file))
            let spec = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let paths = try #require(spec["paths"] as? [String: [String: Any]])
            for (path, methods) in paths {
                for method in methods.keys
                where ["get", "post", "put", "delete", "options"].contains(method) {
                    described.insert("\(method) \(Self.shape(path))")
                }
            }
        }
        let served = Set(server.server.routes.map { "\($0.method) \(Self.shape($0.pattern))" })
        #expect(served.subtracting(described) == [], "served, and not in the contract")
        #expect(described.subtracting(served) == [], "in the contract, and not served")
    }

    /// The names of parameters are nobody's business.
    private static func shape(_ path: String) -> String {
        path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }.joined(
            separator: "/"
        )
    }
}
