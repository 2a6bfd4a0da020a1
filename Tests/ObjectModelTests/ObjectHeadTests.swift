import HatoTesting
import HatoWire
import ObjectModel
import Testing

@Suite("Heads of objects in a list")
struct ObjectHeadTests {
    private struct Object {
        let id: [UInt8]
        let created: Timestamp
        let updated: Timestamp
        let acl: [UInt8]
        let document: [UInt8]
    }

    private func object(using random: inout SeededGenerator) -> Object {
        // Moments of one minute, of one day, of any time, of years with fewer and more than four digits.
        let moment = { (random: inout SeededGenerator) -> Timestamp in
            let spans: [Int64] = [1_000, 90_000_000, 1 << 46, 1 << 52]
            let span = spans.randomElement(using: &random) ?? 1
            let start: Int64 = 1_790_000_000_000
            return Timestamp(
                millisecondsSinceEpoch: start + Int64.random(in: -span...span, using: &random)
            )
        }
        let created = moment(&random)
        return Object(
            id: Array(
                repeating: 0x61,
                count: [16, 16, 16, 1, 30].randomElement(using: &random) ?? 1
            ),
            created: created,
            updated: Bool.random(using: &random) ? created : moment(&random),
            acl: Array((Bool.random(using: &random) ? "{}" : "{\"*\":{\"read\":true}}").utf8),
            document: Array((Bool.random(using: &random) ? "{}" : "{\"n\":\"é\"}").utf8)
        )
    }

    @Test("what is kept of the last object never shows in the next: each is as it is alone")
    func eachAsAlone() {
        var random = SeededGenerator(seed: 11)
        var head = ObjectHead()
        for _ in 0..<5_000 {
            let object = object(using: &random)
            var alone: [UInt8] = []
            ObjectJSON.append(
                id: object.id.span,
                created: object.created,
                updated: object.updated,
                acl: object.acl.span,
                document: object.document.span,
                to: &alone
            )
            var listed = Array("[".utf8)
            head.append(
                id: object.id.span,
                created: object.created,
                updated: object.updated,
                acl: object.acl.span,
                document: object.document.span,
                to: &listed
            )
            #expect(listed.dropFirst() == alone[...])
        }
    }
}
