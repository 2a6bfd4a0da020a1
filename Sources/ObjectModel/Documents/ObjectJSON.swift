package import HatoWire

/// An object's JSON as REST answers it: the system's fields first, then the document's own.
package enum ObjectJSON {
    /// Appends `{"objectId":"…","createDate":"…","updateDate":"…","acl":{…},<members>}`.
    ///
    /// Nothing is parsed or encoded: `id` is letters and digits, `acl` and `document` are canonical
    /// objects, the latter spliced in without its braces.
    package static func append(
        id: Span<UInt8>,
        created: Timestamp,
        updated: Timestamp,
        acl: Span<UInt8>,
        document: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        makeRoom(id.count + acl.count + document.count + 120, in: &output)
        JSONWriter.append(literal: "{\"objectId\":\"", to: &output)
        JSONWriter.append(raw: id, to: &output)
        JSONWriter.append(literal: "\",\"createDate\":\"", to: &output)
        created.append(to: &output)
        JSONWriter.append(literal: "\",\"updateDate\":\"", to: &output)
        updated.append(to: &output)
        JSONWriter.append(literal: "\",\"acl\":", to: &output)
        JSONWriter.append(raw: acl, to: &output)
        if document.count > 2 {
            output.append(0x2C)
            JSONWriter.append(raw: document.extracting(1..<document.count), to: &output)
        } else {
            output.append(0x7D)
        }
    }

    /// Grows by doubling: to ask for what one object needs, object after object, would copy a list
    /// each time.
    private static func makeRoom(_ count: Int, in output: inout [UInt8]) {
        let needed = output.count + count
        guard needed > output.capacity else { return }
        output.reserveCapacity(max(needed, 2 * output.capacity))
    }

    package static func append(
        id: Text,
        created: Timestamp,
        updated: Timestamp,
        acl: ACL,
        document: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        let id = Array(id.utf8)
        append(
            id: id.span,
            created: created,
            updated: updated,
            acl: acl.json.span,
            document: document,
            to: &output
        )
    }

    package static func append(
        id: Text,
        created: Timestamp,
        updated: Timestamp,
        acl: ACL,
        document: [UInt8],
        to output: inout [UInt8]
    ) {
        append(
            id: id,
            created: created,
            updated: updated,
            acl: acl,
            document: document.span,
            to: &output
        )
    }

    /// Appends a stored object.
    package static func append(_ object: StoredObject, to output: inout [UInt8]) {
        append(
            id: object.id,
            created: object.created,
            updated: object.updated,
            acl: object.acl,
            document: object.document.span,
            to: &output
        )
    }
}
