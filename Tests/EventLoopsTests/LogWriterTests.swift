import EventLoops
import Glibc
import HatoTesting
import Telemetry
import Testing

@Suite("LogWriter")
struct LogWriterTests {
    private static func pipe() throws -> (reader: CInt, writer: CInt) {
        var ends: [CInt] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw TestFailure.system(call: "pipe", errno: errno) }
        return (ends[0], ends[1])
    }

    /// A blocking write of all of `line`, as to standard error.
    private static func write(_ line: [UInt8], to descriptor: CInt) {
        var written = 0
        while written < line.count {
            let count = line[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR else { return }
            written += max(count, 0)
        }
    }

    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// How many lines a line says were dropped, if that is what it says.
    private func droppedCount(_ line: String) -> Int? {
        guard line.contains("log lines were dropped") else { return nil }
        return line.split(separator: "=").last.flatMap { Int($0) }
    }

    @Test("never waits for a pipe that nobody reads, and says how many lines it has dropped")
    func unreadPipe() throws {
        let (reader, end) = try Self.pipe()
        let writer = try LogWriter(
            format: .text,
            wallMilliseconds: { 0 },
            queueLimitBytes: 100_000,
            sink: { Self.write($0, to: end) }
        )
        let log = Log(
            threshold: .info,
            format: .text,
            wallMilliseconds: { 0 },
            sink: { writer.write($0) }
        )
        // Far more than pipe and queue take: a call that waited would wait for ever.
        for number in 0..<10_000 { log.info("something", ["number": String(number)]) }
        var bytes: [UInt8] = []
        var kept = 0
        var dropped = 0
        let deadline = Deadline()
        while kept + dropped < 10_000, try deadline.awaits(CShort(POLLIN), on: reader) {
            var space = [UInt8](repeating: 0, count: 65_536)
            let count = read(reader, &space, space.count)
            bytes += space[..<max(count, 0)]
            guard bytes.last == 10 else { continue }
            let counts = lines(bytes).map { droppedCount($0) }
            dropped = counts.reduce(0) { $0 + ($1 ?? 0) }
            kept = counts.count { $0 == nil }
        }
        #expect(kept + dropped == 10_000)
        #expect(dropped > 5_000)
        let first = try #require(lines(bytes).first)
        #expect(first == "1970-01-01T00:00:00.000Z info something number=0")
        #expect(writer.close(within: .seconds(10)))
        close(reader)
        close(end)
    }

    @Test("writes what waits when it is closed, in order, and nothing afterwards")
    func closing() throws {
        let written = try Mailbox<[UInt8]>()
        let writer = try LogWriter(
            format: .json,
            wallMilliseconds: { 0 },
            sink: { written.put($0) }
        )
        for number in 0..<100 { writer.write([UInt8(number)]) }
        #expect(writer.close(within: .seconds(10)))
        writer.write([100])
        #expect(try written.all() == (0..<100).map { [UInt8($0)] })
    }

    @Test("closes within the bound although nobody reads the pipe")
    func boundedClose() throws {
        signal(SIGPIPE, SIG_IGN)
        let (reader, end) = try Self.pipe()
        let ended = try Mailbox<Bool>()
        let writer = try LogWriter(
            format: .text,
            wallMilliseconds: { 0 },
            sink: {
                Self.write($0, to: end)
                ended.put(true)
            }
        )
        writer.write([UInt8](repeating: 0x61, count: 1_000_000))
        let start = ContinuousClock.now
        #expect(!writer.close(within: .milliseconds(30)))
        #expect(ContinuousClock.now - start < .seconds(10))
        close(reader)
        #expect(try ended.next("the broken pipe's error"))
        close(end)
    }

    @Test("queues lines up to its limit and drops the one past it")
    func limit() throws {
        let gate = try Mailbox<Bool>()
        let written = try Mailbox<[UInt8]>()
        let line = [UInt8](repeating: 0x61, count: 36)
        let writer = try LogWriter(
            format: .text,
            wallMilliseconds: { 0 },
            queueLimitBytes: 3 * (line.count + LogWriter.lineOverheadBytes),
            sink: {
                written.put($0)
                _ = try? gate.next()
            }
        )
        writer.write(line)
        // Being written, it still counts.
        #expect(try written.next() == line)
        for _ in 0..<3 { writer.write(line) }
        for _ in 0..<4 { gate.put(true) }
        #expect(writer.close(within: .seconds(10)))
        let rest = try written.all()
        #expect(rest.count == 3 && rest[0] == line && rest[1] == line)
        #expect(lines(rest[2]).compactMap { droppedCount($0) } == [1])
    }
}
