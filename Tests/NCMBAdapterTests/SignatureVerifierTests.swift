import Cryptography
import HatoWire
import Testing

@testable import NCMBAdapter

@Suite("SignatureVerifier")
struct SignatureVerifierTests {
    /// The test vectors of ncmb-rest §3.1.
    struct Example: Sendable, CustomTestStringConvertible {
        var name: String
        var method = HTTPMethod.get
        var host: String
        var path: String
        var query: String?
        var applicationKey = String(repeating: "A", count: 64)
        var clientKey = String(repeating: "C", count: 64)
        var timestamp: String
        var signature: String

        var testDescription: String { name }

        var parts: SignedParts {
            SignedParts(
                method: method,
                authority: Array(host.utf8)[...],
                path: Array(path.utf8)[...],
                query: query.map { Array($0.utf8)[...] },
                applicationKey: Array(applicationKey.utf8)[...],
                timestamp: Array(timestamp.utf8)[...]
            )
        }

        func isAccepted(
            by verifier: SignatureVerifier,
            _ change: (inout SignedParts) -> Void
        ) -> Bool {
            var parts = parts
            change(&parts)
            guard let code = Base64.decode(signature.utf8) else { return false }
            return verifier.isRight(code, for: parts, key: HMACKey(Array(clientKey.utf8)))
        }
    }

    static let examples = [
        Example(
            name: "the official example",
            host: "mbaas.api.nifcloud.com",
            path: "/2013-09-01/classes/TestClass",
            query: "where=%7B%22testKey%22%3A%22testValue%22%7D",
            applicationKey: "6145f91061916580c742f806bab67649d10f45920246ff459404c46f00ff3e56",
            clientKey: "1343d198b510a0315db1c03f3aa0e32418b7a743f8e4b47cbff670601345cf75",
            timestamp: "2013-12-02T02:44:35.452Z",
            signature: "AltGkQgXurEV7u0qMd+87ud7BKuueldoCjaMgVc9Bes="
        ),
        Example(
            name: "the official example with the former host",
            host: "mb.api.cloud.nifty.com",
            path: "/2013-09-01/classes/TestClass",
            query: "where=%7B%22testKey%22%3A%22testValue%22%7D",
            applicationKey: "6145f91061916580c742f806bab67649d10f45920246ff459404c46f00ff3e56",
            clientKey: "1343d198b510a0315db1c03f3aa0e32418b7a743f8e4b47cbff670601345cf75",
            timestamp: "2013-12-02T02:44:35.452Z",
            signature: "/mQAJJfMHx2XN9mPZ9bDWR9VIeftZ97ntzDIRw0MQ4M="
        ),
        Example(
            name: "a POST of the Swift SDK",
            method: .post,
            host: "127.0.0.1:8970",
            path: "/2013-09-01/classes/Chat",
            timestamp: "2026-11-30T00:48:56.433Z",
            signature: "2EnTCVHdBH1E9pJcXck2oMdx36FECtjvCMtXr0YUCSU="
        ),
        Example(
            name: "a GET with several parameters",
            host: "127.0.0.1:8970",
            path: "/2013-09-01/classes/Chat",
            query: "limit=20&order=-createDate,body&skip=3&where=%7B%22n%22:1%7D",
            timestamp: "2026-11-30T00:00:00.000Z",
            signature: "NXl1Mk+7dww5KXl6+083GUBbWDviONiCXSUuPi6I5Vc="
        ),
        Example(
            name: "a POST recorded from the real service",
            method: .post,
            host: "mbaas.api.nifcloud.com",
            path: "/2013-09-01/classes/ResponseSignatureTest",
            applicationKey: "6e58668eb431b6cef540116a18ac269eeee83383acd61cdb08101e2531cdeece",
            clientKey: "9714b04345bcdad2d609d3b9ba9bd89c7bed612189d4e6a923c70bf87da60e76",
            timestamp: "2016-05-27T04%3A46%3A09.376Z",
            signature: "0A5ta9DBur11TZnffqnus3jd7iTzTBxqcp4wTU3lqHA="
        ),
    ]

    private let verifier = SignatureVerifier()

    @Test("accepts the published examples", arguments: examples)
    func accepts(example: Example) {
        #expect(example.isAccepted(by: verifier) { _ in })
    }

    @Test("refuses a request that differs in any signed part", arguments: examples)
    func refuses(example: Example) {
        #expect(!example.isAccepted(by: verifier) { $0.method = .put })
        #expect(!example.isAccepted(by: verifier) { $0.path += [0x78] })
        #expect(!example.isAccepted(by: verifier) { $0.timestamp = $0.timestamp.dropLast() })
        #expect(
            !example.isAccepted(by: verifier) { $0.applicationKey = $0.applicationKey.dropLast() }
        )
        var other = example
        other.clientKey.removeLast()
        #expect(!other.isAccepted(by: verifier) { _ in })
        if example.method == .get {
            #expect(!example.isAccepted(by: verifier) { $0.query = ($0.query ?? []) + [0x78] })
            #expect(!example.isAccepted(by: verifier) { $0.query = nil })
        }
    }

    @Test("the order of a query's parameters does not matter, its port neither")
    func order() {
        let example = Self.examples[3]
        let shuffled = "where=%7B%22n%22:1%7D&skip=3&order=-createDate,body&limit=20"
        #expect(
            example.isAccepted(by: verifier) {
                $0.query = Array(shuffled.utf8)[...]
                $0.authority = Array("127.0.0.1".utf8)[...]
            }
        )
    }

    @Test("an app that DNS leads here still signs the service's hosts")
    func aliases() {
        let example = Self.examples[0]
        let hato = Array("hato.example:8080".utf8)[...]
        #expect(example.isAccepted(by: verifier) { $0.authority = hato })
        #expect(example.isAccepted(by: verifier) { $0.authority = nil })
        #expect(!example.isAccepted(by: SignatureVerifier(aliases: [])) { $0.authority = hato })
    }

    @Test("a `?` with nothing behind it is no query")
    func emptyQuery() {
        #expect(Self.examples[2].isAccepted(by: verifier) { $0.query = [] })
        var parts = Self.examples[0].parts
        parts.query = []
        #expect(parts.otherParameterForms.isEmpty)
    }

    @Test("a path is tried as sent, decoded, and decoded outside ASCII")
    func pathForms() {
        var parts = Self.examples[0].parts
        #expect(parts.pathForms.count == 1)
        parts.path = Array("/f/%E6%97%A5%20a+%2b%zz%4".utf8)[...]
        let forms = parts.pathForms.map { String(decoding: $0, as: UTF8.self) }
        #expect(forms == ["/f/%E6%97%A5%20a+%2b%zz%4", "/f/日 a++%zz%4", "/f/日%20a+%2b%zz%4"])
        parts.path = Array("/f/%20".utf8)[...]
        #expect(parts.pathForms.count == 2)
    }

    private static func forms(_ parts: SignedParts) -> [String] {
        var documented: [UInt8] = []
        guard parts.appendParameters(to: &documented) else { return [] }
        return ([documented] + parts.otherParameterForms)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "parameters are sorted by bytes, for GET also as one string, for others also left out",
        arguments: [
            ("A=1&name=x", "A=1&*&name=x", "A=1&name=x&*"),
            ("b=2&a=1&b=10", "*&a=1&b=10&b=2", "*&b=2&a=1&b=10"),
            ("Y=1&T=2", "SignatureMethod=HmacSHA256&SignatureVersion=2&T=2&%&Y=1", "*&Y=1&T=2"),
            ("a&&b", "&*&a&b", "*&a&&b"),
        ]
    )
    func parameterForms(query: String, sorted: String, whole: String) {
        let last = "X-NCMB-Application-Key=K&X-NCMB-Timestamp=T"
        let fixed = "SignatureMethod=HmacSHA256&SignatureVersion=2&" + last
        let spelled = { (form: String) in
            form.split(separator: "*", omittingEmptySubsequences: false).joined(separator: fixed)
                .split(separator: "%", omittingEmptySubsequences: false).joined(separator: last)
        }
        var example = Self.examples[3]
        example.applicationKey = "K"
        example.timestamp = "T"
        example.query = query
        #expect(Self.forms(example.parts) == [spelled(sorted), spelled(whole)])
        example.method = .delete
        #expect(Self.forms(example.parts) == [fixed, spelled(sorted)])
    }

    @Test("more parameters than the limit are not even sorted")
    func parameterLimit() {
        var parts = Self.examples[3].parts
        let ampersands = [UInt8](repeating: 0x26, count: SignedParts.parameterLimit - 1)
        parts.query = ampersands[...]
        #expect(Self.forms(parts).count == 2)
        parts.query = (ampersands + [0x26])[...]
        #expect(Self.forms(parts).isEmpty)
    }

    @Test("the port is cut off the authority, an IPv6 address stays whole")
    func hosts() {
        var parts = Self.examples[0].parts
        for (authority, host) in [
            ("h:80", "h"), ("h", "h"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"),
        ] {
            parts.authority = Array(authority.utf8)[...]
            #expect(parts.host.map { String(decoding: $0, as: UTF8.self) } == host)
        }
    }
}
