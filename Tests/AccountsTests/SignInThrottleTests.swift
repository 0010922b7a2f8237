import ChatModel
import Execution
import Testing

@testable import Accounts

@Suite("Throttle")
struct SignInThrottleTests {
    var throttle = SignInThrottle()
    var now = Instant(nanoseconds: 1_000_000_000)
    let pair = SignInThrottle.Pair(user: romeo, address: "10.0.0.1", kind: .password)

    /// One wrong password, if it may be tried at all.
    ///
    /// - Returns: the pause that refused it, or `nil` and what it led to.
    mutating func fail(_ pair: SignInThrottle.Pair) -> (refused: Int64?, SignInThrottle.Consequence) {
        if let pause = self.throttle.hold(pair, countsAddress: true, at: self.now) { return (pause, .init()) }
        return (nil, self.throttle.failed(pair, isHeld: true, countsAddress: true, at: self.now))
    }

    mutating func wait(seconds: Int64) { self.now = self.now.advanced(byMilliseconds: seconds * 1_000) }

    @Test("five failures are free, then the pause doubles up to five minutes")
    mutating func pauses() {
        var seen: [Int64?] = []
        for _ in 0..<14 {
            let (refused, consequence) = self.fail(self.pair)
            #expect(refused == nil)
            seen.append(consequence.pairPauseSeconds)
            self.wait(seconds: consequence.pairPauseSeconds ?? 0)
        }
        #expect(seen == [nil, nil, nil, nil, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    }

    @Test("a closed pair says how long it stays closed")
    mutating func says() {
        for _ in 0..<6 {
            _ = self.fail(self.pair)
            if self.throttle.pauseSeconds(of: self.pair, at: self.now) == 2 { self.wait(seconds: 2) }
        }
        #expect(self.fail(self.pair).refused == 4)
        self.wait(seconds: 3)
        #expect(self.fail(self.pair).refused == 1)
        self.wait(seconds: 1)
        #expect(self.fail(self.pair).refused == nil)
    }

    @Test(
        "another address, another user and a token are not concerned",
        arguments: [
            SignInThrottle.Pair(user: romeo, address: "10.0.0.2", kind: .password),
            SignInThrottle.Pair(user: juliet, address: "10.0.0.1", kind: .password),
            SignInThrottle.Pair(user: romeo, address: "10.0.0.1", kind: .token(.app)),
        ])
    mutating func others(_ other: SignInThrottle.Pair) {
        for _ in 0..<5 { _ = self.fail(self.pair) }
        #expect(self.fail(self.pair).refused != nil)
        #expect(self.fail(other).refused == nil)
    }

    @Test("attempts at once get no more guesses than one by one")
    mutating func parallel() {
        let held = (0..<200).filter { _ in self.throttle.hold(self.pair, countsAddress: true, at: self.now) == nil }
        #expect(held.count == 5)
        for _ in held { _ = self.throttle.failed(self.pair, isHeld: true, countsAddress: true, at: self.now) }
        self.wait(seconds: 2)
        #expect(self.throttle.hold(self.pair, countsAddress: true, at: self.now) == nil)
        #expect(self.throttle.hold(self.pair, countsAddress: true, at: self.now) == 1)
    }

    @Test("an address has thirty failures a minute, over all users, and is then refused for the rest of it")
    mutating func addresses() {
        var exhausted = 0
        for number in 0..<30 {
            let (refused, consequence) = self.fail(self.guess(number))
            #expect(refused == nil)
            exhausted += consequence.addressIsExhausted ? 1 : 0
        }
        #expect(exhausted == 1)
        self.wait(seconds: 20)
        #expect(self.fail(self.guess(31)).refused == 40)
        self.wait(seconds: 40)
        #expect(self.fail(self.guess(31)).refused == nil)
    }

    func guess(_ number: Int) -> SignInThrottle.Pair {
        SignInThrottle.Pair(user: UserName("user\(number)")!, address: "10.0.0.1", kind: .password)
    }

    @Test("a success forgives the pair, not the address")
    mutating func success() {
        for _ in 0..<4 { _ = self.fail(self.pair) }
        #expect(self.throttle.hold(self.pair, countsAddress: true, at: self.now) == nil)
        self.throttle.succeeded(self.pair, countsAddress: true, at: self.now)
        for _ in 0..<4 { #expect(self.fail(self.pair).1.pairPauseSeconds == nil) }
        for number in 0..<22 { #expect(self.fail(self.guess(number)).refused == nil) }
        #expect(self.fail(self.guess(99)).refused != nil)
    }

    @Test("a check that was not made costs nothing")
    mutating func givenBack() {
        for _ in 0..<100 {
            #expect(self.throttle.hold(self.pair, countsAddress: true, at: self.now) == nil)
            self.throttle.giveBack(self.pair, countsAddress: true, at: self.now)
        }
        #expect(self.throttle.count == 0)
    }

    @Test("failures are forgotten fifteen quiet minutes after the last pause, not before")
    mutating func forgets() {
        for _ in 0..<5 { _ = self.fail(self.pair) }
        self.wait(seconds: 2 + 899)
        #expect(self.fail(self.pair).1.pairPauseSeconds == 4)
        self.wait(seconds: 4 + 900)
        #expect(self.fail(self.pair).1.pairPauseSeconds == nil)
    }

    @Test("new credentials forgive a person at every address")
    mutating func forgiven() {
        for _ in 0..<5 { _ = self.fail(self.pair) }
        self.throttle.forgive(juliet)
        #expect(self.fail(self.pair).refused != nil)
        self.throttle.forgive(romeo)
        #expect(self.fail(self.pair).refused == nil)
    }

    @Test("the tables are bounded, and the newest failures are kept")
    mutating func bounded() {
        var limits = SignInThrottle.Limits()
        limits.maximumEntries = 100
        self.throttle = SignInThrottle(limits)
        for number in 0..<1_000 {
            let pair = SignInThrottle.Pair(
                user: UserName("user\(number)")!, address: "10.1.\(number / 250).\(number % 250)", kind: .password)
            _ = self.fail(pair)
            #expect(self.throttle.count <= 100)
            self.wait(seconds: 1)
        }
        for _ in 0..<5 { _ = self.fail(self.pair) }
        #expect(self.fail(self.pair).refused != nil)
    }
}
