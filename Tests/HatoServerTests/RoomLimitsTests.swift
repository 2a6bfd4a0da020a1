import Backend
import EventLoops
import HTTPServer
import HatoWire
import ObjectModel
import PieSocketAdapter
import SQLiteStorage
import Testing

@testable import HatoServer

@Suite("RoomLimits")
struct RoomLimitsTests {
    @Test("has the limits of the rulings when nobody says otherwise")
    func standard() throws {
        let limits = RoomLimits(try EffectiveConfigurationTests.make())
        #expect(limits.http.limits.requestLineBytes == 65_536)
        #expect(limits.http.limits.fieldCount == 100)
        #expect(limits.http.limits.fieldBytes == 65_536)
        #expect(limits.http.limits.bodyBytes == 10 * 1_024 * 1_024)
        #expect(limits.store.documents.documentBytes == 1_024 * 1_024)
        #expect(limits.store.documents.depth == 32)
        #expect(limits.store.documents.fieldCount == 1_000)
        #expect(limits.store.listBytes == 32 * 1_024 * 1_024)
        #expect(limits.relay.messageBytes == 1_024 * 1_024)
        #expect(limits.loops.outbox == OutboxLimits(bytes: 4 * 1_024 * 1_024, frames: 1_000))
        #expect(limits.relay.outbox == limits.loops.outbox)
        #expect(limits.store.writerQueue == 10_000)
        #expect(limits.store.listDeadline == .seconds(10))
        #expect(limits.http.headDeadline == .seconds(10))
        #expect(limits.http.bodyDeadline == .seconds(30))
        #expect(limits.http.idleDeadline == .seconds(75))
        #expect(limits.loops.stalledWrite == .seconds(30))
        #expect(limits.http.pingInterval == .seconds(25))
        #expect(limits.login.failures == 10)
        #expect(limits.login.windowSeconds == 900)
        #expect(limits.store.openApplications == 64)
        #expect(limits.store.changeLogAge == .seconds(86_400))
        #expect(limits.loopCount >= 1)
        // Connections may not use up what the applications' files need.
        #expect(limits.loops.reservedDescriptors >= 64 + 64 * 10)
    }

    @Test("carries each setting to a place of its own, in its own unit")
    func wiring() throws {
        // Every number is one that no default has, and no other setting gets.
        var flags: [String] = []
        var wanted: [String: Int] = [:]
        for (number, setting) in LimitSetting.all.enumerated() {
            guard case .integer(let range) = setting.definition.form else { continue }
            let value =
                range.contains(2_000 + number) ? 2_000 + number : range.lowerBound + number % 13
            wanted[setting.definition.name] = value
            flags += [setting.definition.flag, String(value)]
        }
        let configuration = try EffectiveConfigurationTests.make(flags: flags)
        let limits = RoomLimits(configuration)
        for setting in LimitSetting.all where setting.definition.name != "loops" {
            #expect(
                setting.value(in: limits) == wanted[setting.definition.name],
                "\(setting.definition.name)"
            )
        }
        #expect(limits.http.headDeadline == .seconds(try #require(wanted["head-seconds"])))
        #expect(limits.http.bodyDeadline == .seconds(try #require(wanted["body-seconds"])))
        #expect(
            limits.shutdownGrace == .milliseconds(try #require(wanted["shutdown-milliseconds"]))
        )
        #expect(
            limits.store.changeLogAge == .seconds(try #require(wanted["change-log-hours"]) * 3_600)
        )
    }
}
