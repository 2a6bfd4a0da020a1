import CLinux
import Glibc

/// Where a process's log lines go.
package enum StandardError {
    /// Writes a whole line to descriptor 2.
    ///
    /// A line below `PIPE_BUF` is one `write`, so lines of several threads do not mix. What cannot
    /// be written is dropped: a log must not stop a server.
    package static func write(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count, let base = bytes.baseAddress {
                let count = Glibc.write(2, base + written, bytes.count - written)
                if count < 0 {
                    if errno == EINTR { continue }
                    return
                }
                written += count
            }
        }
    }

    /// Milliseconds since 1970 by the system's clock.
    package static func wallMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
