import APIKit
import ByteCodec
import ChatModel
import Testing

@testable import APIGateway

private func members(_ text: String) throws -> [JSONValue.Member] {
    try #require(try JSONValue(parsing: Array(text.utf8)).object)
}

struct FeedRequestTests {
    @Test("a signed-in client pings, watches and writes")
    func requests() throws {
        #expect(try FeedRequest(members(#"{"ping":-3}"#)) == .ping(-3))
        #expect(
            try FeedRequest(members(#"{"watch":["romeo","juliet","romeo"]}"#))
                == .watch([UserName("romeo")!, UserName("juliet")!]))
        #expect(try FeedRequest(members(#"{"watch":[]}"#)) == .watch([]))
        #expect(try FeedRequest(members(#"{"typing":"17"}"#)) == .typing(ConversationID(rawValue: 17)))
    }

    @Test(
        "anything else is refused and says what is wrong",
        arguments: [
            (#"{}"#, "a frame has one of ping, watch, typing"),
            (#"{"ping":1,"watch":[]}"#, "a frame has one of ping, watch, typing"),
            (#"{"pong":1}"#, "a frame has one of ping, watch, typing"),
            (#"{"ping":"1"}"#, "ping is a whole number"), (#"{"ping":1.5}"#, "ping is a whole number"),
            (#"{"watch":"romeo"}"#, "watch is a list of at most 500 names"),
            (#"{"watch":["romeo",""]}"#, "watch has something that is no name"),
            (#"{"watch":[7]}"#, "watch has something that is no name"),
            (#"{"typing":17}"#, "typing is the id of a conversation"),
            (#"{"typing":"0"}"#, "typing is the id of a conversation"),
            (#"{"typing":"-1"}"#, "typing is the id of a conversation"),
            (#"{"typing":"+1"}"#, "typing is the id of a conversation"),
            (#"{"typing":"01"}"#, "typing is the id of a conversation"),
        ])
    func refused(text: String, message: String) throws {
        let members = try members(text)
        #expect(throws: APIFailure.bad(message)) { try FeedRequest(members) }
    }

    @Test("five hundred people can be watched, and not one more")
    func bound() throws {
        let names = (0..<500).map { "\"u\($0)\"" }
        guard case .watch(let watched) = try FeedRequest(members("{\"watch\":[\(names.joined(separator: ","))]}"))
        else {
            Issue.record("no watch")
            return
        }
        #expect(watched.count == 500)
        let more = try members("{\"watch\":[\((names + ["\"u\""]).joined(separator: ","))]}")
        #expect(throws: APIFailure.self) { try FeedRequest(more) }
    }

    @Test("the first frame has a token and a cursor, both or neither")
    func signIn() throws {
        let whole = try FeedSignIn(members(#"{"token":"t","after":"\#(FeedCursor(epoch: 2, position: 9).text)"}"#))
        #expect(whole.token == "t" && whole.start == .after(FeedCursor(epoch: 2, position: 9)))
        let empty = try FeedSignIn([])
        #expect(empty.token == nil && empty.start == .snapshot)
        #expect(try FeedSignIn(members(#"{"after":"tea"}"#)).start == .unknown)
        for text in [#"{"token":7}"#, #"{"after":null}"#, #"{"token":"t","tea":"x"}"#] {
            let members = try members(text)
            #expect(throws: APIFailure.self) { try FeedSignIn(members) }
        }
    }

    @Test("a request that waits says for how long, and from where")
    func question() throws {
        let whole = try FeedQuestion("after=\(FeedCursor(epoch: 2, position: 9).text)&wait=30")
        #expect(whole.start == .after(FeedCursor(epoch: 2, position: 9)) && whole.waitMilliseconds == 30_000)
        #expect(whole.waits)
        for none in [nil, "wait=0"] {
            let question = try FeedQuestion(none)
            #expect(question.start == .snapshot && !question.waits)
        }
        #expect(try FeedQuestion("after=tea").start == .unknown)
        for wrong in ["wait=31", "wait=-1", "wait=1.5", "wait=", "tea=1", "wait=1&wait=1", "after=a&after=b"] {
            #expect(throws: APIFailure.self, "\(wrong)") { try FeedQuestion(wrong) }
        }
    }
}
