import HatoTesting
import Telemetry
import Testing

@Suite("ByteBudget")
struct ByteBudgetTests {
    @Test("gives no more than its limit, but to one alone")
    func limit() {
        let budget = ByteBudget(limit: 1_000)
        let first = ByteReservation(of: budget)
        let second = ByteReservation(of: budget)
        #expect(first.grow(to: 600))
        #expect(second.grow(to: 400))
        #expect(!second.grow(to: 401))
        #expect(!first.grow(to: 601))
        #expect((first.bytes, second.bytes) == (600, 400))
        #expect(budget.bytes == 1_000)
        second.shrink(to: 0)
        #expect(first.grow(to: 5_000))
        #expect(!second.grow(to: 1))
        #expect(budget.bytes == 5_000)
    }

    @Test("gets back what its holders no longer need, and when they are gone")
    func givingBack() {
        let budget = ByteBudget(limit: 1_000)
        var reservation: ByteReservation? = ByteReservation(of: budget)
        #expect(reservation?.grow(to: 500) == true)
        reservation?.shrink(to: 700)
        reservation?.shrink(to: 200)
        #expect(budget.bytes == 200)
        reservation = nil
        #expect(budget.bytes == 0)
    }

    @Test("counts on what a reservation has handed over, until that is noted")
    func handingOver() {
        let budget = ByteBudget(limit: 1_000)
        var reservation: ByteReservation? = ByteReservation(of: budget)
        #expect(reservation?.grow(to: 500) == true)
        #expect(reservation?.handOver() == 500)
        #expect(reservation?.bytes == 0)
        reservation = nil
        #expect(budget.bytes == 500)
        budget.note(-500)
        #expect(budget.bytes == 0)
    }

    @Test("tells once that the mark is passed, and anew after relief")
    func mark() throws {
        let calls = try Mailbox<Bool>()
        let budget = ByteBudget(limit: 1_000) { calls.put(true) }
        budget.note(750)
        #expect(!budget.isPastMark)
        #expect(try calls.all().isEmpty)
        budget.note(1)
        #expect(budget.isPastMark)
        budget.note(10_000)
        #expect(try calls.all().count == 1)
        budget.relieved()
        budget.note(-1)
        #expect(try calls.all().isEmpty)
        let refused = ByteReservation(of: budget)
        #expect(!refused.grow(to: 1))
        #expect(try calls.all().count == 1)
    }
}
