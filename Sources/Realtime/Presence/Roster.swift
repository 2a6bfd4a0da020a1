import HatoWire

/// The members of one channel as they have been told, in the order of their coming, and the events
/// that tell of them.
///
/// Each event carries all members, because clients take the list from there (realtime.md 1.3). Each
/// member's JSON is made once; an event joins those texts.
struct Roster: Sendable {
    private struct Entry {
        var uuid: Text
        /// An object of two texts, `uuid` and `user`.
        var json: [UInt8]
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func add(_ member: Member) {
        entries.append(Entry(uuid: member.uuid, json: Roster.json(member)))
    }

    /// Returns the JSON of the member that goes; O(members).
    mutating func remove(_ uuid: Text) -> [UInt8]? {
        guard let index = entries.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return entries.remove(at: index).json
    }

    // MARK: Events

    func list() -> [UInt8] {
        var text = Array(#"{"event":"system:member_list","data":{"members":["#.utf8)
        appendMembers(to: &text)
        return text
    }

    /// Of the member that came last.
    func joined() -> [UInt8] {
        event(#"{"event":"system:member_joined","data":{"member":"#, entries.last?.json ?? [])
    }

    /// Of a member that is not there any more.
    func left(_ json: [UInt8]) -> [UInt8] {
        event(#"{"event":"system:member_left","data":{"member":"#, json)
    }

    private func event(_ head: StaticString, _ json: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.append(literal: head)
        text.append(contentsOf: json)
        text.append(literal: #","members":["#)
        appendMembers(to: &text)
        return text
    }

    private func appendMembers(to text: inout [UInt8]) {
        text.reserveCapacity(entries.reduce(text.count + 3) { $0 + $1.json.count + 1 })
        var isFirst = true
        for entry in entries {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text.append(contentsOf: entry.json)
        }
        text.append(literal: "]}}")
    }

    private static func json(_ member: Member) -> [UInt8] {
        var json = Array(#"{"uuid":"#.utf8)
        JSONWriter.append(string: member.uuid, to: &json)
        json.append(literal: #","user":"#)
        JSONWriter.append(string: member.user, to: &json)
        json.append(literal: "}")
        return json
    }
}
