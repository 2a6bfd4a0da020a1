package import HatoWire

/// An object's JSON as REST answers it: the system's fields first, then the document's own.
package enum ObjectJSON {
    /// Appends `{"objectId":"…","createDate":"…","updateDate":"…","acl":{…},<members>}`.
    ///
    /// Nothing is parsed or encoded: `document` is a canonical object, spliced in without its
    /// braces.
    package static func append(
        id: Text,
        created: Timestamp,
        updated: Timestamp,
        acl: ACL,
        document: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count + document.count + acl.json.count + 136)
        JSONWriter.append(literal: "{\"objectId\":", to: &output)
        JSONWriter.append(string: id, to: &output)
        JSONWriter.append(literal: ",\"createDate\":\"", to: &output)
        created.append(to: &output)
        JSONWriter.append(literal: "\",\"updateDate\":\"", to: &output)
        updated.append(to: &output)
        JSONWriter.append(literal: "\",\"acl\":", to: &output)
        output.append(contentsOf: acl.json)
        if document.count > 2 {
            output.append(0x2C)
            JSONWriter.append(raw: document.extracting(1..<document.count), to: &output)
        } else {
            output.append(0x7D)
        }
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
