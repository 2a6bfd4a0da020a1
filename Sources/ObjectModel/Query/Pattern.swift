package import HatoWire

/// A regular expression (PCRE2 over UTF-8), compiled.
///
/// It is found anywhere in a text unless it says where. `\w`, `\d` and `\b` know ASCII alone, as
/// without a flag in MongoDB; `\C` is refused. So are `\G` and what is written `(*LIKE_THIS)`: they
/// would steer the search, which goes on in steps in long texts.
package struct Pattern: Sendable {
    package let text: Text
    let compiled: CompiledPattern

    /// Compiles the pattern, which costs some tens of microseconds.
    ///
    /// Errors: `invalidValue` with `$regex` as subject for what is no pattern or is past a limit.
    package init(_ text: Text, limits: PatternLimits = PatternLimits()) throws(DomainError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= limits.lengthBytes, !Pattern.steersTheSearch(bytes),
            let compiled = CompiledPattern(bytes.span, limits),
            compiled.memoryBytes <= limits.compiledBytes
        else { throw Pattern.refusal }
        self.text = text
        self.compiled = compiled
    }

    /// What the pattern holds in memory.
    package var memoryBytes: Int { compiled.memoryBytes }

    static let refusal = DomainError(.invalidValue, "$regex")

    private static func steersTheSearch(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch (bytes[index], next) {
            case (0x5C, 0x47): return true
            case (0x5C, _): index += 2
            case (0x28, 0x2A):
                // Assertions by name, `(*pla:…)`, are in lower case and do no harm.
                guard index + 2 < bytes.count, (0x61...0x7A).contains(bytes[index + 2]) else {
                    return true
                }
                index += 2
            default: index += 1
            }
        }
        return false
    }
}
