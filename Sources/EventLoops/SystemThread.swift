import CLinux
import Glibc

/// A thread of the operating system: loops, writers and pools own theirs.
///
/// `@unchecked Sendable`: `handle` is written before the object is shared and read by `join` or `leave` once.
package final class SystemThread: @unchecked Sendable {
    private var handle = pthread_t()

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread that runs `body` and ends.
    ///
    /// `name` shows in `ps` (its first 15 bytes). Throws when the system gives no thread.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(LoopFailure) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let status = pthread_create(&handle, nil, Self.entry, start.toOpaque())
        guard status == 0 else {
            start.release()
            throw LoopFailure("cannot start thread \(name)", code: status)
        }
    }

    /// Waits for the thread's end.
    ///
    /// Called once, from another thread.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Leaves the thread to itself: nobody will wait for its end, and the system may clear it away.
    ///
    /// Called once, instead of `join`.
    package func leave() {
        pthread_detach(handle)
    }

    private static let entry:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            argument in
            guard let argument else { return nil }
            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
            var name = Array(start.name.utf8.prefix(15))
            name.append(0)
            name.withUnsafeBytes { bytes in
                if let base = bytes.baseAddress {
                    hato_name_thread(base.assumingMemoryBound(to: CChar.self))
                }
            }
            start.body()
            return nil
        }
}
