import ByteCodec
import LeanCloudPull
import Testing

@testable import WuKongPull

@Suite("Ways through the pages of a WuKongIM server")
struct WalkTests {
    private static func page(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test("a listing goes on behind a page, whatever was known of it, and ends where the source says so")
    func listing() throws {
        var walk = ListingWalk("/cluster/users")
        #expect(walk.target == "/cluster/users?limit=200")
        let first = try walk.take(
            try Self.page(#"{"more":1,"data":[{"uid":"a","created_at":9},{"uid":"b","created_at":7}]}"#))
        #expect(first.rows.count == 2 && !first.isOver)
        #expect(walk.target == "/cluster/users?limit=200&offset_created_at=7")
        let last = try walk.take(try Self.page(#"{"more":0,"data":[{"uid":"a","created_at":9}]}"#))
        #expect(last.rows.count == 1 && last.isOver)
        #expect(try walk.take(try Self.page(#"{"more":0,"data":null}"#)).isOver)
    }

    @Test(
        "a listing that does not lead on, or does not say whether it is over, is an error",
        arguments: [
            #"{"more":1,"data":[{"uid":"a","created_at":7}]}"#, #"{"more":1,"data":[]}"#, #"{"more":1}"#,
            #"{"more":1,"data":[{"uid":"a"}]}"#, #"{"data":[]}"#, #"{"more":1,"data":[{"uid":"a","created_at":0}]}"#,
        ])
    func stuckListing(_ text: String) throws {
        var walk = ListingWalk("/cluster/users")
        _ = try walk.take(try Self.page(#"{"more":1,"data":[{"uid":"b","created_at":7}]}"#))
        #expect(throws: PullError.self) { _ = try walk.take(try Self.page(text)) }
    }

    @Test("a history goes on behind the last sequence, over holes and in order")
    func history() throws {
        var walk = ChannelWalk(after: 3)
        #expect(walk.next == 4)
        let page = try walk.take(
            try Self.page(
                #"{"more":1,"messages":[{"message_seq":9},{"message_seq":5},{"message_seq":9223372036854775807}]}"#))
        #expect(page.rows.map { $0["message_seq"]?.integer } == [5, 9, .max] && !page.isOver)
        #expect(walk.next == 10)
        #expect(try walk.take(try Self.page(#"{"more":0,"messages":[]}"#)).isOver)
        #expect(walk.next == 10)
        #expect(ChannelWalk(after: .max).next == 4_294_967_296)
    }

    @Test(
        "a source that begins anew with each page, or has more and gives none, ends in an error and in no loop",
        arguments: [
            #"{"more":1,"messages":[{"message_seq":1},{"message_seq":2}]}"#,
            #"{"more":0,"messages":[{"message_seq":3}]}"#, #"{"more":1,"messages":[]}"#, #"{"more":1}"#,
            #"{"messages":[{"message_seq":4}]}"#, #"{"more":1,"messages":[{"message_seq":-2}]}"#,
        ])
    func stuckHistory(_ text: String) throws {
        var walk = ChannelWalk(after: 3)
        #expect(throws: PullError.self) { _ = try walk.take(try Self.page(text)) }
    }

    @Test("a person channel is one, whoever asks, in the order that WuKongIM stores it in")
    func pairs() throws {
        let one = try #require(SourceChannel(of: "romeo", and: "juliet"))
        #expect(one == SourceChannel(of: "juliet", and: "romeo"))
        let people = try #require(one.people)
        #expect(Set([people.first, people.second]) == ["romeo", "juliet"])
        #expect(SourceChannel(id: "romeo", type: 1)?.people == nil)
        #expect(SourceChannel(id: "a@b@c", type: 1)?.people == nil)
        #expect(SourceChannel(id: "tea", type: 0) == nil && SourceChannel(id: "", type: 2) == nil)
    }

    @Test("the operator's names are users, and channels with or without subscribers")
    func names() throws {
        let pair = try #require(SourceChannel(of: "romeo", and: "juliet"))
        func read(_ text: String) -> NamedSource? { NamedSource(line: Array(text.utf8)) }
        #expect(read(#"{"uid":"romeo"}"#) == .user("romeo"))
        #expect(read(#"{"channel_id":"romeo@juliet","channel_type":1}"#) == .channel(pair, subscribers: nil))
        #expect(read(#"{"channel_id":"juliet@romeo","channel_type":1}"#) == .channel(pair, subscribers: nil))
        #expect(
            read(#"{"channel_id":"tea","channel_type":2,"subscribers":["a","b"]}"#)
                == .channel(SourceChannel(id: "tea", type: 2)!, subscribers: ["a", "b"]))
        #expect(read("romeo") == nil && read(#"{"channel_id":"tea"}"#) == nil && read(#"{"uid":""}"#) == nil)
    }
}
