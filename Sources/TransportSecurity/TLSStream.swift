import COpenSSL
import EventLoops

/// TLS on one connection: OpenSSL's state machine, fed with what the loop has read.
///
/// Between two calls it holds neither bytes nor buffers, but for a record that has not come whole. What
/// a handler sends before the handshake is over goes nowhere: HTTP never speaks first.
///
/// A FIN without close_notify ends no message here, since each message of HTTP and WebSocket has its
/// length: one that is cut short is dropped as without TLS.
final class TLSStream: ByteTransform {
    private enum Phase {
        case handshaking, open
        /// A fatal error: nothing may be sent, not even close_notify.
        case broken
    }

    /// What a client may send until the handshake is over.
    static let handshakeLimitBytes = 32_768
    /// The largest record, and the most that is read at once.
    private static let recordBytes = 16_384
    /// The most that a record costs beside its content: header, explicit nonce, type and tag (RFC
    /// 5288, RFC 8446 5.2).
    private static let recordOverhead = 5 + 8 + 1 + 16

    private let context: TLSContext
    private let ssl: OpaquePointer
    private var phase = Phase.handshaking
    private var handshakeBytes = 0
    private var isFinishSent = false
    /// What is read from during a call.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What is written to during a call: the loop's own array.
    private var output: [UInt8] = []

    /// Nil for want of memory.
    init?(_ context: TLSContext) {
        guard let ssl = SSL_new(context.context) else { return nil }
        self.context = context
        self.ssl = ssl
        guard let bio = MemoryBIO.make(context.method, for: self) else { return nil }
        SSL_set_bio(ssl, bio, bio)
        SSL_set_accept_state(ssl)
    }

    deinit {
        SSL_free(ssl)
    }

    // MARK: ByteTransform

    var isSecure: Bool { true }

    func wireCount(of count: Int) -> Int {
        let records = count / Self.recordBytes + (count % Self.recordBytes > 0 ? 1 : 0)
        return count + records * Self.recordOverhead
    }

    func decode(
        _ bytes: Span<UInt8>,
        plain: inout [UInt8],
        wire: inout [UInt8]
    ) -> ByteTransformState {
        guard phase != .broken else { return .broken }
        swap(&output, &wire)
        defer { swap(&output, &wire) }
        return bytes.withUnsafeBytes { bytes in
            input = bytes
            defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
            if phase == .handshaking {
                handshakeBytes += bytes.count
                guard shakeHands() else { return fail() }
                guard phase == .open else {
                    return handshakeBytes > Self.handshakeLimitBytes ? fail() : .open
                }
            }
            return read(into: &plain)
        }
    }

    func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) -> Bool {
        guard phase == .open, !isFinishSent else { return phase == .handshaking }
        swap(&output, &wire)
        defer { swap(&output, &wire) }
        return bytes.withUnsafeBytes { bytes in
            var written = 0
            ERR_clear_error()
            guard SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written) == 1 else {
                _ = fail()
                return false
            }
            return true
        }
    }

    func finish(wire: inout [UInt8]) {
        guard phase == .open, !isFinishSent else { return }
        isFinishSent = true
        swap(&output, &wire)
        ERR_clear_error()
        if SSL_shutdown(ssl) < 0 { _ = fail() }
        swap(&output, &wire)
    }

    // MARK: OpenSSL

    /// Returns false when the handshake has failed; the alert is in `output`.
    private func shakeHands() -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            phase = .open
            return true
        }
        return SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ
    }

    private func read(into plain: inout [UInt8]) -> ByteTransformState {
        // What comes out is no longer than what is in, but for the record that was begun before.
        let room = min(max(input.count, 1_024), Self.recordBytes)
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { space in
            while true {
                var count = 0
                ERR_clear_error()
                let result = SSL_read_ex(ssl, space.baseAddress, space.count, &count)
                if result == 1 {
                    plain.append(contentsOf: space[..<count])
                    // To ask once more for nothing costs OpenSSL a buffer.
                    if input.isEmpty, SSL_has_pending(ssl) == 0 { return .open }
                    continue
                }
                switch SSL_get_error(ssl, result) {
                case SSL_ERROR_WANT_READ: return .open
                case SSL_ERROR_ZERO_RETURN: return .finished
                default: return fail()
                }
            }
        }
    }

    private func fail() -> ByteTransformState {
        ERR_clear_error()
        phase = .broken
        return .broken
    }

    // MARK: MemoryBIO

    /// Gives OpenSSL the next of the bytes that came.
    func take(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, input.count)
        guard count > 0 else { return 0 }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    /// Takes from OpenSSL what shall go to the socket.
    func put(_ bytes: UnsafeRawBufferPointer) {
        output.append(contentsOf: bytes)
    }
}
