import HatoWire
import ObjectModel

/// JSON texts, and the values that NCMB's typed objects make of them.
enum JSONTarget {
    /// Small, so that a fuzzer's inputs pass each of them.
    private static let limits = JSONLimits(
        textBytes: 2_048,
        depth: 12,
        entryCount: 256,
        memberCount: 40,
        numberBytes: 48
    )

    static func check(_ input: [UInt8]) throws {
        try checkUTF8(input)
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(input, limits: limits)
        } catch {
            try hold((0...input.count).contains(error.offset), "an error behind the text")
            try checkLimits(input, error)
            return
        }
        try hold(input.count <= limits.textBytes, "a text past its limit")
        try hold(UTF8Validator.isValid(input.span), "a text that is not UTF-8")
        try checkCanonical(json)
        try checkBounds(json, depth: 1)
        try checkValue(json)
    }

    /// What small limits refuse, the usual ones either take or refuse for another reason.
    private static func checkLimits(_ input: [UInt8], _ error: JSONError) throws {
        let isLimit: Bool
        switch error.code {
        case .tooManyBytes, .tooDeep, .tooManyValues, .tooManyMembers, .numberTooLong:
            isLimit = true
        case .unexpectedEnd, .unexpectedByte, .byteOrderMark, .trailingText, .invalidUTF8,
            .controlCharacter, .invalidEscape, .loneSurrogate, .invalidNumber, .numberOutOfRange,
            .duplicateName, .nulInName:
            isLimit = false
        }
        guard (try? JSON.parse(input)) != nil else { return }
        try hold(isLimit, "\(error.code) depends on the limits")
    }

    /// Text that is written canonically means the same and is written in the same way again.
    private static func checkCanonical(_ json: JSON) throws {
        let canonical = JSONWriter.bytes(json)
        let again = try JSON.parse(canonical)
        try hold(again == json, "canonical text means something else")
        try hold(JSONWriter.bytes(again) == canonical, "canonical text is not stable")
    }

    private static func checkBounds(_ json: JSON, depth: Int) throws {
        switch json {
        case .null, .bool, .string: return
        case .number(let number): try checkNumber(number)
        case .array(let elements):
            try hold(depth <= limits.depth, "deeper than the limit")
            for element in elements { try checkBounds(element, depth: depth + 1) }
        case .object(let object):
            try hold(depth <= limits.depth, "deeper than the limit")
            try hold(object.members.count <= limits.memberCount, "more members than the limit")
            let names = Set(object.members.map(\.name))
            try hold(names.count == object.members.count, "a name twice")
            for member in object.members {
                try hold(!member.name.utf8.contains(0), "NUL in a name")
                try checkBounds(member.value, depth: depth + 1)
            }
        }
    }

    private static func checkNumber(_ number: JSONNumber) throws {
        try hold(number.text.utf8.count <= limits.numberBytes, "a number past its limit")
        guard let expected = Double(number.text.string) else {
            throw Violation("a number that the standard library does not read")
        }
        let value = number.value
        try hold(value == value && value.order(against: value) == 0, "a number unlike itself")
        switch value {
        case .double(let double): try hold(double == expected, "another number")
        case .integer(let integer): try hold(Double(integer) == expected, "another integer")
        }
        try hold(number.adding(JSONNumber(0))?.value == value, "0 changes a number")
    }

    /// A value is stored as bytes that read as the same value.
    private static func checkValue(_ json: JSON) throws {
        let value: Value
        do throws(DomainError) {
            value = try Value(json: json, field: "f")
        } catch {
            try hold(error.code != .system, "a value that is our own fault")
            return
        }
        let bytes = value.canonicalBytes
        let again = try Value(json: try JSON.parse(bytes), field: "f")
        try hold(again == value, "a stored value reads as another")
        try hold(again.canonicalBytes == bytes, "a stored value is not stable")
        try hold(JSONWriter.bytes(value.json) == bytes, "a value's tree is not its bytes")
        try hold(OrderedKey(again).bytes == OrderedKey(value).bytes, "a value has two keys")
    }

    private static func checkUTF8(_ input: [UInt8]) throws {
        let expected = String(validating: input, as: UTF8.self) != nil
        for size in pieceSizes {
            var validator = UTF8Validator()
            let accepted = input.pieces(of: size).allSatisfy { validator.accept($0.span) }
            let isValid = accepted && validator.isAtBoundary
            try hold(isValid == expected, "UTF-8 in pieces of \(size) is judged otherwise")
        }
    }
}
