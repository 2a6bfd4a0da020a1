import Compression
import EventLoops
import HatoWire

/// The members of one channel on one loop.
///
/// Any thread may hold it, only that loop's thread looks inside.
struct Audience: Sendable {
    /// A seat keeps its number while it is taken, so that leaving is O(1); vacant ones are taken
    /// again first.
    private final class Seats {
        var all: [Seat] = []
        var vacant: [Int] = []
    }

    private struct Seat {
        /// nil: vacant.
        var connection: Connection?
        /// The window of what it gets compressed; nil: it gets nothing so.
        var windowBits: Int?
        /// The channel's sequence when the member joined: what is older is not for it.
        var joinedAt: UInt64
        /// Whether it has the list of members, and is told of changes.
        var hasList = false
    }

    private let seats: LoopBound<Seats>

    init(on loop: EventLoop) {
        self.seats = LoopBound(Seats(), on: loop)
    }

    /// Returns the number of the seat.
    func join(
        _ connection: Connection,
        windowBits: Int?,
        at sequence: UInt64
    ) -> Int {
        let seats = seats.value
        let seat = Seat(connection: connection, windowBits: windowBits, joinedAt: sequence)
        if let number = seats.vacant.popLast() {
            seats.all[number] = seat
            return number
        }
        seats.all.append(seat)
        return seats.all.count - 1
    }

    /// Returns false when the seat is not this connection's, or no longer.
    func leave(_ number: Int, _ id: ConnectionID) -> Bool {
        let seats = seats.value
        guard seats.all.indices.contains(number), seats.all[number].connection?.id == id else {
            return false
        }
        seats.all[number].connection = nil
        seats.vacant.append(number)
        if seats.vacant.count == seats.all.count {
            seats.all = []
            seats.vacant = []
        }
        return true
    }

    /// Appends the message's frame to the outbox of every member but `except`.
    ///
    /// A member whose outbox has no room is closed by its connection's handler; the others do not
    /// notice.
    func deliver(
        _ message: MessageFrame,
        sequence: UInt64,
        except: ConnectionID?,
        by deflater: MessageDeflater
    ) {
        // Of one window mostly: the next member's frame is the last one's.
        var windowBits: Int?
        var frame = message.plain
        for seat in seats.value.all {
            guard let connection = seat.connection, seat.joinedAt < sequence else { continue }
            // Not `connection.id != except`: comparing optionals costs a call through a witness.
            if let except, connection.id == except { continue }
            if seat.windowBits != windowBits {
                windowBits = seat.windowBits
                frame = message.frame(windowBits: windowBits, by: deflater)
            }
            _ = connection.send(frame)
        }
    }

    /// Appends the event to the outbox of every member that has the list.
    func announce(_ message: MessageFrame) {
        for seat in seats.value.all where seat.hasList {
            seat.connection?.send(message.plain)
        }
    }

    /// Gives the list to the one in the seat, if it is still there.
    func welcome(_ number: Int, _ id: ConnectionID, _ list: MessageFrame) {
        let seats = seats.value
        guard seats.all.indices.contains(number), let connection = seats.all[number].connection,
            connection.id == id
        else { return }
        seats.all[number].hasList = true
        connection.send(list.plain)
    }

    /// Closes every member with 1013 (try again later), after what is queued for it.
    func expel() {
        let payload = WebSocketFrame.closePayload(code: 1013)
        let farewell = Frame(WebSocketFrame.encode(.close, payload))
        for seat in seats.value.all {
            seat.connection?.send(farewell)
            seat.connection?.close()
        }
    }
}
