import Testing

@testable import LeanCloudPull

@Suite("Rows that strangers wrote") struct RowTests {
    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("a row is one line, and says what it holds")
    func reads() throws {
        let text = """
            { "objectId" : "5eccba570d3a42c5fd4e25c3",
              "name": "tea \\"green\\"  and more",
              "n": [ 1,  2 ], "lm": {"__type": "Date", "iso": "2026-07-15T09:30:00.123Z"}, "sys": true }
            """
        let row = try Row.read(Self.bytes(text)).get()
        let line = #"{"objectId":"5eccba570d3a42c5fd4e25c3","name":"tea \"green\"  and more","n":[1,2],"#
        #expect(
            String(decoding: row.line, as: UTF8.self)
                == line + #""lm":{"__type":"Date","iso":"2026-07-15T09:30:00.123Z"},"sys":true}"#)
        #expect(row.objectID == "5eccba570d3a42c5fd4e25c3")
        #expect(row.string("name") == #"tea "green"  and more"#)
        #expect(row.milliseconds("lm") == 1_784_107_800_123)
        #expect(row.isTrue("sys") && !row.isTrue("name") && !row.has("m"))
    }

    @Test(
        "what no program could read has its reason",
        arguments: [
            ("[1]", Row.Oddity.noObject), ("{\"a\":1", .noObject), ("{\"a\":[1 2]}", .notJSON),
            ("{\"a\":\"line\nend\"}", .notJSON), ("{\"a\":01}", .notJSON), ("", .noObject),
            (String(repeating: "{\"a\":", count: 300) + "1" + String(repeating: "}", count: 300), .tooDeep),
        ])
    func oddities(_ text: String, _ oddity: Row.Oddity) {
        #expect(throws: oddity) { try Row.read(Self.bytes(text)).get() }
    }

    @Test("bytes that are not UTF-8 are odd, and the odd row holds all of them")
    func notUTF8() throws {
        let bytes = Self.bytes("{\"a\":\"") + [0xFF, 0xFE] + Self.bytes("\"}")
        #expect(throws: Row.Oddity.notUTF8) { try Row.read(bytes).get() }
        let row = try #require(Row(line: OddRow(.notUTF8, bytes).line))
        #expect(row.string("why") == "not UTF-8")
        #expect(row.string("base64") == "eyJhIjoi//4ifQ==")
    }

    @Test(
        "half of a surrogate pair and a name that stands twice are kept",
        arguments: [
            #"{"objectId":"a","x":"\ud83d"}"#, #"{"objectId":"b","objectId":"a"}"#,
        ])
    func untidyButJSON(_ text: String) throws {
        let row = try Row.read(Self.bytes(text)).get()
        #expect(row.objectID == "a")
        #expect(row.line == Self.bytes(text))
    }

    @Test(
        "an objectId that could be a path is none", arguments: ["../x", "", "a b", String(repeating: "a", count: 65)])
    func ids(_ id: String) throws {
        #expect(try Row.read(Self.bytes(#"{"objectId":"\#(id)"}"#)).get().objectID == nil)
    }

    @Test("numbers are taken in quotes and with fractions")
    func numbers() throws {
        let row = try Row.read(Self.bytes(#"{"a":12,"b":"13","c":14.7,"d":1.5e3,"e":"x","f":null,"g":1e30}"#)).get()
        #expect(row.integer("a") == 12 && row.integer("b") == 13 && row.integer("c") == 14 && row.integer("d") == 1_500)
        #expect(row.integer("e") == nil && row.integer("f") == nil && row.integer("g") == nil)
    }

    @Test(
        "dates",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("2000-02-29T23:59:59.999Z", 951_868_799_999),
            ("2026-07-15T09:30:00Z", 1_784_107_800_000), ("2026-07-15T09:30:00.5Z", 1_784_107_800_500),
        ] as [(String, Int64)])
    func dates(_ text: String, _ milliseconds: Int64) { #expect(Dates.milliseconds(text) == milliseconds) }

    @Test(
        "what is no date",
        arguments: ["", "2026-07-15", "2026-13-15T09:30:00Z", "2026-07-15T09:30:00.Z", "x026-07-15T09:30:00Z"])
    func noDates(_ text: String) { #expect(Dates.milliseconds(text) == nil) }
}

@Suite("Pages") struct PageTests {
    @Test("a scan's page has rows and a cursor")
    func scan() throws {
        let page = try #require(
            Page(RowTests.bytes(#"{"results":[{"objectId":"a"}, {"objectId":"b"}],"cursor":"xyz"}"#)))
        #expect(page.rows.count == 2 && page.cursor == "xyz")
        var ids: [String?] = []
        page.forEach { row, _ in ids.append((try? row.get())?.objectID) }
        #expect(ids == ["a", "b"])
    }

    @Test("the last page has none", arguments: [#"{"results":[],"cursor":null}"#, #"{"results":[]}"#])
    func last(_ text: String) throws { #expect(try #require(Page(RowTests.bytes(text))).cursor == nil) }

    @Test("a history is a list; a broken row does not take the others along")
    func history() throws {
        let page = try #require(Page(RowTests.bytes(#" [{"timestamp":1}, 7, {"a":tru}, {"timestamp":2}] "#)))
        var good = 0
        page.forEach { row, _ in if case .success = row { good += 1 } }
        #expect(page.rows.count == 4 && good == 2)
    }

    @Test("cut at any byte it is no page")
    func cut() {
        let text = RowTests.bytes(#"{"results":[{"objectId":"a]}"},{"objectId":"b"}],"cursor":"x"}"#)
        for count in 0..<text.count { #expect(Page(Array(text[..<count])) == nil) }
        #expect(Page(text) != nil)
    }

    @Test("what is no page", arguments: ["<html>", "{}", #"{"results":7}"#, "[] x", #"{"code":1,"error":"no"}"#])
    func none(_ text: String) { #expect(Page(RowTests.bytes(text)) == nil) }
}
