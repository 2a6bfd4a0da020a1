import Foundation

/// Certificates that a test has the `openssl` program make for itself; no key is in the repository.
package struct TestCertificate: Sendable {
    package let certificate: String
    package let key: String

    /// Makes a key and a certificate for `localhost` that vouches for itself, in files of `folder`.
    ///
    /// `days` may be negative: then it has expired.
    package init(
        in folder: TemporaryFolder,
        name: String = "server",
        kind: String = "ec",
        days: Int = 2
    ) throws {
        certificate = folder.path(of: name + ".crt")
        key = folder.path(of: name + ".key")
        let algorithm =
            kind == "ec"
            ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] : ["-newkey", "rsa:2048"]
        try Self.run(
            ["req", "-x509", "-nodes", "-batch", "-subj", "/CN=\(name)"] + algorithm + [
                "-days", "2", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", certificate,
            ]
        )
        if days < 0 { try expire() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }

    /// Writes the certificate anew, valid from and until a day long gone.
    private func expire() throws {
        let request = certificate + ".csr"
        try Self.run(["req", "-new", "-batch", "-subj", "/CN=old", "-key", key, "-out", request])
        try Self.run([
            "x509", "-req", "-in", request, "-signkey", key, "-days", "-1", "-out", certificate,
        ])
    }

    /// Puts both files where others are, as a renewal does: a new file with an old name.
    package func replace(_ other: TestCertificate) throws {
        for (from, to) in [(certificate, other.certificate), (key, other.key)] {
            guard rename(from, to) == 0 else {
                throw TestFailure.system(call: "rename", errno: errno)
            }
        }
    }

    package static let program = "/usr/bin/openssl"

    package static func run(_ words: [String]) throws {
        let process = try ChildProcess("/bin/sh", ["-c", "exec openssl \"$@\" 2>&1", "sh"] + words)
        let text = try process.rest()
        guard try process.wait() == .exited(0) else {
            throw TestFailure.malformed("openssl \(words.joined(separator: " ")): \(text)")
        }
    }
}
