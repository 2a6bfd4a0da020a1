package import ObjectModel

/// The store's limits; the defaults are the rulings' (8) and the architecture's.
package struct StoreLimits: Sendable {
    /// Mutations of one application that wait for the writer; one more answers `unavailable`.
    package var writerQueue = 10_000
    /// Mutations that one transaction takes at most.
    package var transactionMutations = 2_000
    /// Applications whose files are open at once.
    package var openApplications = 64
    /// Writer threads; an application stays on one of them.
    package var writerThreads = 1
    /// Threads that answer lists.
    package var listThreads = 2
    /// Lists that wait for a thread; one more answers `unavailable`.
    package var listQueue = 1_000
    /// Bytes of a list's objects; more answers `invalidValue`.
    package var listBytes = 32 * 1_024 * 1_024
    /// How long a list may take before it answers `unavailable`.
    package var listDeadline = Duration.seconds(10)
    /// Bounds of one document; past them `documentTooLarge`.
    package var documents = DocumentLimits()
    /// How long before-images are kept, and at most how many.
    package var changeLogAge = Duration.seconds(86_400)
    package var changeLogRows: Int64 = 1_000_000
    /// Pages of the write-ahead log at which the writer checkpoints.
    package var checkpointPages = 10_000
    /// The same while nothing is written: reads from the file are cheaper than from its log.
    package var idleCheckpointPages = 64

    package init() {}
}
