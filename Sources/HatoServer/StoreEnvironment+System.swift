import Cryptography
import HatoWire
import SQLiteStorage
import Telemetry

extension StoreEnvironment {
    /// The machine's clock and the system's random generator.
    init(system random: SecureRandom) {
        self.init(
            now: { Timestamp(millisecondsSinceEpoch: StandardError.wallMilliseconds()) },
            random: {
                var value: UInt64 = 0
                withUnsafeMutableBytes(of: &value) { random.fill($0) }
                return value
            }
        )
    }
}
