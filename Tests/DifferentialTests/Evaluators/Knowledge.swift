import HatoWire
import ObjectModel
import SQLStorage
import Synchronization

@testable import SQLiteStorage

/// What a store under test shares with its test: the clock, how far indexes may be built, and what
/// the observer was told.
final class Knowledge: Sendable {
    /// 2026-01-01T00:00:00.000Z.
    private let milliseconds = Atomic<Int64>(1_767_225_600_000)
    private let lastBuiltRow = Atomic<Int64>(.max)
    /// How lists came by their rows since somebody asked, by kind.
    private let ways = Mutex<[String: Int]>([:])
    private let objects = Mutex<[Text: StoredObject]>([:])

    var now: Timestamp {
        Timestamp(millisecondsSinceEpoch: milliseconds.load(ordering: .relaxed))
    }

    func advance() { milliseconds.add(1_000, ordering: .relaxed) }

    /// Lets objects up to `row` into indexes, and no more.
    func hold(after row: Int64) { lastBuiltRow.store(row, ordering: .relaxed) }

    func mayBuild(after row: Int64) -> Bool {
        row < lastBuiltRow.load(ordering: .relaxed)
    }

    func note(_ way: ListWay) {
        ways.withLock { $0[way.kind, default: 0] += 1 }
    }

    func takeWays() -> [String: Int] {
        ways.withLock { ways in
            defer { ways = [:] }
            return ways
        }
    }

    func learn(_ changes: [Change]) {
        objects.withLock { objects in
            for change in changes {
                if let after = change.after { objects[after.id] = after }
            }
        }
    }

    func object(_ id: Text) -> StoredObject? {
        objects.withLock { $0[id] }
    }
}

extension ListWay {
    /// What a test tells ways apart by.
    var kind: String {
        switch self {
        case .rows(.scan): return "scan"
        case .rows(.visible): return "visible"
        case .rows(.ids): return "ids"
        case .rows(.keys(let walk)):
            let shape =
                switch walk.keys {
                case .points: "points"
                case .ranges: "ranges"
                }
            return "keys: \(shape)\(walk.hasElements ? " with elements" : "")"
                + (walk.isExact ? ", exact" : "")
        case .rows(.ordered(let walk)):
            return "ordered" + (walk.range == nil ? "" : ": range")
                + (walk.isExact ? ", exact" : "")
        case .place(let walk):
            let shape =
                switch walk.area {
                case .circle(let circle): circle.radiusRadians == nil ? "everywhere" : "circle"
                case .box: "box"
                }
            return "place: \(shape)" + (walk.isNearestFirst ? ", nearest first" : "")
        }
    }

    /// Every kind that `kind` can be.
    static let kinds: [String] =
        ["scan", "visible", "ids"]
        + ["points", "ranges"].flatMap { shape in
            ["", " with elements"].flatMap { elements in
                ["", ", exact"].map { "keys: \(shape)\(elements)\($0)" }
            }
        }
        + ["ordered", "ordered: range", "ordered: range, exact"]
        + [
            "place: circle", "place: circle, nearest first", "place: everywhere, nearest first",
            "place: box",
        ]
}
