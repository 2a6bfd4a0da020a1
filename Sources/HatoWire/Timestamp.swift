/// A moment in UTC with millisecond resolution: what NCMB's `createDate` says.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var millisecondsSinceEpoch: Int64

    @inlinable
    package init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }
}
