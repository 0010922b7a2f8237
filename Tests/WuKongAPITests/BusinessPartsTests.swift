import APIKit
import ByteCodec
import ChatModel
import Testing
import WuKongTranslation

@testable import WuKongAPI

@Suite("Small parts of the business API")
struct BusinessPartsTests {
    @Test(
        "times are told as dates of the Gregorian calendar",
        arguments: [
            (0, "1970-01-01 00:00:00"), (951_782_399_999, "2000-02-28 23:59:59"),
            (951_782_400_000, "2000-02-29 00:00:00"), (951_868_800_000, "2000-03-01 00:00:00"),
            (1_709_210_096_000, "2024-02-29 12:34:56"), (1_735_689_599_000, "2024-12-31 23:59:59"),
            (4_107_542_400_000, "2100-03-01 00:00:00"), (1_795_180_445_661, "2026-11-20 13:14:05"),
        ] as [(Int64, String)])
    func time(_ milliseconds: Int64, _ text: String) {
        #expect(BusinessTime.text(milliseconds: milliseconds) == text)
    }

    @Test("the last sequences of a device are read, also of ids with colons; what is none is left out")
    func lastSequences() {
        let known = LastSequences("romeo:1:7|a:b:2:9|x:y|verona:2:|:2:3|")
        #expect(known.sequence("romeo", 1) == 7 && known.sequence("a:b", 2) == 9)
        #expect(known.sequence("romeo", 2) == nil && known.sequence("verona", 2) == nil)
    }

    @Test("a person channel may be named by its stored id, whichever comes first")
    func storedIDs() throws {
        let romeo = try #require(UserName("romeo"))
        for id in ["juliet", "juliet@romeo", "romeo@juliet"] {
            let channel = try BusinessChannel(id: id, type: 1, asker: romeo)
            #expect(channel.id == "juliet" && channel.address == .direct(UserName("juliet")!))
        }
        for (id, type) in [("a@b", 2), ("", 2), ("verona", 0), ("verona", 300), ("a@b@c", 1)] as [(String, Int64)] {
            #expect(throws: APIFailure.self) { try BusinessChannel(id: id, type: type, asker: romeo) }
        }
    }

    @Test(
        "a nudge is a command message; only what a device that is away has to learn is kept",
        arguments: [
            (SyncCommand.messageRevoked(MessageID(rawValue: 7)), "messageRevoke", true),
            (.messageExtra, "syncMessageExtra", false),
            (.reaction, "syncMessageReaction", false), (.reminders, "syncReminders", false),
            (.conversationExtra, "syncConversationExtra", false), (.membersChanged("verona"), "memberUpdate", true),
            (.channelChanged("verona", type: 2), "channelUpdate", true),
            (.friendDeleted(UserName("romeo")!), "friendDeleted", true), (.computersQuit, "pcQuit", false),
        ] as [(SyncCommand, String, Bool)])
    func syncCommands(_ sendSyncCommand: SyncCommand, _ command: String, _ isKept: Bool) throws {
        let content = sendSyncCommand.content
        let payload = try JSONValue(parsing: content.body)
        #expect(payload["type"]?.integer == 99 && payload["cmd"]?.string == command)
        #expect(sendSyncCommand.isKept == isKept && content.flags.contains(.transient) != isKept)
        #expect(content.flags.contains(.syncOnce) && !content.flags.contains(.countsAsUnread))
    }

    @Test("a page counts from 1 and has bounds")
    func pages() {
        #expect(Page(index: 0, size: 0).offset == 0 && Page(index: 3, size: 20).offset == 40)
        #expect(Page(index: .max, size: .max).index == 1_000 && Page(index: 1, size: .max).size == 1_000)
    }
}
