import HatoWire

extension Filter {
    /// Whether every object matches without a look at it.
    package var isTrivial: Bool {
        guard case .all(let parts) = self else { return false }
        return parts.allSatisfy(\.isTrivial)
    }

    /// Whether it looks at the id or a date, which stand beside the document.
    package var asksSystemFields: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.asksSystemFields)
        case .field(let path, _): path.isSystemField
        }
    }

    /// Whether it looks at the id.
    package var asksForID: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.asksForID)
        case .field(let path, _): path.isID
        }
    }
}

extension FieldPath {
    package var isID: Bool { components[0] == "objectId" }
}
