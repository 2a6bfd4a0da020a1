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
///
/// A list's statement is put together of some thirty pieces for each list: they are numbers, which are
/// copied as a whole, and what is bound stands beside them.
package struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    fileprivate var shape = CompiledSQL.Shape()
    fileprivate var values: [SQLValue] = []

    package init(stringLiteral value: StaticString) {
        shape.append(value)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.fragment
    }

    fileprivate init() {}

    package struct StringInterpolation: StringInterpolationProtocol {
        package typealias StringLiteralType = StaticString

        fileprivate var fragment = SQLFragment()

        package init(literalCapacity: Int, interpolationCount: Int) {
            fragment.shape.reserve(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            fragment.shape.append(literal)
        }

        package mutating func appendInterpolation(_ value: SQLValue) {
            fragment.shape.appendParameter()
            fragment.values.append(value)
        }

        package mutating func appendInterpolation(_ other: SQLFragment) {
            fragment.append(other)
        }

        /// Appends the fragments with `separator` between them.
        package mutating func appendInterpolation(
            _ fragments: [SQLFragment],
            separator: StaticString
        ) {
            for (index, other) in fragments.enumerated() {
                if index > 0 { fragment.shape.append(separator) }
                fragment.append(other)
            }
        }
    }

    private mutating func append(_ other: SQLFragment) {
        shape.append(other.shape)
        if !other.values.isEmpty { values.append(contentsOf: other.values) }
    }

    /// Returns the statement with the dialect's placeholders.
    package func compiled(for dialect: some SQLDialect) -> CompiledSQL {
        CompiledSQL(shape: shape, values: values, placeholder: dialect.placeholder)
    }
}

/// A statement that is ready to be prepared: text and the values of its parameters 1, 2, ….
///
/// Its text is put together only when somebody asks for it: who has prepared the statement before
/// finds it by its shape, which costs a tenth.
package struct CompiledSQL: Sendable {
    /// Which literals follow each other, and where parameters stand: the same shape is the same text.
    package struct Shape: Sendable, Hashable {
        /// Address and length of each literal, which is in the program's own text; 0 for a parameter; of
        /// a literal of one character that is kept without an address, its negative code.
        private var marks: [Int] = []

        fileprivate mutating func append(_ literal: StaticString) {
            guard literal.hasPointerRepresentation else {
                marks.append(-Int(literal.unicodeScalar.value))
                return
            }
            guard literal.utf8CodeUnitCount > 0 else { return }
            marks.append(Int(bitPattern: literal.utf8Start))
            marks.append(literal.utf8CodeUnitCount)
        }

        /// Makes room for so many parts of some pieces each.
        fileprivate mutating func reserve(_ parts: Int) {
            marks.reserveCapacity(4 + 8 * parts)
        }

        fileprivate mutating func appendParameter() {
            marks.append(0)
        }

        fileprivate mutating func append(_ other: Shape) {
            marks.append(contentsOf: other.marks)
        }

        /// Enough to tell shapes apart mostly; equality compares all.
        package func hash(into hasher: inout Hasher) {
            var mixed = marks.count
            for mark in marks { mixed = mixed &* 31 &+ mark }
            hasher.combine(mixed)
        }

        fileprivate func text(placeholder: StaticString) -> String {
            var text = ""
            var number = 0
            var place = 0
            while place < marks.count {
                let mark = marks[place]
                place += 1
                if mark == 0 {
                    number += 1
                    text += placeholder.description
                    text += String(number)
                } else if let literal = UnsafePointer<UInt8>(bitPattern: mark), mark > 0 {
                    let bytes = UnsafeBufferPointer(start: literal, count: marks[place])
                    text += String(decoding: bytes, as: UTF8.self)
                    place += 1
                } else if let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: -mark)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
    }

    package let shape: Shape
    package let values: [SQLValue]
    private let placeholder: StaticString

    fileprivate init(shape: Shape, values: [SQLValue], placeholder: StaticString) {
        self.shape = shape
        self.values = values
        self.placeholder = placeholder
    }

    package var text: String { shape.text(placeholder: placeholder) }
}
