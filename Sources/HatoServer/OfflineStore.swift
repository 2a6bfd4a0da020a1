import Cryptography
import ObjectModel
import SQLiteStorage

/// The applications of a data folder that no server runs on, for one command.
enum OfflineStore {
    /// Whether a data folder is there.
    static func exists(at folder: String) -> Bool {
        DataFolder.exists(at: folder)
    }

    /// Takes the folder, lends its store to `body`, and gives both back.
    ///
    /// Errors: another process holds the folder, or it can't be used; the message names the mend.
    static func with(
        _ configuration: EffectiveConfiguration,
        _ body: (any ApplicationStore) -> CommandResult
    ) throws -> CommandResult {
        let limits = RoomLimits(configuration).store
        let store = try SQLiteApplicationStore(
            folder: DataFolder(path: configuration["data"].value),
            environment: StoreEnvironment(system: SecureRandom()),
            limits: limits,
            threads: StoreThreads(limits: limits, turns: nil),
            onChange: { _, _ in }
        )
        defer { store.close() }
        return body(store)
    }
}
