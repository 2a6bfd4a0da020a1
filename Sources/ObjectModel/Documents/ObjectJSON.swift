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
        days: inout ISODays,
        to output: inout [UInt8]
    ) {
        let literals = 53
        let createDate = days.text(of: created)
        let updateDate = updated == created ? createDate : days.text(of: updated)
        let hasMembers = document.count > 2
        let count =
            literals + id.count + createDate.count + updateDate.count + acl.count
            + (hasMembers ? document.count : 1)
        ByteWriter.append(count, to: &output) { writer in
            writer.write("{\"objectId\":\"")
            writer.write(id)
            writer.write("\",\"createDate\":\"")
            writer.write(createDate)
            writer.write("\",\"updateDate\":\"")
            writer.write(updateDate)
            writer.write("\",\"acl\":")
            writer.write(acl)
            if hasMembers {
                writer.write(0x2C)
                writer.write(document.extracting(1..<document.count))
            } else {
                writer.write(0x7D)
            }
        }
    }

    package static func append(
        id: Span<UInt8>,
        created: Timestamp,
        updated: Timestamp,
        acl: Span<UInt8>,
        document: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        var days = ISODays()
        append(
            id: id,
            created: created,
            updated: updated,
            acl: acl,
            document: document,
            days: &days,
            to: &output
        )
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
