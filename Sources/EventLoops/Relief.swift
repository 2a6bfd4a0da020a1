/// Asks the loops of a group for relief, from any thread.
final class Relief: Sendable {
    /// The loops refer to this through what they count: it does not keep them.
    struct Reference {
        weak var loop: EventLoop?
    }

    let loops = Guarded<[Reference]>([])

    /// Has every loop drop what costs most, in a turn of its own.
    ///
    /// All at once: when all together hold too much, one of them holds more than its share of it, or what is
    /// being made leaves too little.
    func ask() {
        for loop in loops.withLock({ $0.compactMap(\.loop) }) {
            loop.execute { loop.relieve() }
        }
    }
}
