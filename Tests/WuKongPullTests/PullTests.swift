import ByteCodec
import Execution
import Foundation
import HTTPClient
import LeanCloudPull
import TeahouseTesting
import Testing

@testable import WuKongPull

/// A source with one group, whose answers are made here.
private final class Source: Sendable {
    let receiver: HTTPReceiver
    let folder = TeahouseTesting.TemporaryFolder()

    init(_ behaviour: @escaping @Sendable (ReceivedRequest) -> ReceiverReply?) {
        self.receiver = HTTPReceiver { request in behaviour(request) ?? Self.usual(request) }
    }

    static func usual(_ request: ReceivedRequest) -> ReceiverReply {
        let path = request.target.prefix { $0 != "?" }
        switch path {
        case "/cluster/users": return .body(#"{"more":0,"total":2,"data":[{"uid":"romeo","created_at":2}]}"#)
        case "/cluster/channels":
            return .body(
                #"{"more":0,"data":[{"channel_id":"tea","channel_type":2,"created_at":1700000000000000000,"ban":1}]}"#)
        case "/cluster/channels/tea/2/subscribers": return .body(#"["romeo","juliet"]"#)
        case "/channel/messagesync": return Self.messages(request, through: 450)
        default: return .body("[]")
        }
    }

    static func message(_ sequence: Int64) -> String {
        """
        {"message_seq":\(sequence),"message_id":\(sequence + 10),"from_uid":"romeo",\
        "timestamp":\(1_700_000_000 + sequence),"payload":"e30="}
        """
    }

    static func messages(_ request: ReceivedRequest, through last: Int64) -> ReceiverReply {
        let asked = try? JSONValue(parsing: request.body)
        let (start, limit) = (asked?["start_message_seq"]?.integer ?? 1, asked?["limit"]?.integer ?? 1)
        let rows = start > last ? [] : Array((start...last).prefix(Int(limit)))
        let more = rows.count < limit ? 0 : 1
        return .body(#"{"more":\#(more),"messages":[\#(rows.map { Self.message($0) }.joined(separator: ","))]}"#)
    }

    func pull(_ change: (inout WuKongPullOptions) -> Void = { _ in }) throws -> WuKongPullReport {
        var options = WuKongPullOptions(
            source: "http://127.0.0.1:\(self.receiver.port)", folder: self.folder.path + "/saved")
        options.rate = 1_000
        options.refusalPauseMilliseconds = 0
        change(&options)
        return try WuKongPuller(options, HTTPCancellation()) { _ in }.run()
    }

    func lines(_ name: String) throws -> [JSONValue] {
        guard let reader = try LineReader(self.folder.path + "/saved/" + name) else { return [] }
        var lines: [JSONValue] = []
        while let line = try reader.next() { lines.append(try JSONValue(parsing: line)) }
        return lines
    }

    func rows(_ report: WuKongPullReport, _ name: String) -> Int64? { report.tables.first { $0.path == name }?.rows }
}

@Suite("Pulling from a WuKongIM server")
struct PullTests {
    @Test("pages are walked to their end, and a second pull fetches only what is new")
    func whole() throws {
        let source = Source { _ in nil }
        let report = try source.pull()
        #expect(report.isWhole && report.usersThere == 2, "\(report.failures)")
        #expect(source.rows(report, "users.jsonl") == 2 && source.rows(report, "channels.jsonl") == 1)
        let sequences = try source.lines("messages.jsonl").map { $0["message_seq"]?.integer }
        #expect(sequences == (1...450).map { Int64($0) })
        let channel = try #require(try source.lines("channels.jsonl").first)
        #expect(channel["whole"]?.boolean == true && channel["ban"]?.boolean == true)
        #expect(channel["created_at"]?.integer == 1_700_000_000_000)
        source.receiver.change { request in
            request.target == "/channel/messagesync" ? Source.messages(request, through: 452) : Source.usual(request)
        }
        let before = source.receiver.requests.count
        #expect(source.rows(try source.pull(), "messages.jsonl") == 452)
        let asked = source.receiver.requests.dropFirst(before).filter { $0.target == "/channel/messagesync" }
        #expect(asked.count == 1 && asked.first?.text.contains(#""start_message_seq":451"#) == true)
    }

    @Test("what fails in passing is asked again")
    func faults() throws {
        let count = Lock(0)
        let source = Source { _ in
            let number = count.withLock { number in
                number += 1
                return number
            }
            switch number {
            case 1: return .answer(500, "{}")
            case 3: return .close
            case 5: return .answer(400, #"{"msg":"no leader","status":400}"#)
            default: return nil
            }
        }
        let report = try source.pull()
        #expect(report.isWhole && source.rows(report, "messages.jsonl") == 450)
    }

    @Test("a source that ignores where to begin is an error at once, and what it gave is kept once")
    func ignoresStart() throws {
        let source = Source { request in
            guard request.target == "/channel/messagesync" else { return nil }
            let rows = (1...200).map { Source.message($0) }.joined(separator: ",")
            return .body(#"{"more":1,"messages":[\#(rows)]}"#)
        }
        #expect {
            _ = try source.pull()
        } throws: { error in
            guard case .notWuKong(let why) = error as? PullError else { return false }
            return why.hasPrefix("it was asked for messages from 201 on")
        }
        #expect(try source.lines("messages.jsonl").count == 200)
    }

    @Test("lists and conversations that are refused are named, and the rest comes")
    func refusals() throws {
        // What the source says is kept as far as an operator reads it.
        let words = "broken" + String(repeating: "!", count: 100_000)
        let source = Source { request in
            let isRefused = request.target == "/conversation/sync" || request.target.hasSuffix("/subscribers")
            return isRefused ? .answer(400, #"{"msg":"\#(words)","status":400}"#) : nil
        }
        let report = try source.pull()
        let names = report.failures.map(\.what)
        #expect(names.contains("subscribers of channel tea, type 2") && names.contains("the conversations of romeo"))
        #expect(report.failures.allSatisfy { $0.why.hasPrefix("broken") && $0.why.count < 400 })
        #expect(try source.lines("positions.jsonl").isEmpty)
        #expect(try source.lines("channels.jsonl").first?["whole"]?.boolean == false)
        #expect(try source.lines("messages.jsonl").count == 450)
    }

    @Test("uids that nobody has are left out of the members, and counted")
    func oddMembers() throws {
        let source = Source { request in
            let long = String(repeating: "x", count: 1_025)
            return request.target.hasSuffix("/subscribers") ? .body(#"["romeo","","\#(long)"]"#) : nil
        }
        let report = try source.pull()
        #expect(report.failures.map(\.what) == ["2 members of channel tea, type 2"])
        let members = try source.lines("channels.jsonl").first?["subscribers"]?.array
        #expect(members?.compactMap(\.string) == ["romeo"])
    }

    @Test("a wrong token ends the pull with a word about it, and a folder belongs to one source")
    func token() throws {
        let source = Source { request in request.fields["token"] == "right" ? nil : .status(401) }
        #expect {
            _ = try source.pull()
        } throws: { error in
            if case .wrongToken(401, _) = error as? PullError { true } else { false }
        }
        #expect(try source.pull { $0.token = "right" }.isWhole)
        #expect {
            _ = try source.pull { $0.source = "http://127.0.0.1:1" }
        } throws: { error in
            if case .otherSource = error as? PullError { true } else { false }
        }
    }

    @Test("what the server does not list comes from the operator's file, and a wrong line of it is named")
    func names() throws {
        let source = Source { request in
            let isListing =
                request.target.hasPrefix("/cluster/users") || request.target.hasPrefix("/cluster/channels?")
            return isListing ? .answer(404, "not here") : nil
        }
        #expect(throws: PullError.self) { _ = try source.pull() }
        let names = source.folder.path + "/names.jsonl"
        let text =
            #"{"uid":"tybalt"}"# + "\n" + #"{"channel_id":"tea","channel_type":2,"subscribers":["romeo"]}"# + "\n"
        try text.write(toFile: names, atomically: true, encoding: .utf8)
        let report = try source.pull { $0.names = names }
        #expect(report.isWhole && report.notes.count == 2)
        #expect(try source.lines("users.jsonl").map { $0["uid"]?.string } == ["tybalt", "romeo"])
        #expect(try source.lines("channels.jsonl").first?["subscribers"]?.array?.map(\.string) == ["romeo"])
        #expect(throws: PullError.self) { _ = try source.pull { $0.names = names + "x" } }
        try "tea\n".write(toFile: names, atomically: true, encoding: .utf8)
        #expect {
            _ = try source.pull { $0.names = names }
        } throws: { error in
            if case .input(_, let reason) = error as? PullError { reason.hasPrefix("line 1") } else { false }
        }
    }
}
