import CLinux
import Foundation
import Glibc

/// Where other threads leave what a test waits for: the opposite of a sleep.
///
/// `@unchecked Sendable`: `elements` is touched under `lock` only, which the thread sanitizer
/// understands.
package final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []
    /// Counts the elements, so that a waiter can poll with a deadline.
    private let semaphore: CInt

    package init() throws {
        self.semaphore = eventfd(0, CInt(EFD_SEMAPHORE | EFD_CLOEXEC))
        guard semaphore >= 0 else { throw TestFailure.system(call: "eventfd", errno: errno) }
    }

    deinit {
        close(semaphore)
    }

    /// Any thread.
    package func put(_ element: Element) {
        lock.withLock { elements.append(element) }
        eventfd_write(semaphore, 1)
    }

    /// Returns the next element in the order of `put`; blocks the calling thread until it is there.
    package func next(
        _ what: String = "an element",
        within limit: Duration = Deadline.usual
    ) throws -> Element {
        guard try Deadline(limit).awaits(CShort(POLLIN), on: semaphore) else {
            throw TestFailure.deadline(what)
        }
        var count: eventfd_t = 0
        eventfd_read(semaphore, &count)
        return lock.withLock { elements.removeFirst() }
    }

    /// What is there now, taken out.
    package func all() throws -> [Element] {
        var taken: [Element] = []
        while try Deadline(.zero).awaits(CShort(POLLIN), on: semaphore) {
            taken.append(try next())
        }
        return taken
    }
}
