import HatoWire

/// Literals to look values up in: their whole keys in order, each once.
struct KeyList: Sendable {
    private let keys: [[UInt8]]
    /// Whether null is among them, which a missing field equals.
    let hasNull: Bool

    init(_ literals: [Value]) {
        self.keys = Set(literals.map { OrderedKey.whole($0) })
            .sorted { $0.lexicographicallyPrecedes($1) }
        self.hasNull = literals.contains(.null)
    }

    var count: Int { keys.count }

    /// Returns the place of the value at `start`; `scratch` is overwritten.
    func index(of start: Int, in bytes: Span<UInt8>, _ scratch: inout [UInt8]) -> Int? {
        scratch.removeAll(keepingCapacity: true)
        OrderedKey.appendWhole(bytes, at: start, to: &scratch)
        var low = 0
        var high = keys.count
        while low < high {
            let middle = low &+ (high &- low) / 2
            if keys[middle] == scratch { return middle }
            if keys[middle].lexicographicallyPrecedes(scratch) {
                low = middle &+ 1
            } else {
                high = middle
            }
        }
        return nil
    }
}
