import Glibc
import EventLoops
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import HatoServer

@Suite("Banner")
struct BannerTests {
    static let application = Application(
        id: "A",
        name: "default",
        applicationKey: "AK",
        clientKey: "CLIENT",
        relayKey: "RK",
        relaySecret: "SECRET"
    )

    static func text(isNew: Bool, isForTerminal: Bool, publicURL: String = "-") -> String {
        Banner(
            address: ListenAddress(host: "0.0.0.0", port: 8_080),
            publicURL: publicURL,
            folder: "data",
            applications: [application],
            newApplication: isNew ? application : nil,
            isForTerminal: isForTerminal
        ).text
    }

    @Test("shows secret keys only on a terminal, and only at the start that makes them")
    func secrets() {
        #expect(Self.text(isNew: true, isForTerminal: true).contains("CLIENT"))
        #expect(Self.text(isNew: true, isForTerminal: true).contains("SECRET"))
        for text in [
            Self.text(isNew: true, isForTerminal: false),
            Self.text(isNew: false, isForTerminal: true),
        ] {
            #expect(!text.contains("CLIENT"))
            #expect(!text.contains("SECRET"))
            #expect(text.contains("default: application key AK, relay key RK"))
        }
    }

    @Test("names an address that clients can reach")
    func address() {
        #expect(
            Self.text(isNew: true, isForTerminal: true).contains(
                "ws://127.0.0.1:8080/v3/Chat?api_key=RK"
            )
        )
        let text = Self.text(isNew: true, isForTerminal: true, publicURL: "https://chat.example")
        #expect(text.contains("wss://chat.example/v3/Chat?api_key=RK"))
        #expect(text.contains("'https://chat.example/2013-09-01/classes/Chat'"))
    }

    @Test("prints lines that work when they are pasted")
    func pasted() throws {
        let server = try RunningServer()
        let text = Banner(
            address: server.server.address,
            publicURL: "-",
            folder: "data",
            applications: [server.application],
            newApplication: nil,
            isForTerminal: false
        ).text
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter {
            $0.hasPrefix("curl ")
        }
        try #require(lines.count == 3)
        // The first one listens until it is ended; bash's `timeout` does that here.
        let listening = try ChildProcess("/bin/bash", ["-c", "exec timeout 20 \(lines[0])"])
        let deadline = Deadline()
        while server.server.channelCount == 0, !deadline.hasPassed {
            _ = try server.client().send("GET", "/classes/Chat?limit=0")
        }
        let saving = try ChildProcess("/bin/bash", ["-c", String(lines[1])])
        let id = try #require(member("objectId", of: try saving.rest()))
        let reading = try ChildProcess("/bin/bash", ["-c", String(lines[2])])
        #expect(try reading.rest().contains(id))
        listening.send(SIGTERM)
        #expect(try listening.rest().contains(id))
    }
}
