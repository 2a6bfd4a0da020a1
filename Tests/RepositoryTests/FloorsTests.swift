import Testing

@Suite("Floors")
struct FloorsTests {
    private let repository = Repository()
    /// What every room but HatoWire may take from the toolchain.
    private let platform: Set = ["Glibc", "Synchronization"]

    private func floors() throws -> [String: Int] {
        Floors(try repository.file("docs/ARCHITECTURE.md")).floorOfRoom
    }

    @Test("every room has its floor in the architecture page, and every room there exists")
    func roomsAreListed() throws {
        let rooms = Set(try repository.names(in: "Sources") + ["Migrations"])
        #expect(Set(try floors().keys) == rooms)
    }

    @Test("a room imports only rooms on lower floors")
    func importsPointDown() throws {
        let floors = try floors()
        var violations: [String] = []
        for file in try repository.files(below: "Sources") where file.kind == "swift" {
            let room = String(file.path.split(separator: "/")[1])
            let own = try #require(floors[room])
            for module in Floors.imports(of: file) where !platform.contains(module) {
                guard let other = floors[module], other < own else {
                    violations.append("\(file.path) imports \(module)")
                    continue
                }
            }
        }
        #expect(violations == [])
    }

    @Test("no room imports Foundation")
    func foundationStaysOut() throws {
        let sources = try repository.files(below: "Sources") + repository.files(below: "Migrations")
        let violations = sources.filter { $0.kind == "swift" }.filter { file in
            Floors.imports(of: file).contains { $0.hasPrefix("Foundation") || $0 == "Dispatch" }
        }
        #expect(violations.map(\.path) == [])
    }

    @Test("HatoWire imports nothing, so that a phone can run it")
    func wireStandsAlone() throws {
        let files = try repository.files(below: "Sources/HatoWire")
        #expect(files.flatMap(Floors.imports(of:)) == [])
        #expect(!files.isEmpty)
    }

    @Test(
        "reads an import in each of its forms",
        arguments: [
            ("import Backend", "Backend"),
            ("package import HatoWire", "HatoWire"),
            ("@preconcurrency internal import CSQLite", "CSQLite"),
            ("import struct Realtime.ChannelKey", "Realtime"),
            ("    @testable import Telemetry  // why", "Telemetry"),
            ("@_spi(Wire) import EventLoops", "EventLoops"),
        ]
    )
    func readsImports(line: String, module: String) {
        let file = Repository.File(path: "Sources/X/X.swift", text: "/// import Nothing\n" + line)
        #expect(Floors.imports(of: file) == [module])
    }
}
