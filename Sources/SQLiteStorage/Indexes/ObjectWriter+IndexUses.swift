import HatoWire
import ObjectModel
import SQLStorage

/// Writing down which indexes are used, and giving up those of the server's own that nobody uses.
extension ObjectWriter {
    /// How long indexes are watched at least before one is given up: while the server is off nobody
    /// can use any.
    private static let watch = Duration.seconds(86_400)

    /// Writes down that the indexes with the numbers `used` are in use now, and gives up those that the
    /// server made and no list has used for `limits.unusedIndexAge`; in a transaction of its own, if
    /// there is anything to write.
    ///
    /// A clock that jumps ahead by more than that gives up what was not used within the last pause of
    /// `limits.indexUsePause`: it is made again when lists want it. `watchedSince`: since when `used` would have told of a list. Returns what was given up.
    func mindIndexes(
        used: Set<Int64>,
        watchedSince: Timestamp
    ) throws -> [(ClassName, FieldPath)] {
        let now = environment.now()
        let age = limits.unusedIndexAge
        let mayGiveUp = now.duration(since: watchedSince) >= min(age, ObjectWriter.watch)
        var noted: [(ClassName, FieldIndex)] = []
        var unused: [(ClassName, FieldIndex)] = []
        state.directory.forEach { name, record in
            for index in record.indexes {
                var index = index
                if used.contains(index.number) {
                    index.lastUsed = now
                    index.made = index.made ?? now
                    noted.append((name, index))
                } else if let latest = index.lastUsed ?? index.made {
                    let isUnused = now.duration(since: latest) >= age
                    if !index.isDeclared, mayGiveUp, isUnused { unused.append((name, index)) }
                } else {
                    index.made = now
                    noted.append((name, index))
                }
            }
        }
        guard !noted.isEmpty || !unused.isEmpty else { return [] }
        try inTransaction {
            for (name, index) in noted { try writeUse(of: index, in: name) }
            for (name, index) in unused {
                guard let rows = state.directory[name]?.rows else { continue }
                try abandon(index, ofRow: rows.first)
            }
        }
        return unused.map { ($0.0, $0.1.path) }
    }

    private func writeUse(of index: FieldIndex, in name: ClassName) throws {
        guard var record = state.directory[name],
            let place = record.indexes.firstIndex(where: { $0.number == index.number })
        else { return }
        indexStatements.updateUse.bind(1, index.number)
        indexStatements.updateUse.bind(2, index.made?.millisecondsSinceEpoch)
        indexStatements.updateUse.bind(3, index.lastUsed?.millisecondsSinceEpoch)
        try indexStatements.updateUse.run()
        record.indexes[place] = index
        state.directory.set(record, for: name)
    }
}

extension Timestamp {
    /// How much later it is than `earlier`; negative when a clock was set back.
    func duration(since earlier: Timestamp) -> Duration {
        .milliseconds(millisecondsSinceEpoch - earlier.millisecondsSinceEpoch)
    }
}
