import ChatModel
import LeanCloudTranslation
import Testing

struct NamesTests {
    @Test("a message's id is 22 characters, reads back, and sorts like the number")
    func messageIDs() {
        let ids = [1, 2, 255, 256, 1 << 40, Int64.max].map { MessageID(rawValue: $0) }
        let names = ids.map { LeanCloudNames.messageID($0) }
        #expect(names.allSatisfy { $0.utf8.count == 22 })
        #expect(names.map { LeanCloudNames.messageID($0) } == ids)
    }

    @Test("what another server made is no id of ours")
    func foreignIDs() {
        #expect(LeanCloudNames.messageID("AAAAAAAAAAEAAAAAAAAAAA") == nil)
        #expect(LeanCloudNames.messageID("") == nil)
    }

    @Test("temporary conversations wear a prefix, and both forms lead there")
    func conversations() throws {
        let id = try #require(ObjectID("5f0e2a3b4c5d6e7f80912345"))
        #expect(LeanCloudNames.conversationID(id, .group) == "5f0e2a3b4c5d6e7f80912345")
        #expect(LeanCloudNames.conversationID(id, .temporary) == "_tmp:5f0e2a3b4c5d6e7f80912345")
        #expect(LeanCloudNames.address(cid: "_tmp:5f0e2a3b4c5d6e7f80912345") == .object(id))
        #expect(LeanCloudNames.address(cid: "") == nil)
    }
}
