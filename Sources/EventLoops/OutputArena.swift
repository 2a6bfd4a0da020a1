/// The loop's shared memory for small answers: written within a turn, flushed at its end.
///
/// A connection owns at most one contiguous range of it; whoever writes after somebody else has
/// written spills into its own outbox instead. The arena is empty between turns.
struct OutputArena: ~Copyable {
    let base: UnsafeMutableRawPointer
    let capacity: Int
    private(set) var used = 0

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit {
        base.deallocate()
    }

    /// Copies `bytes` and `more` behind them to the end, if both fit.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer) -> Bool {
        // Subtracted one by one: sizes that come from outside can't overflow a sum.
        guard bytes.count <= capacity - used, more.count <= capacity - used - bytes.count
        else { return false }
        append(bytes)
        append(more)
        return true
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        (base + used).copyMemory(from: start, byteCount: bytes.count)
        used += bytes.count
    }

    func bytes(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        precondition(start >= 0 && count >= 0 && start + count <= used, "a range of this turn")
        return UnsafeRawBufferPointer(start: base + start, count: count)
    }

    mutating func reset() {
        used = 0
    }
}
