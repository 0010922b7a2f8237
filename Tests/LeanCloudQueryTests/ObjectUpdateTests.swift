import ByteCodec
import Testing

@testable import LeanCloudQuery

struct ObjectUpdateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let update: String
        let before: String
        let after: String
        let modified: String

        init(_ update: String, _ before: String, _ after: String, _ modified: String) {
            self.update = update
            self.before = before
            self.after = after
            self.modified = modified
        }

        var testDescription: String { "\(self.update) on \(self.before)" }
    }

    @Test(
        "each operation",
        arguments: [
            Case(#"{"name":"b"}"#, #"{"name":"a","x":1}"#, #"{"name":"b","x":1}"#, #"{"name":"b"}"#),
            Case(#"{"name":null}"#, #"{"name":"a"}"#, #"{"name":null}"#, #"{"name":null}"#),
            Case(#"{}"#, #"{"a":1}"#, #"{"a":1}"#, #"{}"#),
            Case(#"{"attr":{"a":1}}"#, #"{"attr":{"b":2}}"#, #"{"attr":{"a":1}}"#, #"{"attr":{"a":1}}"#),
            Case(#"{"attr.a":1}"#, #"{"attr":{"b":2}}"#, #"{"attr":{"b":2,"a":1}}"#, #"{"attr":{"a":1}}"#),
            Case(#"{"attr.a":1}"#, #"{}"#, #"{"attr":{"a":1}}"#, #"{"attr":{"a":1}}"#),
            Case(#"{"attr.a.b":1}"#, #"{"attr":null}"#, #"{"attr":{"a":{"b":1}}}"#, #"{"attr":{"a":{"b":1}}}"#),
            Case(
                #"{"attr.a":1,"attr.b":{"c":2},"color.text":"red"}"#, #"{"attr":{"z":0}}"#,
                #"{"attr":{"z":0,"a":1,"b":{"c":2}},"color":{"text":"red"}}"#,
                #"{"attr":{"a":1,"b":{"c":2}},"color":{"text":"red"}}"#),
            Case(
                #"{"d":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}"#, "{}",
                #"{"d":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}"#,
                #"{"d":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}"#),
            // Delete and Unset.
            Case(#"{"a":{"__op":"Delete"}}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#, "{}"),
            Case(#"{"a":{"__op":"Unset"}}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#, "{}"),
            Case(#"{"attr.a":{"__op":"Delete"}}"#, #"{"attr":{"a":1,"b":2}}"#, #"{"attr":{"b":2}}"#, "{}"),
            Case(#"{"attr.a":{"__op":"Delete"}}"#, #"{"b":1}"#, #"{"b":1}"#, "{}"),
            Case(
                #"{"attr.a":{"__op":"Delete"},"attr.b":3}"#, #"{"attr":{"a":1,"b":2}}"#, #"{"attr":{"b":3}}"#,
                #"{"attr":{"b":3}}"#),
            // Numbers.
            Case(#"{"n":{"__op":"Increment","amount":2}}"#, #"{"n":40}"#, #"{"n":42}"#, #"{"n":42}"#),
            Case(#"{"n":{"__op":"Increment","amount":2}}"#, "{}", #"{"n":2}"#, #"{"n":2}"#),
            Case(#"{"n":{"__op":"Increment","amount":-2}}"#, #"{"n":null}"#, #"{"n":-2}"#, #"{"n":-2}"#),
            Case(#"{"n":{"__op":"Increment","amount":0.5}}"#, #"{"n":1}"#, #"{"n":1.5}"#, #"{"n":1.5}"#),
            Case(
                #"{"n":{"__op":"Increment","amount":1}}"#, #"{"n":9007199254740992}"#, #"{"n":9007199254740993}"#,
                #"{"n":9007199254740993}"#),
            Case(
                #"{"a.n":{"__op":"Decrement","amount":3}}"#, #"{"a":{"n":1}}"#, #"{"a":{"n":-2}}"#, #"{"a":{"n":-2}}"#),
            // Lists.
            Case(#"{"l":{"__op":"Add","objects":[1,1]}}"#, #"{"l":[1]}"#, #"{"l":[1,1,1]}"#, #"{"l":[1,1,1]}"#),
            Case(#"{"l":{"__op":"Add","objects":[1]}}"#, "{}", #"{"l":[1]}"#, #"{"l":[1]}"#),
            Case(#"{"a.l":{"__op":"Add","objects":[1]}}"#, "{}", #"{"a":{"l":[1]}}"#, #"{"a":{"l":[1]}}"#),
            Case(
                #"{"l":{"__op":"AddUnique","objects":[1,2,2.0,{"b":1,"a":2}]}}"#, #"{"l":[1,{"a":2,"b":1}]}"#,
                #"{"l":[1,{"a":2,"b":1},2]}"#, #"{"l":[1,{"a":2,"b":1},2]}"#),
            Case(
                #"{"l":{"__op":"AddUnique","objects":["e\u0301"]}}"#, #"{"l":["\u00e9"]}"#,
                #"{"l":["\u00e9","e\u0301"]}"#, #"{"l":["\u00e9","e\u0301"]}"#),
            Case(#"{"l":{"__op":"Remove","objects":[1,3]}}"#, #"{"l":[1,2,1,3]}"#, #"{"l":[2]}"#, #"{"l":[2]}"#),
            Case(#"{"l":{"__op":"Remove","objects":[1]}}"#, #"{"l":[[1]]}"#, #"{"l":[[1]]}"#, #"{"l":[[1]]}"#),
            Case(#"{"l":{"__op":"Remove","objects":[1]}}"#, "{}", #"{"l":[]}"#, #"{"l":[]}"#),
            // Bits.
            Case(#"{"n":{"__op":"BitAnd","value":6}}"#, #"{"n":3}"#, #"{"n":2}"#, #"{"n":2}"#),
            Case(#"{"n":{"__op":"BitOr","value":6}}"#, #"{"n":3}"#, #"{"n":7}"#, #"{"n":7}"#),
            Case(#"{"n":{"__op":"BitXor","value":6}}"#, #"{"n":3}"#, #"{"n":5}"#, #"{"n":5}"#),
            Case(#"{"n":{"__op":"BitOr","value":6}}"#, "{}", #"{"n":6}"#, #"{"n":6}"#),
            Case(#"{"a.b.n":{"__op":"BitXor","value":1}}"#, "{}", #"{"a":{"b":{"n":1}}}"#, #"{"a":{"b":{"n":1}}}"#),
        ])
    func operations(test: Case) throws {
        let result = try ObjectUpdate(parsing: test.update).apply(to: try json(test.before))
        // Compared as texts, where the order of members and the kinds of numbers show.
        #expect(result.row.serialized() == (try json(test.after)).serialized())
        #expect(result.modified.serialized() == (try json(test.modified)).serialized())
    }

    @Test(
        "an operation that does not fit the value that it meets changes nothing",
        arguments: [
            (#"{"n":{"__op":"Increment","amount":1}}"#, #"{"n":"1"}"#, "the key \"n\" needs a number"),
            (#"{"n":{"__op":"Increment","amount":1}}"#, #"{"n":[1]}"#, "the key \"n\" needs a number"),
            (#"{"n":{"__op":"Increment","amount":1}}"#, #"{"n":9223372036854775807}"#, "too large"),
            (#"{"n":{"__op":"Decrement","amount":-9223372036854775808}}"#, #"{"n":0}"#, "too large"),
            (#"{"n":{"__op":"Increment","amount":1.7e308}}"#, #"{"n":1.7e308}"#, "too large"),
            (#"{"n":{"__op":"Add","objects":[1]}}"#, #"{"n":1}"#, "needs a list"),
            (#"{"n":{"__op":"AddUnique","objects":[1]}}"#, #"{"n":"x"}"#, "needs a list"),
            (#"{"n":{"__op":"Remove","objects":[1]}}"#, #"{"n":{}}"#, "needs a list"),
            (#"{"n":{"__op":"BitOr","value":1}}"#, #"{"n":1.5}"#, "needs an integer"),
            (#"{"n.x":1}"#, #"{"n":1}"#, "something that is not an object"),
            (#"{"n.0":1}"#, #"{"n":[1]}"#, "something that is not an object"),
            (#"{"n.x.y":{"__op":"Delete"}}"#, #"{"n":{"x":true}}"#, "something that is not an object"),
            (
                #"{"n.iso":1}"#, #"{"n":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}"#,
                "something that is not an object"
            ),
        ])
    func mismatches(update: String, row: String, expected: String) throws {
        let reason = try #require(
            reason { () throws(ObjectQueryError) in
                // The keys around it would be fine.
                let whole = "{\"before\":1," + update.dropFirst().dropLast() + ",\"after\":1}"
                let row = (try? json(row)) ?? .null
                _ = try ObjectUpdate(parsing: whole).apply(to: row)
            })
        #expect(reason.contains(expected))
    }

    @Test(
        "what is no update is refused with its reason",
        arguments: [
            ("[]", "not a JSON object"), ("", "ends too early"), (#"{"a":1,"a":2}"#, "same key twice"),
            (#"{"a":{"__op":"Explode"}}"#, "\"Explode\" is not supported"),
            (#"{"a":{"__op":"SetOnInsert"}}"#, "\"SetOnInsert\" is not supported"),
            (#"{"a":{"__op":"AddRelation","objects":[]}}"#, "\"AddRelation\" is not supported"),
            (#"{"a":{"__op":1}}"#, "__op"), (#"{"a":{"__op":"Increment"}}"#, "needs a number"),
            (#"{"a":{"__op":"Increment","amount":"1"}}"#, "needs a number"),
            (#"{"a":{"__op":"Decrement","amount":null}}"#, "needs a number"),
            (#"{"a":{"__op":"Add"}}"#, "needs a list"), (#"{"a":{"__op":"AddUnique","objects":1}}"#, "needs a list"),
            (#"{"a":{"__op":"Remove","objects":{}}}"#, "needs a list"),
            (#"{"a":{"__op":"BitAnd","value":1.5}}"#, "needs an integer"),
            (#"{"a":{"__op":"BitOr"}}"#, "needs an integer"),
            (#"{"attr":{"a":{"__op":"Delete"}}}"#, "stands inside of a value"),
            (#"{"a":{"__op":"Add","objects":[{"__op":"Delete"}]}}"#, "stands inside of a value"),
            (#"{"$set":{"a":1}}"#, "\"$set\" stands where a key belongs"), (#"{"a.$x":1}"#, "\"$x\" stands"),
            (#"{"":1}"#, "empty name"), (#"{"a..b":1}"#, "empty name"), (#"{"__proto__":{"x":1}}"#, "__proto__"),
            (#"{"attr.__proto__.x":1}"#, "__proto__"), (#"{"attr":[{"__proto__":1}]}"#, "__proto__"),
            (#"{"a":1,"a.b":2}"#, "\"a.b\" leads into what another key changes"),
            (#"{"a.b.c":1,"a":{"__op":"Delete"}}"#, "\"a.b.c\" leads into what another key changes"),
        ])
    func refusals(update: String, expected: String) throws {
        let reason = try #require(refusal(ofUpdate: update))
        #expect(reason.contains(expected))
    }

    @Test("each bound is kept, and one less passes")
    func bounds() throws {
        func many(_ count: Int) -> String {
            "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        }
        #expect(refusal(ofUpdate: many(256)) == nil)
        #expect(refusal(ofUpdate: many(257))?.contains("257 keys, 256 are allowed") == true)
        func nested(_ key: String, _ depth: Int) -> String {
            "{\"\(key)\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(refusal(ofUpdate: nested("a", 15)) == nil)
        #expect(refusal(ofUpdate: nested("a", 16))?.contains("deeper than 16") == true)
        #expect(refusal(ofUpdate: nested("a.b.c", 13)) == nil)
        #expect(refusal(ofUpdate: nested("a.b.c", 14))?.contains("deeper than 16") == true)
        func added(_ depth: Int) -> String {
            let element = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return #"{"a.b.c.d":{"__op":"Add","objects":[\#(element)]}}"#
        }
        #expect(refusal(ofUpdate: added(11)) == nil)
        #expect(refusal(ofUpdate: added(12))?.contains("deeper than 16") == true)
        let list = #"{"a":["# + repeatElement("1", count: 1001).joined(separator: ",") + "]}"
        #expect(refusal(ofUpdate: list)?.contains("1001 items, 1000 are allowed") == true)
        let long = #"{"a":""# + String(repeating: "x", count: ObjectUpdate.maximumBytes) + #""}"#
        #expect(refusal(ofUpdate: long)?.contains("65536 are allowed") == true)
    }

    @Test("the columns that an update touches are known before it is carried out")
    func keys() throws {
        let update = try ObjectUpdate(parsing: #"{"attr.b":1,"attr.a":2,"m":[],"name":{"__op":"Delete"}}"#)
        #expect(update.keys == ["attr", "m", "name"])
        #expect(update.paths == ["attr.b", "attr.a", "m", "name"])
    }

    @Test("a row that is not an object is refused")
    func noRow() throws {
        let update = try ObjectUpdate(parsing: #"{"a":1}"#)
        #expect(throws: ObjectQueryError.self) { try update.apply(to: .array([])) }
    }
}
