package import HatoWire

/// An object's JSON as REST answers it: the system's fields first, then the document's own.
package enum ObjectJSON {
    /// Appends `{"objectId":"…","createDate":"…","updateDate":"…","acl":{…},<members>}`.
    ///
    /// Nothing is parsed or encoded: `id` is letters and digits, `acl` and `document` are canonical
    /// objects, the latter spliced in without its braces. `ObjectHead` does the same for many.
    package static func append(
        id: Span<UInt8>,
        created: Timestamp,
        updated: Timestamp,
        acl: Span<UInt8>,
        document: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        let createDate = ISOTimestamp(created)
        let updateDate = updated == created ? createDate : ISOTimestamp(updated)
        let hasMembers = document.count > 2
        let count =
            headCount(id, createDate, updateDate) + acl.count
            + (hasMembers ? document.count : 1)
        ByteWriter.append(count, to: &output) { writer in
            writeHead(id, createDate, updateDate, to: &writer)
            writer.write(acl)
            if hasMembers {
                writer.write(0x2C)
                writer.write(document.extracting(1..<document.count))
            } else {
                writer.write(0x7D)
            }
        }
    }

    /// The bytes of what stands before the `acl`'s value.
    static func headCount(
        _ id: Span<UInt8>,
        _ created: ISOTimestamp,
        _ updated: ISOTimestamp
    ) -> Int {
        53 + id.count + created.count + updated.count
    }

    static func writeHead(
        _ id: Span<UInt8>,
        _ created: ISOTimestamp,
        _ updated: ISOTimestamp,
        to writer: inout ByteWriter
    ) {
        writer.write("{\"objectId\":\"")
        writer.write(id)
        writer.write("\",\"createDate\":\"")
        writer.write(created)
        writer.write("\",\"updateDate\":\"")
        writer.write(updated)
        writer.write("\",\"acl\":")
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
