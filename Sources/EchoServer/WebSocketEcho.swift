import HTTPServer

/// Returns every message as it came.
final class WebSocketEcho: WebSocketHandler {
    func opened(_ socket: WebSocket) {}

    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {
        socket.send(message, isText: isText)
    }

    func closed(on socket: WebSocket) {}
}
