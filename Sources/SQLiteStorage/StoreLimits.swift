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
    /// Threads that answer lists, each list for a few `listSlice` at most.
    package var listThreads = 2
    /// Threads that answer the lists which take longer, at a lower priority.
    package var slowListThreads = 3
    /// How long a list may keep another waiting before it becomes one of the slow ones; after four
    /// times that it does in any case.
    package var listSlice = Duration.milliseconds(50)
    /// The same for a list whose like was slow before.
    package var knownSlowSlice = Duration.milliseconds(2)
    /// Lists of one application that wait for a thread, for the slow ones once more; one more answers
    /// `unavailable`.
    package var listQueue = 1_000
    /// Pages that a list connection keeps of the first application, and one for slow lists half as
    /// many; of the second half as much, of the third a third, so that many applications take no
    /// more than a few times this.
    package var listCacheBytes = 64 * 1_024 * 1_024
    /// In a file of so many bytes the pages of a list's objects are asked for ahead.
    ///
    /// A smaller one gains little, and lies in the caches of a larger processor.
    package var aheadBytes = 64 * 1_024 * 1_024
    /// Bytes of a list's objects; more answers `invalidValue`.
    package var listBytes = 32 * 1_024 * 1_024
    /// Objects that a search by place collects; in an area with more, all are looked at in order.
    package var placeHits = 50_000
    /// What the way of a list to its rows is chosen by.
    package var planner = PlannerLimits()
    /// How long a list may take before it answers `unavailable`.
    package var listDeadline = Duration.seconds(10)
    /// Indexes of a class that its operator declares, and that the server makes by itself.
    package var declaredIndexes = 32
    package var ownIndexes = 8
    /// An index that the server made goes when no list has used it for so long.
    package var unusedIndexAge = Duration.seconds(30 * 86_400)
    /// How often the use of indexes is written down.
    package var indexUsePause = Duration.seconds(3_600)
    /// A list that looks at so many documents is slow: an index would help it.
    package var slowRows = 2_000
    /// Slow lists that wanted the same index before the server makes it.
    package var slowLists = 5
    /// Documents and names of fields that a report of a class looks at; of more, the newest ones.
    package var reportRows = 20_000
    package var reportFields = 500
    /// Objects that a step of a check compares, and complaints after which a check gives up.
    package var checkSlice = 5_000
    package var checkComplaints = 100
    /// A file of more bytes is checked by SQLite a table at a time; this much takes about a second.
    package var wholeCheckBytes = 256 * 1_024 * 1_024
    /// About how long a step of building indexes keeps a write waiting.
    ///
    /// The order of a run's keys is made in one step, and so is an index's end of up to 1,024 keys.
    package var buildStep = Duration.milliseconds(5)
    /// Keys that are collected before they are written in order: those of some 60,000 objects.
    package var buildRunBytes = 4_194_304
    /// Bounds of one document; past them `documentTooLarge`.
    package var documents = DocumentLimits()
    /// How long before-images are kept, and at most how many.
    package var changeLogAge = Duration.seconds(86_400)
    package var changeLogRows: Int64 = 100_000
    /// Pages of the write-ahead log at which the writer checkpoints.
    package var checkpointPages = 10_000
    /// The same while nothing is written: reads from the file are cheaper than from its log.
    package var idleCheckpointPages = 64

    /// Slow lists of one application that run at once: one thread is left to the others.
    var slowListsPerApplication: Int { max(slowListThreads - 1, 1) }

    package init() {}

    /// How many file descriptors the stores need at most, on `loopCount` loops.
    ///
    /// Measured: a connection has the database and its log open, and all of a file's connections
    /// share one descriptor of its shared memory.
    package static func descriptorCount(for limits: StoreLimits, loopCount: Int) -> Int {
        let writers = max(limits.writerThreads, 1)
        let lists = max(limits.listThreads, 1) + limits.slowListsPerApplication
        let connections = 1 + loopCount + lists
        let perApplication = 2 * connections + 1
        // One more is open for a moment: the idlest is closed when the next has been opened. And
        // on each writer's and the command thread a file or folder, being made or synced.
        return perApplication * (limits.openApplications + 1) + applicationsFile + lock + inspection
            + 2 * (writers + 1)
    }

    private static let applicationsFile = 3
    private static let lock = 1
    /// The connection of an operator's question; one is asked at a time.
    private static let inspection = 2
}
