import Glibc
import Testing

@testable import EventLoops

@Suite("Outbox")
struct OutboxTests {
    /// Two connected sockets that do not block.
    private static func pair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private static func readAll(_ descriptor: Int32, into bytes: inout [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    private func append(_ bytes: [UInt8], to outbox: Outbox) {
        bytes.withUnsafeBytes { outbox.append(copying: $0) }
    }

    @Test("keeps frames and copies in order through partial writes")
    func order() throws {
        let (near, far) = try Self.pair()
        defer {
            close(near)
            close(far)
        }
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 64)
        defer { vectors.deallocate() }
        let outbox = Outbox()
        var expected: [UInt8] = []
        for index in 0..<300 {
            let piece = [UInt8](repeating: UInt8(index & 0xFF), count: 1 + index * 37 % 9_000)
            expected += piece
            switch index % 4 {
            case 0: append(piece, to: outbox)
            case 1: outbox.append(Frame(adopting: piece))
            default: outbox.append(Frame(piece))
            }
        }
        var read: [UInt8] = []
        var taken = 0
        while !outbox.isEmpty {
            let count = outbox.write(upTo: .max, to: near, by: vectors).result
            if count > 0 { taken += count } else { #expect(count == -Int(EAGAIN)) }
            Self.readAll(far, into: &read)
        }
        #expect(taken == expected.count)
        #expect(read == expected)
    }

    @Test("offers no more than it may, of copies, frames and adopted arrays", arguments: 0...2)
    func offers(kind: Int) throws {
        let (near, far) = try Self.pair()
        defer {
            close(near)
            close(far)
        }
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 64)
        defer { vectors.deallocate() }
        let outbox = Outbox()
        let piece = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        switch kind {
        case 0: append(piece, to: outbox)
        case 1: outbox.append(Frame(piece))
        default: outbox.append(Frame(adopting: piece))
        }
        for (expected, spent) in [(300, 300), (300, 600), (300, 900), (100, 0)] {
            let writing = outbox.write(upTo: 300, to: near, by: vectors)
            #expect((writing.result, writing.offered) == (expected, expected))
            #expect(outbox.spentBytes == spent)
        }
        #expect(outbox.isEmpty)
        var read: [UInt8] = []
        Self.readAll(far, into: &read)
        #expect(read == piece)
    }

    @Test("gives its first bytes away, of one piece at a time and no more than asked for")
    func takingFirst() {
        let outbox = Outbox()
        outbox.append(Frame([1, 2, 3]))
        outbox.append(Frame(adopting: [4, 5]))
        append([6, 7, 8], to: outbox)
        var pieces: [[UInt8]] = []
        while !outbox.isEmpty {
            let count = outbox.takeFirst(upTo: 2) { span in
                pieces.append(span.withUnsafeBufferPointer { Array($0) })
            }
            #expect(count == pieces.last?.count)
        }
        #expect(pieces == [[1, 2], [3], [4, 5], [6, 7], [8]])
    }

    @Test("counts each frame, and copies after the last one as one")
    func counts() {
        let outbox = Outbox()
        append([1], to: outbox)
        append([2], to: outbox)
        #expect(outbox.frameCount == 1)
        outbox.append(Frame([3]))
        #expect(outbox.frameCount == 2)
        append([4], to: outbox)
        #expect(outbox.frameCount == 3)
    }

    private func append(frame bytes: [UInt8], to outbox: Outbox) {
        _ = outbox.append(atMost: bytes.count, isFrame: true) { $0.append(contentsOf: bytes) }
    }

    @Test("counts frames that lie one behind the other until they are written")
    func countsInPlace() {
        let outbox = Outbox()
        append([1, 2], to: outbox)
        append(frame: [3, 4], to: outbox)
        append(frame: [5, 6], to: outbox)
        append([7], to: outbox)
        append([8], to: outbox)
        #expect(outbox.frameCount == 4)
        outbox.forget(3)
        #expect(outbox.frameCount == 3)
        outbox.forget(3)
        #expect(outbox.frameCount == 1)
        append(frame: [9], to: outbox)
        #expect(outbox.frameCount == 2)
        outbox.forget(3)
        #expect(outbox.frameCount == 0)
        #expect(outbox.isEmpty)
    }

    @Test("keeps no more of what is written than waits, for a reader that is always behind")
    func writtenBytes() throws {
        let outbox = Outbox()
        let piece = [UInt8](repeating: 1, count: 30_000)
        append(frame: piece, to: outbox)
        for _ in 0..<1_000 {
            append(frame: piece, to: outbox)
            outbox.forget(piece.count)
            #expect(outbox.frameCount == 1)
        }
        let tail = Mirror(reflecting: outbox).children.first { $0.label == "tail" }?.value
        #expect(try #require(tail as? [UInt8]).count < 200_000)
    }

    @Test("drops all that is not begun, and nothing of what is begun")
    func dropping() throws {
        let (near, far) = try Self.pair()
        defer {
            close(near)
            close(far)
        }
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 64)
        defer { vectors.deallocate() }
        let outbox = Outbox()
        let big = [UInt8](repeating: 7, count: 4_000_000)
        outbox.append(Frame(big))
        outbox.append(Frame([8, 8, 8]))
        append([9], to: outbox)
        let taken = outbox.write(upTo: .max, to: near, by: vectors).result
        try #require(taken > 0 && taken < big.count)
        #expect(outbox.dropUnbegun() == big.count - taken)
        append([10], to: outbox)
        var read: [UInt8] = []
        while !outbox.isEmpty {
            Self.readAll(far, into: &read)
            _ = outbox.write(upTo: .max, to: near, by: vectors)
        }
        Self.readAll(far, into: &read)
        #expect(read == big + [10])

        let untouched = Outbox()
        untouched.append(Frame([1]))
        append([2], to: untouched)
        #expect(untouched.dropUnbegun() == 0)
        #expect(untouched.isEmpty)
    }

    @Test("keeps gathered copies whole once they are begun")
    func droppingTail() throws {
        let (near, far) = try Self.pair()
        defer {
            close(near)
            close(far)
        }
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 64)
        defer { vectors.deallocate() }
        for sealsTail in [false, true] {
            let outbox = Outbox()
            let big = [UInt8](repeating: 5, count: 3_000_000)
            append(big, to: outbox)
            let taken = outbox.write(upTo: .max, to: near, by: vectors).result
            try #require(taken > 0 && taken < big.count)
            if sealsTail { outbox.append(Frame([6])) }
            #expect(outbox.dropUnbegun() == big.count - taken)
            var read: [UInt8] = []
            while !outbox.isEmpty {
                Self.readAll(far, into: &read)
                _ = outbox.write(upTo: .max, to: near, by: vectors)
            }
            Self.readAll(far, into: &read)
            #expect(read == big)
        }
    }
}
