import Glibc
import HatoWire
import ObjectModel
import SQLStorage

/// Keys that wait to be written into an index that is being built: collected in the order of objects,
/// written in the order of keys.
///
/// Written as they come, each key would change a page of its own in every transaction; in order, those
/// that lie on one page are written together. What was collected is the objects' state of then: an
/// object that changes before its keys are written has them written by its own mutation, and is left out.
struct BuildRun {
    /// One key, as a range of `bytes`.
    private struct Entry {
        /// The key's first eight bytes: most comparisons need no more.
        let prefix: UInt64
        let start: Int
        let count: Int
        let kind: FieldIndex.Kind
        let isPublic: Bool
        let row: Int64
    }

    /// A key to write.
    struct Key {
        let entry: KeyEntry
        let row: Int64
        let isPublic: Bool
    }

    /// The index, by its number.
    let number: Int64
    /// Objects up to this row were looked at.
    private(set) var lastRow: Int64
    /// Whether all its objects are collected and its keys are being written.
    private(set) var isSorted = false
    /// Whether no object was left behind it when it was sorted.
    private(set) var isLast = false

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var changedRows: Set<Int64> = []
    private var next = 0

    /// A run that goes on behind `lastRow`.
    init(number: Int64, after lastRow: Int64) {
        self.number = number
        self.lastRow = lastRow
    }

    var keyCount: Int { entries.count }

    /// What the run holds in memory.
    var byteCount: Int {
        bytes.count + entries.count * MemoryLayout<Entry>.stride
    }

    /// Adds the next object's keys.
    mutating func add(_ keys: FieldKeys, row: Int64, isPublic: Bool) {
        lastRow = row
        add(KeyEntry(kind: .whole, key: keys.whole), row, isPublic)
        guard !keys.isSingle else { return }
        for entry in keys.entries.dropFirst() { add(entry, row, isPublic) }
    }

    /// Puts the keys into the order in which they lie in the file.
    mutating func sort(isLast: Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            entries.sort { BuildRun.areInOrder($0, $1, bytes) }
        }
        isSorted = true
        self.isLast = isLast
    }

    /// Leaves out the keys of an object that was collected and has changed since.
    mutating func leaveOut(row: Int64) {
        if row <= lastRow { changedRows.insert(row) }
    }

    /// Returns the next key to write; nil after the last one.
    mutating func takeNext() -> Key? {
        while next < entries.count {
            let entry = entries[next]
            next += 1
            guard changedRows.isEmpty || !changedRows.contains(entry.row) else { continue }
            return Key(
                entry: KeyEntry(
                    kind: entry.kind,
                    key: Array(bytes[entry.start..<entry.start + entry.count])
                ),
                row: entry.row,
                isPublic: entry.isPublic
            )
        }
        return nil
    }

    private mutating func add(_ key: KeyEntry, _ row: Int64, _ isPublic: Bool) {
        entries.append(
            Entry(
                prefix: BuildRun.prefix(of: key.key),
                start: bytes.count,
                count: key.key.count,
                kind: key.kind,
                isPublic: isPublic,
                row: row
            )
        )
        bytes.append(contentsOf: key.key)
    }

    /// The first eight bytes as one number that compares as they do; what is missing counts as zeros.
    private static func prefix(of key: [UInt8]) -> UInt64 {
        var prefix: UInt64 = 0
        for place in 0..<8 {
            prefix = prefix << 8 | (place < key.count ? UInt64(key[place]) : 0)
        }
        return prefix
    }

    private static func areInOrder(
        _ one: Entry,
        _ other: Entry,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
        if one.prefix != other.prefix { return one.prefix < other.prefix }
        guard let base = bytes.baseAddress else { return one.row < other.row }
        let shorter = min(one.count, other.count)
        let difference = memcmp(base + one.start, base + other.start, shorter)
        if difference != 0 { return difference < 0 }
        return one.count == other.count ? one.row < other.row : one.count < other.count
    }
}
