import Foundation
import Glibc
import HatoTesting
import HatoWire
import ObjectModel
import Synchronization
import Testing

@testable import SQLiteStorage

/// Full disks and killed processes: this test program starts itself as a child for each, so that
/// limits and signals meet nobody else.
@Suite("Hardship", .timeLimit(.minutes(10)))
struct HardshipTests {
    /// Names the child's task; the folder follows in `folderVariable`.
    private static let taskVariable = "HATO_STORAGE_CHILD"
    private static let folderVariable = "HATO_STORAGE_FOLDER"

    private static func isChild(_ task: String) -> Bool {
        ProcessInfo.processInfo.environment[taskVariable] == task
    }

    /// A child runs its own task and nothing else: it must not start children.
    private static let isParent = ProcessInfo.processInfo.environment[taskVariable] == nil

    /// Starts the test function `task` of this suite, alone, in a process of its own.
    private func child(_ task: String, _ folder: TemporaryFolder) throws -> ChildProcess {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try ChildProcess(
            program,
            ["--testing-library", "swift-testing", "--filter", "HardshipTests/\(task)"],
            environment: [
                HardshipTests.taskVariable: task, HardshipTests.folderVariable: folder.path,
                "SWIFT_BACKTRACE": "enable=no",
            ]
        )
    }

    private func childFolder() throws -> String {
        try #require(ProcessInfo.processInfo.environment[HardshipTests.folderVariable])
    }

    @Test(
        "a full disk answers unavailable, loses nothing acknowledged, and passes",
        .enabled(if: HardshipTests.isParent)
    )
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let child = try child("meetsFullDisk", folder)
        #expect(try child.wait(within: .seconds(60)) == .exited(0))
        #expect(folder.contains("done"), "the child's test did not run to its end")
    }

    @Test("child: meets a full disk", .enabled(if: HardshipTests.isChild("meetsFullDisk")))
    func meetsFullDisk() async throws {
        let room = try StoreRoom()
        signal(SIGXFSZ, SIG_IGN)
        let text = Value.text(Text(String(repeating: "x", count: 5_000)))
        func write(_ numbers: Range<Int>) async -> (acknowledged: [Int: Text], refused: Int) {
            await withTaskGroup(of: (Int, Text?).self) { group in
                for n in numbers {
                    group.addTask {
                        do {
                            return (
                                n,
                                try await room.create(.chat, [("n", .int(Int64(n))), ("t", text)])
                            )
                        } catch {
                            #expect((error as? DomainError)?.code == .unavailable)
                            return (n, nil)
                        }
                    }
                }
                var answer: (acknowledged: [Int: Text], refused: Int) = ([:], 0)
                for await (n, id) in group {
                    if let id { answer.acknowledged[n] = id } else { answer.refused += 1 }
                }
                return answer
            }
        }
        var acknowledged = await write(0..<20).acknowledged
        #expect(acknowledged.count == 20)

        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let before = limit
        limit.rlim_cur = 600_000
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        var refused = 0
        for round in 1...20 {
            let answer = await write(round * 20..<(round + 1) * 20)
            acknowledged.merge(answer.acknowledged) { $1 }
            refused += answer.refused
        }
        #expect(refused > 0)
        for (n, id) in acknowledged {
            #expect(try room.read(.chat, id)?.contains("\"n\":\(n),") == true)
        }

        limit = before
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let answer = await write(1_000..<1_020)
        #expect(answer.refused == 0)
        acknowledged.merge(answer.acknowledged) { $1 }
        for (n, id) in acknowledged {
            #expect(try room.read(.chat, id)?.contains("\"n\":\(n),") == true)
        }
        // What was told is what is there: no gap, nothing twice, whatever a failed commit did.
        let told = room.told.all
        #expect(told.map(\.sequence) == told.indices.map { Int64($0 + 1) })
        let stored = try await room.list(limit: 0, wantsCount: true).count
        #expect(stored == told.count)
        #expect(told.count >= acknowledged.count)
        let toldIDs = Set(told.compactMap { $0.after?.id })
        #expect(acknowledged.values.allSatisfy { toldIDs.contains($0) })
        try Data().write(to: URL(fileURLWithPath: try childFolder() + "/done"))
    }

    @Test(
        "whatever was acknowledged is there after a kill",
        .enabled(if: HardshipTests.isParent),
        arguments: [1, 60, 200]
    )
    func kill(acknowledgements: Int) async throws {
        let folder = try TemporaryFolder()
        let child = try child("savesUntilKilled", folder)
        var acknowledged: [Text] = []
        while acknowledged.count < acknowledgements {
            guard let line = try child.line() else { throw TestFailure.ended("the child") }
            if line.hasPrefix("saved ") { acknowledged.append(Text(String(line.dropFirst(6)))) }
        }
        child.send(SIGKILL)
        #expect(try child.wait() == .killed(signal: SIGKILL))

        let room = try StoreRoom(folder: folder)
        for id in acknowledged { #expect(try room.read(.chat, id) != nil) }
        let path = folder.path(of: "data/apps/test/objects.db")
        let connection = try SQLiteConnection(path: path, role: .reader)
        let check = try connection.prepare("PRAGMA integrity_check")
        #expect(try check.first { $0.text(0) } == "ok")
        _ = try await room.create()
    }

    @Test(
        "indexes agree with the documents after a kill, those that were being built too",
        .enabled(if: HardshipTests.isParent),
        arguments: [20, 300, 900]
    )
    func killWhileIndexing(acknowledgements: Int) async throws {
        let folder = try TemporaryFolder()
        let child = try child("indexesUntilKilled", folder)
        var count = 0
        while count < acknowledgements {
            guard let line = try child.line() else { throw TestFailure.ended("the child") }
            if line.hasPrefix("changed") { count += 1 }
        }
        child.send(SIGKILL)
        #expect(try child.wait() == .killed(signal: SIGKILL))

        let room = try StoreRoom(folder: folder)
        #expect(try await room.store.verify().isEmpty)
        #expect(!room.store.indexes(of: .chat).isEmpty)
        try await room.store.untilBuilt(.chat)
        #expect(try await room.store.verify().isEmpty)
    }

    @Test(
        "child: changes objects and indexes until it is killed",
        .enabled(if: HardshipTests.isChild("indexesUntilKilled"))
    )
    func indexesUntilKilled() async throws {
        let room = try StoreRoom(path: try childFolder())
        for n in 0..<200 { _ = try await room.create(.chat, fields(n)) }
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    var n = writer
                    while let id = try? await room.create(.chat, fields(n)) {
                        if n % 3 == 0 { try? await room.update(id, fields(n + 1)) }
                        if n % 5 == 0 { try? await room.delete(id) }
                        if n % 40 == 0 {
                            let path = FieldPath.named(["n", "tags", "m"][n / 40 % 3])
                            let isOn = n / 120 % 2 == 0
                            _ = try? await room.store.commit(
                                .setIndexes(
                                    .chat,
                                    added: isOn ? [path] : [],
                                    removed: isOn ? [] : [path]
                                )
                            )
                        }
                        n += 8
                        let line = Array("changed\n".utf8)
                        _ = line.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
                    }
                }
            }
        }
    }

    private func fields(_ n: Int) -> [(Text, Value)] {
        [
            ("n", .int(Int64(n % 50))), ("m", .text(Text(String(n)))),
            ("tags", .array([.int(Int64(n % 7)), .int(Int64(n % 3))])),
        ]
    }

    @Test(
        "child: saves until it is killed",
        .enabled(if: HardshipTests.isChild("savesUntilKilled"))
    )
    func savesUntilKilled() async throws {
        let room = try StoreRoom(path: try childFolder())
        await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    while let id = try? await room.create(.chat, [("n", .int(1))]) {
                        let line = Array("saved \(id)\n".utf8)
                        _ = line.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
                    }
                }
            }
        }
    }
}
