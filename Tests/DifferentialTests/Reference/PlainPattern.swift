import HatoWire

/// A regular expression of the few kinds that the test generates, evaluated by trying everything.
///
/// Literals, `.`, `.*`, a backslash before what shall be literal, `^` at the beginning, `$` at the end.
struct PlainPattern {
    private enum Piece {
        case literal(Unicode.Scalar)
        case any
        case anyRun
    }

    private var pieces: [Piece] = []
    private var isAnchoredAtStart = false
    private var isAnchoredAtEnd = false

    init(_ text: Text) {
        var rest = Array(text.string.unicodeScalars)[...]
        if rest.first == "^" {
            isAnchoredAtStart = true
            rest.removeFirst()
        }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\": if let literal = rest.popFirst() { pieces.append(.literal(literal)) }
            case "$" where rest.isEmpty: isAnchoredAtEnd = true
            case "." where rest.first == "*":
                rest.removeFirst()
                pieces.append(.anyRun)
            case ".": pieces.append(.any)
            default: pieces.append(.literal(scalar))
            }
        }
    }

    /// Whether the pattern is found anywhere in the text that its anchors allow.
    func isFound(in text: Text) -> Bool {
        let scalars = Array(text.string.unicodeScalars)
        let starts = isAnchoredAtStart ? 0...0 : 0...scalars.count
        return starts.contains { holds(pieces[...], scalars[$0...]) }
    }

    private func holds(_ pieces: ArraySlice<Piece>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let piece = pieces.first else {
            // `$` is also before a line's end that closes the text.
            return !isAnchoredAtEnd || text.isEmpty || Array(text) == ["\n"]
        }
        let rest = pieces.dropFirst()
        switch piece {
        case .literal(let scalar): return text.first == scalar && holds(rest, text.dropFirst())
        case .any: return isAny(text.first) && holds(rest, text.dropFirst())
        case .anyRun:
            return holds(rest, text) || isAny(text.first) && holds(pieces, text.dropFirst())
        }
    }

    /// `.` is any character but the line's end.
    private func isAny(_ scalar: Unicode.Scalar?) -> Bool {
        scalar != nil && scalar != "\n"
    }
}
