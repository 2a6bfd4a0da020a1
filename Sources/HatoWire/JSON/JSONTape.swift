/// A parsed JSON text as a flat list of byte ranges, without a tree.
///
/// The tape lies in the order of the text: a container's entry, then its children; an object's
/// children are names and values by turns. `next` of an entry is the index behind all that belongs
/// to it, so that skipping a subtree is one step. The tape does not keep the bytes: readers pass
/// the same ones again. A tape that is parsed into repeatedly keeps its storage.
package struct JSONTape: Sendable {
    package enum Kind: UInt8, Sendable {
        case null
        case `false`
        case `true`
        case number
        case string
        case array
        case object
    }

    package struct Entry: Sendable {
        /// Strings and names: the first byte inside the quotes; containers: the bracket.
        package var start: UInt32
        /// One past the last byte: of a string inside the quotes, of a container with its bracket.
        package var end: UInt32
        /// The index of the entry behind this one and all its children.
        package var next: UInt32
        /// A cheap digest of a string's raw bytes; equal strings without escapes have equal ones.
        package var digest: UInt16
        package var kind: Kind
        /// Whether a string holds escapes, that is: its text is not its bytes.
        package var hasEscapes: Bool

        @inlinable
        package var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// The root is entry 0; empty before the first parse and after a failed one.
    package internal(set) var entries: [Entry]

    package init() {
        self.entries = []
    }

    /// How many entries a tape keeps storage for from one text to the next.
    package static let keptEntryCount = 65_536
}

extension JSONTape {
    /// Returns the text of a string or name entry; `bytes` are those that were parsed.
    package func text(_ index: Int, in bytes: Span<UInt8>) -> Text {
        let entry = entries[index]
        return entry.hasEscapes
            ? JSONEscapes.decode(bytes.extracting(entry.range))
            : Text(utf8: bytes.extracting(entry.range))
    }

    /// Returns the number of a number entry.
    package func number(_ index: Int, in bytes: Span<UInt8>) -> JSONNumber {
        JSONNumber(validated: Text(utf8: bytes.extracting(entries[index].range)))
    }

    /// Returns where the values of the root object's members are, by name.
    package func members(in bytes: Span<UInt8>) -> [Text: Int] {
        var members: [Text: Int] = [:]
        var name = 1
        while name < entries.count {
            members[text(name, in: bytes)] = name + 1
            name = Int(entries[name + 1].next)
        }
        return members
    }

    /// Returns the tree below an entry.
    package func tree(_ index: Int, in bytes: Span<UInt8>) -> JSON {
        let entry = entries[index]
        switch entry.kind {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .number: return .number(number(index, in: bytes))
        case .string: return .string(text(index, in: bytes))
        case .array:
            var elements: [JSON] = []
            elements.reserveCapacity(childCount(of: index))
            var child = index + 1
            while child < Int(entry.next) {
                elements.append(tree(child, in: bytes))
                child = Int(entries[child].next)
            }
            return .array(elements)
        case .object:
            var members: [JSONObject.Member] = []
            members.reserveCapacity(childCount(of: index) / 2)
            var name = index + 1
            while name < Int(entry.next) {
                members.append(
                    JSONObject.Member(name: text(name, in: bytes), value: tree(name + 1, in: bytes))
                )
                name = Int(entries[name + 1].next)
            }
            return .object(JSONObject(members))
        }
    }

    /// Counts a container's children; an object's names and values alike.
    private func childCount(of container: Int) -> Int {
        var count = 0
        var child = container &+ 1
        while child < Int(entries[container].next) {
            count &+= 1
            child = Int(entries[child].next)
        }
        return count
    }
}
