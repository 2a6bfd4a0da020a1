/// The digits of `[0-9A-Za-z]` in the order of their bytes: of ids, names and tokens that are drawn.
package enum Base62 {
    package static let digitCount = 62

    /// Returns the digit of a value below 62; a higher one counts as its rest.
    package static func digit(_ value: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value.magnitude % 62)
        return switch value {
        case 0..<10: 0x30 &+ value
        case 10..<36: 0x41 &+ value &- 10
        default: 0x61 &+ value &- 36
        }
    }
}
