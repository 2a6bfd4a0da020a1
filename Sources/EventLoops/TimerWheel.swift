/// Coarse timers of a loop's connections: one per slot, O(1) to set, no system call.
///
/// Time is counted in ticks; tick 0 means "not set". A bucket holds the slots whose tick is equal
/// modulo the number of buckets, so a far deadline is met once a revolution and left alone.
struct TimerWheel {
    private static let bucketCount = 512
    private static let none: Int32 = -1

    private var heads = [Int32](repeating: none, count: bucketCount)
    /// One bit a bucket: whether it holds anything.
    private var occupied = [UInt64](repeating: 0, count: bucketCount / 64)
    private var next: ContiguousArray<Int32> = []
    private var previous: ContiguousArray<Int32> = []
    private var ticks: ContiguousArray<UInt32> = []
    private var current: UInt32 = 0

    /// The tick that `slot` is set to, or 0.
    func tick(of slot: Int) -> UInt32 {
        slot < ticks.count ? ticks[slot] : 0
    }

    /// Sets `slot` to `tick`, which is later than every tick advanced to, or due at the next.
    mutating func set(_ slot: Int, to tick: UInt32) {
        while ticks.count <= slot {
            ticks.append(0)
            next.append(Self.none)
            previous.append(Self.none)
        }
        clear(slot)
        let tick = max(tick, current &+ 1)
        let bucket = Self.bucket(of: tick)
        let head = heads[bucket]
        ticks[slot] = tick
        next[slot] = head
        previous[slot] = Self.none
        if head >= 0 {
            previous[Int(head)] = Int32(slot)
        }
        heads[bucket] = Int32(slot)
        occupied[bucket / 64] |= 1 << UInt64(bucket % 64)
    }

    mutating func clear(_ slot: Int) {
        guard slot < ticks.count, ticks[slot] != 0 else { return }
        let bucket = Self.bucket(of: ticks[slot])
        let before = previous[slot]
        let after = next[slot]
        if before >= 0 {
            next[Int(before)] = after
        } else {
            heads[bucket] = after
            if after < 0 {
                occupied[bucket / 64] &= ~(1 << UInt64(bucket % 64))
            }
        }
        if after >= 0 {
            previous[Int(after)] = before
        }
        ticks[slot] = 0
    }

    /// The tick at which to look again: that of the next bucket in use, or nil when nothing is set.
    var nextTick: UInt32? {
        let start = Self.bucket(of: current &+ 1)
        for step in 0...occupied.count {
            let word = (start / 64 + step) % occupied.count
            var bits = occupied[word]
            if step == 0 {
                bits &= ~0 << UInt64(start % 64)
            } else if step == occupied.count {
                bits &= (1 << UInt64(start % 64)) - 1
            }
            guard bits != 0 else { continue }
            let bucket = word * 64 + bits.trailingZeroBitCount
            let distance = (bucket - start + Self.bucketCount) % Self.bucketCount
            return current &+ 1 &+ UInt32(distance)
        }
        return nil
    }

    /// Moves to `tick`: appends every slot that is due to `due` and clears it.
    mutating func advance(to tick: UInt32, due: inout [Int32]) {
        guard tick > current else { return }
        let steps = min(Int(tick - current), Self.bucketCount)
        let first = current &+ 1
        current = tick
        for step in 0..<steps {
            var slot = heads[Self.bucket(of: first &+ UInt32(step))]
            while slot >= 0 {
                let after = next[Int(slot)]
                if ticks[Int(slot)] <= tick {
                    clear(Int(slot))
                    due.append(slot)
                }
                slot = after
            }
        }
    }

    private static func bucket(of tick: UInt32) -> Int {
        Int(tick) % bucketCount
    }
}
