import CLinux
import EventLoops
import Glibc
import TransportSecurity

/// `hato health`: asks `/healthz` of the server that the settings name, for container health checks.
enum HealthCheck {
    static let timeout = Duration.seconds(3)

    static func run(_ configuration: EffectiveConfiguration) -> CommandResult {
        do {
            let listening = try Listening(configuration)
            guard let address = listening.plain ?? listening.secure?.address else {
                return .failure("there is no address to ask")
            }
            return try ask(address, isSecure: listening.plain == nil)
                ? .success("") : .failure("\(address) answers, but is not well")
        } catch {
            return .failure(error.message)
        }
    }

    private static func ask(
        _ address: ListenAddress,
        isSecure: Bool
    ) throws(ConfigurationError) -> Bool {
        // An address that means "every interface" is reached on the loopback one.
        let host =
            switch address.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: address.host
            }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let literal = host == "localhost" ? "127.0.0.1" : host
        guard getaddrinfo(literal, String(address.port), &hints, &found) == 0,
            let first = found?.pointee
        else {
            throw ConfigurationError("\(address) names no address")
        }
        defer { freeaddrinfo(found) }
        let socket = Glibc.socket(
            first.ai_family,
            first.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
            0
        )
        guard socket >= 0 else { throw ConfigurationError("no socket: \(errnoText())") }
        defer { close(socket) }
        setTimeouts(socket)
        // A server that hangs up in between is an answer, too.
        signal(SIGPIPE, SIG_IGN)
        guard connect(socket, first.ai_addr, first.ai_addrlen) == 0 else {
            throw ConfigurationError("nothing answers on \(address): \(errnoText())")
        }
        let request = "GET /healthz HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n"
        let answer =
            isSecure
            ? TLSProbe.exchange(Array(request.utf8), on: socket) : exchange(request, on: socket)
        guard let answer else { throw ConfigurationError("\(address) gives no answer") }
        return answer.starts(with: "HTTP/1.1 200".utf8)
    }

    private static func exchange(_ request: String, on socket: Int32) -> [UInt8]? {
        var rest: [UInt8] = []
        guard ControlSocket.writeAll(socket, Array(request.utf8)) else { return nil }
        return ControlSocket.readLine(socket, before: .now + timeout, rest: &rest)
    }

    private static func setTimeouts(_ socket: Int32) {
        ControlSocket.setSendTimeout(socket, seconds: 3)
        var limit = timeval(tv_sec: 3, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    }
}

extension ListenAddress {
    /// Says what an address looks like, for one that can't be read.
    static func complaint(about text: String) -> String {
        "\"\(text)\" is no address; write HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080"
    }
}
