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
        let host = parts.host
        var message: [UInt8] = []
        message.reserveCapacity(256 + parts.path.count + (parts.query?.count ?? 0))
        append(parts.method, host ?? [], parts.path, to: &message)
        let parametersStart = message.count
        guard parts.appendParameters(to: &message) else { return false }
        if host != nil, key.isValid(signature, for: message) { return true }

        let forms = [Array(message[parametersStart...])] + parts.otherParameterForms
        let hosts = (host.map { [$0] } ?? []) + aliases
        for path in parts.pathForms {
            for host in hosts {
                for form in forms {
                    message.removeAll(keepingCapacity: true)
                    append(parts.method, host, path, to: &message)
                    message.append(contentsOf: form)
                    if key.isValid(signature, for: message) { return true }
                }
            }
        }
        return false
    }

    /// Appends the lines in front of the parameters.
    private func append(
        _ method: HTTPMethod,
        _ host: ArraySlice<UInt8>,
        _ path: ArraySlice<UInt8>,
        to message: inout [UInt8]
    ) {
        method.name.withUTF8Buffer { message.append(contentsOf: $0) }
        message.append(0x0A)
        message.append(contentsOf: host)
        message.append(0x0A)
        message.append(contentsOf: path)
        message.append(0x0A)
    }
}
