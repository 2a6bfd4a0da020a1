import HatoWire
import ObjectModel
import Testing

/// Returns the value that a JSON text means as a field.
func value(_ text: String) throws -> Value {
    try Value(json: try JSON.parse(Text(text)), field: "field")
}

/// Returns the error that `body` throws.
func failure(_ body: () throws(DomainError) -> Void) -> DomainError? {
    do throws(DomainError) {
        try body()
        return nil
    } catch {
        return error
    }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A generator whose run is the same every time (Steele, Lea, Flood: SplitMix64).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int {
        Int(next() % UInt64(limit))
    }
}
