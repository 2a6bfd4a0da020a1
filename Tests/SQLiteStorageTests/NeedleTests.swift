import Testing

@testable import SQLiteStorage

@Suite("Needle")
struct NeedleTests {
    private func isIn(_ needle: [UInt8], _ bytes: [UInt8]) -> Bool {
        guard !needle.isEmpty else { return true }
        guard bytes.count >= needle.count else { return false }
        return (0...bytes.count - needle.count).contains { start in
            bytes[start..<start + needle.count].elementsEqual(needle)
        }
    }

    @Test("is found exactly where it is, at every length and place")
    func places() {
        let needle = Needle()
        for count in [1, 2, 3, 15, 16, 17, 31, 40] {
            let wanted = (0..<count).map { UInt8(0x41 + $0 % 26) }
            needle.set(wanted)
            for room in 0..<70 {
                var bytes = [UInt8](repeating: 0x2E, count: room)
                #expect(!needle.isIn(bytes))
                guard room >= count else { continue }
                for start in 0...room - count {
                    bytes = [UInt8](repeating: 0x2E, count: room)
                    bytes.replaceSubrange(start..<start + count, with: wanted)
                    #expect(needle.isIn(bytes), "\(count) at \(start) of \(room)")
                    bytes[start + count - 1] = 0x2E
                    #expect(!needle.isIn(bytes), "\(count) at \(start) of \(room), cut")
                }
            }
        }
    }

    @Test("agrees with a plain search on random bytes of few kinds")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let needle = Needle()
        var hits = 0
        for _ in 0..<20_000 {
            func bytes(_ count: Int) -> [UInt8] {
                (0..<count).map { _ in Array("\"ab".utf8)[Int.random(in: 0..<3, using: &generator)]
                }
            }
            let wanted = bytes(Int.random(in: 1...6, using: &generator))
            let document = bytes(Int.random(in: 0...80, using: &generator))
            needle.set(wanted)
            let expected = isIn(wanted, document)
            #expect(needle.isIn(document) == expected, "\(wanted) in \(document)")
            hits += expected ? 1 : 0
        }
        #expect((2_000..<18_000).contains(hits))
    }

    @Test("what is longer than its room is looked for by its beginning")
    func long() {
        let needle = Needle()
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        needle.set(bytes)
        #expect(needle.isIn(bytes))
        #expect(needle.isIn(Array(bytes.prefix(256))))
        #expect(!needle.isIn(Array(bytes.prefix(255))))
        needle.set([])
        #expect(needle.isEmpty)
        #expect(needle.isIn([]))
    }
}
