package import Telemetry

import CLinux
import Glibc
import Synchronization

/// One thread's epoll loop: its listeners, its connections, its timers, and a task executor.
///
/// A turn: wait → what ended or drained → socket events → queued work and tasks → deadlines →
/// turn-end hooks → one write for each connection that has something to send.
///
/// `@exclusivity(unchecked)` marks what every turn or request touches: each access is one load, one
/// store or one call that comes back before any handler runs, so none can overlap another. Checked,
/// they cost a tenth of a small request's user time.
///
/// `@unchecked Sendable`: all mutable properties but `inbox` are touched only on the loop's thread
/// (`isCurrent`), or before that thread has started; `inbox` is behind its mutex.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// This loop's place in `EventLoopGroup.loops`.
    package let index: Int
    package let log: Log
    let limits: LoopLimits
    let shared: SharedCounts

    // The inbox: any thread.
    struct Inbox {
        var items: ContiguousArray<InboxItem> = []
        /// Whether the eventfd has been written since the loop last looked.
        var isSignalled = false
    }
    enum InboxItem {
        case work(@Sendable () -> Void)
        case job(UnownedJob)
    }
    let inbox = Guarded(Inbox())
    /// Whether `inbox` holds something: set after it is put in, so that a turn without mail takes no
    /// lock.
    let hasMail = Atomic<Bool>(false)

    // The rest: loop only.
    let epoll: Int32
    let wake: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    static let eventCapacity = 512
    let readBuffer: UnsafeMutableRawBufferPointer
    let vectors: UnsafeMutableBufferPointer<iovec>
    @exclusivity(unchecked) var arena: OutputArena
    /// The time of this turn.
    package var now: LoopTime { turnTime }
    /// Behind a computed property: other modules do not see the attribute of a stored one.
    @exclusivity(unchecked) private var turnTime = LoopTime.read()
    /// `now` in ticks.
    @exclusivity(unchecked) private(set) var currentTick: UInt32 = 0
    private let startNanoseconds: UInt64
    private let tickNanoseconds: UInt64

    @exclusivity(unchecked) var slots: ContiguousArray<Connection?> = []
    var generations: ContiguousArray<UInt32> = []
    var freeSlots: [UInt32] = []
    var openCount = 0
    var listeners: [Listener] = []
    /// Before this time no further line says that accepting is paused.
    var nextPauseLine: UInt64 = 0

    @exclusivity(unchecked) var dirty: ContiguousArray<Connection> = []
    var endings: ContiguousArray<Connection> = []
    var drainings: ContiguousArray<Connection> = []
    /// Whether `endings` or `drainings` hold something.
    @exclusivity(unchecked) var hasAftermath = false
    /// Whether the flush has left something to do for the next turn.
    @exclusivity(unchecked) var hasUnflushed = false
    /// The slots of connections that hold answers, and what these hold.
    var holders: Set<UInt32> = []
    var heldBytes = 0
    let reliefGate = RateGate<Int>(span: .seconds(1))
    var spareOutboxes: [Outbox] = []
    var scratches: [[UInt8]] = []

    @exclusivity(unchecked) var jobs: ContiguousArray<UnownedJob> = []
    /// What is being run of `jobs` and of the inbox.
    @exclusivity(unchecked) private var jobsUnderWay = Batch<UnownedJob>()
    @exclusivity(unchecked) private var itemsUnderWay = Batch<InboxItem>()
    /// Of answers that came without a copy, in this turn.
    @exclusivity(unchecked) var answeredBytes = 0
    @exclusivity(unchecked) private var hooks: [@Sendable () -> Void] = []
    private var alarms = AlarmQueue()
    @exclusivity(unchecked) var wheel = TimerWheel()
    /// Nanoseconds at which an alarm or a deadline may be due; none is before it.
    @exclusivity(unchecked) private var nextLook = UInt64.max
    private var dueSlots: [Int32] = []

    var drain: Drain?
    private var hasEnded = false

    init(index: Int, limits: LoopLimits, shared: SharedCounts, log: Log) throws(LoopFailure) {
        self.index = index
        self.limits = limits
        self.shared = shared
        self.log = log
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw LoopFailure("cannot make an epoll", code: errno) }
        wake = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard wake >= 0 else {
            let code = errno
            Glibc.close(epoll)
            throw LoopFailure("cannot make an eventfd", code: code)
        }
        events = .allocate(capacity: Self.eventCapacity)
        readBuffer = .allocate(byteCount: max(limits.readBufferBytes, 1_024), alignment: 64)
        vectors = .allocate(capacity: 64)
        arena = OutputArena(capacity: max(limits.arenaBytes, 1_024))
        startNanoseconds = LoopTime.monotonicNow()
        tickNanoseconds = max(limits.tick.clampedNanoseconds, 1_000_000)
        // Edge-triggered: each write is one event, and the counter need never be read.
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        event.data.u64 = Self.wakeToken
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else {
            throw LoopFailure("cannot watch an eventfd", code: errno)
        }
    }

    deinit {
        for listener in listeners {
            Glibc.close(listener.descriptor)
        }
        Glibc.close(wake)
        Glibc.close(epoll)
        events.deallocate()
        readBuffer.deallocate()
        vectors.deallocate()
    }

    // MARK: Time

    /// Returns `span` in this loop's ticks, rounded up.
    package func ticks(_ span: Duration) -> TickSpan {
        let nanoseconds = span.clampedNanoseconds
        let whole = nanoseconds / tickNanoseconds + (nanoseconds % tickNanoseconds > 0 ? 1 : 0)
        return TickSpan(ticks: UInt32(clamping: min(whole, UInt64(UInt32.max / 2))))
    }

    func tick(after span: TickSpan) -> UInt32 {
        currentTick &+ span.ticks &+ 1
    }

    /// Rings once after `span`, on this loop.
    ///
    /// Loop only, or before the loop has started.
    package func after(_ span: Duration, _ work: @escaping @Sendable () -> Void) {
        let due = now.monotonicNanoseconds &+ span.clampedNanoseconds
        alarms.add(at: due, work)
        look(at: due)
    }

    /// Makes a turn look at alarms and deadlines no later than at `due`.
    private func look(at due: UInt64) {
        if due < nextLook {
            nextLook = due
        }
    }

    /// Sets a connection's place in the wheel.
    func setWheel(_ slot: Int, to tick: UInt32) {
        wheel.set(slot, to: tick)
        look(at: startNanoseconds &+ UInt64(tick) &* tickNanoseconds)
    }

    /// Calls `hook` at the end of every turn, before what the turn queued is written.
    ///
    /// Loop only, or before the loop has started.
    package func atTurnEnd(_ hook: @escaping @Sendable () -> Void) {
        hooks.append(hook)
    }

    // MARK: The turns

    /// Runs turns until `finish`; the calling thread becomes the loop's.
    func run() {
        hato_mark_thread(identity)
        defer { hato_mark_thread(nil) }
        // What was taken to be run is run.
        while !hasEnded || !jobsUnderWay.isEmpty || !itemsUnderWay.isEmpty {
            turn()
        }
        // What still waits for its time holds whatever it needs then, this loop too.
        alarms = AlarmQueue()
        releaseEverything()
    }

    /// Ends the loop after this turn.
    ///
    /// Loop only.
    func finish() {
        hasEnded = true
    }

    private func turn() {
        let count = epoll_wait(epoll, events, Int32(Self.eventCapacity), waitMilliseconds)
        turnTime = LoopTime.read()
        currentTick = UInt32(
            truncatingIfNeeded: (now.monotonicNanoseconds &- startNanoseconds) / tickNanoseconds
        )
        answeredBytes = 0
        for index in 0..<max(Int(count), 0) {
            // What is not looked at is told again by the next wait.
            guard takesAnswers else { break }
            let event = events[index]
            handle(token: event.data.u64, events: event.events)
        }
        // A budget of its own: sockets that ask on and on must not keep commits and answers waiting.
        answeredBytes = 0
        runQueued()
        if now.monotonicNanoseconds >= nextLook {
            ringAlarms()
            expireDeadlines()
            lookAgain()
        }
        if hasAftermath {
            hasAftermath = false
            notifyDrained()
            endBroken()
        }
        for hook in hooks {
            hook()
        }
        hasUnflushed = false
        flushDirty()
        if drain != nil {
            reportIfDrained()
        }
    }

    /// After alarms and deadlines were looked at: when to look next.
    private func lookAgain() {
        var due = alarms.nextDue ?? .max
        if let tick = wheel.nextTick {
            due = min(due, startNanoseconds &+ UInt64(tick) &* tickNanoseconds)
        }
        nextLook = due
    }

    /// How long this turn may wait for events: not at all while something is left to do.
    private var waitMilliseconds: Int32 {
        if hasUnflushed || hasAftermath || !jobs.isEmpty { return 0 }
        if !jobsUnderWay.isEmpty || !itemsUnderWay.isEmpty { return 0 }
        if hasMail.load(ordering: .acquiring) { return 0 }
        let due = nextLook
        guard due < .max else { return -1 }
        // By this turn's time: late by as long as the turn took, at most.
        let time = now.monotonicNanoseconds
        guard due > time else { return 0 }
        return Int32(clamping: (due - time) / 1_000_000 + 1)
    }

    /// Rounds of queued work a turn: work that queues more work forever must not starve sockets.
    private static let queueRounds = 16

    private func runQueued() {
        for _ in 0..<Self.queueRounds where takesAnswers {
            if itemsUnderWay.isEmpty, hasMail.load(ordering: .relaxed) {
                // Before the take: who puts something in later sets it again.
                _ = hasMail.exchange(false, ordering: .acquiringAndReleasing)
                inbox.withLock { inbox in
                    itemsUnderWay.refill(from: &inbox.items)
                    inbox.isSignalled = false
                }
            }
            if itemsUnderWay.isEmpty && jobsUnderWay.isEmpty && jobs.isEmpty { return }
            runJobs()
            while takesAnswers, let item = itemsUnderWay.takeFirst() {
                switch item {
                case .work(let work): work()
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
            runJobs()
        }
    }

    private func runJobs() {
        if jobsUnderWay.isEmpty { jobsUnderWay.refill(from: &jobs) }
        while takesAnswers, let job = jobsUnderWay.takeFirst() {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Whether the turn goes on with what may end in an answer: past the limit others wait for it.
    private var takesAnswers: Bool {
        answeredBytes < limits.answerBytesPerTurn
    }

    private func ringAlarms() {
        while let work = alarms.takeDue(by: now.monotonicNanoseconds) {
            work()
        }
    }

    private func expireDeadlines() {
        wheel.advance(to: currentTick, due: &dueSlots)
        guard !dueSlots.isEmpty else { return }
        var due: [Int32] = []
        swap(&due, &dueSlots)
        for slot in due {
            guard let connection = slots[Int(slot)] else { continue }
            expire(connection)
        }
        due.removeAll(keepingCapacity: true)
        swap(&due, &dueSlots)
    }

    // MARK: Who runs here

    /// Whether the calling thread is this loop's.
    package var isCurrent: Bool {
        hato_thread_mark() == identity
    }

    private var identity: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
}
