/// An answer as it came over the wire.
package struct TestHTTPResponse: Sendable {
    package var version: String
    package var status: Int
    package var reason: String
    /// In the order of the wire, values trimmed.
    package var headers: [(name: String, value: String)]
    /// Decoded when chunked.
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the first header of that name, whatever its case.
    package subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
