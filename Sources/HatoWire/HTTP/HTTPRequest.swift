/// Where a field lies in its message's head.
package struct HTTPFieldSlot: Sendable, Hashable {
    /// The name as sent, a token.
    package var name: Range<Int>
    /// The value without the white space around it; may be empty, may hold obs-text.
    package var value: Range<Int>
}

/// One whole request.
///
/// A value: its arrays are shared until somebody writes, so that a parser gets their storage back
/// for the next message once nobody holds this one.
package struct HTTPRequest: Sendable {
    package internal(set) var method = HTTPMethod.other
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    package internal(set) var minorVersion = 1
    /// The request line and the fields as received, up to and with the empty line.
    package internal(set) var head: [UInt8] = []
    /// The method's token in `head`.
    package internal(set) var methodName = 0..<0
    /// The raw target in `head`: origin form, or `*`.
    ///
    /// Of an absolute form only its path and query.
    package internal(set) var target = 0..<0
    /// The raw path in `head`; it begins with `/`, or is `*`.
    package internal(set) var path = 0..<0
    /// The raw query in `head`, without its `?`; nil if there is no `?`, empty if nothing follows it.
    package internal(set) var query: Range<Int>?
    /// The authority asked for, in `head`: an absolute form's, else the Host field's value.
    package internal(set) var authority: Range<Int>?
    /// The fields in the order received.
    package internal(set) var fields: [HTTPFieldSlot] = []
    /// The body without transfer coding.
    package internal(set) var body: [UInt8] = []
    /// The connection may carry another request after this one (RFC 9112 9.3).
    package internal(set) var keepsAlive = true
    /// An Origin field is there: a browser asks on behalf of a page.
    package internal(set) var hasOrigin = false
    /// An Upgrade field is there, in HTTP/1.1; what it names is for the handshake to judge.
    package internal(set) var wantsUpgrade = false

    package init() {}

    package var rawTarget: ArraySlice<UInt8> { head[target] }
    package var rawPath: ArraySlice<UInt8> { head[path] }
    package var rawQuery: ArraySlice<UInt8>? { query.map { head[$0] } }
    package var rawAuthority: ArraySlice<UInt8>? { authority.map { head[$0] } }

    mutating func reset() {
        head.removeAll(keepingCapacity: head.capacity <= HTTPRequest.keptHeadBytes)
        fields.removeAll(keepingCapacity: true)
        if !body.isEmpty {
            body.removeAll(keepingCapacity: body.capacity <= HTTPRequest.keptBodyBytes)
        }
        query = nil
        authority = nil
    }

    /// Storage up to these sizes is used again; what an unusual message needed is given back.
    private static let keptHeadBytes = 16_384
    private static let keptBodyBytes = 65_536
}

extension HTTPRequest {
    /// Returns the value of the first field of that name, which is written in lowercase.
    package func value(_ lowercasedName: StaticString) -> ArraySlice<UInt8>? {
        let bytes = head.span
        for slot in fields
        where HTTPByte.equalIgnoringCase(bytes, slot.name, lowercasedName) {
            return head[slot.value]
        }
        return nil
    }

    /// Returns the first field of that name as text; bytes that are not UTF-8 are repaired.
    package func text(_ lowercasedName: StaticString) -> String? {
        value(lowercasedName).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the values of all fields of that name in order.
    package func values(_ lowercasedName: StaticString) -> [ArraySlice<UInt8>] {
        let bytes = head.span
        var values: [ArraySlice<UInt8>] = []
        for slot in fields
        where HTTPByte.equalIgnoringCase(bytes, slot.name, lowercasedName) {
            values.append(head[slot.value])
        }
        return values
    }

    /// Returns how many fields have that name, which is written in lowercase.
    package func count(of lowercasedName: StaticString) -> Int {
        let bytes = head.span
        var count = 0
        for slot in fields
        where HTTPByte.equalIgnoringCase(bytes, slot.name, lowercasedName) {
            count += 1
        }
        return count
    }
}
