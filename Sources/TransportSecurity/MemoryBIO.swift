import COpenSSL

/// Where OpenSSL reads and writes: the memory of whatever stream is at work, without a copy kept.
///
/// OpenSSL's own memory BIOs keep a buffer each way for every connection. These keep none: a stream
/// lends them the loop's bytes for the time of one call.
enum MemoryBIO {
    /// Makes the method of these BIOs; nil for want of memory.
    static func makeMethod() -> OpaquePointer? {
        guard let method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "loop") else { return nil }
        BIO_meth_set_read(method) { bio, target, count in
            guard let bio, let target, let stream = MemoryBIO.stream(of: bio) else { return -1 }
            let taken = stream.take(
                into: UnsafeMutableRawBufferPointer(start: target, count: Int(max(count, 0)))
            )
            guard taken > 0 else {
                hato_bio_wait_for_input(bio)
                return -1
            }
            return CInt(taken)
        }
        BIO_meth_set_write(method) { bio, source, count in
            guard let bio, let stream = MemoryBIO.stream(of: bio) else { return -1 }
            stream.put(UnsafeRawBufferPointer(start: source, count: Int(max(count, 0))))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }

    /// Makes a BIO that works for `stream`, which must outlive it.
    static func make(_ method: OpaquePointer, for stream: TLSStream) -> OpaquePointer? {
        guard let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(stream).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    private static func stream(of bio: OpaquePointer) -> TLSStream? {
        guard let data = BIO_get_data(bio) else { return nil }
        return Unmanaged<TLSStream>.fromOpaque(data).takeUnretainedValue()
    }
}
