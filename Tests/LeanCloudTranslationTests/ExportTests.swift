import ByteCodec
import ChatModel
import LeanCloudTranslation
import Testing

struct ExportSplitterTests {
    typealias Row = LeanCloudExportSplitter.Row

    /// The rows of a file that comes in pieces of so many bytes.
    private func rows(_ text: String, pieces: Int = .max, maximumBytes: Int = 64) -> [String] {
        var splitter = LeanCloudExportSplitter(maximumBytes: maximumBytes)
        var rest = Array(text.utf8)[...]
        var rows: [Row] = []
        while !rest.isEmpty {
            rows += splitter.read(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        rows += splitter.end()
        return rows.map { "\($0.line) \($0.text.map { String(decoding: $0, as: UTF8.self) } ?? "too long")" }
    }

    @Test(
        "each of its shapes gives the same rows, wherever it is cut",
        arguments: [
            "{\"a\":1}\n{\"b\":\"}\"}\n",
            "{\"a\":1}\n{\"b\":\"}\"}",
            "\u{FEFF}{\"a\":1}\n{\"b\":\"}\"}\n\n",
            "[{\"a\":1},\n{\"b\":\"}\"}]",
            " [{\"a\":1}\n,{\"b\":\"}\"}\n]\n",
            "{\"results\":[{\"a\":1},\n{\"b\":\"}\"}],\"cursor\":\"x\"}\n",
            "{\"results\":[{\"a\":1}]}\n{ \"results\" : [{\"b\":\"}\"}]}",
        ], [1, 2, 3, 7, .max])
    func shapes(_ text: String, _ pieces: Int) {
        #expect(self.rows(text, pieces: pieces) == [#"1 {"a":1}"#, #"2 {"b":"}"}"#])
    }

    @Test("the first line of a file of the console is no row, and lines keep their numbers", arguments: [1, 5, .max])
    func heading(_ pieces: Int) {
        let text =
            "#filetype:JSON-streaming {\"type\":\"Class\",\"class\":\"_User\"}\r\n{\"a\":1}\r\n\n# end\n{\"b\":2}"
        #expect(self.rows(text, pieces: pieces).map { String($0.prefix(8)) } == [#"2 {"a":1"#, #"5 {"b":2"#])
    }

    @Test("a row that is broken or too long leaves the rows behind it alone")
    func broken() {
        let long = #"{"a":""# + String(repeating: "x", count: 64) + #""}"#
        #expect(self.rows("{\"a\":\n\(long)\n{\"b\":2}") == [#"1 {"a":"#, "2 too long", #"3 {"b":2}"#])
        #expect(
            self.rows("[{\"a\":\"x\n,{\"b\":2},\(long),{\"c\":3}]") == [
                "1 {\"a\":\"x\n", #"2 {"b":2}"#, "2 too long", #"2 {"c":3}"#,
            ])
        #expect(self.rows("name,age\ntom,7\n") == ["1 name,age", "2 tom,7"])
        #expect(self.rows("") == [] && self.rows("[]") == [] && self.rows(" \n") == [])
        #expect(self.rows("[{\"a\":1") == [#"1 {"a":1"#])
    }
}

struct ExportedUserTests {
    private func read(_ text: String) throws(LeanCloudExportedUser.Problem) -> LeanCloudExportedUser {
        try LeanCloudExportedUser(parsing: Array(text.utf8))
    }

    @Test("a row is the account, the app's own fields, what others are shown, and the password")
    func whole() throws {
        let user = try self.read(
            #"""
            {"salt":"s4lt","email":"tom@verona.it","sessionToken":"t0ken","updatedAt":"2016-01-01T00:00:00.000Z",
            "password":"aGFzaA==","objectId":"5512602ae4b01608686c3e0e","username":"tom","__type":"Object",
            "createdAt":"2014-05-13T16:53:20.000Z","emailVerified":true,"mobilePhoneNumber":"+8613800000000",
            "authData":{"weixin":{"openid":"o"}},"mobilePhoneVerified":false,"nickname":"小明","age":17,
            "avatar":{"__type":"File","url":"https://files/a.png"},"ACL":{"*":{"read":true}}}
            """#)
        #expect(user.name.text == "5512602ae4b01608686c3e0e")
        #expect(user.app.username == "tom" && user.app.email == "tom@verona.it")
        #expect(user.app.phone == "+8613800000000" && user.app.createdAtMilliseconds == 1_400_000_000_000)
        #expect(user.displayName == "小明" && user.avatar == "https://files/a.png")
        #expect(user.salt == "s4lt" && user.hash == "aGFzaA==")
        #expect(user.sessionToken == "t0ken")
        #expect(user.app.isEmailVerified == true && user.app.isPhoneVerified == nil)
        #expect(user.app.authData == Array(#"{"weixin":{"openid":"o"}}"#.utf8))
        let fields = try JSONValue(parsing: try #require(user.app.fields))
        #expect(fields.object?.map(\.name) == ["nickname", "age", "avatar", "ACL"])
    }

    @Test("dates come with their type too, and what is empty is not there")
    func forms() throws {
        let user = try self.read(
            #"{"objectId":"a","email":"","mobilePhoneNumber":null,"createdAt":{"__type":"Date","iso":"1970-01-01T00:00:01.5Z"}}"#
        )
        #expect(user.app == AppUserPatch(username: "a", createdAtMilliseconds: 1_500))
        #expect(user.displayName == nil && user.salt == nil && user.hash == nil)
    }

    @Test(
        "who cannot be here, and why",
        arguments: [
            (#"[1]"#, .noObject), (#"{"objectId":"a""#, .noObject), (#"{"username":"tom"}"#, .noID),
            (#"{"objectId":"a\u0007"}"#, .badID), (#"{"objectId":7}"#, .badMember("objectId")),
            (#"{"objectId":"a","email":7}"#, .badMember("email")),
            (#"{"objectId":"a","authData":7}"#, .badMember("authData")),
            (#"{"objectId":"a","createdAt":"once"}"#, .badMember("createdAt")),
            (#"{"objectId":"a","username":"\#(String(repeating: "x", count: 129))"}"#, .badUsername),
            (#"{"objectId":"a","b":"\#(String(repeating: "x", count: 16_384))"}"#, .tooManyFields),
        ] as [(String, LeanCloudExportedUser.Problem)])
    func refused(_ row: String, _ problem: LeanCloudExportedUser.Problem) {
        #expect(throws: problem) { try self.read(row) }
    }
}
