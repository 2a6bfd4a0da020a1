extension JSONTape {
    /// Up to this many names are compared pairwise, more are sorted.
    private static let pairwiseNameCount = 32

    /// Refuses an object two of whose names decode to the same bytes, or with NUL in a name
    /// (rulings 7).
    ///
    /// Two names with different digests differ, so the usual object costs one walk: a name is
    /// compared with the ones before it only when its digest's bit has been seen.
    mutating func checkNames(
        of object: Int,
        count: Int,
        in bytes: Span<UInt8>
    ) throws(JSONError) {
        guard count <= JSONTape.pairwiseNameCount else {
            return try checkManyNames(of: object, count: count, in: bytes)
        }
        let end = Int(entries[object].next)
        var seen: UInt64 = 0
        var name = object &+ 1
        while name < end {
            let entry = entries[name]
            guard !entry.hasEscapes else {
                return try checkManyNames(of: object, count: count, in: bytes)
            }
            let bit: UInt64 = 1 &<< (UInt64(entry.digest &* 40_503) &>> 10)
            if seen & bit != 0, isRepeated(entry, at: name, in: object, bytes) {
                throw JSONError(.duplicateName, at: Int(entry.start))
            }
            seen |= bit
            name = Int(entries[name &+ 1].next)
        }
    }

    private func isRepeated(
        _ entry: Entry,
        at name: Int,
        in object: Int,
        _ bytes: Span<UInt8>
    ) -> Bool {
        var earlier = object &+ 1
        while earlier < name {
            let other = entries[earlier]
            if other.digest == entry.digest,
                JSONTape.areEqual(other.range, entry.range, in: bytes)
            {
                return true
            }
            earlier = Int(entries[earlier &+ 1].next)
        }
        return false
    }

    private func checkManyNames(
        of object: Int,
        count: Int,
        in bytes: Span<UInt8>
    ) throws(JSONError) {
        var names: [(text: Text, start: UInt32)] = []
        names.reserveCapacity(count)
        var name = object + 1
        while name < Int(entries[object].next) {
            let entry = entries[name]
            if entry.hasEscapes, JSONEscapes.encodesNUL(bytes.extracting(entry.range)) {
                throw JSONError(.nulInName, at: Int(entry.start))
            }
            names.append((text(name, in: bytes), entries[name].start))
            name = Int(entries[name + 1].next)
        }
        names.sort { $0.text < $1.text }
        for (left, right) in zip(names, names.dropFirst()) where left.text == right.text {
            throw JSONError(.duplicateName, at: Int(max(left.start, right.start)))
        }
    }

    private static func areEqual(
        _ left: Range<Int>,
        _ right: Range<Int>,
        in bytes: Span<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count
        where bytes[left.lowerBound &+ offset] != bytes[right.lowerBound &+ offset] {
            return false
        }
        return true
    }
}
