package import HatoWire

/// An object's access control list: who may read and who may write it.
///
/// Kept as its canonical JSON, the bytes that are stored and spliced into answers: entries sorted by
/// key bytes, entries that grant nothing dropped, `read` before `write`:
/// `{"*":{"read":true},"U1":{"read":true,"write":true}}`. `{}` is nobody (rulings 12).
package struct ACL: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// `*`, a user's objectId, or `role:NAME`.
        package var key: Text
        package var mayRead: Bool
        package var mayWrite: Bool

        package init(key: Text, mayRead: Bool, mayWrite: Bool) {
            self.key = key
            self.mayRead = mayRead
            self.mayWrite = mayWrite
        }
    }

    /// The canonical JSON.
    package let json: [UInt8]

    /// Takes bytes that `init(_ entries:)` once made.
    package init(canonical json: [UInt8]) {
        self.json = json
    }

    /// Creates the canonical list of `entries`; of two with one key the later counts.
    package init(_ entries: [Entry] = []) {
        var output: [UInt8] = [0x7B]
        let sorted = entries.enumerated().sorted { left, right in
            left.element.key == right.element.key
                ? left.offset < right.offset : left.element.key < right.element.key
        }
        for (index, (_, entry)) in sorted.enumerated() {
            let isReplaced = index + 1 < sorted.count && sorted[index + 1].element.key == entry.key
            guard !isReplaced, entry.mayRead || entry.mayWrite else { continue }
            if output.count > 1 { output.append(0x2C) }
            JSONWriter.append(string: entry.key, to: &output)
            switch (entry.mayRead, entry.mayWrite) {
            case (true, true):
                JSONWriter.append(literal: ":{\"read\":true,\"write\":true}", to: &output)
            case (true, false):
                JSONWriter.append(literal: ":{\"read\":true}", to: &output)
            case (false, _):
                JSONWriter.append(literal: ":{\"write\":true}", to: &output)
            }
        }
        output.append(0x7D)
        self.json = output
    }

    /// Everybody reads and writes: NCMB's default.
    package static let everybody = ACL([Entry(key: "*", mayRead: true, mayWrite: true)])
}

extension ACL {
    package func grantsRead(toAnyOf keys: [Text]) -> Bool {
        grants(to: keys) { $0.mayRead }
    }

    package func grantsWrite(toAnyOf keys: [Text]) -> Bool {
        grants(to: keys) { $0.mayWrite }
    }

    /// Whether everybody may read, signed in or not.
    package var isPublicRead: Bool {
        grantsRead(toAnyOf: ["*"])
    }

    /// The entries in the order of their keys' bytes.
    package var entries: [Entry] {
        var entries: [Entry] = []
        let bytes = json.span
        var cursor = MemberCursor(bytes)
        while let member = cursor.next(in: bytes) {
            let rights = Rights(bytes, at: member.valueStart)
            entries.append(
                Entry(
                    key: JSONEscapes.decode(bytes.extracting(member.name)),
                    mayRead: rights.mayRead,
                    mayWrite: rights.mayWrite
                )
            )
        }
        return entries
    }

    /// The keys that may read, in the order of their bytes.
    package var readKeys: [Text] {
        entries.filter(\.mayRead).map(\.key)
    }

    /// Scans the canonical bytes; allocates nothing.
    private func grants(to keys: [Text], _ isEnough: (Rights) -> Bool) -> Bool {
        let bytes = json.span
        var cursor = MemberCursor(bytes)
        while let member = cursor.next(in: bytes) {
            guard isEnough(Rights(bytes, at: member.valueStart)) else { continue }
            let name = bytes.extracting(member.name)
            for key in keys where key.withBytes({ JSONEscapes.areEqual(name, decoded: $0) }) {
                return true
            }
        }
        return false
    }

    /// What one entry grants, read off its canonical form.
    private struct Rights {
        let mayRead: Bool
        let mayWrite: Bool

        init(_ bytes: Span<UInt8>, at start: Int) {
            self.mayRead = CanonicalJSON.hasLiteral("{\"read\":true", in: bytes, at: start)
            self.mayWrite =
                CanonicalJSON.hasLiteral("{\"write\":true", in: bytes, at: start)
                || CanonicalJSON.hasLiteral("{\"read\":true,\"write\":true", in: bytes, at: start)
        }
    }
}
