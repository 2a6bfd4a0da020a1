/// Bounds on one pattern and on finding it.
package struct PatternLimits: Sendable, Hashable {
    /// Bytes of the pattern's text.
    package var lengthBytes: Int
    /// Bytes of the compiled pattern with its machine code.
    package var compiledBytes: Int
    /// Steps of one attempt, which begins at one place of the text.
    package var stepCount: UInt32
    /// Steps back inside each other, where there is no machine code.
    package var depth: UInt32
    /// Memory to remember the ways back, with or without machine code.
    package var memoryBytes: Int
    /// Time that the searches of one query may take, as far as it is not free.
    package var time: Duration
    /// Nanoseconds that each search has free, so much more for each byte of its text, and for each look
    /// at the time: several times what one takes that passes over the text once.
    package var freeNanoseconds: Int64
    package var freeNanosecondsPerByte: Int64
    package var freeNanosecondsPerLook: Int64
    /// A text up to this length is searched in one go; in longer ones the time is looked at
    /// again and again.
    package var plainTextBytes: Int
    /// Bytes that the attempts between two looks at the time may pass over, if each goes to the
    /// text's end.
    package var passedBytes: Int

    package init(
        lengthBytes: Int = 1_024,
        compiledBytes: Int = 262_144,
        stepCount: UInt32 = 10_000,
        depth: UInt32 = 10_000,
        memoryBytes: Int = 262_144,
        time: Duration = .milliseconds(40),
        freeNanoseconds: Int64 = 2_000,
        freeNanosecondsPerByte: Int64 = 20,
        freeNanosecondsPerLook: Int64 = 150,
        plainTextBytes: Int = 512,
        passedBytes: Int = 262_144
    ) {
        self.lengthBytes = lengthBytes
        self.compiledBytes = compiledBytes
        self.stepCount = stepCount
        self.depth = depth
        self.memoryBytes = memoryBytes
        self.time = time
        self.freeNanoseconds = freeNanoseconds
        self.freeNanosecondsPerByte = freeNanosecondsPerByte
        self.freeNanosecondsPerLook = freeNanosecondsPerLook
        self.plainTextBytes = plainTextBytes
        self.passedBytes = passedBytes
    }

    /// Steps of one attempt in a text: fewer in one of more than a few thousand bytes, where a
    /// step may be long.
    func stepCount(inTextOf bytes: Int) -> UInt32 {
        let steps = 64_000_000 / max(1, bytes)
        return min(stepCount, max(stepCount / 10, UInt32(clamping: steps)))
    }

    /// Attempts in a long text between two looks at the time.
    func attemptCount(inTextOf bytes: Int) -> Int {
        max(8, passedBytes / max(1, bytes))
    }

    /// What a search in a text has free.
    func freeNanoseconds(inTextOf bytes: Int) -> Int64 {
        let ofBytes = freeNanoseconds &+ freeNanosecondsPerByte &* Int64(bytes)
        guard bytes > plainTextBytes else { return ofBytes }
        return ofBytes &+ freeNanosecondsPerLook &* Int64(bytes / attemptCount(inTextOf: bytes))
    }
}
