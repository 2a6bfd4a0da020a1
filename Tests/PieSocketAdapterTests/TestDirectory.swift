import EventLoops
import HatoWire
import ObjectModel
import PieSocketAdapter

/// Applications and sessions in memory.
final class TestDirectory: RelayDirectory {
    private let applications: Guarded<[Application]>

    init(_ applications: [Application]) {
        self.applications = Guarded(applications)
    }

    func set(_ settings: RelaySettings, forRelayKey key: Text) {
        applications.withLock { applications in
            for index in applications.indices where applications[index].relayKey == key {
                applications[index].settings.relay = settings
            }
        }
    }

    func application(relayKey: Text) -> Application? {
        applications.withLock { $0.first { $0.relayKey == relayKey } }
    }

    func application(applicationKey: Text) -> Application? {
        applications.withLock { $0.first { $0.applicationKey == applicationKey } }
    }

    /// The sessions of the application called `default`; others have none.
    func userName(
        ofSession token: [UInt8],
        in application: Application,
        loopIndex: Int,
        now: Timestamp
    ) throws(DomainError) -> Text {
        switch String(decoding: token, as: UTF8.self) {
        case "session" where application.name == "default": return "Ann あ"
        case "long" where application.name == "default":
            return Text(String(repeating: "n", count: 513))
        case "anonymous": throw DomainError(.forbidden)
        case "closed": throw DomainError(.unavailable)
        default: throw DomainError(.unauthenticated)
        }
    }
}
