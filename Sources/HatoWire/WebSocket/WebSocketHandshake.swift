/// The opening handshake (RFC 6455 4.2), seen from the server.
package enum WebSocketHandshake {
    /// What a request for a WebSocket gets.
    package enum Verdict: Sendable, Equatable {
        /// `acceptKey` is the value for Sec-WebSocket-Accept.
        case accept(acceptKey: String)
        case refuse(Refusal)
    }

    /// Why a request is no handshake.
    ///
    /// Its answer's status and the fields that must go with it.
    package enum Refusal: Error, Sendable, Hashable, CaseIterable {
        case methodNotGet
        case versionNotHTTP11
        case upgradeMissing
        case connectionWithoutUpgrade
        case versionNot13
        case badKey
        case hasBody

        package var status: Int {
            switch self {
            case .methodNotGet: 405
            case .versionNotHTTP11, .connectionWithoutUpgrade, .badKey, .hasBody: 400
            case .upgradeMissing, .versionNot13: 426
            }
        }

        package var fields: [(name: StaticString, value: StaticString)] {
            switch self {
            case .methodNotGet: [("Allow", "GET")]
            case .versionNot13:
                [
                    ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                    ("Sec-WebSocket-Version", "13"),
                ]
            case .upgradeMissing:
                [("Upgrade", "websocket"), ("Connection", "Upgrade")]
            case .versionNotHTTP11, .connectionWithoutUpgrade, .badKey, .hasBody: []
            }
        }
    }

    /// Judges a request to a WebSocket's URL.
    package static func check(_ request: HTTPRequest) -> Verdict {
        guard request.method == .get else { return .refuse(.methodNotGet) }
        guard request.minorVersion == 1 else { return .refuse(.versionNotHTTP11) }
        guard lists(request, "upgrade", "websocket") else { return .refuse(.upgradeMissing) }
        guard allowsUpgrade(request) else { return .refuse(.connectionWithoutUpgrade) }
        guard request.count(of: "sec-websocket-version") == 1,
            request.value("sec-websocket-version")?.elementsEqual("13".utf8) == true
        else { return .refuse(.versionNot13) }
        guard request.count(of: "sec-websocket-key") == 1,
            let key = request.value("sec-websocket-key"), Base64.decode(key)?.count == 16
        else { return .refuse(.badKey) }
        guard request.body.isEmpty else { return .refuse(.hasBody) }
        return .accept(acceptKey: acceptKey(for: key))
    }

    /// Returns Sec-WebSocket-Accept's value for a Sec-WebSocket-Key.
    package static func acceptKey(for key: some Sequence<UInt8>) -> String {
        Base64.encode(SHA1.digest(Array(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    }

    /// Returns the subprotocols asked for, the client's favourite first.
    package static func subprotocols(_ request: HTTPRequest) -> [String] {
        request.values("sec-websocket-protocol").flatMap { value in
            FieldList(value).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Appends the whole answer that opens the socket.
    ///
    /// - Parameters:
    ///   - acceptKey: What `check` returned.
    ///   - subprotocol: One of `subprotocols(_:)` that the route speaks, or nil.
    ///   - compression: What was agreed on, or nil.
    ///   - output: The buffer.
    /// - Returns: False, with nothing appended, if the subprotocol is no token.
    package static func appendAcceptance(
        acceptKey: String,
        subprotocol: String?,
        compression: PerMessageDeflate? = nil,
        to output: inout [UInt8]
    ) -> Bool {
        if let subprotocol {
            let bytes = Array(subprotocol.utf8)
            guard !bytes.isEmpty, bytes.allSatisfy(HTTPByte.isToken) else { return false }
        }
        ResponseHead.append(status: 101, to: &output)
        ResponseHead.append(field: "Upgrade", "websocket", to: &output)
        ResponseHead.append(field: "Connection", "Upgrade", to: &output)
        output.append(literal: "Sec-WebSocket-Accept: ")
        output.append(contentsOf: acceptKey.utf8)
        if let subprotocol {
            output.append(literal: "\r\nSec-WebSocket-Protocol: ")
            output.append(contentsOf: subprotocol.utf8)
        }
        if let compression {
            output.append(literal: "\r\nSec-WebSocket-Extensions: ")
            compression.append(to: &output)
        }
        output.append(literal: "\r\n\r\n")
        return true
    }

    /// Rulings 17: `upgrade` among the options, or exactly `keep-alive`, which is what Foundation
    /// sends over libcurl; nothing else.
    private static func allowsUpgrade(_ request: HTTPRequest) -> Bool {
        let values = request.values("connection")
        let options = values.flatMap { Array(FieldList($0)) }
        if options.contains(where: { $0.equalsIgnoringCase("upgrade") }) { return true }
        return values.count == 1 && values[0].equalsIgnoringCase("keep-alive")
    }

    private static func lists(
        _ request: HTTPRequest,
        _ name: StaticString,
        _ element: StaticString
    ) -> Bool {
        request.values(name).contains { value in
            FieldList(value).contains { $0.equalsIgnoringCase(element) }
        }
    }
}
