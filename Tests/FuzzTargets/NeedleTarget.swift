import CSQLite
import Glibc

/// The search in C that a scan asks of every document, against one that looks at each place.
///
/// The input is a length, as many bytes to look for, and what they are looked for in. Behind what is
/// searched, and before it, is memory that nobody may read.
enum NeedleTarget {
    private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))

    static func check(_ input: [UInt8]) throws {
        let count = min(Int(input.first ?? 0), max(input.count - 1, 0))
        let wanted = Array(input.dropFirst().prefix(count))
        let bytes = Array(input.dropFirst(1 + count).prefix(pageBytes - wanted.count))
        let fence = try Fence(pageBytes)
        try compare(wanted, bytes, fence)
        try compare(wanted, bytes + wanted, fence)
        // At each place of more than two blocks that the search looks at as one.
        for place in 0..<min(bytes.count, 40) {
            let searched = bytes.prefix(place) + wanted + bytes.dropFirst(place)
            try compare(wanted, Array(searched), fence)
        }
        // What is cut from the bytes is in them, mostly not with one byte changed.
        for start in stride(from: 0, to: bytes.count, by: max(bytes.count / 5, 1)) {
            var piece = Array(bytes[start..<min(start + max(count, 1), bytes.count)])
            try compare(piece, bytes, fence)
            piece[piece.count - 1] ^= 1
            try compare(piece, bytes, fence)
        }
    }

    private static func compare(_ wanted: [UInt8], _ bytes: [UInt8], _ fence: Fence) throws {
        let expected = isIn(wanted, bytes)
        for isAtEnd in [false, true] {
            let searched = fence.hold(bytes, isAtEnd: isAtEnd)
            let found = wanted.withUnsafeBytes { room in
                var needle = hato_needle()
                hato_needle_set(&needle, room.baseAddress, room.count)
                return hato_needle_is_in(&needle, searched, bytes.count) != 0
            }
            try hold(found == expected, "\(wanted) in \(bytes): \(found)")
        }
    }

    private static func isIn(_ wanted: [UInt8], _ bytes: [UInt8]) -> Bool {
        guard wanted.count <= bytes.count else { return false }
        return (0...bytes.count - wanted.count).contains { start in
            bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }

    /// A page between two that trap whoever touches them.
    private final class Fence {
        private let base: UnsafeMutableRawPointer
        private let pageBytes: Int

        init(_ pageBytes: Int) throws {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS
            guard let base = mmap(nil, 3 * pageBytes, PROT_NONE, flags, -1, 0), base != MAP_FAILED,
                mprotect(base + pageBytes, pageBytes, PROT_READ | PROT_WRITE) == 0
            else { throw Violation("no memory") }
            self.base = base
            self.pageBytes = pageBytes
        }

        deinit {
            munmap(base, 3 * pageBytes)
        }

        /// Returns a copy that begins or ends where nobody may read on.
        func hold(_ bytes: [UInt8], isAtEnd: Bool) -> UnsafePointer<UInt8> {
            let place = base + (isAtEnd ? 2 * pageBytes - bytes.count : pageBytes)
            let copy = place.bindMemory(to: UInt8.self, capacity: bytes.count)
            bytes.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress { copy.update(from: start, count: bytes.count) }
            }
            return UnsafePointer(copy)
        }
    }
}
