/// Why a test's own tool gave up; never thrown by the code under test.
package enum TestFailure: Error, CustomStringConvertible {
    /// The deadline passed; says what was awaited.
    case deadline(String)
    /// A system call failed.
    case system(call: String, errno: CInt)
    /// The peer closed before what was awaited came.
    case ended(String)
    /// The peer sent something that the protocol forbids.
    case malformed(String)

    package var description: String {
        switch self {
        case .deadline(let what): "deadline passed while waiting for \(what)"
        case .system(let call, let errno): "\(call) failed with errno \(errno)"
        case .ended(let what): "peer closed while waiting for \(what)"
        case .malformed(let what): "peer sent \(what)"
        }
    }
}
