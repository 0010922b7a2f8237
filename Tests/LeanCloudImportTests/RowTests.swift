import ByteCodec
import ChatModel
import Store
import Testing

@testable import LeanCloudImport

@Suite("Rows of a folder that was pulled from LeanCloud")
struct RowTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("a message keeps id, time, sender, body and mentions")
    func message() throws {
        let line = #"""
            {"timestamp":1790000000123,"conv-id":"5f00000000000000000000a1","data":"{\"_lctype\":-1,\"_lctext\":\"你好\"}",
            "from":"Tom","msg-id":"UrQ6qb8eRFu4cQSyk0ZiCg","is-conv":true,"is-room":false,"to":"5f00000000000000000000a1",
            "bin":false,"from-ip":"1.2.3.4","ack-at":1790000000200,"mention-all":true,"mention-pids":["Ann"]}
            """#
        let row = try MessageRow(parsing: Self.bytes(line))
        #expect(row.conversation.text == "5f00000000000000000000a1")
        #expect(row.message.foreignID == "UrQ6qb8eRFu4cQSyk0ZiCg")
        #expect(row.message.sentAtMilliseconds == 1_790_000_000_123)
        #expect(row.message.sender == UserName("Tom"))
        #expect(row.message.content.kind == .text && row.message.content.wire == .leanCloud)
        #expect(String(decoding: row.message.content.body, as: UTF8.self) == #"{"_lctype":-1,"_lctext":"你好"}"#)
        #expect(row.message.content.mentions == Mentions(all: true, users: [UserName("Ann")!]))
        #expect(!row.message.isRecalled && row.message.patchedAtMilliseconds == 0)
    }

    @Test("bytes, recalls and edits are known")
    func states() throws {
        func read(_ data: String, _ more: String = "") throws -> MessageRow {
            try MessageRow(
                parsing: Self.bytes(
                    #"{"timestamp":5,"conv-id":"c","from":"Tom","msg-id":"m","data":\#(data)\#(more)}"#))
        }
        let binary = try read(#""AAEC""#, #","bin":true"#)
        #expect(binary.message.content.body == [0, 1, 2] && binary.message.content.flags.contains(.binary))
        let recalled = try read(#""{\"_lctype\":-127}""#, #","patch-timestamp":9"#)
        #expect(recalled.message.isRecalled && recalled.message.patchedAtMilliseconds == 9)
        let object = try read(#"{"_lctype":-1,"_lctext":"old"}"#)
        #expect(object.message.content.kind == .text)
        let plain = try read(#""no JSON""#)
        #expect(plain.message.content.kind == .none)
    }

    @Test("addresses in a body are rewritten, and bytes are not")
    func rewrites() throws {
        let line = #"{"timestamp":5,"conv-id":"c","from":"Tom","msg-id":"m","data":"{\"url\":\"http://old/a\"}"}"#
        let row = try MessageRow(parsing: Self.bytes(line)) { $0.replacing("http://old/", with: "/files/") }
        #expect(String(decoding: row.message.content.body, as: UTF8.self) == #"{"url":"/files/a"}"#)
    }

    @Test(
        "a message that cannot be here says why",
        arguments: [
            (#"{"timestamp":5,"conv-id":"c","from":"Tom","data":"x"}"#, RowProblem.noID),
            (#"{"conv-id":"c","from":"Tom","msg-id":"m","data":"x"}"#, .noTime),
            (#"{"timestamp":5,"from":"Tom","msg-id":"m","data":"x"}"#, .noConversation),
            (#"{"timestamp":5,"conv-id":"_tmp:c","from":"Tom","msg-id":"m","data":"x"}"#, .temporary),
            (#"{"timestamp":5,"conv-id":"c","msg-id":"m","data":"x"}"#, .badID("from")),
            (#"{"timestamp":5,"conv-id":"c","from":"a\u0001","msg-id":"m","data":"x"}"#, .badID("from")),
            (#"{"timestamp":5,"conv-id":"c","from":"Tom","msg-id":"m"}"#, .noContent),
            (#"{"timestamp":5,"conv-id":"c","from":"Tom","msg-id":"m","data":[1]}"#, .badMember("data")),
            (#"{"timestamp":5,"conv-id":"c","from":"Tom","msg-id":"m","data":"?","bin":true}"#, .badMember("data")),
            (#"{"timestamp":5,"conv-id":7,"from":"Tom","msg-id":"m","data":"x"}"#, .badMember("conv-id")),
            ("[1]", .noObject),
        ])
    func problems(_ line: String, _ problem: RowProblem) {
        #expect(throws: problem) { try MessageRow(parsing: Self.bytes(line)) }
    }

    @Test("half of a surrogate pair, which old clients have stored, does not cost the row")
    func surrogates() throws {
        let line = #"{"timestamp":5,"conv-id":"c","from":"Tom","msg-id":"m","data":"a\ud83d b\ud83d\ude00 \\ud83d"}"#
        let row = try MessageRow(parsing: Self.bytes(line))
        #expect(String(decoding: row.message.content.body, as: UTF8.self) == "a\u{FFFD} b😀 \\ud83d")
        #expect(throws: RowProblem.self) { try MessageRow(parsing: Self.bytes("{\"timestamp\":5,")) }
    }

    @Test("a conversation keeps its dates, people, card and own fields")
    func conversation() throws {
        let line = #"""
            {"objectId":"5f00000000000000000000a1","createdAt":"2026-07-01T00:00:00.000Z","updatedAt":"2026-07-02T00:00:00.000Z",
            "lm":{"__type":"Date","iso":"2026-07-03T00:00:00.000Z"},"name":"team","m":["Tom","Ann","Tom"],"c":"Tom",
            "mu":["Ann"],"attr":{"a":1},"unique":false,"level":3,"ACL":{"*":{"read":true}}}
            """#
        let reading = try ConversationRow.read(Self.bytes(line), roles: [UserName("Ann")!: .manager])
        let conversation = reading.conversation
        #expect(conversation.form == .group && reading.left.isEmpty)
        #expect(conversation.members.map(\.text) == ["Tom", "Ann"] && conversation.creator == UserName("Tom"))
        #expect(conversation.silencedBy.map(\.text) == ["Ann"] && conversation.title == "team")
        #expect(conversation.createdAtMilliseconds == 1_782_864_000_000)
        #expect(conversation.updatedAtMilliseconds == 1_782_950_400_000)
        #expect(conversation.lastMessageAtMilliseconds == 1_783_036_800_000)
        #expect(conversation.attributes == #"{"a":1}"# && conversation.fields == #"{"level":3}"#)
        #expect(conversation.roles == [UserName("Ann")!: .manager])
        // Another state of it, or of its roles, is another number.
        #expect(try ConversationRow.read(Self.bytes(line)).conversation.digest != conversation.digest)
    }

    @Test("the kinds of conversations are known")
    func kinds() throws {
        func form(_ more: String) throws -> ImportedConversation.Form {
            let line = #"{"objectId":"a","createdAt":"2026-07-01T00:00:00Z"\#(more)}"#
            return try ConversationRow.read(Self.bytes(line)).conversation.form
        }
        #expect(try form("") == .group)
        #expect(try form(#","unique":true"#) == .unique)
        #expect(try form(#","tr":true,"unique":true"#) == .room)
        #expect(try form(#","sys":true"#) == .service)
    }

    @Test("what does not fit is left out and named")
    func left() throws {
        let name = String(repeating: "x", count: 200)
        let attributes = String(repeating: "y", count: 20_000)
        let line = #"""
            {"objectId":"a","createdAt":"2026-07-01T00:00:00Z","name":"\#(name)","attr":{"a":"\#(attributes)"},"m":["","ok"]}
            """#
        let reading = try ConversationRow.read(Self.bytes(line))
        #expect(reading.conversation.title?.count == 128 && reading.conversation.attributes == nil)
        #expect(reading.conversation.members.map(\.text) == ["ok"])
        #expect(reading.left.count == 3)
        #expect(throws: RowProblem.noTime) { try ConversationRow.read(Self.bytes(#"{"objectId":"a"}"#)) }
        #expect(throws: RowProblem.noID) { try ConversationRow.read(Self.bytes("{}")) }
    }

    @Test("roles and subscribers")
    func people() throws {
        let role = try MemberRoleRow(
            parsing: Self.bytes(#"{"objectId":"x","cid":"a","clientId":"Tom","role":"Manager"}"#))
        #expect(role.conversation.text == "a" && role.name == UserName("Tom") && role.role == .manager)
        let subscriber = try SubscriberRow(parsing: Self.bytes(#"{"timestamp":1,"subscriber":"Tom","conv_id":"a"}"#))
        #expect(subscriber.conversation.text == "a" && subscriber.name == UserName("Tom"))
        #expect(throws: RowProblem.noConversation) { try SubscriberRow(parsing: Self.bytes("{}")) }
    }
}
