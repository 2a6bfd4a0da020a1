import Cryptography
import HatoWire
import Testing

@testable import NCMBAdapter

@Suite("Signatures of real SDKs")
struct VectorSignatureTests {
    private static let key = HMACKey([UInt8](repeating: UInt8(ascii: "C"), count: 64))

    private static func parts(_ vector: Vector) throws -> (SignedParts, [UInt8]) {
        var parser = RequestParser(limits: HTTPLimits())
        var offset = 0
        guard case .request = parser.parse(vector.bytes.span, from: &offset) else {
            throw TestRequest.NotARequest()
        }
        let request = parser.request
        let credentials = RequestCredentials(request)
        let parts = SignedParts(
            method: request.method,
            authority: request.rawAuthority,
            path: request.rawPath,
            query: request.rawQuery,
            applicationKey: try #require(credentials.applicationKey),
            timestamp: try #require(credentials.timestamp)
        )
        let signature = try #require(credentials.signature)
        let code = try #require(Base64.decode(signature))
        return (parts, code)
    }

    @Test("all recorded requests are there")
    func count() {
        #expect(Vector.all.count { $0.sdk == .android } == 24)
        #expect(Vector.all.count { $0.sdk == .swift } == 35)
    }

    @Test("every recorded signature is right", arguments: Vector.all)
    func right(vector: Vector) throws {
        let (parts, code) = try Self.parts(vector)
        #expect(SignatureVerifier().isRight(code, for: parts, key: Self.key))
    }

    @Test("no recorded signature is right for a request that was changed", arguments: Vector.all)
    func wrong(vector: Vector) throws {
        let (parts, code) = try Self.parts(vector)
        var changed = parts
        changed.path += Array("x".utf8)
        #expect(!SignatureVerifier().isRight(code, for: changed, key: Self.key))
        changed = parts
        changed.method = parts.method == .get ? .delete : .get
        #expect(!SignatureVerifier().isRight(code, for: changed, key: Self.key))
        if parts.method == .get {
            changed = parts
            changed.query = Array("limit=1000".utf8)[...]
            #expect(!SignatureVerifier().isRight(code, for: changed, key: Self.key))
        }
        #expect(!SignatureVerifier().isRight(code, for: parts, key: HMACKey([1])))
    }
}
