import Backend
import Cryptography
import EventLoops
import HTTPServer
import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("api-spec/openapi.json")
struct OpenAPITests {
    private static func specification() throws -> JSONObject {
        guard case .object(let object) = try JSON.parse(ProjectFile.bytes("api-spec/openapi.json"))
        else { throw TestRequest.NotARequest() }
        return object
    }

    private static func operations() throws -> [String: JSONObject] {
        var operations: [String: JSONObject] = [:]
        guard case .object(let paths)? = try specification()["paths"] else { return [:] }
        for path in paths.members {
            guard case .object(let methods) = path.value else { continue }
            for method in methods.members {
                guard case .object(let operation) = method.value else { continue }
                operations[method.name.string.uppercased() + " " + path.name.string] = operation
            }
        }
        return operations
    }

    @Test("names exactly the routes that the router has")
    func routes() throws {
        var router = Router()
        let pool = try WorkerPool(name: "passwords", threads: 1, queueLimit: 1)
        let services = BackendServices(
            applications: ApplicationDirectory(store: NoApplications()),
            sessions: SessionService(random: SecureRandom()),
            passwords: PasswordService(
                pool: pool,
                hasher: PasswordHasher(random: SecureRandom()),
                random: SecureRandom()
            ),
            loginLimiter: LoginLimiter()
        )
        NCMBRoutes(services: services, report: { _ in }).register(on: &router)
        pool.close()
        let routed = Set(router.table.map { "\($0.method.name) \($0.pattern)" })
        #expect(routed.count == router.table.count)
        #expect(Set(try Self.operations().keys) == routed)
        #expect(routed.count == 13)
    }

    @Test("each operation has an id of its own, a key, and errors")
    func operationsAreWhole() throws {
        var ids: Set<Text> = []
        for (name, operation) in try Self.operations() {
            guard case .string(let id)? = operation["operationId"],
                case .array(let security)? = operation["security"],
                case .object(let responses)? = operation["responses"],
                case .array(let parameters)? = operation["parameters"]
            else {
                Issue.record("\(name) lacks a part")
                continue
            }
            #expect(ids.insert(id).inserted)
            #expect(!security.isEmpty)
            for status: Text in ["401", "404", "500", "503"] {
                #expect(responses[status] != nil, "\(name) \(status)")
            }
            let hasBody = name.hasPrefix("POST") || name.hasPrefix("PUT")
            #expect((operation["requestBody"] != nil) == hasBody, "\(name)")
            let inPath = name.split(separator: "{").count - 1
            let named = parameters.count { parameter in
                guard case .object(let parameter) = parameter,
                    case .string(let reference)? = parameter["$ref"]
                else { return false }
                return ["#/components/parameters/class", "#/components/parameters/id"]
                    .contains(reference.string)
            }
            #expect(named == inPath, "\(name)")
        }
    }

    @Test("every reference leads somewhere")
    func references() throws {
        let specification = try Self.specification()
        var count = 0
        func walk(_ json: JSON) {
            switch json {
            case .object(let object):
                for member in object.members {
                    if member.name == "$ref", case .string(let reference) = member.value {
                        count += 1
                        #expect(resolve(reference) != nil, "\(reference)")
                    }
                    walk(member.value)
                }
            case .array(let elements): for element in elements { walk(element) }
            case .null, .bool, .number, .string: break
            }
        }
        func resolve(_ reference: Text) -> JSON? {
            var place: JSON? = .object(specification)
            for part in reference.string.split(separator: "/").dropFirst() {
                guard case .object(let object)? = place else { return nil }
                place = object[Text(String(part))]
            }
            return place
        }
        walk(.object(specification))
        #expect(count > 50)
    }
}

/// A registry before the first application.
private final class NoApplications: ApplicationStore {
    func applications() -> [Application] { [] }
    func application(applicationKey: Text) -> Application? { nil }
    func application(relayKey: Text) -> Application? { nil }
    func application(named name: Text) -> Application? { nil }

    func create(_ application: Application) throws(DomainError) {
        throw DomainError(.unavailable)
    }

    func set(
        _ settings: ApplicationSettings,
        forApplicationNamed name: Text
    ) throws(DomainError) {
        throw DomainError(.notFound)
    }

    func objects(of application: Application) throws(DomainError) -> any ObjectStore {
        throw DomainError(.unavailable)
    }

    func openObjects(of application: Application) throws(DomainError) -> any ObjectStore {
        throw DomainError(.unavailable)
    }
}
