/// One element of Sec-WebSocket-Extensions (RFC 6455 9.1): a name and parameters, in order.
///
/// Names of extensions and parameters are compared as they are written.
struct ExtensionOffer: Equatable {
    var name: String
    var parameters: [(name: String, value: String?)] = []

    static func == (left: ExtensionOffer, right: ExtensionOffer) -> Bool {
        left.name == right.name && left.parameters.elementsEqual(right.parameters, by: ==)
    }

    /// Returns the elements of a field value; nil when it breaks the grammar or has more than
    /// `limit` names, of extensions and parameters together.
    static func read(_ value: ArraySlice<UInt8>, limit: Int) -> [ExtensionOffer]? {
        var reader = Reader(bytes: value)
        var offers: [ExtensionOffer] = []
        var left = limit
        while reader.skipEmptyElements() {
            guard left > 0, let name = reader.token() else { return nil }
            left -= 1
            var offer = ExtensionOffer(name: name)
            while reader.take(HTTPByte.semicolon) {
                guard left > 0, let name = reader.token() else { return nil }
                left -= 1
                var value: String?
                if reader.take(HTTPByte.equals) {
                    guard let read = reader.value() else { return nil }
                    value = read
                }
                offer.parameters.append((name, value))
            }
            guard reader.isAtEndOfElement else { return nil }
            offers.append(offer)
        }
        return offers
    }
}

extension ExtensionOffer {
    /// Walks through a value; white space around what it reads is passed over.
    private struct Reader {
        let bytes: ArraySlice<UInt8>
        var position: Int

        init(bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            position = bytes.startIndex
        }

        private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

        private mutating func skipSpace() {
            while let byte = next, HTTPByte.isSpaceOrTab(byte) { position += 1 }
        }

        /// Goes to the next element that is not empty (RFC 9110 5.6.1.2); false at the end.
        mutating func skipEmptyElements() -> Bool {
            repeat { skipSpace() } while take(HTTPByte.comma)
            return next != nil
        }

        var isAtEndOfElement: Bool { next == nil || next == HTTPByte.comma }

        mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            position += 1
            skipSpace()
            return true
        }

        mutating func token() -> String? {
            let start = position
            while let byte = next, HTTPByte.isToken(byte) { position += 1 }
            guard position > start else { return nil }
            defer { skipSpace() }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// A token, or a quoted string that holds one (RFC 6455 9.1).
        mutating func value() -> String? {
            guard next == HTTPByte.quote else { return token() }
            position += 1
            var text: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case HTTPByte.quote:
                    guard !text.isEmpty else { return nil }
                    skipSpace()
                    return String(decoding: text, as: UTF8.self)
                case HTTPByte.backslash:
                    guard let escaped = next, HTTPByte.isToken(escaped) else { return nil }
                    position += 1
                    text.append(escaped)
                default:
                    guard HTTPByte.isToken(byte) else { return nil }
                    text.append(byte)
                }
            }
            return nil
        }
    }
}
