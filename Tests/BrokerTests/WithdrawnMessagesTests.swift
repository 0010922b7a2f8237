import ChatModel
import Testing

@testable import Broker

struct WithdrawnMessagesTests {
    @Test("the newest are remembered, and no more than the bound")
    func bound() {
        var withdrawn = WithdrawnMessages()
        let empty = withdrawn.contains(MessageID(rawValue: 1))
        #expect(!empty)
        for number in 1...Int64(WithdrawnMessages.maximum + 3) {
            withdrawn.insert(MessageID(rawValue: number))
            withdrawn.insert(MessageID(rawValue: number))
        }
        let known = [1, 3, 4, Int64(WithdrawnMessages.maximum + 3)].map { withdrawn.contains(MessageID(rawValue: $0)) }
        #expect(known == [false, false, true, true])
    }
}
