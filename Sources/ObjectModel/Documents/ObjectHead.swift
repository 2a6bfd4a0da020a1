package import HatoWire

/// The beginning of an object's JSON, up to its `acl`, kept for the next object of a list.
///
/// Heads of one list differ in few bytes: those are written over, and the whole is copied at once. Its
/// three pieces are copied here and not by `ByteWriter`, which takes 190 instructions more an object.
package struct ObjectHead {
    /// The last object's head.
    private var bytes: [UInt8] = []
    private var idCount = -1
    private var created = Timestamp(millisecondsSinceEpoch: 0)
    private var updated = Timestamp(millisecondsSinceEpoch: 0)
    private var minutes = ISOMinutes()

    private static let idStart = 13
    private static let betweenCount = 16
    /// Bytes of a moment whose year has four digits.
    private static let momentCount = 24

    package init() {}

    /// Appends an object as `ObjectJSON` has it.
    package mutating func append(
        id: Span<UInt8>,
        created: Timestamp,
        updated: Timestamp,
        acl: Span<UInt8>,
        document: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        prepare(id, created, updated)
        let hasMembers = document.count > 2
        let count = bytes.count + acl.count + (hasMembers ? document.count : 1)
        let needed = output.count + count
        if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.capacity)) }
        output.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { room, written in
                var rest = UnsafeMutableRawBufferPointer(room)
                bytes.withUnsafeBytes { ObjectHead.write($0, to: &rest) }
                acl.withUnsafeBytes { ObjectHead.write($0, to: &rest) }
                if hasMembers {
                    // A comma takes the place of the document's brace.
                    document.withUnsafeBytes { ObjectHead.write($0, to: &rest) }
                    room[count - document.count] = 0x2C
                } else {
                    room[count - 1] = 0x7D
                }
                written = count
            }
        }
    }

    @inline(__always)
    private static func write(
        _ bytes: UnsafeRawBufferPointer,
        to rest: inout UnsafeMutableRawBufferPointer
    ) {
        rest.copyMemory(from: bytes)
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[bytes.count...])
    }

    /// Makes the kept head that of an object.
    private mutating func prepare(_ id: Span<UInt8>, _ created: Timestamp, _ updated: Timestamp) {
        guard id.count == idCount else { return make(id, created, updated) }
        let createdStart = ObjectHead.idStart + idCount + ObjectHead.betweenCount
        let updatedStart = createdStart + ObjectHead.momentCount + ObjectHead.betweenCount
        if created != self.created {
            guard put(created, at: createdStart) else { return make(id, created, updated) }
            self.created = created
        }
        if updated != self.updated {
            guard put(updated, at: updatedStart) else { return make(id, created, updated) }
            self.updated = updated
        }
        bytes.withUnsafeMutableBytes { bytes in
            let place = UnsafeMutableRawBufferPointer(rebasing: bytes[ObjectHead.idStart...])
            id.withUnsafeBytes { place.copyMemory(from: $0) }
        }
    }

    /// Writes a moment over the one that stands there; false when its year has not four digits.
    private mutating func put(_ moment: Timestamp, at start: Int) -> Bool {
        let text = minutes.text(of: moment)
        guard text.hasUsualYear else { return false }
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: text.words.0.littleEndian, toByteOffset: start, as: UInt64.self)
            bytes.storeBytes(
                of: text.words.1.littleEndian,
                toByteOffset: start + 8,
                as: UInt64.self
            )
            bytes.storeBytes(
                of: text.words.2.littleEndian,
                toByteOffset: start + 16,
                as: UInt64.self
            )
        }
        return true
    }

    private mutating func make(_ id: Span<UInt8>, _ created: Timestamp, _ updated: Timestamp) {
        let texts = (minutes.text(of: created), minutes.text(of: updated))
        bytes.removeAll(keepingCapacity: true)
        ByteWriter.append(ObjectJSON.headCount(id, texts.0, texts.1), to: &bytes) {
            ObjectJSON.writeHead(id, texts.0, texts.1, to: &$0)
        }
        idCount = texts.0.hasUsualYear && texts.1.hasUsualYear ? id.count : -1
        self.created = created
        self.updated = updated
    }
}
