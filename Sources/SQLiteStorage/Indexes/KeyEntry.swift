import ObjectModel
import SQLStorage

/// One row of `field_key`, but for the object that it is of.
struct KeyEntry: Hashable {
    let kind: FieldIndex.Kind
    let key: [UInt8]
}

extension FieldKeys {
    var isSingle: Bool { elements.isEmpty && places.isEmpty }

    /// The rows of `field_key` that an object has: the whole one first.
    var entries: [KeyEntry] {
        [KeyEntry(kind: .whole, key: whole)]
            + elements.map { KeyEntry(kind: .element, key: $0) }
            + places.map { KeyEntry(kind: .place, key: $0) }
    }
}
