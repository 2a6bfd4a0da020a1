import HatoWire

/// A filter, compiled to run over canonical documents without parsing them.
///
/// One walk over the document's members finds the first components of all paths; conditions then
/// read the bytes where they lie. The meaning is that of rulings 10; SQL must say the same.
package struct Matcher: Sendable {
    private indirect enum Node: Sendable {
        case all([Node])
        case any([Node])
        case field(Condition)
    }

    private struct Condition: Sendable {
        /// Index into `names`, when it is no system field.
        let slot: Int
        let system: SystemField?
        let path: PathLookup
        let test: FieldTest
    }

    private var root: Node
    /// What a matching document has for sure, when the filter says: most documents lack it, and that is
    /// seen sooner than where the field is.
    private let needle: ByteNeedle?
    /// First components of the paths, escaped, each once.
    private var names: [[UInt8]]
    /// Where each name's value starts in the document at hand; −1: missing.
    private var starts: [Int]
    private var scratch: MatcherScratch

    /// `limits` nil: those that the filter's first pattern was compiled with.
    package init(_ filter: Filter, limits: PatternLimits? = nil) {
        self.root = .all([])
        let needles = Prefilter(filter).needles
        self.needle = needles.max { $0.count < $1.count }.flatMap { ByteNeedle($0) }
        self.names = []
        self.starts = []
        self.scratch = MatcherScratch(limits ?? filter.patternLimits ?? PatternLimits())
        self.root = compile(filter)
        self.starts = Array(repeating: -1, count: names.count)
    }

    /// Whether the object meets the filter.
    ///
    /// - Parameters:
    ///   - document: the canonical document; damaged bytes match or not, but never trap.
    ///   - facts: the system's fields.
    /// - Returns: whether the filter holds; false from a `failure` on.
    package mutating func matches(_ document: Span<UInt8>, _ facts: ObjectFacts) -> Bool {
        guard scratch.failure == nil else { return false }
        if let needle, !needle.isFound(in: document) { return false }
        locate(document)
        return holds(root, document, facts) && scratch.failure == nil
    }

    /// Why the answers are void: a pattern that was too costly to search for.
    ///
    /// Once it is set the query has to be refused with it; whoever asks `matches` for many documents
    /// looks here after the last, and may stop before. A refusal tells that a document is there, so only
    /// documents that the asker may read are to be matched.
    package var failure: DomainError? { scratch.failure }

    /// Sets who is asked, now and then inside large documents, whether an answer is still wanted.
    package mutating func stop(when isOver: @escaping @Sendable () -> Bool) {
        scratch.isOver = isOver
    }

    package mutating func matches(_ object: StoredObject) -> Bool {
        matches(
            object.document.span,
            ObjectFacts(id: object.id, created: object.created, updated: object.updated)
        )
    }

    private mutating func compile(_ filter: Filter) -> Node {
        switch filter {
        case .all(let parts):
            var nodes: [Node] = []
            for part in parts { nodes.append(compile(part)) }
            return .all(nodes)
        case .any(let parts):
            var nodes: [Node] = []
            for part in parts { nodes.append(compile(part)) }
            return .any(nodes)
        case .field(let path, let fieldOperator):
            let first = path.components[0]
            let system = SystemField(first)
            return .field(
                Condition(
                    slot: system == nil ? slot(of: PathLookup.escaped(first)) : -1,
                    system: system,
                    path: PathLookup(inner: path.components.dropFirst()),
                    test: FieldTest(fieldOperator, on: system)
                )
            )
        }
    }

    private mutating func slot(of name: [UInt8]) -> Int {
        if let index = names.firstIndex(of: name) { return index }
        names.append(name)
        return names.count - 1
    }

    private mutating func locate(_ document: Span<UInt8>) {
        for index in starts.indices { starts[index] = -1 }
        var missingCount = names.count
        var cursor = MemberCursor(document)
        while missingCount > 0, let member = cursor.next(in: document) {
            let count = member.name.count
            for index in names.indices where names[index].count == count {
                let name = names[index]
                if CanonicalJSON.areEqual(document.extracting(member.name), name.span) {
                    starts[index] = member.valueStart
                    missingCount &-= 1
                    break
                }
            }
        }
    }

    private mutating func holds(
        _ node: Node,
        _ document: Span<UInt8>,
        _ facts: ObjectFacts
    ) -> Bool {
        switch node {
        case .all(let parts):
            for part in parts where !holds(part, document, facts) { return false }
            return true
        case .any(let parts):
            for part in parts where holds(part, document, facts) { return true }
            return false
        case .field(let condition):
            if document.count > MatcherScratch.largeDocumentBytes {
                scratch.checkTime()
                guard scratch.failure == nil else { return false }
            }
            guard let system = condition.system else {
                let start = starts[condition.slot]
                return condition.test.holds(
                    document,
                    at: start < 0 ? nil : start,
                    path: condition.path,
                    scratch: &scratch
                )
            }
            var value: [UInt8] = []
            system.append(facts, to: &value)
            return condition.test.holds(
                value.span,
                at: 0,
                path: condition.path,
                scratch: &scratch
            )
        }
    }
}
