import EventLoops
import HatoWire

/// Who is a member of one channel, and what its members know of that.
///
/// Comings and goings are told one by one, at the pace that members can follow; what has to wait is
/// told in the order in which it happened. A member that goes before its coming was told has never
/// been there, and one that comes back before its going was told has never left. So there is at most
/// one thing to tell of each member, whatever comes and goes.
struct Presence: Sendable {
    /// A socket that gets the list when its member is in it.
    struct Newcomer: Sendable {
        let audience: Audience
        let seat: Int
        let connection: ConnectionID
    }

    /// One event and the list for those who begin with it.
    struct Announcement {
        /// nil: there is nobody to tell.
        var event: [UInt8]?
        var list: [UInt8] = []
        var newcomers: [Newcomer] = []
    }

    private struct Attendance {
        let member: Member
        var sockets = 0
        /// Whether the roster has it.
        var isListed = false
        /// Sockets that wait for the list.
        var newcomers: [Newcomer] = []
    }

    /// Who has a socket, or is still in the roster.
    private var attendances: [Text: Attendance] = [:]
    private var roster = Roster()
    /// Whose coming or going is to be told, the oldest first.
    private var untold: [Text] = []
    /// Members with a socket.
    private(set) var count = 0
    private var pace: PresencePace

    init(pace: PresencePace) {
        self.pace = pace
    }

    /// Whether a socket with that uuid may come: a member keeps its place until its going is told.
    func hasRoom(for uuid: Text, limit: Int) -> Bool {
        attendances[uuid] != nil || attendances.count < limit
    }

    /// Counts a socket; returns the list if it can have it at once.
    ///
    /// A member keeps the user name of its first socket while it is there: no event could tell the
    /// others of a new one.
    mutating func add(_ member: Member, _ newcomer: Newcomer) -> [UInt8]? {
        var attendance = attendances[member.uuid] ?? Attendance(member: member)
        attendance.sockets += 1
        if attendance.sockets == 1 {
            count += 1
            if attendance.isListed {
                untold.removeAll { $0 == member.uuid }
            } else {
                untold.append(member.uuid)
            }
        }
        if !attendance.isListed { attendance.newcomers.append(newcomer) }
        attendances[member.uuid] = attendance
        return attendance.isListed ? roster.list() : nil
    }

    /// Counts a socket out.
    mutating func remove(_ uuid: Text, _ connection: ConnectionID) {
        guard var attendance = attendances[uuid], attendance.sockets > 0 else { return }
        attendance.sockets -= 1
        attendance.newcomers.removeAll { $0.connection == connection }
        attendances[uuid] = attendance
        guard attendance.sockets == 0 else { return }
        count -= 1
        if count == 0 {
            // Nobody is left to be told.
            attendances = [:]
            roster = Roster()
            untold = []
        } else if attendance.isListed {
            untold.append(uuid)
        } else {
            attendances[uuid] = nil
            untold.removeAll { $0 == uuid }
        }
    }

    /// Nanoseconds until something is to be told; nil: nothing is.
    func wait(at nanoseconds: UInt64) -> UInt64? {
        untold.isEmpty ? nil : pace.wait(at: nanoseconds)
    }

    /// Takes what is to be told next; nil when there is nothing, or it is too early.
    mutating func next(at nanoseconds: UInt64) -> Announcement? {
        guard wait(at: nanoseconds) == 0 else { return nil }
        let uuid = untold.removeFirst()
        guard var attendance = attendances[uuid] else { return nil }
        var announcement = Announcement()
        if attendance.isListed {
            attendances[uuid] = nil
            announcement.event = roster.remove(uuid).map { roster.left($0) }
        } else {
            let isAlone = roster.count == 0
            roster.add(attendance.member)
            announcement.event = isAlone ? nil : roster.joined()
            announcement.list = roster.list()
            swap(&announcement.newcomers, &attendance.newcomers)
            attendance.isListed = true
            attendances[uuid] = attendance
        }
        if let event = announcement.event { pace.take(event.count, at: nanoseconds) }
        return announcement
    }
}
