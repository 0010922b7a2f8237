import ByteCodec
import Testing

@Suite("JSON merge patch")
struct JSONMergePatchTests {
    /// RFC 7396, appendix A: target, patch, result.
    static let vectors: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #"null"#, #"null"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test("gives what the RFC says", arguments: vectors)
    func standard(_ target: String, _ patch: String, _ result: String) throws {
        let merged = try JSONValue(parsing: target).merging(patch: JSONValue(parsing: patch))
        #expect(String(decoding: merged.serialized(), as: UTF8.self) == result)
    }

    @Test(
        "keeps the order of what stays, and tells names apart by their bytes",
        arguments: [
            (#"{"z":1,"m":2,"a":3}"#, #"{"a":4,"m":null,"b":5}"#, #"{"z":1,"a":4,"b":5}"#),
            ("{\"\u{E9}\":1}", "{\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
        ])
    func order(_ target: String, _ patch: String, _ result: String) throws {
        let merged = try JSONValue(parsing: target).merging(patch: JSONValue(parsing: patch))
        #expect(merged.serialized() == Array(result.utf8))
    }

    @Test("of a name that stands twice in the patch the last one counts")
    func twice() {
        let patch = JSONValue.object([.init("a", .integer(1)), .init("a", .null), .init("a", .integer(2))])
        let merged = JSONValue.object([.init("a", .integer(0))]).merging(patch: patch)
        #expect(merged == .object([.init("a", .integer(2))]))
    }

    @Test(
        "the patch from one value to another leads there and back",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#, #"{}"#), (#"{"a":1,"b":2}"#, #"{"b":3}"#, #"{"b":3,"a":null}"#),
            (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"y":2,"z":[null]}}"#, #"{"a":{"z":[null],"x":null}}"#),
            (#"{"a":"s"}"#, #"{"a":{"b":{}}}"#, #"{"a":{"b":{}}}"#),
            (#"{"a":{"b":1}}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#),
            ("{\"a\":\"\u{E9}\"}", "{\"a\":\"e\u{301}\"}", "{\"a\":\"e\u{301}\"}"),
        ])
    func between(_ old: String, _ new: String, _ patch: String) throws {
        let (before, after) = (try JSONValue(parsing: old), try JSONValue(parsing: new))
        let there = try #require(before.mergePatch(to: after))
        let back = try #require(after.mergePatch(to: before))
        #expect(there.serialized() == Array(patch.utf8))
        #expect(before.merging(patch: there).serialized() == after.serialized())
        #expect(after.merging(patch: back).mergePatch(to: before) == .object([]))
    }

    @Test("no patch leaves a null in an object", arguments: ["null", #"{"a":null}"#, #"{"a":{"b":null}}"#])
    func unreachable(_ wanted: String) throws {
        #expect(JSONValue.object([]).mergePatch(to: try JSONValue(parsing: wanted)) == nil)
    }
}
