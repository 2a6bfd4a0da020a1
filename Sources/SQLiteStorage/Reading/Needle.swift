import CSQLite

/// The search behind the SQL function `hato_contains(doc)`: bytes that every matching document has.
///
/// In C with the library's own types: a scan calls it for each document, and a closure that finds its
/// object again costs more than the search.
final class Needle {
    private let state: UnsafeMutablePointer<hato_needle>
    private let room: UnsafeMutableRawBufferPointer
    /// Longer needles are cut: what follows is looked at by the matcher.
    private static let countLimit = 256

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: hato_needle())
        room = .allocate(byteCount: Needle.countLimit, alignment: 1)
    }

    deinit {
        state.deallocate()
        room.deallocate()
    }

    var isEmpty: Bool { state.pointee.count == 0 }

    /// Documents without it since it was set.
    var misses: Int { Int(state.pointee.misses) }

    func set(_ bytes: [UInt8]) {
        let count = min(bytes.count, Needle.countLimit)
        bytes.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        hato_needle_set(state, room.baseAddress, count)
    }

    /// Whether it is in `bytes`.
    func isIn(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { hato_needle_is_in(state, $0.baseAddress, $0.count) != 0 }
    }

    /// Makes `hato_contains` known to a connection, which must not outlive this object.
    func register(on connection: SQLiteConnection) throws(SQLiteFailure) {
        try connection.register("hato_contains", 1, state, hato_sqlite_contains)
    }
}
