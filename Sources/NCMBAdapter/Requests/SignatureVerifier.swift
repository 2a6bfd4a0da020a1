package import Cryptography
import HatoWire

/// Checks a request's signature against every form of it that an SDK signs (ncmb-rest §3).
///
/// The documented form is tried first, by itself: it is the right one of nearly all requests. A wrong
/// signature costs at most 4 hosts × 3 paths × 2 parameter forms.
package struct SignatureVerifier: Sendable {
    /// The hosts of the real service: an app that DNS or a proxy leads here still signs them.
    package static let serviceHosts = [
        "mbaas.api.nifcloud.com", "script.mbaas.api.nifcloud.com", "mb.api.cloud.nifty.com",
    ]

    private let aliases: [ArraySlice<UInt8>]

    /// Takes the hosts that count besides the one asked for.
    package init(aliases: [String] = SignatureVerifier.serviceHosts) {
        self.aliases = aliases.map { Array($0.utf8)[...] }
    }

    /// Whether the code is that of one form of the request.
    package func isRight(_ signature: [UInt8], for parts: SignedParts, key: HMACKey) -> Bool {
        guard let parameterForms = parts.parameterForms else { return false }
        let host = parts.host
        if let host, let parameters = parameterForms.first,
            matches(signature, parts.method, host, parts.path, parameters, key)
        {
            return true
        }
        let hosts = (host.map { [$0] } ?? []) + aliases
        for path in parts.pathForms {
            for host in hosts {
                for parameters in parameterForms
                where matches(signature, parts.method, host, path, parameters, key) {
                    return true
                }
            }
        }
        return false
    }

    private func matches(
        _ signature: [UInt8],
        _ method: HTTPMethod,
        _ host: ArraySlice<UInt8>,
        _ path: ArraySlice<UInt8>,
        _ parameters: [UInt8],
        _ key: HMACKey
    ) -> Bool {
        var message: [UInt8] = []
        message.reserveCapacity(host.count + path.count + parameters.count + 16)
        method.name.withUTF8Buffer { message.append(contentsOf: $0) }
        message.append(0x0A)
        message.append(contentsOf: host)
        message.append(0x0A)
        message.append(contentsOf: path)
        message.append(0x0A)
        message.append(contentsOf: parameters)
        return key.isValid(signature, for: message)
    }
}
