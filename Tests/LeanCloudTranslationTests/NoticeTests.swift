import ByteCodec
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store
import Testing

struct NoticeTests {
    private let tom = UserName("Tom")!
    private let jerry = UserName("Jerry")!
    private let id = ObjectID("5f0e2a3b4c5d6e7f80912345")!

    private func event(_ change: ChangeEvent.Change, _ kind: ConversationKind = .group) -> LoggedEvent {
        LoggedEvent(
            number: 1, conversation: ConversationID(rawValue: 1), kind: kind, objectID: self.id, actor: self.tom,
            atMilliseconds: 1_794_873_600_000, change: change, isPersonal: false)
    }

    @Test(
        "dates are UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (1_794_873_600_000, "2026-11-17T00:00:00.000Z"), (-5, "1970-01-01T00:00:00.000Z"),
        ])
    func dates(milliseconds: Int64, text: String) {
        #expect(LeanCloudDates.text(milliseconds) == text)
    }

    @Test("the JavaScript SDK gets personal ones with underscores and numbers")
    func javaScript() {
        let events = [self.event(.joined([self.jerry])), self.event(.card(modified: Array("{}".utf8), asked: nil))]
        let answer = LeanCloudNotices.missed(events, for: self.jerry, type: "permanent").json
        let announcements = answer["notifications"]?.array ?? []
        #expect(announcements.map { $0["op"]?.string } == ["joined"])
        #expect(announcements.first?["cmd"]?.string == "conv")
        #expect(announcements.first?["cid"]?.string == self.id.text)
        #expect(announcements.first?["initBy"]?.string == "Tom")
        #expect(announcements.first?["notificationType"]?.integer == 1)
        #expect(answer["hasMore"]?.boolean == false)
        let droppable = LeanCloudNotices.missed(events, for: self.jerry, type: "droppable").json
        let others = droppable["notifications"]?.array ?? []
        #expect(others.map { $0["op"]?.string } == ["members_joined", "updated"])
        #expect(others.last?["attr"]?["data"]?.string == "{}")
    }

    @Test("the other SDKs get both lists, with hyphens and objects")
    func swift() {
        let modified = Array(#"{"name":"Cats"}"#.utf8)
        let receipt = MessageReceipt(
            message: MessageID(rawValue: 7), sequence: 1, receiver: self.jerry, isRead: true, atMilliseconds: 9)
        let events = [
            self.event(.created([self.tom, self.jerry]), .temporary),
            self.event(.card(modified: modified, asked: nil)), self.event(.receipt(receipt)),
        ]
        let answer = LeanCloudNotices.missed(events, for: self.tom, type: nil).json
        let permanent = answer["permanent"]?["notifications"]?.array ?? []
        #expect(permanent.map { $0["op"]?.string ?? $0["cmd"]?.string } == ["joined", "rcp"])
        #expect(permanent.first?["cid"]?.string == "_tmp:" + self.id.text)
        #expect(permanent.last?["read"]?.boolean == true)
        let droppable = answer["droppable"]?["notifications"]?.array ?? []
        #expect(droppable.map { $0["op"]?.string } == ["members-joined", "updated"])
        #expect(droppable.last?["attrModified"]?["name"]?.string == "Cats")
        #expect(answer["droppable"]?["invalidLocalConvCache"]?.boolean == false)
    }

    @Test("nothing is told of rooms and services", arguments: [ConversationKind.room, .service])
    func silent(kind: ConversationKind) {
        let answer = LeanCloudNotices.missed(
            [self.event(.joined([self.tom]), kind)], for: self.tom, type: "permanent")
        #expect(answer.json["notifications"]?.array == [] && answer.isEmpty)
    }
}
