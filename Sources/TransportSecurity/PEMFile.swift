import COpenSSL
import Glibc

/// A certificate's or key's file as it was when it was read.
final class PEMFile {
    /// What tells one state of a file from another without reading it.
    struct Mark: Equatable, Sendable {
        private let device: UInt64
        private let file: UInt64
        private let size: Int64
        private let seconds: Int64
        private let nanoseconds: Int64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            file = UInt64(status.st_ino)
            size = Int64(status.st_size)
            seconds = Int64(status.st_mtim.tv_sec)
            nanoseconds = Int64(status.st_mtim.tv_nsec)
        }

        /// The mark of the file that `path` leads to now, links followed; nil when there is none.
        static func of(_ path: String) -> Mark? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return Mark(status)
        }
    }

    /// A chain of certificates has some kilobytes.
    static let limitBytes = 1_048_576

    let mark: Mark
    let isReadableByOthers: Bool
    private var bytes: [UInt8] = []

    init(_ path: String) throws(TLSFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PEMFile.unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PEMFile.unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TLSFailure("\(path) is no file")
        }
        mark = Mark(status)
        isReadableByOthers = status.st_mode & S_IROTH != 0
        var buffer = [UInt8](repeating: 0, count: 16_384)
        defer { PEMFile.cleanse(&buffer) }
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw PEMFile.unreadable(path, errno) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= Self.limitBytes else {
                throw TLSFailure("\(path) is larger than \(Self.limitBytes) bytes")
            }
        }
    }

    deinit {
        // A key's copy shall not lie in freed memory.
        PEMFile.cleanse(&bytes)
    }

    /// Calls `body` with a BIO that reads the bytes.
    func withReader<Result>(_ body: (OpaquePointer) -> Result) throws(TLSFailure) -> Result {
        let result: Result? = bytes.withUnsafeBytes { bytes in
            guard let reader = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else {
                return nil
            }
            defer { BIO_free(reader) }
            return body(reader)
        }
        guard let result else { throw .openSSL("no memory for a certificate") }
        return result
    }

    private static func unreadable(_ path: String, _ code: CInt) -> TLSFailure {
        TLSFailure("cannot read \(path): \(String(cString: strerror(code)))")
    }

    private static func cleanse(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
