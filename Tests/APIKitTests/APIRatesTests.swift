import Broker
import ChatModel
import Execution
import Testing

@testable import APIKit

struct APIRatesTests {
    @Test("one person's burst is used up, and comes back with time; others are not concerned")
    func people() {
        let rates = APIRates(
            perPerson: RateLimit(perSecond: 1, burst: 2), perAddress: RateLimit(perSecond: 1, burst: 1))
        let (romeo, juliet) = (UserName("romeo")!, UserName("juliet")!)
        let start = Instant(nanoseconds: 1_000_000_000)
        #expect((0..<3).map { _ in rates.takeToken(person: romeo, at: start) } == [true, true, false])
        #expect(rates.takeToken(person: juliet, at: start))
        #expect(rates.takeToken(person: romeo, at: start.advanced(bySeconds: 1)))
    }

    @Test("addresses have a rate of their own")
    func addresses() {
        let rates = APIRates(
            perPerson: RateLimit(perSecond: 1, burst: 1), perAddress: RateLimit(perSecond: 1, burst: 1))
        let now = Instant(nanoseconds: 1)
        #expect(rates.takeToken(address: "10.0.0.1", at: now))
        #expect(!rates.takeToken(address: "10.0.0.1", at: now))
        #expect(rates.takeToken(address: "10.0.0.2", at: now))
    }

    @Test("a flood of addresses does not make the table grow without end")
    func bound() {
        let rates = APIRates(
            perPerson: RateLimit(perSecond: 1, burst: 1), perAddress: RateLimit(perSecond: 0.001, burst: 1))
        let now = Instant(nanoseconds: 1)
        for number in 0..<25_000 { #expect(rates.takeToken(address: "a\(number)", at: now)) }
    }
}
