import CPCRE2
import HatoWire
import Synchronization

/// The compiled code of a pattern, and one room to match in that waits for the next to come.
///
/// Threads share it: the code does not change, and a room has one user at a time.
final class CompiledPattern: Sendable {
    /// How a search ended.
    enum Outcome: Sendable {
        case found
        case absent
        /// A limit was reached first: nobody knows.
        case tooCostly
    }

    /// Written by `init` alone; PCRE2 only reads it while it matches.
    nonisolated(unsafe) private let code: OpaquePointer
    let limits: PatternLimits
    /// Whether the pattern can begin only where the text does.
    private let isAnchored: Bool
    let memoryBytes: Int
    /// A `MatchRoom` that nobody uses, retained; 0: none.
    private let spare = Atomic<UInt>(0)

    /// Compiles a pattern; nil when it is none.
    init?(_ pattern: Span<UInt8>, _ limits: PatternLimits) {
        guard let context = pcre2_compile_context_create_8(nil) else { return nil }
        defer { pcre2_compile_context_free_8(context) }
        // What the library was built with must not decide what a pattern means.
        pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
        pcre2_set_bsr_8(context, UInt32(PCRE2_BSR_UNICODE))
        var failure: Int32 = 0
        var position = 0
        let options =
            UInt32(PCRE2_UTF) | UInt32(PCRE2_NEVER_BACKSLASH_C) | UInt32(PCRE2_USE_OFFSET_LIMIT)
        let code = pattern.withUnsafeBufferPointer { bytes in
            pcre2_compile_8(
                bytes.baseAddress,
                bytes.count,
                options,
                &failure,
                &position,
                context
            )
        }
        guard let code else { return nil }
        // Without machine code the pattern is interpreted, under the same limits.
        _ = pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
        self.code = code
        self.limits = limits
        var all: UInt32 = 0
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_ALLOPTIONS), &all)
        self.isAnchored = all & UInt32(PCRE2_ANCHORED) != 0
        var size = 0
        var machineSize = 0
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_SIZE), &size)
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_JITSIZE), &machineSize)
        self.memoryBytes = size + machineSize
    }

    deinit {
        if let room = MatchRoom.taken(from: spare) { room.release() }
        pcre2_code_free_8(code)
    }

    /// Looks for the pattern in a text.
    ///
    /// - Parameters:
    ///   - text: UTF-8; the pattern is absent from damaged text.
    ///   - budget: what the query may still spend; what was spent is taken off.
    /// - Returns: whether the pattern is there, or that it was too costly to tell.
    func search(_ text: Span<UInt8>, budget: inout PatternBudget) -> Outcome {
        guard let held = MatchRoom.taken(from: spare) ?? MatchRoom.made(limits) else {
            return .tooCostly
        }
        defer { MatchRoom.put(held, into: spare) }
        let room = held.takeUnretainedValue()
        guard !budget.isSpent else { return .tooCostly }
        budget.beginSearch(inTextOf: text.count)
        let outcome = text.withUnsafeBufferPointer { bytes in
            if isAnchored || bytes.count <= limits.plainTextBytes {
                return attempt(bytes, from: 0, through: bytes.count, in: room) ?? .absent
            }
            return searchLong(bytes, budget, in: room)
        }
        budget.endSearch()
        return outcome
    }

    /// Searches part by part, because a limit on steps bounds one attempt only and PCRE2 can't be
    /// stopped: a pattern that scans to the end from each place would take quadratic time.
    private func searchLong(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ budget: PatternBudget,
        in room: MatchRoom
    ) -> Outcome {
        let attemptCount = limits.attemptCount(inTextOf: bytes.count)
        var start = 0
        while start <= bytes.count {
            let last = min(bytes.count, start + attemptCount - 1)
            guard let outcome = attempt(bytes, from: start, through: last, in: room) else {
                return .absent
            }
            guard outcome == .absent else { return outcome }
            if budget.isOver { return .tooCostly }
            start = last + 1
            // An attempt begins with a whole character.
            while start < bytes.count, bytes[start] & 0xC0 == 0x80 { start += 1 }
        }
        return .absent
    }

    /// Looks for a match that begins at `start` or later, not behind `last`; nil when the text is
    /// no UTF-8, which the attempt from 0 finds out: none may follow.
    private func attempt(
        _ bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        through last: Int,
        in room: MatchRoom
    ) -> Outcome? {
        pcre2_set_offset_limit_8(room.context, last)
        pcre2_set_match_limit_8(room.context, limits.stepCount(inTextOf: bytes.count))
        let code = pcre2_match_8(
            code,
            bytes.baseAddress,
            bytes.count,
            start,
            // The first attempt looks at all of the text, unless there is nothing to see.
            start > 0 || isASCII(bytes) ? UInt32(PCRE2_NO_UTF_CHECK) : 0,
            room.data,
            room.context
        )
        switch code {
        case 0...: return .found
        case PCRE2_ERROR_NOMATCH: return .absent
        case PCRE2_ERROR_UTF8_ERR21...PCRE2_ERROR_UTF8_ERR1: return nil
        default: return .tooCostly
        }
    }
}

/// Whether there are no bytes above 127; PCRE2's own look takes ten times as long.
private func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = 0
    var high: UInt64 = 0
    while position &+ 8 <= raw.count {
        high |= raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        position &+= 8
    }
    while position < raw.count {
        high |= UInt64(raw[position])
        position &+= 1
    }
    return high & 0x8080_8080_8080_8080 == 0
}

/// What PCRE2 needs to match, for one thread at a time.
private final class MatchRoom {
    let data: OpaquePointer
    let context: OpaquePointer
    private let stack: OpaquePointer?

    static func made(_ limits: PatternLimits) -> Unmanaged<MatchRoom>? {
        MatchRoom(limits).map { Unmanaged.passRetained($0) }
    }

    static func taken(from slot: borrowing Atomic<UInt>) -> Unmanaged<MatchRoom>? {
        let bits = slot.exchange(0, ordering: .acquiring)
        return UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
    }

    /// Leaves a room for the next to come, unless one waits already.
    static func put(_ room: Unmanaged<MatchRoom>, into slot: borrowing Atomic<UInt>) {
        let (isLeft, _) = slot.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: room.toOpaque()),
            successOrdering: .releasing,
            failureOrdering: .relaxed
        )
        if !isLeft { room.release() }
    }

    private init?(_ limits: PatternLimits) {
        // One pair: nobody asks where the groups are.
        guard let data = pcre2_match_data_create_8(1, nil) else { return nil }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_match_data_free_8(data)
            return nil
        }
        self.data = data
        self.context = context
        self.stack = pcre2_jit_stack_create_8(
            min(32_768, limits.memoryBytes),
            limits.memoryBytes,
            nil
        )
        if let stack { pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack)) }
        pcre2_set_depth_limit_8(context, limits.depth)
        pcre2_set_heap_limit_8(context, UInt32(clamping: limits.memoryBytes / 1_024))
    }

    deinit {
        pcre2_match_data_free_8(data)
        pcre2_match_context_free_8(context)
        if let stack { pcre2_jit_stack_free_8(stack) }
    }
}
