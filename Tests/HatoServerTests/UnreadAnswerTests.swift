import Foundation
import Glibc
import HatoTesting
import Testing

/// Clients that ask for large lists and do not read them.
@Suite("Unread answers")
struct UnreadAnswerTests {
    private static let clients = 60
    private static let objects = 20
    private static let textBytes = 900_000
    private static let limit = 140_000_000

    @Test("leave memory bounded and other clients answered", .timeLimit(.minutes(10)))
    func boundedMemory() async throws {
        let folder = try TemporaryFolder()
        let data = folder.path(of: "data")
        let made = try ChildProcess(
            "hato",
            ["app", "create", "unread", "--application-key", "AK", "--data", data]
        )
        try #require(try made.wait() == .exited(0))
        let process = try ChildProcess(
            "hato",
            [
                "serve", "--data", data, "--listen", "127.0.0.1:0", "--loops", "2", "--log", "off",
                "--unsent-answer-bytes", String(UnreadAnswerTests.limit),
            ]
        )
        let line = try process.line(containing: " serves ")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        try await onThread { try self.stress(port: port, process) }
        process.send(SIGTERM)
        #expect(try process.wait() == .exited(0))
    }

    private func stress(port: Int, _ process: ChildProcess) throws {
        let client = try APIClient(port: port, applicationKey: "AK", session: nil)
        let text = String(repeating: "x", count: UnreadAnswerTests.textBytes)
        for _ in 0..<UnreadAnswerTests.objects {
            #expect(try client.send("POST", "/classes/Large", #"{"t":"\#(text)"}"#).status == 201)
        }
        let whole = try client.send("GET", "/classes/Large").body.count
        #expect(whole > UnreadAnswerTests.objects * UnreadAnswerTests.textBytes)
        let memory = try residentBytes(of: process)

        let request =
            "GET /2013-09-01/classes/Large HTTP/1.1\r\nHost: x\r\nX-NCMB-Application-Key: AK\r\n\r\n"
        var sockets: [TestSocket] = []
        for _ in 0..<UnreadAnswerTests.clients {
            let socket = try TestSocket(port: port, receiveBufferBytes: 4_096)
            try socket.send(Array(request.utf8))
            sockets.append(socket)
        }
        // Three quarters of the limit stay at most; who finds no room is answered 503, the rest is dropped.
        let deadline = Deadline(.seconds(90))
        var peak = 0
        while !sockets.allSatisfy(isHeardFrom) {
            try #require(!deadline.hasPassed)
            peak = max(peak, try residentBytes(of: process) - memory)
            #expect(try client.send("GET", "/classes/Large?limit=0&count=1").status == 200)
        }
        // Beside the answers: the pages that lists have read, and what the allocator keeps.
        let most = UnreadAnswerTests.limit + 60_000_000
        #expect(peak < most, "all answers together have \(whole * sockets.count) bytes")
        // One more finds room while they wait.
        #expect(try client.send("GET", "/classes/Large").body.count == whole)
        for socket in sockets { socket.reset() }
        while try residentBytes(of: process) - memory > 60_000_000 {
            try #require(!deadline.hasPassed)
            #expect(try client.send("GET", "/classes/Large?limit=0&count=1").status == 200)
        }
    }

    /// Whether an answer has begun to come, or the connection was dropped.
    private func isHeardFrom(_ socket: TestSocket) -> Bool {
        var entry = pollfd(fd: socket.descriptor, events: CShort(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}

/// What of a process is in memory and its own: no pages of files, which the system can take back at any
/// time, and not what the thread sanitizer writes down about memory.
///
/// The sanitizer keeps several bytes for each one that is read, of mapped files too, in an address range
/// that nothing else uses on Linux x86-64 (compiler-rt, tsan_platform.h).
func residentBytes(of process: ChildProcess) throws -> Int {
    // The file tells no size, and comes a page at a time.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process.pid)/smaps"))
    var bytes = Data()
    while let piece = try file.read(upToCount: 65_536), !piece.isEmpty { bytes.append(piece) }
    let text = String(decoding: bytes, as: UTF8.self)
    let shadow: Range<UInt> = 0x0100_0000_0000..<0x5000_0000_0000
    var isShadow = false
    var kilobytes = 0
    var maps = 0
    for line in text.split(separator: "\n") {
        // A map begins with START-END in hexadecimal; its figures follow as `Name: N kB`.
        if let dash = line.firstIndex(of: "-"), let start = UInt(line[..<dash], radix: 16) {
            isShadow = shadow.contains(start)
            maps += 1
        } else if !isShadow, line.hasPrefix("Anonymous:") {
            kilobytes += try #require(
                line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            )
        }
    }
    try #require(maps > 10 && kilobytes > 0)
    return kilobytes * 1_024
}
