import ObjectModel
import Telemetry

/// Room for the answer that a list is writing, taken of what all answers may hold before it is used.
///
/// Taken in doubling steps, and the array grows with it: what is copied meanwhile is within the next step.
struct AnswerRoom {
    /// Shorter answers take nothing, and are never refused.
    static let shortBytes = 65_536
    /// What an object has around its document and ACL, at most: the names, its id and dates.
    static let fieldBytes = 256

    private let budget: ByteBudget
    /// The bytes that an answer has at most.
    private let largest: Int
    private var granted = AnswerRoom.shortBytes
    /// nil for a short answer.
    private(set) var reservation: ByteReservation?
    /// Whether more was wanted than there was.
    private(set) var isRefused = false

    /// `limit`: of the objects' bytes.
    init(of budget: ByteBudget, limit: Int) {
        self.budget = budget
        // What stands around the objects is no more than a short answer.
        let (sum, isHuge) = limit.addingReportingOverflow(AnswerRoom.shortBytes)
        largest = isHuge ? Int.max : sum
    }

    /// Makes room for `count` more bytes behind `json`; false when there is none.
    mutating func make(_ count: Int, in json: inout [UInt8]) -> Bool {
        let wanted = json.count + count
        return wanted <= granted || grow(to: wanted, in: &json)
    }

    private mutating func grow(to wanted: Int, in json: inout [UInt8]) -> Bool {
        var next = granted
        while next < wanted {
            next = next > largest / 3 ? max(largest, wanted) : 2 * next
        }
        let reservation = reservation ?? ByteReservation(of: budget)
        guard reservation.grow(to: next) else {
            isRefused = true
            return false
        }
        self.reservation = reservation
        granted = next
        json.reserveCapacity(next)
        return true
    }

    /// The room of an answer that has come to its end, for what it is long.
    func reservation(for json: [UInt8]) -> ByteReservation? {
        reservation?.shrink(to: json.count)
        return reservation
    }
}

extension DomainError {
    /// The answer would be more than what all answers may hold now.
    static var noAnswerRoom: DomainError {
        DomainError(.unavailable, cause: "answers wait to be sent")
    }
}
