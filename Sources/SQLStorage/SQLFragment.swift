package import HatoWire

/// A value that a statement binds.
package enum SQLValue: Sendable, Hashable {
    case integer(Int64)
    case text(Text)
    case blob([UInt8])
}

/// A piece of SQL: text that stands in our source, and values that are bound.
///
/// It cannot be built from text made at run time: its literals are `StaticString`s, and whatever is
/// interpolated becomes a parameter. `"class = \(.integer(7))"` is `class = ?1` with 7 bound.
package struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    fileprivate enum Piece: Sendable {
        case text(StaticString)
        case value(SQLValue)
    }

    fileprivate var pieces: [Piece]

    package init(stringLiteral value: StaticString) {
        self.pieces = [.text(value)]
    }

    package init(stringInterpolation: StringInterpolation) {
        self.pieces = stringInterpolation.pieces
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        package typealias StringLiteralType = StaticString

        fileprivate var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(2 * interpolationCount + 1)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            pieces.append(.text(literal))
        }

        package mutating func appendInterpolation(_ value: SQLValue) {
            pieces.append(.value(value))
        }

        package mutating func appendInterpolation(_ fragment: SQLFragment) {
            pieces.append(contentsOf: fragment.pieces)
        }

        /// Appends the fragments with `separator` between them.
        package mutating func appendInterpolation(
            _ fragments: [SQLFragment],
            separator: StaticString
        ) {
            for (index, fragment) in fragments.enumerated() {
                if index > 0 { pieces.append(.text(separator)) }
                pieces.append(contentsOf: fragment.pieces)
            }
        }
    }

    /// Renders the text with the dialect's placeholders, and the values in their order.
    package func rendered(in dialect: some SQLDialect) -> CompiledSQL {
        var compiled = CompiledSQL(text: "", values: [])
        for piece in pieces {
            switch piece {
            case .text(let text): compiled.text += text.description
            case .value(let value):
                compiled.values.append(value)
                dialect.appendPlaceholder(compiled.values.count, to: &compiled.text)
            }
        }
        return compiled
    }
}

/// A statement that is ready to be prepared: text and the values of its parameters 1, 2, ….
package struct CompiledSQL: Sendable, Hashable {
    package fileprivate(set) var text: String
    package fileprivate(set) var values: [SQLValue]
}
