/// A value that belongs to one loop, carried through code of any thread back to that loop.
///
/// `@unchecked Sendable`: the value is reached only on its loop, which `value` checks.
package struct LoopBound<Value>: @unchecked Sendable {
    private let held: Value
    private let loop: EventLoop

    package init(_ value: Value, on loop: EventLoop) {
        held = value
        self.loop = loop
    }

    /// The value; only on its loop.
    package var value: Value {
        precondition(loop.isCurrent, "a loop's value is used on that loop")
        return held
    }
}
