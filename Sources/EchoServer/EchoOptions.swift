import EventLoops

/// The command line of `echo-server`.
struct EchoOptions {
    static let usage = "echo-server --listen HOST:PORT [--loops COUNT]"

    let address: ListenAddress
    let loopCount: Int

    /// Reads the arguments after the program's name; nil when they are wrong.
    init?(_ arguments: [String]) {
        var address: ListenAddress?
        var loopCount = 2
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
            default:
                return nil
            }
        }
        guard let address else { return nil }
        self.address = address
        self.loopCount = loopCount
    }
}
