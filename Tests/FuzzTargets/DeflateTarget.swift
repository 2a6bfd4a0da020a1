import Compression
import HatoWire

/// The data of compressed messages, and what a client may offer; the first byte chooses.
enum DeflateTarget {
    private static let limitBytes = 4_096

    static func check(_ input: [UInt8]) throws {
        guard let first = input.first else { return }
        let rest = Array(input.dropFirst())
        if first & 1 == 0 { try checkMessage(rest) } else { try checkOffer(rest) }
    }

    private static func checkMessage(_ packed: [UInt8]) throws {
        let inflater = try Inflater()
        let message: [UInt8]
        do {
            message = try inflater.message(packed.span, limitBytes: limitBytes)
        } catch {
            // What became of this one is forgotten.
            let next = try inflater.message([0x4A, 0x04, 0x00].span, limitBytes: 1)
            try hold(next == [0x61], "a damaged message that harms the next one")
            return
        }
        try hold(message.count <= limitBytes, "a message past its limit")
        let again = try Inflater().message(packed.span, limitBytes: limitBytes)
        try hold(again == message, "a second look reads otherwise")
        guard let least = try? inflater.message(packed.span, limitBytes: message.count) else {
            throw Violation("a message that its own length is too long for")
        }
        try hold(least == message, "another message under a limit that it just meets")
        if !message.isEmpty {
            let less = try? inflater.message(packed.span, limitBytes: message.count - 1)
            try hold(less == nil, "a message past a limit one byte below it")
        }
        let deflater = MessageDeflater()
        for windowBits in [9, 15] {
            guard let repacked = deflater.pack(message.span, windowBits: windowBits) else {
                continue
            }
            let unpacked = try inflater.message(repacked.span, limitBytes: limitBytes)
            try hold(unpacked == message, "what was packed again reads otherwise")
        }
    }

    private static func checkOffer(_ offer: [UInt8]) throws {
        let head = Array("GET /echo HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Extensions: ".utf8)
        for request in try RequestTarget.agreement(head + offer + [13, 10, 13, 10]).requests {
            let outcome = PerMessageDeflate.negotiate(request)
            try hold(
                outcome == PerMessageDeflate.negotiate(request),
                "a second look judges otherwise"
            )
            guard case .agreed(let agreement) = outcome else { continue }
            try hold((9...15).contains(agreement.serverWindowBits), "a window that is not made")
            var answer: [UInt8] = []
            agreement.append(to: &answer)
            // An answer is an offer too, and comes to the same.
            let echo = Array("GET /echo HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Extensions: ".utf8)
            let repeated = try RequestTarget.agreement(echo + answer + [13, 10, 13, 10]).requests
            try hold(
                repeated.map(PerMessageDeflate.negotiate) == [outcome],
                "an answer that agrees on something else"
            )
        }
    }
}
