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

    /// Returns the statement with the dialect's placeholders.
    package func compiled(for dialect: some SQLDialect) -> CompiledSQL {
        CompiledSQL(self, placeholder: dialect.placeholder)
    }
}

/// A statement that is ready to be prepared: text and the values of its parameters 1, 2, ….
///
/// Its text is put together only when somebody asks for it: who has prepared the statement before
/// finds it by its shape, which costs a tenth.
package struct CompiledSQL: Sendable {
    /// Which literals follow each other, and where parameters stand: the same shape is the same text.
    package struct Shape: Sendable, Hashable {
        /// Addresses and lengths of the literals, which are in the program's own text; 0 for a parameter.
        fileprivate var marks: [Int] = []
    }

    package let shape: Shape
    package let values: [SQLValue]
    private let fragment: SQLFragment
    private let placeholder: StaticString

    fileprivate init(_ fragment: SQLFragment, placeholder: StaticString) {
        var shape = Shape()
        shape.marks.reserveCapacity(2 * fragment.pieces.count)
        var values: [SQLValue] = []
        for piece in fragment.pieces {
            switch piece {
            case .text(let text): text.appendMarks(to: &shape.marks)
            case .value(let value):
                shape.marks.append(0)
                values.append(value)
            }
        }
        self.shape = shape
        self.values = values
        self.fragment = fragment
        self.placeholder = placeholder
    }

    package var text: String {
        var text = ""
        var number = 0
        for piece in fragment.pieces {
            switch piece {
            case .text(let literal): text += literal.description
            case .value:
                number += 1
                text += placeholder.description
                text += String(number)
            }
        }
        return text
    }
}

extension StaticString {
    /// Appends what tells this literal from others: two numbers that are not 0, or of one character
    /// that is kept without an address, its negative code.
    fileprivate func appendMarks(to marks: inout [Int]) {
        guard hasPointerRepresentation else {
            marks.append(-Int(unicodeScalar.value))
            return
        }
        marks.append(Int(bitPattern: utf8Start))
        marks.append(utf8CodeUnitCount)
    }
}
