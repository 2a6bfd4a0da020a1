import COpenSSL

/// ALPN (RFC 7301): HTTP/1.1 when the client names protocols, an alert when it is not among them.
enum ApplicationProtocol {
    static let name = Array("http/1.1".utf8)

    static func select(in context: OpaquePointer) {
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, selected, selectedCount, offered, offeredCount, _ in
                let list = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
                guard let place = ApplicationProtocol.find(in: list) else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                selected?.pointee = offered?.advanced(by: place)
                selectedCount?.pointee = UInt8(ApplicationProtocol.name.count)
                return SSL_TLSEXT_ERR_OK
            },
            nil
        )
    }

    /// Where our protocol's name begins in a list of names, each behind its length.
    static func find(in list: UnsafeBufferPointer<UInt8>) -> Int? {
        var place = 0
        while place < list.count {
            let start = place + 1
            let end = start + Int(list[place])
            guard end <= list.count else { return nil }
            if list[start..<end].elementsEqual(name) { return start }
            place = end
        }
        return nil
    }
}
