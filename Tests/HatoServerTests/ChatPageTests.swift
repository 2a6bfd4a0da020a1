import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import HatoServer

/// The page at `/`, as a browser gets it; `Scripts/page-check` opens it in one.
@Suite("The page at /")
struct ChatPageTests {
    private func get(_ target: String, of server: RunningServer) throws -> TestHTTPResponse {
        try TestHTTPClient(port: server.port).request("GET", target)
    }

    private func mark(_ server: RunningServer, _ change: (inout ApplicationSettings) -> Void) throws
    {
        let application = try #require(server.server.applications.applications().first)
        var settings = application.settings
        change(&settings)
        try server.server.applications.set(settings, forApplicationNamed: application.name)
    }

    @Test("comes from this server alone, and may load nothing else")
    func files() throws {
        let server = try RunningServer()
        let types = [
            "/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8",
            "/page.js": "text/javascript; charset=utf-8", "/page.json": "application/json",
        ]
        for (target, type) in types {
            let answer = try get(target, of: server)
            #expect(answer.status == 200)
            #expect(answer["content-type"]?.hasPrefix(type.prefix { $0 != ";" }) == true)
            let policy = answer["content-security-policy"]
            #expect(policy?.hasPrefix("default-src 'none'; script-src 'self';") == true)
            #expect(policy?.contains("frame-ancestors 'none'") == true)
            #expect(answer["x-content-type-options"] == "nosniff")
        }
        let page = try get("/", of: server).text
        // Nothing in the page runs or loads but the two files.
        #expect(page.ranges(of: "<script").count == 1)
        #expect(page.ranges(of: "src=").count == 1)
        #expect(!page.contains("<style") && !page.contains("style=\"") && !page.contains(" on"))
        let script = try get("/page.js", of: server).text
        #expect(!script.contains("innerHTML") && !script.contains("eval("))
    }

    @Test("shows the two public keys of the application that is marked, and no key else")
    func keys() throws {
        let server = try RunningServer()
        let application = server.application
        var facts = try get("/page.json", of: server).text
        #expect(facts == #"{"demo":null,"reason":"noDemo"}"#)

        try mark(server) { $0.isDemo = true }
        facts = try get("/page.json", of: server).text
        #expect(
            facts == """
                {"demo":{"applicationKey":"\(application.applicationKey)",\
                "relayKey":"\(application.relayKey)"}}
                """
        )
        try mark(server) { $0.requiresSignature = true }
        facts = try get("/page.json", of: server).text
        #expect(facts == #"{"demo":null,"reason":"signature","name":"default"}"#)
        try mark(server) {
            $0.requiresSignature = false
            $0.allowsAnonymous = false
        }
        facts = try get("/page.json", of: server).text
        #expect(facts == #"{"demo":null,"reason":"anonymous","name":"default"}"#)
        try mark(server) {
            $0.allowsAnonymous = true
            $0.relay.guardsAllChannels = true
        }
        facts = try get("/page.json", of: server).text
        #expect(facts == #"{"demo":null,"reason":"relay","name":"default"}"#)
    }

    @Test("is gone when the setting says so, and tells nothing then")
    func off() throws {
        let server = try RunningServer(settings: ["--page", "off"])
        try mark(server) { $0.isDemo = true }
        #expect(try get("/", of: server).text.hasPrefix("Hato "))
        for target in ["/page.css", "/page.js", "/page.json"] {
            #expect(try get(target, of: server).status == 404)
        }
    }

    @Test("is the chat of one application at most")
    func oneDemo() async throws {
        let server = try RunningServer()
        let folder = server.folder.path(of: "data")
        func hato(_ words: String...) async throws -> ChildProcess.Ending {
            try await onThread {
                try ChildProcess("hato", words + ["--data", folder]).wait()
            }
        }
        #expect(try await hato("app", "set", "default", "--demo", "on") == .exited(0))
        #expect(try await hato("app", "create", "second") == .exited(0))
        #expect(try await hato("app", "set", "second", "--demo", "on") == .exited(1))
        #expect(try await hato("app", "set", "default", "--demo", "off") == .exited(0))
        #expect(try await hato("app", "set", "second", "--demo", "on") == .exited(0))
        let second = try #require(server.server.applications.applications().last)
        #expect(try get("/page.json", of: server).text.contains(second.applicationKey.string))
    }
}
