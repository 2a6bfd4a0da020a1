import Foundation
import HTTPServer
import HatoTesting
import Synchronization
import Telemetry
import Testing

@testable import TransportSecurity

@Suite("TLSCertificateFiles")
struct TLSCertificateFilesTests {
    /// The lines of a log.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var log: Log {
            Log(threshold: .info, format: .text, wallMilliseconds: { 0 }) { [self] bytes in
                let line = String(decoding: bytes, as: UTF8.self)
                lines.withLock { $0.append(line) }
            }
        }

        /// The lines since the last call.
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private func peerName(_ server: TLSServer) throws -> String? {
        try TestSocket(port: server.port, tls: TestTLS()).tls?.peerName
    }

    @Test("gives new connections a new certificate, while old ones go on")
    func renewal() throws {
        let lines = Lines()
        let server = try TLSServer(log: lines.log)
        let old = try TestHTTPClient(port: server.port, tls: TestTLS())
        #expect(old.socket.tls?.peerName == "server")
        server.files.refresh()
        #expect(lines.take() == [])
        try TestCertificate(in: server.folder, name: "renewed").replace(server.certificate)
        server.files.refresh()
        #expect(lines.take().count == 1)
        #expect(try peerName(server) == "renewed")
        #expect(try old.request("GET", "/").text == "secure")
        server.files.refresh()
        #expect(lines.take() == [])
    }

    @Test(
        "keeps the certificate when the new files are broken, and says so once",
        arguments: [
            "nothing", "garbage", "other key",
        ]
    )
    func broken(how: String) throws {
        let lines = Lines()
        let server = try TLSServer(log: lines.log)
        switch how {
        case "nothing": try FileManager.default.removeItem(atPath: server.certificate.certificate)
        case "garbage": try server.folder.write(Array("no key".utf8), to: "server.key")
        default:
            let other = try TestCertificate(in: server.folder, name: "other")
            try server.folder.write(server.folder.read("other.key"), to: "server.key")
            _ = other
        }
        server.files.refresh()
        let told = lines.take()
        #expect(told.count == 1)
        #expect(told.first?.contains("certificate kept as it was") == true)
        server.files.refresh()
        #expect(lines.take() == [])
        #expect(try peerName(server) == "server")
        try TestCertificate(in: server.folder, name: "mended").replace(server.certificate)
        server.files.refresh()
        #expect(lines.take().count == 1)
        #expect(try peerName(server) == "mended")
    }

    @Test("makes new keys for tickets after twelve hours, and when it is told to")
    func ticketKeys() throws {
        let server = try TLSServer()
        let first = try TestHTTPClient(port: server.port, tls: TestTLS(.oneTwo))
        let session = try #require(first.socket.tls?.session())
        func isResumed() throws -> Bool {
            let tls = try TestTLS(.oneTwo, resuming: session)
            let socket = try TestSocket(port: server.port, tls: tls)
            // A client forgets the session of a connection that ends without it.
            tls.finish()
            try socket.sendRaw(tls.takeOutput())
            return tls.wasResumed
        }
        #expect(try isResumed())
        server.files.refresh(now: .now + TLSCertificateFiles.ticketKeyAge - .seconds(10))
        #expect(try isResumed())
        server.files.refresh(now: .now + TLSCertificateFiles.ticketKeyAge + .seconds(10))
        #expect(try !isResumed())
    }

    @Test("warns of a certificate that has expired and of a key that everybody may read")
    func warnings() throws {
        let folder = try TemporaryFolder()
        let lines = Lines()
        let made = try TestCertificate(in: folder, days: -1)
        _ = try TLSCertificateFiles(certificate: made.certificate, key: made.key, log: lines.log)
        #expect(lines.take().map { $0.contains("has expired") } == [true])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: made.key)
        _ = try TLSCertificateFiles(certificate: made.certificate, key: made.key, log: lines.log)
        #expect(lines.take().map { $0.contains("everybody on this machine") } == [false, true])
    }

    @Test("says what is wrong with files that it can't begin with")
    func complaints() throws {
        let folder = try TemporaryFolder()
        let one = try TestCertificate(in: folder, name: "one")
        let two = try TestCertificate(in: folder, name: "two")
        func complaint(_ certificate: String, _ key: String) -> String? {
            do {
                _ = try TLSCertificateFiles(certificate: certificate, key: key, log: .silent)
                return nil
            } catch {
                return error.description
            }
        }
        let missing = folder.path(of: "missing")
        #expect(complaint(one.certificate, one.key) == nil)
        #expect(
            complaint(missing, one.key) == "cannot read \(missing): No such file or directory"
        )
        #expect(complaint(folder.path, one.key) == "\(folder.path) is no file")
        let mismatch = try #require(complaint(one.certificate, two.key))
        #expect(mismatch.hasPrefix("the key in \(two.key) is not that of the certificate"))
        let swapped = try #require(complaint(one.key, one.certificate))
        #expect(swapped.hasPrefix("\(one.key) is no certificate in PEM"))
        let keyless = try #require(complaint(one.certificate, one.certificate))
        #expect(keyless.hasPrefix("\(one.certificate) is no key in PEM"))
    }

    @Test("refuses a key with a password instead of asking for it")
    func password() throws {
        let folder = try TemporaryFolder()
        let made = try TestCertificate(in: folder)
        let locked = folder.path(of: "locked.key")
        try TestCertificate.run([
            "pkcs8", "-topk8", "-in", made.key, "-out", locked, "-passout", "pass:secret",
        ])
        #expect(throws: TLSFailure.self) {
            try TLSCertificateFiles(certificate: made.certificate, key: locked, log: .silent)
        }
    }

    @Test("takes a file of 1 MB, and none that is larger by a byte")
    func sizeLimit() throws {
        let folder = try TemporaryFolder()
        let made = try TestCertificate(in: folder)
        let bytes = try folder.read("server.crt")
        let limit = PEMFile.limitBytes
        #expect(limit == 1_048_576)
        // What stands before the first block is passed over.
        for (count, isTaken) in [(limit, true), (limit + 1, false)] {
            let filling = [UInt8](repeating: 0x0A, count: count - bytes.count)
            try folder.write(filling + bytes, to: "large.crt")
            let large = folder.path(of: "large.crt")
            let read = try? ServerCertificate(certificate: large, key: made.key)
            #expect((read != nil) == isTaken)
        }
    }

    @Test("sends the whole chain that the file holds")
    func chain() throws {
        let folder = try TemporaryFolder()
        let made = try TestCertificate(in: folder)
        _ = try TestCertificate(in: folder, name: "above")
        try folder.write(folder.read("server.crt") + folder.read("above.crt"), to: "chain.crt")
        let files = try TLSCertificateFiles(
            certificate: folder.path(of: "chain.crt"),
            key: made.key,
            log: .silent
        )
        let server = try TLSServer(files: files, folder: folder, certificate: made)
        let socket = try TestSocket(port: server.port, tls: TestTLS())
        #expect(socket.tls?.chainLength == 2)
        #expect(socket.tls?.peerName == "server")
    }
}
