import CLinux
import EventLoops
import Glibc

/// `hato health`: asks `/healthz` of the server that the settings name, for container health checks.
enum HealthCheck {
    static let timeout = Duration.seconds(3)

    static func run(_ configuration: EffectiveConfiguration) -> CommandResult {
        let text = configuration["listen"].value
        guard let address = ListenAddress(parsing: text) else {
            return .failure(ListenAddress.complaint(about: text))
        }
        do {
            return try ask(address) ? .success("") : .failure("\(address) answers, but is not well")
        } catch {
            return .failure(error.message)
        }
    }

    private static func ask(_ address: ListenAddress) throws(ConfigurationError) -> Bool {
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
        ControlSocket.setSendTimeout(socket, seconds: 3)
        guard connect(socket, first.ai_addr, first.ai_addrlen) == 0 else {
            throw ConfigurationError("nothing answers on \(address): \(errnoText())")
        }
        let request = "GET /healthz HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n"
        var rest: [UInt8] = []
        guard ControlSocket.writeAll(socket, Array(request.utf8)),
            let line = ControlSocket.readLine(socket, before: .now + timeout, rest: &rest)
        else {
            throw ConfigurationError("\(address) gives no answer")
        }
        return line.starts(with: "HTTP/1.1 200".utf8)
    }
}

extension ListenAddress {
    /// Says what an address looks like, for one that can't be read.
    static func complaint(about text: String) -> String {
        "\"\(text)\" is no address; write HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080"
    }
}
