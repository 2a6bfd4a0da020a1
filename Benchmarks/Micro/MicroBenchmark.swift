/// One operation whose instructions are counted (`Scripts/instructions`).
struct MicroBenchmark: Sendable {
    /// The argument that chooses it, and its name in `thresholds.json`.
    let name: String
    /// How often it is repeated in the shorter of two runs.
    ///
    /// The longer takes twice as many. Enough that what differs by chance from run to run is less than a thousandth.
    let iterations: Int
    /// Runs the operation so often.
    ///
    /// Returns a sum that depends on every result, so that the compiler can leave none out; nil when a
    /// result was wrong.
    let run: @Sendable (_ iterations: Int) -> Int?

    static let all: [MicroBenchmark] = wire + documents + keys
}

/// Hides from the compiler where a value comes from, so that nothing is computed ahead of its time.
@inline(never)
func hidden<Value>(_ value: Value) -> Value {
    value
}
