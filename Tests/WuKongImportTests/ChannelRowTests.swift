import ByteCodec
import ChatModel
import Store
import Testing

@testable import WuKongImport

@Suite("Rows of a folder from a WuKongIM server")
struct ChannelRowTests {
    private static func line(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func message(_ more: String, channel: String = #""channel_id":"tea","channel_type":2"#) -> [UInt8] {
        Self.line("{\(channel),\"message_seq\":7,\"message\":{\(more)}}")
    }

    private static let usual =
        #""message_seq":7,"message_id":2112345678901234567,"from_uid":"romeo","timestamp":1700000000,"#
        + #""client_msg_no":"n7","header":{"red_dot":1},"payload":"eyJ0eXBlIjoxLCJjb250ZW50IjoiaGkifQ==""#

    @Test("a message keeps its sequence, its numbers, its second and its bytes")
    func message() throws {
        let row = try ChannelMessageRow(parsing: Self.message(Self.usual))
        #expect(row.channel == .channel(.group, ChannelName("tea")!))
        #expect(row.message.sequence == 7 && row.message.foreignID == "2112345678901234567")
        #expect(row.message.clientNumber == "n7" && row.message.sentAtMilliseconds == 1_700_000_000_000)
        #expect(row.message.sender == UserName("romeo"))
        #expect(row.message.content.body == Array(#"{"type":1,"content":"hi"}"#.utf8))
        #expect(row.message.content.wire == .wuKong)
    }

    @Test("an id as text is the id, and the system speaks where nobody does")
    func numbers() throws {
        let text = Self.usual.with("\"romeo\"", "\"\"").with(
            "2112345678901234567", "2112345678901234600,\"message_idstr\":\"2112345678901234567\"")
        let row = try ChannelMessageRow(parsing: Self.message(text))
        #expect(row.message.foreignID == "2112345678901234567" && row.message.sender == systemUserName)
    }

    @Test(
        "a sequence that cannot be one is named",
        arguments: ["0", "-1", "2147483649", "18446744073709551615", "\"7\"", "null"])
    func sequences(_ number: String) {
        let text = Self.usual.with("\"message_seq\":7", "\"message_seq\":\(number)")
        #expect(throws: ChannelRowProblem.badSequence) { try ChannelMessageRow(parsing: Self.message(text)) }
    }

    @Test(
        "a member that is missing or of another type is named",
        arguments: [
            ("\"message_id\":2112345678901234567", "\"message_id\":0"), ("\"timestamp\":1700000000", "\"timestamp\":0"),
            ("\"timestamp\":1700000000", "\"timestamp\":99999999999999"), ("eyJ0", "?"), ("\"romeo\"", "\"a@b\""),
        ])
    func odd(_ before: String, _ after: String) {
        let line = Self.message(Self.usual.with(before, after))
        #expect(throws: ChannelRowProblem.self) { try ChannelMessageRow(parsing: line) }
    }

    @Test("a person channel is the one of two people in whatever order")
    func pairs() throws {
        let pair = Self.message(Self.usual, channel: #""channel_id":"romeo@juliet","channel_type":1"#)
        guard case .pair(let one, let other) = try ChannelMessageRow(parsing: pair).channel else {
            Issue.record("a pair was due")
            return
        }
        #expect(Set([one.text, other.text]) == ["romeo", "juliet"])
        let alone = Self.message(Self.usual, channel: #""channel_id":"romeo","channel_type":1"#)
        #expect(throws: ChannelRowProblem.noPair) { try ChannelMessageRow(parsing: alone) }
    }

    @Test("a channel has its subscribers, switches and dates; a list that may lack some says so")
    func channel() throws {
        let text =
            #"{"channel_id":"tea","channel_type":2,"created_at":5,"last_message_at":9,"ban":true,"disband":false,"#
            + #""subscribers":["romeo","a@b","romeo"],"whole":true}"#
        let reading = try ChannelRow.read(Self.line(text))
        #expect(reading.conversation.members == [UserName("romeo")!] && reading.left.count == 1)
        #expect(reading.conversation.membersAreWhole && reading.conversation.flags == .banned)
        #expect(reading.conversation.createdAtMilliseconds == 5)
        #expect(reading.conversation.lastMessageAtMilliseconds == 9)
        let partial = try ChannelRow.read(Self.line(#"{"channel_id":"tea","channel_type":2,"created_at":5}"#))
        #expect(!partial.conversation.membersAreWhole && partial.conversation.members.isEmpty)
        let own = try ChannelRow.read(Self.line(#"{"channel_id":"a@a","channel_type":1,"created_at":5}"#))
        #expect(own.conversation.members == [UserName("a")!])
        for odd in ["t#a\",\"channel_type\":2", "tea\",\"channel_type\":77"] {
            #expect(throws: ChannelRowProblem.self) {
                try ChannelRow.read(Self.line("{\"channel_id\":\"\(odd),\"created_at\":5}"))
            }
        }
    }

    @Test("lists are of a channel or of a person")
    func lists() throws {
        let group = try ChannelListRow(
            parsing: Self.line(#"{"channel_id":"tea","channel_type":2,"list":"denylist","uid":"eve"}"#))
        #expect(group.owner == .channel(.channel(.group, ChannelName("tea")!)) && group.isDenied)
        let own = try ChannelListRow(
            parsing: Self.line(#"{"channel_id":"romeo","channel_type":1,"list":"allowlist","uid":"eve"}"#))
        #expect(own.owner == .person(UserName("romeo")!) && !own.isDenied && own.name == UserName("eve"))
        #expect(throws: ChannelRowProblem.self) {
            try ChannelListRow(parsing: Self.line(#"{"channel_id":"tea","channel_type":2,"list":"x","uid":"eve"}"#))
        }
    }
}

extension String {
    /// The text with the first run of this replaced.
    fileprivate func with(_ old: String, _ new: String) -> String {
        guard let range = self.firstRange(of: old) else { return self }
        return String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
    }
}
