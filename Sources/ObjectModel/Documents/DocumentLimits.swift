package import HatoWire

/// Bounds on one stored document and on the body that writes it (rulings 8).
package struct DocumentLimits: Sendable, Hashable {
    /// Length of the canonical document.
    package var documentBytes: Int
    /// Fields of the client in one document.
    package var fieldCount: Int
    /// Containers inside each other, the document itself included.
    package var depth: Int
    /// Length of a request's JSON body; a longer one is refused before it is parsed.
    package var bodyBytes: Int
    /// Entries of one access list.
    package var aclEntries: Int

    /// Creates limits; `depth` is at most `JSONLimits.greatestDepth`.
    ///
    /// `bodyBytes` nil: four times the document. Encoders that write everything outside ASCII as
    /// `\uXXXX` make up to three of one; the fourth is for blanks and the access list.
    package init(
        documentBytes: Int = 1_048_576,
        fieldCount: Int = 1_000,
        depth: Int = 32,
        bodyBytes: Int? = nil,
        aclEntries: Int = 100
    ) {
        self.documentBytes = documentBytes
        self.fieldCount = fieldCount
        self.depth = depth
        let fourfold = documentBytes.multipliedReportingOverflow(by: 4)
        self.bodyBytes = bodyBytes ?? (fourfold.overflow ? .max : fourfold.partialValue)
        self.aclEntries = aclEntries
    }

    /// Values and names of a body that never reach the document: access lists and operations.
    private static let extraEntries = 10_000

    /// The same bounds as the JSON parser takes them.
    ///
    /// A value and a name take two bytes of a document at least: a body with more of them than half
    /// the document's bytes can't fit.
    package var json: JSONLimits {
        JSONLimits(
            textBytes: min(bodyBytes, JSONLimits.greatestTextBytes),
            depth: depth,
            entryCount: documentBytes / 2 + DocumentLimits.extraEntries
        )
    }
}
