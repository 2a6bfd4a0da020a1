import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import Telemetry

@testable import HatoServer

/// A whole server in this process: every room as `hato serve` wires it, on a folder of its own and a
/// port from the kernel, stopped when the last reference goes.
final class RunningServer {
    let folder: TemporaryFolder
    let server: Server
    let application: Application
    private var isStopped = false

    init(settings: [String] = []) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.server = try RunningServer.start(on: folder, settings)
        guard let application = server.applications.applications().first else {
            throw TestFailure.ended("the applications")
        }
        self.application = application
    }

    deinit {
        stop()
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        server.stop()
    }

    static func start(on folder: TemporaryFolder, _ settings: [String]) throws -> Server {
        let options = SettingTable.all.map { Option.value($0.flag) }
        let flags = ["--data", folder.path(of: "data"), "--listen", "127.0.0.1:0"] + settings
        let configuration = try EffectiveConfiguration(
            file: nil,
            environment: [],
            flags: Arguments(flags, options: options)
        )
        return try Server(configuration, log: .silent)
    }

    var port: Int { Int(server.port) }

    var applicationKey: String { application.applicationKey.string }
    var relayKey: String { application.relayKey.string }

    /// A client that sends the application's key, and a session when it is given.
    func client(session: String? = nil) throws -> APIClient {
        try APIClient(
            port: port,
            applicationKey: application.applicationKey.string,
            session: session
        )
    }

    func listener(_ channel: String, _ parameters: String = "") throws -> TestWebSocketClient {
        try TestWebSocketClient(
            port: port,
            target: "/v3/\(channel)?api_key=\(relayKey)\(parameters)"
        )
    }
}

/// NCMB's REST on one connection of a test.
final class APIClient {
    private let http: TestHTTPClient
    private let headers: [(String, String)]

    init(port: Int, applicationKey: String, session: String?) throws {
        http = try TestHTTPClient(port: port)
        var headers = [
            ("X-NCMB-Application-Key", applicationKey), ("Content-Type", "application/json"),
        ]
        if let session { headers.append(("X-NCMB-Apps-Session-Token", session)) }
        self.headers = headers
    }

    func send(_ method: String, _ path: String, _ body: String? = nil) throws -> TestHTTPResponse {
        try http.request(
            method,
            "/2013-09-01" + path,
            headers: headers,
            body: body.map { Array($0.utf8) }
        )
    }
}

/// Returns the string behind `"name":"…"` in a JSON text of ours; the values asked for hold no escapes.
func member(_ name: String, of text: String) -> String? {
    guard let start = text.range(of: "\"\(name)\":\"") else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
}

/// Runs blocking work on a thread of its own: the clients of these tests block.
func onThread<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}
