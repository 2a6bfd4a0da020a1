package import Telemetry

import CLinux
import Glibc

/// The loops of a server and their threads.
///
/// `@unchecked Sendable`: `threads` is written by `start` and read by `stop`, both called by the
/// owner, one after the other; all else is constant.
package final class EventLoopGroup: @unchecked Sendable {
    package let loops: [EventLoop]
    /// What the loops count together.
    package let counts: SharedCounts
    private let limits: LoopLimits
    private var threads: [SystemThread] = []

    /// Makes `count` loops (at least one), not running yet.
    ///
    /// Raises the process's descriptor limit to its hard limit and ignores SIGPIPE. Throws when the
    /// system gives no epoll.
    package init(count: Int, limits: LoopLimits, log: Log = .silent) throws(LoopFailure) {
        signal(SIGPIPE, SIG_IGN)
        var connectionLimit = limits.connectionLimit
        let descriptors = hato_raise_descriptor_limit()
        if descriptors > 0 {
            // A low limit is not used up by the reserve.
            let reserve = min(limits.reservedDescriptors, Int(descriptors) / 4)
            connectionLimit = min(connectionLimit, Int(descriptors) - reserve)
        }
        let relief = Relief()
        let counts = SharedCounts(
            connectionLimit: connectionLimit,
            loopCount: max(count, 1),
            answers: ByteBudget(limit: limits.unsentBytes) { relief.ask() }
        )
        var loops: [EventLoop] = []
        for index in 0..<max(count, 1) {
            loops.append(
                try EventLoop(index: index, limits: limits, shared: counts, log: log)
            )
        }
        self.loops = loops
        self.counts = counts
        self.limits = limits
        relief.loops.withLock { $0 = loops.map { Relief.Reference(loop: $0) } }
    }

    /// Listens on `address` with one listener a loop and returns the port.
    ///
    /// `handler` makes what stands on each new connection; it runs on that connection's loop.
    /// `transform`, if given, makes what stands below it. Throws when the address can't be bound, so
    /// also when another server listens there.
    @discardableResult
    package func listen(
        _ address: ListenAddress,
        transform: (@Sendable (Connection) -> any ByteTransform)? = nil,
        handler: @escaping @Sendable (Connection) -> any ConnectionHandler
    ) throws(LoopFailure) -> UInt16 {
        let (descriptors, port) = try ListeningSocket.open(
            address,
            count: loops.count,
            backlog: limits.backlog
        )
        for (loop, descriptor) in zip(loops, descriptors) {
            loop.execute {
                loop.add(
                    Listener(
                        descriptor: descriptor,
                        makeHandler: handler,
                        makeTransform: transform
                    )
                )
            }
        }
        return port
    }

    /// Starts the loops' threads.
    ///
    /// Once.
    package func start() throws(LoopFailure) {
        for loop in loops {
            threads.append(try SystemThread(name: "loop-\(loop.index)") { loop.run() })
        }
    }

    /// Stops accepting, lets every connection come to an end, and returns when none is left.
    ///
    /// Connections that still live after `span` are dropped. The loops go on, so that tasks can
    /// finish; call `stop` afterwards. Not from a loop.
    package func drain(within span: Duration) {
        let left = ThreadSignal(loops.count)
        for loop in loops {
            loop.execute {
                loop.beginDrain(within: span) {
                    left.change { $0 -= 1 }
                }
            }
        }
        left.wait { $0 == 0 ? () : nil }
    }

    /// Ends the loops and waits for their threads.
    ///
    /// Not from a loop.
    package func stop() {
        for loop in loops {
            loop.execute { loop.finish() }
        }
        for thread in threads {
            thread.join()
        }
        threads.removeAll()
    }
}
