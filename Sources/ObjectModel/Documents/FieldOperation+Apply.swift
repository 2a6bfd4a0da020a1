import HatoWire

extension FieldOperation {
    /// Applies changes to a canonical document and returns the new one.
    ///
    /// Fields keep their order, changed ones stay in their place, new ones follow in the order of the
    /// changes; what is not changed is copied byte for byte.
    ///
    /// Errors: `invalidType` with the field as subject for an operation on a value of another type;
    /// `invalidValue` when a sum leaves int64 or Double; `documentTooLarge`.
    package static func apply(
        _ changes: [FieldChange],
        to document: [UInt8],
        limits: DocumentLimits = DocumentLimits()
    ) throws(DomainError) -> [UInt8] {
        var editor = DocumentEditor(changes, limits: limits)
        return try editor.edit(document.span)
    }
}

/// One run over a document.
private struct DocumentEditor {
    private let changes: [FieldChange]
    private let limits: DocumentLimits
    /// The changes' names behind each other, escaped as the document has them.
    private var names: [UInt8]
    private var nameEnds: [Int]
    private var isDone: [Bool]
    private var output: [UInt8]
    private var fieldCount: Int

    init(_ changes: [FieldChange], limits: DocumentLimits) {
        self.changes = changes
        self.limits = limits
        self.isDone = Array(repeating: false, count: changes.count)
        self.output = []
        self.fieldCount = 0
        self.names = []
        self.nameEnds = []
        nameEnds.reserveCapacity(changes.count)
        names.reserveCapacity(16 * changes.count)
        for change in changes {
            JSONWriter.append(escaped: change.name, to: &names)
            nameEnds.append(names.count)
        }
    }

    mutating func edit(_ document: Span<UInt8>) throws(DomainError) -> [UInt8] {
        output.reserveCapacity(document.count + 64 * changes.count)
        output.append(0x7B)
        var cursor = MemberCursor(document)
        while let member = cursor.next(in: document) {
            let end = CanonicalJSON.endOfValue(document, from: member.valueStart)
            if let index = change(named: document.extracting(member.name)) {
                isDone[index] = true
                begin(index)
                try append(changes[index], to: document.extracting(member.valueStart..<end))
            } else {
                separate()
                JSONWriter.append(
                    raw: document.extracting(member.name.lowerBound - 1..<end),
                    to: &output
                )
            }
        }
        for index in changes.indices where !isDone[index] {
            begin(index)
            try append(changes[index], to: Span())
        }
        output.append(0x7D)
        guard fieldCount <= limits.fieldCount, output.count <= limits.documentBytes else {
            throw DomainError(.documentTooLarge)
        }
        return output
    }

    private func change(named name: Span<UInt8>) -> Int? {
        for index in changes.indices {
            let range = nameRange(index)
            guard range.count == name.count else { continue }
            if CanonicalJSON.areEqual(names.span.extracting(range), name) { return index }
        }
        return nil
    }

    private func nameRange(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : nameEnds[index - 1])..<nameEnds[index]
    }

    private mutating func separate() {
        if fieldCount > 0 { output.append(0x2C) }
        fieldCount += 1
    }

    private mutating func begin(_ index: Int) {
        separate()
        output.append(0x22)
        output.append(contentsOf: names[nameRange(index)])
        output.append(0x22)
        output.append(0x3A)
    }

    /// Appends the field's new value; `old` is its canonical value, empty when there is none.
    ///
    /// NCMB clears a field by null, so operations take null for a missing field.
    private mutating func append(
        _ change: FieldChange,
        to old: Span<UInt8>
    ) throws(DomainError) {
        let isMissing = old.count == 0 || CanonicalJSON.hasLiteral("null", in: old, at: 0)
        switch change.operation {
        case .set(let value):
            value.append(to: &output)
        case .increment(let amount):
            try appendSum(of: old, amount, isMissing: isMissing, field: change.name)
        case .add(let values):
            try openArray(old, isMissing: isMissing, field: change.name)
            appendElements(values.map(\.canonicalBytes))
            output.append(0x5D)
        case .addUnique(let values):
            try openArray(old, isMissing: isMissing, field: change.name)
            appendElements(missing(values, in: old))
            output.append(0x5D)
        case .remove(let values):
            guard isMissing || old[0] == 0x5B else {
                throw DomainError(.invalidType, change.name)
            }
            output.append(0x5B)
            appendRest(of: old, without: values)
            output.append(0x5D)
        }
    }

    private mutating func appendSum(
        of old: Span<UInt8>,
        _ amount: JSONNumber,
        isMissing: Bool,
        field: Text
    ) throws(DomainError) {
        if isMissing { return JSONWriter.append(amount, to: &output) }
        guard old[0] == 0x2D || old[0] &- 0x30 < 10 else {
            throw DomainError(.invalidType, field)
        }
        guard let sum = JSONNumber(validated: Text(utf8: old)).adding(amount) else {
            throw DomainError(.invalidValue, field)
        }
        JSONWriter.append(sum, to: &output)
    }

    /// Copies an array up to its closing bracket.
    private mutating func openArray(
        _ old: Span<UInt8>,
        isMissing: Bool,
        field: Text
    ) throws(DomainError) {
        guard !isMissing else { return output.append(0x5B) }
        guard old[0] == 0x5B else { throw DomainError(.invalidType, field) }
        JSONWriter.append(raw: old.extracting(0..<old.count - 1), to: &output)
    }

    private mutating func appendElements(_ elements: [[UInt8]]) {
        for element in elements {
            if output.last != 0x5B { output.append(0x2C) }
            output.append(contentsOf: element)
        }
    }

    /// Returns those of `values` that equal no element and none before them.
    private func missing(_ values: [Value], in old: Span<UInt8>) -> [[UInt8]] {
        var known: Set<[UInt8]> = []
        var cursor = ElementCursor(old)
        while let element = cursor.next(in: old) {
            known.insert(OrderedKey.whole(old, at: element))
        }
        var missing: [[UInt8]] = []
        for value in values {
            let bytes = value.canonicalBytes
            if known.insert(OrderedKey.whole(bytes.span, at: 0)).inserted { missing.append(bytes) }
        }
        return missing
    }

    private mutating func appendRest(of old: Span<UInt8>, without values: [Value]) {
        let removed = Set(values.map { OrderedKey.whole($0) })
        var cursor = ElementCursor(old)
        while let element = cursor.next(in: old) {
            guard !removed.contains(OrderedKey.whole(old, at: element)) else { continue }
            if output.last != 0x5B { output.append(0x2C) }
            let end = CanonicalJSON.endOfValue(old, from: element)
            JSONWriter.append(raw: old.extracting(element..<end), to: &output)
        }
    }
}
