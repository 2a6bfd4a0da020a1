/// Names one connection of one loop for good: a slot is reused, its generation is not.
package struct ConnectionID: Hashable, Sendable {
    /// The loop's index in its group.
    package let loop: UInt32
    package let slot: UInt32
    /// Rises with every use of the slot (31 bits).
    package let generation: UInt32

    package init(loop: UInt32, slot: UInt32, generation: UInt32) {
        self.loop = loop
        self.slot = slot
        self.generation = generation
    }
}
