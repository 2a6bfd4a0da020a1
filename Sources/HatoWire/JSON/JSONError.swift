/// Why bytes are not JSON that Hato accepts.
package struct JSONError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable, CaseIterable {
        case unexpectedEnd
        case unexpectedByte
        case byteOrderMark
        case trailingText
        case invalidUTF8
        case controlCharacter
        case invalidEscape
        case loneSurrogate
        case invalidNumber
        /// The nearest Double would be infinite.
        case numberOutOfRange
        case duplicateName
        case nulInName
        case tooManyBytes
        case tooDeep
        case tooManyValues
        case tooManyMembers
        case numberTooLong
    }

    package var code: Code
    /// Where in the bytes the parser stopped.
    package var offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}
