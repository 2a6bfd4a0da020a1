import EventLoops
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

    /// An account as the client names it, seen from one address.
    package struct Pair: Hashable, Sendable {
        private let digest: [UInt8]

        /// Takes the parts' bytes; only their hash is kept.
        ///
        /// `address` is an IPv4 address, or the eight groups of an IPv6 address. Of those the first
        /// four count: whoever has one address of a network has the 2^64 others as well.
        package init(application: Text, account: Text, address: Text) {
            let groups = address.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
            let network =
                groups.count == 8
                ? Text(utf8: Array(groups.prefix(4).joined(separator: CollectionOfOne(0x3A))))
                : address
            var bytes: [UInt8] = []
            for part in [application, account, network] {
                // Lengths in front: no two triples share their bytes.
                withUnsafeBytes(of: part.utf8.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: part.utf8)
            }
            digest = SHA256.digest(of: bytes)
        }
    }

    private struct Record {
        var failures: Int
        var firstMilliseconds: Int64
    }

    private let limits: Limits
    private let records = Guarded<[Pair: Record]>([:])

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether the pair has no attempt left at this moment.
    package func isBlocked(_ pair: Pair, now: Timestamp) -> Bool {
        records.withLock { records in
            guard let record = records[pair], !isOver(record, now) else { return false }
            return record.failures >= limits.failures
        }
    }

    /// Counts a failure; false when the pair was over the limit already.
    package func countFailure(_ pair: Pair, now: Timestamp) -> Bool {
        records.withLock { records in
            guard var record = records[pair], !isOver(record, now) else {
                makeRoom(in: &records, now: now)
                records[pair] = Record(failures: 1, firstMilliseconds: now.millisecondsSinceEpoch)
                return true
            }
            guard record.failures < limits.failures else { return false }
            record.failures += 1
            records[pair] = record
            return true
        }
    }

    /// Forgets the failures of a pair that has given the right proof.
    package func forget(_ pair: Pair) {
        records.withLock { _ = $0.removeValue(forKey: pair) }
    }

    /// How many pairs are remembered.
    package var count: Int { records.withLock { $0.count } }

    private func isOver(_ record: Record, _ now: Timestamp) -> Bool {
        let age = now.millisecondsSinceEpoch.subtractingReportingOverflow(record.firstMilliseconds)
        return age.overflow || age.partialValue >= Int64(limits.windowSeconds) * 1000
    }

    private func makeRoom(in records: inout [Pair: Record], now: Timestamp) {
        guard records.count >= limits.pairs else { return }
        records = records.filter { !isOver($0.value, now) }
        // A tenth at once: the scan is then paid for by the logins that filled the table.
        let surplus = records.count - (limits.pairs - max(1, limits.pairs / 10))
        guard surplus > 0 else { return }
        let oldest = records.sorted { $0.value.firstMilliseconds < $1.value.firstMilliseconds }
        for (pair, _) in oldest.prefix(surplus) { records[pair] = nil }
    }
}
