package import HatoWire
import Cryptography

/// Counts failed logins per account and address, so that passwords can't be tried out (rulings 21).
///
/// Failures are counted when a proof has been checked, and a pair that is over the limit by then gets
/// no answer about its proof, right or wrong: a burst of parallel guesses learns no more than ten.
/// Names that no account has are counted alike, or the limit would tell which exist. Any thread.
package final class LoginLimiter: Sendable {
    package struct Limits: Sendable {
        package var failures = 10
        package var windowSeconds = 900
        /// Pairs remembered at once; past it the one that failed longest ago is forgotten.
        package var pairs = 10_000

        package init() {}
    }

    /// An account as the client names it, seen from one network (`PeerAddress.network`).
    package struct Pair: Hashable, Sendable {
        private let digest: [UInt8]

        /// Takes the parts' bytes; only their hash is kept.
        package init(application: Text, account: Text, network: Text) {
            var bytes: [UInt8] = []
            for part in [application, account, network] {
                // Lengths in front: no two triples share their bytes.
                withUnsafeBytes(of: part.utf8.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: part.utf8)
            }
            digest = SHA256.digest(of: bytes)
        }
    }

    private let counter: FailureCounter<Pair>

    package init(limits: Limits = Limits()) {
        counter = FailureCounter(
            limits: FailureCounter.Limits(
                failures: limits.failures,
                windowSeconds: limits.windowSeconds,
                keys: limits.pairs
            )
        )
    }

    /// Whether the pair has no attempt left at this moment.
    package func isBlocked(_ pair: Pair, now: Timestamp) -> Bool {
        counter.isBlocked(pair, at: now.millisecondsSinceEpoch)
    }

    /// Counts a failure; false when the pair was over the limit already.
    package func countFailure(_ pair: Pair, now: Timestamp) -> Bool {
        counter.count(pair, at: now.millisecondsSinceEpoch)
    }

    /// Forgets the failures of a pair that has given the right proof.
    package func forget(_ pair: Pair) {
        counter.forget(pair)
    }

    /// How many pairs are remembered.
    package var count: Int { counter.keyCount }
}
