import EventLoops

/// The command line of `echo-server`.
struct EchoOptions {
    static let usage = """
        echo-server --listen HOST:PORT [--loops COUNT]
            [--tls-listen HOST:PORT --tls-certificate FILE --tls-key FILE]
        """

    struct Secure {
        let address: ListenAddress
        let certificate: String
        let key: String
    }

    let address: ListenAddress
    let loopCount: Int
    let secure: Secure?

    /// Reads the arguments after the program's name; nil when they are wrong.
    init?(_ arguments: [String]) {
        var address: ListenAddress?
        var loopCount = 2
        var secureAddress: ListenAddress?
        var certificate: String?
        var key: String?
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--listen":
                guard let parsed = ListenAddress(parsing: value) else { return nil }
                address = parsed
            case "--loops":
                guard let count = Int(value), (1...64).contains(count) else { return nil }
                loopCount = count
            case "--tls-listen":
                guard let parsed = ListenAddress(parsing: value) else { return nil }
                secureAddress = parsed
            case "--tls-certificate": certificate = value
            case "--tls-key": key = value
            default:
                return nil
            }
        }
        guard let address else { return nil }
        self.address = address
        self.loopCount = loopCount
        switch (secureAddress, certificate, key) {
        case (nil, nil, nil): secure = nil
        case (let address?, let certificate?, let key?):
            secure = Secure(address: address, certificate: certificate, key: key)
        default: return nil
        }
    }
}
