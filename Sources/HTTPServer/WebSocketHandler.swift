/// What stands on a WebSocket.
///
/// Called on its loop only.
package protocol WebSocketHandler: AnyObject {
    /// The handshake was answered; messages sent now follow the 101.
    func opened(_ socket: WebSocket)
    /// A whole message came, as yet packed if it came so; false drops it, for nothing more.
    func admitsMessage(on socket: WebSocket) -> Bool
    /// A whole message came; text is valid UTF-8.
    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket)
    /// Nothing can be sent or received any more: the last call, exactly once.
    func closed(on socket: WebSocket)
}

extension WebSocketHandler {
    package func admitsMessage(on socket: WebSocket) -> Bool { true }
}
