/// One listening socket of one loop.
final class Listener {
    let descriptor: Int32
    let makeHandler: @Sendable (Connection) -> any ConnectionHandler
    let makeTransform: (@Sendable (Connection) -> any ByteTransform)?
    /// Whether epoll watches it.
    var isArmed = false

    init(
        descriptor: Int32,
        makeHandler: @escaping @Sendable (Connection) -> any ConnectionHandler,
        makeTransform: (@Sendable (Connection) -> any ByteTransform)?
    ) {
        self.descriptor = descriptor
        self.makeHandler = makeHandler
        self.makeTransform = makeTransform
    }
}
