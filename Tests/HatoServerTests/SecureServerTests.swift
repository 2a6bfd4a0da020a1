import Foundation
import HatoTesting
import Testing

@testable import HatoServer

/// `hato serve` with `--tls-listen`, as operators and phones meet it.
@Suite("TLS of hato serve")
struct SecureServerTests {
    private let folder: TemporaryFolder
    private let certificate: TestCertificate

    init() throws {
        folder = try TemporaryFolder()
        certificate = try TestCertificate(in: folder)
    }

    private var settings: [String] {
        [
            "--tls-listen", "127.0.0.1:0", "--tls-certificate", certificate.certificate,
            "--tls-key", certificate.key,
        ]
    }

    private func securePort(_ server: RunningServer) throws -> Int {
        Int(try #require(server.server.securePort))
    }

    /// Starts the program by TLS alone and returns the port that it prints.
    private func serve() throws -> (ChildProcess, port: Int) {
        let process = try ChildProcess(
            "hato",
            ["serve", "--data", folder.path(of: "data"), "--listen", "-", "--log", "off"] + settings
        )
        let line = try process.line(containing: "on https://")
        return (process, try #require(line.split(separator: ":").last.flatMap { Int($0) }))
    }

    @Test("serves the same by TLS and in the clear")
    func both() throws {
        let server = try RunningServer(settings: settings)
        let secure = try TestHTTPClient(port: securePort(server), tls: TestTLS())
        let key = ("X-NCMB-Application-Key", server.applicationKey)
        let path = "/2013-09-01/classes/Chat"
        let listener = try TestWebSocketClient(
            port: securePort(server),
            target: "/v3/Chat?api_key=\(server.relayKey)",
            tls: TestTLS()
        )
        let saved = try secure.request("POST", path, headers: [key], text: #"{"body":"x"}"#)
        #expect(saved.status == 201)
        let id = try #require(member("objectId", of: saved.text))
        #expect(try server.client().send("GET", "/classes/Chat/\(id)").status == 200)
        guard case .text(let told) = try listener.receive() else {
            Issue.record("no message")
            return
        }
        #expect(told.contains(id))
    }

    @Test("stops within a second with TLS connections at every stage, and tells them")
    func stopping() throws {
        let server = try RunningServer(settings: settings)
        let port = try securePort(server)
        let idle = try TestHTTPClient(port: port, tls: TestTLS())
        #expect(try idle.request("GET", "/healthz").status == 200)
        let silent = try TestSocket(port: port)
        let amid = try TestSocket(port: port)
        let hello = try TestTLS()
        _ = try hello.shakeHands()
        try amid.send(Array(hello.takeOutput().prefix(100)))
        let socket = try TestWebSocketClient(
            port: port,
            target: "/v3/a?api_key=\(server.relayKey)",
            tls: TestTLS()
        )
        let start = ContinuousClock.now
        server.stop()
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(try idle.bytesToEnd().isEmpty)
        for socket in [silent, amid] {
            var bytes: [UInt8] = []
            #expect(try !socket.receive(into: &bytes, awaiting: "the end"))
        }
        #expect(try socket.receive() == .close(code: 1001, reason: "server stops"))
    }

    @Test("reads a renewed certificate on SIGHUP, and by itself within seconds")
    func renewal() throws {
        let (process, port) = try serve()
        let old = try TestHTTPClient(port: port, tls: TestTLS())
        #expect(old.socket.tls?.peerName == "server")
        for (name, signal) in [("hangup", SIGHUP), ("look", 0)] {
            try TestCertificate(in: folder, name: name).replace(certificate)
            process.send(signal)
            let deadline = Deadline()
            while try TestSocket(port: port, tls: TestTLS()).tls?.peerName != name {
                try #require(!deadline.hasPassed, "the certificate is not taken")
            }
        }
        #expect(try old.request("GET", "/healthz").status == 200)
        process.send(SIGTERM)
        #expect(try process.wait() == .exited(0))
    }

    @Test("a server by TLS alone is asked for its health by TLS")
    func health() throws {
        let (process, port) = try serve()
        let words =
            ["health", "--listen", "-", "--tls-listen", "127.0.0.1:\(port)"]
            + settings.dropFirst(2)
        let health = try ChildProcess("hato", words)
        #expect(try health.wait() == .exited(0))
        process.send(SIGTERM)
        try process.wait()
        let after = try ChildProcess("hato", words)
        #expect(try after.wait() == .exited(1))
    }

    @Test(
        "refuses to start with half of what TLS needs, and says what is missing",
        arguments: [
            (["--tls-listen", "127.0.0.1:0"], "tls-listen needs both files"),
            (["--tls-certificate", "a", "--tls-key", "b"], "do nothing without --tls-listen"),
            (
                [
                    "--tls-listen", "127.0.0.1:0", "--tls-certificate", "no-file", "--tls-key",
                    "no-file",
                ],
                "cannot read no-file: No such file or directory"
            ),
        ]
    )
    func half(flags: [String], complaint: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try RunningServer(settings: flags)
        }
        #expect(error.message.contains(complaint))
    }

    @Test("refuses to listen nowhere")
    func nowhere() throws {
        let configuration = try EffectiveConfigurationTests.make(flags: ["--listen", "-"])
        #expect(
            throws: ConfigurationError("listen is -, so that --tls-listen HOST:PORT must be given")
        ) {
            try Listening(configuration)
        }
    }

    /// Runs a shell command that has `$port` and `$certificate`, and returns what it printed.
    private func shell(_ command: String, port: Int) throws -> String {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", command],
            environment: ["port": "\(port)", "certificate": certificate.certificate]
        )
        return try process.rest()
    }

    @Test("curl and openssl s_client verify it and get an answer")
    func foreignClients() throws {
        let server = try RunningServer(settings: settings)
        let port = try securePort(server)
        let request = #"printf 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'"#
        let client = "openssl s_client -quiet -verify_return_error -CAfile $certificate"
        for version in ["-tls1_2", "-tls1_3"] {
            let answer = try shell(
                "\(request) | \(client) \(version) -connect 127.0.0.1:$port 2>&1",
                port: port
            )
            #expect(answer.contains(#""status":"ok""#), "\(version): \(answer)")
        }
        let curl = try shell(
            "curl -sS --cacert $certificate https://localhost:$port/healthz 2>&1",
            port: port
        )
        #expect(curl.contains(#""status":"ok""#), "\(curl)")
    }
}
