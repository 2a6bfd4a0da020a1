import Compression

// A span can't be an argument inside `#expect`, whose macro keeps arguments.

extension Inflater {
    func message(_ packed: [UInt8], limit: Int) throws(CompressionFailure) -> [UInt8] {
        try message(packed.span, limitBytes: limit)
    }
}

extension MessageDeflater {
    func pack(_ message: [UInt8], windowBits: Int = 15) -> [UInt8]? {
        pack(message.span, windowBits: windowBits)
    }
}

extension GzipEncoder {
    func encode(_ body: [UInt8]) -> [UInt8]? {
        encode(body.span)
    }
}
