import LeanCloudWire
import TeahouseTesting
import Testing

/// Messages that are for some of a conversation only.
struct SightTests {
    private let placeholder = typed("这是群定向消息，仅部分群成员可见")

    private func body(_ text: String, _ key: String) -> String {
        #"{"_lctype":-1,"_lctext":"\#(text)","_lcattrs":{"\#(key)":["juliet"]}}"#
    }

    @Test(
        "a message for some of a group goes to them and the sender's devices, to everybody else its placeholder",
        arguments: ["OnlyVisiableForPartClientIds", "onlyVisibleTo"])
    func restricted(key: String) throws {
        let house = try House()
        let (romeo, tablet) = (try house.client("romeo"), try house.client("romeo"))
        let (juliet, tybalt) = (try house.client("juliet"), try house.client("tybalt"))
        let cid = try romeo.start(["juliet", "tybalt", "benvolio"])
        let text = self.body("at the balcony", key)
        let ack = try romeo.say(text, in: cid)
        for (client, wanted) in [(tablet, text), (juliet, text), (tybalt, self.placeholder)] {
            let message = try client.nextMessage()
            #expect(message.msg == wanted)
            #expect(message.id == ack.uid && message.timestamp == ack.t && message.fromPeerId == "romeo")
            #expect(try client.history(cid).map(\.data) == [wanted])
            #expect(try client.rows(nil) { $0.flag = 2 }.first?["msg"]?.string == wanted)
        }
        // It counts for those who see it.
        let benvolio = try house.client("benvolio")
        try benvolio.settleChanges()
        #expect(benvolio.waiting.allSatisfy { $0.unreadMessage == nil })
        let phone = try house.client("juliet")
        let told = try phone.wait(.unread).unreadMessage?.convs.first
        #expect(told?.unread == 1 && told?.data == text)
        let old = try house.leanCloud("benvolio", .init(.binary, .pushesMissedMessages))
        #expect(try old.nextMessage().msg == self.placeholder)
        // What it says now is for the same people; that it is gone is for all.
        for client in [juliet, tybalt, tablet] { client.forgetWaiting() }
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.data = typed("in the garden") }.op == .modified)
        for client in [juliet, tablet] { #expect(try client.nextPatch().data == typed("in the garden")) }
        try tybalt.settleChanges()
        #expect(tybalt.waiting.allSatisfy { $0.patchMessage == nil })
        #expect(try tybalt.history(cid).map(\.data) == [self.placeholder])
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.recall = true }.op == .modified)
        for client in [juliet, tybalt] { #expect(try client.nextPatch().recall == true) }
        #expect(try tybalt.history(cid).map(\.data) == [#"{"_lctype":-127}"#])
    }

    @Test("between two people a message is for both, whomever it names")
    func two() throws {
        let house = try House()
        let (romeo, nurse) = (try house.client("romeo"), try house.client("nurse"))
        let cid = try romeo.start(["nurse"]) { $0.unique = true }
        let text = self.body("where is she", "onlyVisibleTo")
        try romeo.say(text, in: cid)
        #expect(try nurse.nextMessage().msg == text)
        #expect(try nurse.history(cid).map(\.data) == [text])
    }
}
