import EventLoops

/// Where a server listens: in the clear, by TLS, or both.
struct Listening {
    /// Stands in a setting for no address and no file.
    static let none = "-"

    struct Secure {
        let address: ListenAddress
        let certificate: String
        let key: String
    }

    let plain: ListenAddress?
    let secure: Secure?

    /// Errors: an address that can't be read, files without an address, an address without files, or
    /// neither address.
    init(_ configuration: EffectiveConfiguration) throws(ConfigurationError) {
        plain = try Self.address("listen", configuration)
        let certificate = configuration["tls-certificate"].value
        let key = configuration["tls-key"].value
        if let address = try Self.address("tls-listen", configuration) {
            guard certificate != Self.none, key != Self.none else {
                throw ConfigurationError(
                    "tls-listen needs both files: give --tls-certificate FILE and --tls-key FILE"
                )
            }
            secure = Secure(address: address, certificate: certificate, key: key)
        } else {
            guard certificate == Self.none, key == Self.none else {
                throw ConfigurationError(
                    "tls-certificate and tls-key do nothing without --tls-listen HOST:PORT"
                )
            }
            secure = nil
        }
        if plain == nil, secure == nil {
            throw ConfigurationError("listen is -, so that --tls-listen HOST:PORT must be given")
        }
    }

    private static func address(
        _ name: String,
        _ configuration: EffectiveConfiguration
    ) throws(ConfigurationError) -> ListenAddress? {
        let text = configuration[name].value
        guard text != none else { return nil }
        guard let address = ListenAddress(parsing: text) else {
            throw ConfigurationError("\(name): " + ListenAddress.complaint(about: text))
        }
        return address
    }
}
