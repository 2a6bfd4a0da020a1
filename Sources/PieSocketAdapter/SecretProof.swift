import Backend
import Cryptography
import EventLoops
import HTTPServer
import HatoWire
import ObjectModel

/// Who shows a relay key and its secret, and how often an address may be wrong about it.
///
/// As often as for keys and tokens of sockets, but counted apart: clients that are refused without end
/// must not keep those away who hold the secret, and behind a proxy all have one address.
struct SecretProof: Sendable {
    enum Refusal: Error, Equatable {
        case wrongSecret
        /// Not looked at: the address has been wrong too often.
        case tooManyFailures

        var response: Response {
            switch self {
            // One text for both: whoever guesses learns nothing of which was right.
            case .wrongSecret: RelayRefusal.response(401, "Invalid API key or secret.")
            case .tooManyFailures: RelayRefusal.response(429, "Too many refused requests.")
            }
        }
    }

    private let directory: any RelayDirectory
    private let failures: FailureCounter<String>

    init(directory: any RelayDirectory, limits: PieSocketLimits) {
        self.directory = directory
        self.failures = FailureCounter(limits: limits.storm)
    }

    /// Returns the application whose relay key and secret these are; nil: missing.
    func application(
        key: String?,
        secret: [UInt8]?,
        _ context: RequestContext
    ) -> Result<Application, Refusal> {
        let network = context.peer.network
        let milliseconds = Int64(clamping: context.loop.now.monotonicNanoseconds / 1_000_000)
        guard !failures.isBlocked(network, at: milliseconds) else {
            return .failure(.tooManyFailures)
        }
        guard let key, let secret, let application = directory.application(relayKey: Text(key)),
            ConstantTime.areEqual(Array(application.relaySecret.utf8), secret)
        else {
            _ = failures.count(network, at: milliseconds)
            return .failure(.wrongSecret)
        }
        return .success(application)
    }
}
