package import EventLoops
import HatoWire

/// A message as the one unfragmented frame that all its receivers share.
package enum MessageFrame {
    /// `payload` is UTF-8.
    package static func text(_ payload: [UInt8]) -> Frame {
        make(.text, payload)
    }

    package static func binary(_ payload: [UInt8]) -> Frame {
        make(.binary, payload)
    }

    private static func make(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> Frame {
        var header: [UInt8] = []
        header.reserveCapacity(10)
        WebSocketFrame.appendHeader(opcode, payloadCount: payload.count, to: &header)
        return Frame(header.span, payload.span)
    }
}
