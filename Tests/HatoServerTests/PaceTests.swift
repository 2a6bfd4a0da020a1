import Cryptography
import HatoTesting
import ObjectModel
import SQLiteStorage
import Synchronization
import Testing

@testable import HatoServer

@Suite("Pace")
struct PaceTests {
    @Test("lets nothing happen before the first pause is over, and anything when there is none")
    func pauses() {
        let slow = Pace(.seconds(3_600))
        #expect(!slow.isDue())
        #expect(!slow.isDue())
        let free = Pace(.zero)
        #expect(free.isDue())
        #expect(free.isDue())
    }

    @Test(
        "a check tells how far it is, of which application, at its pace",
        arguments: [true, false]
    )
    func check(tells: Bool) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteApplicationStore(
            folder: try DataFolder(path: folder.path(of: "data")),
            environment: StoreEnvironment(system: SecureRandom()),
            threads: try StoreThreads(limits: StoreLimits(), turns: nil),
            onChange: { _, _ in }
        )
        defer { store.close() }
        var runner = AdminCommandRunner(store: store, random: SecureRandom())
        runner.tellingPause = tells ? .zero : .seconds(3_600)
        #expect(runner.run(["app", "create", "chat"]).exitCode == 0)
        let told = try Mailbox<String>()
        let result = runner.run(["check"]) { told.put($0) }
        #expect(result == .success("chat: nothing is wrong\n"))
        let all = try told.all()
        #expect(all.contains("chat: looked at the file") == tells)
        #expect(all.isEmpty == !tells)
    }
}
