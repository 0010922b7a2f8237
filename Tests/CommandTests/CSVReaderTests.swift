import AdminAPI
import ChatModel
import CommandLineKit
import Testing

@Suite("Comma-separated values") struct CSVReaderTests {
    private func rows(_ bytes: [UInt8], cut place: Int? = nil) -> [CSVRow] {
        var reader = CSVReader()
        guard let place else { return reader.read(bytes) + reader.end() }
        let first = reader.read(bytes[..<place])
        return first + reader.read(bytes[place...]) + reader.end()
    }

    private static let sample = "\u{FEFF}name,\"dis\"\"play\"\r\n\n\"a,b\",\"x\ny\"\r\n茶,\r\nlast,\"\""

    @Test("commas, quotes, line breaks, CRLF and a byte order mark are read, however the text comes in pieces")
    func whole() {
        let bytes = Array(Self.sample.utf8)
        let expected = [["name", "dis\"play"], ["a,b", "x\ny"], ["茶", ""], ["last", ""]]
        for place in 0...bytes.count {
            let rows = self.rows(bytes, cut: place)
            #expect(rows.map(\.fields) == expected.map { .success($0) } && rows.map(\.line) == [1, 3, 5, 6])
        }
    }

    @Test(
        "a record that is wrong says why, and the next one is read",
        arguments: [
            ("a\"b,c\nok", [CSVProblem.strayQuote]), ("\"a\"b\nok", [.strayQuote]), ("\"a\" ,b\nok", [.strayQuote]),
            ("ok\n\"a\nb", [.openQuote]),
        ])
    func wrong(_ text: String, _ problems: [CSVProblem]) {
        let rows = self.rows(Array(text.utf8))
        let found = rows.compactMap { row -> CSVProblem? in
            if case .failure(let problem) = row.fields { problem } else { nil }
        }
        #expect(found == problems)
        #expect(rows.contains { $0.fields == .success(["ok"]) })
    }

    @Test("what is no UTF-8 or too long is told, and what is no more than a byte order mark has no rows")
    func edges() {
        #expect(self.rows([0x61, 0xFF, 0x0A]).map(\.fields) == [.failure(.notUTF8)])
        let long = Array(repeating: UInt8(ascii: "x"), count: CSVReader.maximumRecordBytes)
        #expect(self.rows(long + [0x0A]).map(\.fields) == [.success([String(decoding: long, as: UTF8.self)])])
        #expect(self.rows(long + [0x78, 0x0A, 0x62]).map(\.fields) == [.failure(.tooLong), .success(["b"])])
        #expect(self.rows([0xEF, 0xBB, 0xBF]) == [] && self.rows([]) == [])
        #expect(self.rows([0xEF, 0xBB]).map(\.fields) == [.failure(.notUTF8)])
    }

    @Test("a heading says which columns are which; without one the name comes first and two are enough")
    func table() {
        var plain = AdminImportTable()
        #expect(plain.read(["ming", "小明"]) == .person(AdminImportRow(name: UserName("ming")!, displayName: "小明")))
        #expect(plain.read(["name"]) == .person(AdminImportRow(name: UserName("name")!)))
        #expect(plain.read(["ming", "小明", "7"]) == .wrong && plain.read([""]) == .wrong)
        var headed = AdminImportTable()
        #expect(headed.read(["Phone", "Display Name", "NAME"]) == .heading)
        #expect(
            headed.read(["1", "小明", "ming"])
                == .person(AdminImportRow(name: UserName("ming")!, displayName: "小明")))
        #expect(headed.read(["1", "小明"]) == .wrong)
    }
}

@Suite("teahouse ctl for a whole person, and announcements") struct PersonCommandTests {
    @Test("deleting asks for the name, unless told not to")
    func delete() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        let delete = ["ctl", "--data", fixture.folder, "user", "delete", "ming"]
        let left = runTeahouse(delete) { question in question.isAgreed(by: "lan") ? .agreed : .declined }
        #expect(left.code != .done && left.output.isEmpty)
        #expect(runTeahouse(delete, reply: { _ in .nobody }).code != .done)
        let gone = runTeahouse(delete) { question in question.isAgreed(by: "ming") ? .agreed : .declined }
        #expect(gone.output == "user ming deleted, 0 sessions closed\n")
        #expect(fixture.ctl("user", "delete", "lan", "--yes", "--json").output.contains(#""count":0"#))
        #expect(fixture.ctl("user", "list").output.contains("deleted"))
        #expect(fixture.ctl("user", "enable", "ming").code != .done)
        #expect(fixture.ctl("user", "add", "ming").code != .done)
    }

    @Test("details of a person are shown in tables and as JSON")
    func details() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        _ = fixture.ctl("team", "create", "tea", "--form", "advanced", "--owner", "ming")
        _ = fixture.ctl("send", "--from", "lan", "--to", "ming", "hello")
        _ = fixture.ctl("user", "token", "ming")
        let shown = fixture.ctl("user", "details", "ming")
        for text in ["tea", "owner", "lan,ming", "Tokens:", "Teams (1):"] {
            #expect(shown.output.contains(text), "\(text) in \(shown.output)\(shown.error)")
        }
        #expect(fixture.ctl("user", "details", "ming", "--json").output.contains(#""teamCount":1"#))
        #expect(fixture.ctl("user", "details", "nobody").code == .notFound)
    }

    @Test("a table of comma-separated values is imported and tried, with the lines that are wrong")
    func imports() throws {
        let fixture = try Fixture()
        let text = "\u{FEFF}name,display_name\r\n\"a\",\"Ann, \"\"A\"\"\"\r\nb\r\n\"c\"x\r\n"
        let path = try fixture.write(text, to: "people.csv")
        let tried = fixture.ctl("user", "import", path, "--dry-run")
        #expect(tried.code == .refused && tried.error.contains("line 4: no name of a person"))
        #expect(tried.output.contains("2 new") && tried.output.contains("1 refused"))
        let done = fixture.ctl("user", "import", path)
        #expect(done.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == ["a", "b"])
        #expect(fixture.ctl("user", "show", "a").output.contains("Ann, \"A\""))
        let plain = try fixture.write("d,Dora\n", to: "people.txt")
        #expect(fixture.ctl("user", "import", plain, "--csv").code == .done)
        #expect(fixture.ctl("user", "show", "d").output.contains("Dora"))
    }

    @Test("announcements are sent, listed and shown")
    func announcements() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        _ = fixture.ctl("team", "create", "tea", "--form", "normal", "--owner", "lan")
        let sent = fixture.ctl("notice", "send", "今晚八点", "--title", "茶会", "--team", "tea")
        #expect(sent.output == "announcement 1 is on its way\n", "\(sent.error)")
        #expect(fixture.ctl("notice", "send", "-", input: ["one", "two"]).code == .done)
        #expect(fixture.ctl("notice", "send", "-").code == .usage)
        #expect(fixture.ctl("notice", "send", "x", "--team", "coffee").code == .notFound)
        let listed = fixture.ctl("notice", "list").output
        #expect(listed.contains("茶会") && listed.contains("everybody") && listed.contains("tea"))
        let shown = fixture.ctl("notice", "show", "2")
        #expect(shown.output.contains("one\ntwo\n"), "\(shown.output)\(shown.error)")
        #expect(fixture.ctl("notice", "show", "1", "--people", "waiting", "--json").output.contains(#""number":1"#))
        #expect(
            fixture.ctl("notice", "show", "one").code == .usage && fixture.ctl("notice", "show", "9").code == .notFound)
    }
}
