package import HatoWire

/// Bounds on one stored document and on the body that writes it (rulings 8).
package struct DocumentLimits: Sendable, Hashable {
    /// Length of the canonical document.
    package var documentBytes: Int
    /// Fields of the client in one document.
    package var fieldCount: Int
    /// Containers inside each other, the document itself included.
    package var depth: Int
    /// Length of a request's JSON body.
    package var bodyBytes: Int

    package init(
        documentBytes: Int = 1_048_576,
        fieldCount: Int = 1_000,
        depth: Int = 32,
        bodyBytes: Int = 10_485_760
    ) {
        self.documentBytes = documentBytes
        self.fieldCount = fieldCount
        self.depth = depth
        self.bodyBytes = bodyBytes
    }

    /// The same bounds as the JSON parser takes them.
    package var json: JSONLimits {
        JSONLimits(textBytes: bodyBytes, depth: depth)
    }
}
