/// A request that the server itself refuses: what the rendering hook gets.
package struct RequestFailure: Sendable {
    /// 400, 404, 405, 408, 413, 414, 417, 426, 431, 501 or 505.
    package let status: Int
    /// A sentence that holds nothing of the request.
    package let reason: String

    package init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}
