/// Where a class's objects lie in the table `object`: `row = (class number << 44) + sequence`.
package struct ClassRows: Sendable, Hashable {
    /// How many bits of a row are the sequence of the object's creation.
    package static let sequenceBits: Int64 = 44

    package let classNumber: Int64

    package init(classNumber: Int64) {
        self.classNumber = classNumber
    }

    package var first: Int64 { classNumber << ClassRows.sequenceBits }
    package var last: Int64 { first | ((1 << ClassRows.sequenceBits) - 1) }

    /// Returns the row of the object that change `sequence` created.
    package func row(ofCreation sequence: Int64) -> Int64 { first | sequence }

    package static func classNumber(ofRow row: Int64) -> Int64 { row >> sequenceBits }
    package static func sequence(ofRow row: Int64) -> Int64 { row & ((1 << sequenceBits) - 1) }
}
