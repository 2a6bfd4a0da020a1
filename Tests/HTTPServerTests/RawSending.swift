import Glibc
import HatoTesting

/// Sends all of `bytes` on a test client's socket from a thread of its own, while the test reads.
func sendAll(_ bytes: [UInt8], on descriptor: Int32) {
    let deadline = Deadline()
    var sent = 0
    while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
            sent += count
        } else if (try? deadline.awaits(CShort(POLLOUT), on: descriptor)) != true {
            return
        }
    }
}
