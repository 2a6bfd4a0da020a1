/// Why bytes could not be packed or unpacked.
package enum CompressionFailure: Error, Sendable, Hashable, CaseIterable {
    /// This is no deflate data, or it ends too early.
    case damaged
    /// Unpacked it is longer than the limit, or packed longer than the library can be given.
    case tooLarge
    /// The system gave no memory.
    case outOfMemory
}
