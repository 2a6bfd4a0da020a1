import Backend
import HatoWire
import Testing

@Suite("LoginLimiter")
struct LoginLimiterTests {
    private static func pair(_ account: Text, from address: Text = "192.0.2.1") -> LoginLimiter.Pair
    {
        LoginLimiter.Pair(application: "app", account: account, network: address)
    }

    private static func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: 1_000_000 + seconds * 1000)
    }

    @Test("ten failures are told, the eleventh is not")
    func limit() {
        let limiter = LoginLimiter()
        let pair = Self.pair("yamada")
        for _ in 1...10 {
            #expect(!limiter.isBlocked(pair, now: Self.moment(0)))
            #expect(limiter.countFailure(pair, now: Self.moment(0)))
        }
        #expect(limiter.isBlocked(pair, now: Self.moment(0)))
        #expect(!limiter.countFailure(pair, now: Self.moment(0)))
    }

    @Test("another address, account or application is another pair")
    func pairs() {
        let limiter = LoginLimiter()
        for _ in 1...10 { _ = limiter.countFailure(Self.pair("yamada"), now: Self.moment(0)) }
        #expect(!limiter.isBlocked(Self.pair("yamada", from: "192.0.2.2"), now: Self.moment(0)))
        #expect(!limiter.isBlocked(Self.pair("tanaka"), now: Self.moment(0)))
        let shifted = LoginLimiter.Pair(application: "appyamada", account: "", network: "192.0.2.1")
        #expect(!limiter.isBlocked(shifted, now: Self.moment(0)))
    }

    @Test("fifteen minutes after the first failure a pair starts anew")
    func window() {
        let limiter = LoginLimiter()
        let pair = Self.pair("yamada")
        for second in 0..<10 { _ = limiter.countFailure(pair, now: Self.moment(Int64(second))) }
        #expect(limiter.isBlocked(pair, now: Self.moment(899)))
        #expect(!limiter.isBlocked(pair, now: Self.moment(900)))
        #expect(limiter.countFailure(pair, now: Self.moment(900)))
        #expect(!limiter.isBlocked(pair, now: Self.moment(900)))
    }

    @Test("the right proof forgets the failures before it")
    func forgets() {
        let limiter = LoginLimiter()
        let pair = Self.pair("yamada")
        for _ in 1...9 { _ = limiter.countFailure(pair, now: Self.moment(0)) }
        limiter.forget(pair)
        for _ in 1...10 { #expect(limiter.countFailure(pair, now: Self.moment(0))) }
    }

    @Test("remembers no more pairs than its limit, and forgets the oldest first")
    func bounded() {
        var limits = LoginLimiter.Limits()
        limits.pairs = 100
        let limiter = LoginLimiter(limits: limits)
        for number in 0..<100 {
            _ = limiter.countFailure(Self.pair(Text("u\(number)")), now: Self.moment(Int64(number)))
        }
        #expect(limiter.count == 100)
        for _ in 1...9 { _ = limiter.countFailure(Self.pair("u99"), now: Self.moment(99)) }
        #expect(limiter.countFailure(Self.pair("one more"), now: Self.moment(100)))
        #expect(limiter.count == 91)
        #expect(limiter.isBlocked(Self.pair("u99"), now: Self.moment(100)))
    }

    @Test("of a hundred failures at once exactly ten are told")
    func race() async {
        let limiter = LoginLimiter()
        let told = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { limiter.countFailure(Self.pair("yamada"), now: Self.moment(0)) }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(told == 10)
    }
}
