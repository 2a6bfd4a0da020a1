import HatoWire
import ObjectModel

/// The text that tells a class channel of a change: what a stranger may see, and no more.
///
/// `flat`: on create only, one flat object of strings, `objectId` and `createDate` first, then the
/// document's own string fields in their order. Everything else is left out, because the NCMB demo
/// ends at any value that is not a string (realtime.md 1.7); and so is an `event` of the name of one of
/// the server's own.
///
/// `events`: `{"event":"create","data":{the object as a GET by a stranger answers it}}`, the same
/// with `update`, and `{"event":"delete","data":{"objectId":"…"}}`. A stranger's view decides the
/// event: an object that becomes readable is created for him, one that stops being readable is
/// deleted, one that he could see at no time is not mentioned.
struct ChangeMessage {
    private var tape = JSONTape()

    /// Returns the message's UTF-8 text, nil when there is nothing to tell.
    mutating func text(of change: Change) -> [UInt8]? {
        guard change.className.isDataStore else { return nil }
        let policy = AccessPolicy(principal: .stranger, settings: change.settings)
        guard policy.isPermitted(.find), policy.isPermitted(.get) else { return nil }
        let before = change.before.flatMap { policy.mayRead($0.acl) ? $0 : nil }
        let after = change.after.flatMap { policy.mayRead($0.acl) ? $0 : nil }
        switch change.settings.relay {
        case .off:
            return nil
        case .flat:
            guard change.kind == .create, let after else { return nil }
            return flat(after)
        case .events:
            return event(before: before, after: after)
        }
    }

    private func event(before: StoredObject?, after: StoredObject?) -> [UInt8]? {
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, let after?): return event("create", after)
        case (_?, let after?): return event("update", after)
        case (let before?, nil):
            var text = Array(#"{"event":"delete","data":{"objectId":"#.utf8)
            JSONWriter.append(string: before.id, to: &text)
            text.append(literal: "}}")
            return text
        }
    }

    private func event(_ name: StaticString, _ object: StoredObject) -> [UInt8] {
        var text = Array(#"{"event":""#.utf8)
        text.append(literal: name)
        text.append(literal: #"","data":"#)
        ObjectJSON.append(object, to: &text)
        text.append(literal: "}")
        return text
    }

    /// The document is canonical JSON: names and values are taken over as they stand.
    private mutating func flat(_ object: StoredObject) -> [UInt8]? {
        var text = Array(#"{"objectId":"#.utf8)
        text.reserveCapacity(object.document.count + 96)
        JSONWriter.append(string: object.id, to: &text)
        text.append(literal: #","createDate":""#)
        object.created.append(to: &text)
        text.append(literal: "\"")
        do {
            try tape.parse(object.document.span, limits: JSONLimits())
        } catch {
            // The store keeps canonical documents only; one that is not has no strings to show.
            return nil
        }
        var name = 1
        while name < tape.entries.count {
            let value = tape.entries[name + 1]
            if value.kind == .string, !isReserved(name, in: object.document) {
                text.append(UInt8(ascii: ","))
                text.append(contentsOf: quoted(tape.entries[name], in: object.document))
                text.append(UInt8(ascii: ":"))
                text.append(contentsOf: quoted(value, in: object.document))
            }
            name = Int(value.next)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Whether the member would make the message one of the server's own events: what anybody can save
    /// must not look like one.
    private func isReserved(_ name: Int, in document: [UInt8]) -> Bool {
        tape.text(name, in: document.span) == "event"
            && ReservedEvent.isReserved(tape.text(name + 1, in: document.span))
    }

    /// A string's bytes with its quotes.
    private func quoted(_ entry: JSONTape.Entry, in document: [UInt8]) -> ArraySlice<UInt8> {
        document[entry.range.lowerBound - 1..<entry.range.upperBound + 1]
    }
}
