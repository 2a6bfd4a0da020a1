package import HatoWire

extension ACL {
    private static let roleNameLimitBytes = 256

    /// Checks and normalises an `acl` as clients send it (ncmb-rest §9).
    ///
    /// Errors, with `acl` as subject: `invalidType` for any other shape, `invalidValue` past
    /// `entryLimit` entries that grant something.
    package init(
        json: JSON,
        entryLimit: Int = DocumentLimits().aclEntries
    ) throws(DomainError) {
        guard case .object(let object) = json else { throw DomainError(.invalidType, "acl") }
        var entries: [Entry] = []
        for member in object.members {
            guard ACL.isKey(member.name), case .object(let rights) = member.value else {
                throw DomainError(.invalidType, "acl")
            }
            var entry = Entry(key: member.name, mayRead: false, mayWrite: false)
            for right in rights.members {
                guard case .bool(let isGranted) = right.value else {
                    throw DomainError(.invalidType, "acl")
                }
                switch right.name {
                case "read": entry.mayRead = isGranted
                case "write": entry.mayWrite = isGranted
                default: throw DomainError(.invalidType, "acl")
                }
            }
            if entry.mayRead || entry.mayWrite { entries.append(entry) }
        }
        guard entries.count <= entryLimit else { throw DomainError(.invalidValue, "acl") }
        self.init(entries)
    }

    private static func isKey(_ key: Text) -> Bool {
        if key == "*" || ObjectID.isValid(key) { return true }
        guard key.string.utf8.starts(with: "role:".utf8) else { return false }
        let name = key.utf8.dropFirst(5)
        return (1...roleNameLimitBytes).contains(name.count)
            && !name.contains { $0 < 0x20 || $0 == 0x7F }
    }
}
