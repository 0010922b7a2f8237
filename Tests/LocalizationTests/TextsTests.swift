import ByteCodec
import Glibc
import Localization
import Testing

@Suite("Texts")
struct TextsTests {
    @Test("puts values into their places, and nowhere else")
    func places() {
        let texts = Texts(embedded: .english)
        #expect(texts("usage.unknownCommand", ["name": "x{command}"]) == "There is no command x{command}.")
        #expect(texts("usage.unknownCommand") == "There is no command {name}.")
        #expect(texts("help.usage", ["name": "unused"]) == "Usage:")
    }

    @Test("a key that nobody knows is its own text", arguments: Language.allCases)
    func unknownKey(_ language: Language) {
        let texts = Texts(embedded: language)
        #expect(texts("no.such.key", ["a": "b"]) == "no.such.key")
        #expect(!texts.has("no.such.key"))
        #expect(texts.has("help.usage"))
    }

    @Test("the operator's texts win key by key, in either language")
    func overlay() throws {
        try withFolder { folder in
            try folder.write("zh-Hans.json", #"{"ctl.user.added":"欢迎 {name}"}"#)
            try folder.write("en.json", #"{"ctl.nothing":"empty","own.key":"only here"}"#)
            let chinese = try Texts(language: .chinese, overlay: folder.path)
            #expect(chinese("ctl.user.added", ["name": "明"]) == "欢迎 明")
            #expect(chinese("ctl.nothing") == "没有内容")
            #expect(chinese("own.key") == "only here")
            let english = try Texts(language: .english, overlay: folder.path)
            #expect(english("ctl.nothing") == "empty")
            #expect(english("ctl.user.added", ["name": "ming"]) == "user ming added")
        }
    }

    @Test("a folder without files changes nothing")
    func emptyOverlay() throws {
        try withFolder { folder in
            let texts = try Texts(language: .chinese, overlay: folder.path)
            #expect(texts("help.usage") == "用法：")
            let findings = try LanguageCheck.findings(overlay: folder.path)
            #expect(findings == [])
        }
    }

    @Test(
        "a file that is not a flat object of strings is refused by its path",
        arguments: ["", "{", "[]", "\"x\"", #"{"a":1}"#, #"{"a":{"b":"c"}}"#, #"{"a":"1","a":"2"}"#, #"{"a":null}"#])
    func badOverlay(_ content: String) throws {
        try withFolder { folder in
            try folder.write("en.json", content)
            let error = #expect(throws: LocalizationError.self) {
                try Texts(language: .english, overlay: folder.path)
            }
            #expect(error?.description.contains("\(folder.path)/en.json") == true)
        }
    }

    @Test("a file of more than the bound is refused")
    func largeOverlay() throws {
        try withFolder { folder in
            try folder.write("en.json", "{}" + String(repeating: " ", count: 1 << 20))
            #expect(throws: LocalizationError.tooLarge(path: "\(folder.path)/en.json", maximumBytes: 1 << 20)) {
                try Texts(language: .english, overlay: folder.path)
            }
        }
    }
}

@Suite("Language files")
struct LanguageFileTests {
    @Test("every language has every key, with the same places")
    func complete() throws {
        #expect(try LanguageCheck.findings() == [])
    }

    @Test("the binary carries the files as they are", arguments: Language.allCases)
    func embedded(_ language: Language) throws {
        let path = "\(repositoryPath)/assets/lang/\(language.fileName)"
        let members = try #require(JSONValue(parsing: try contents(of: path)).object)
        let texts = Texts(embedded: language)
        #expect(members.count > 100)
        #expect(members.filter { texts($0.name) != $0.value.string } == [])
    }

    @Test("what is wrong with an operator's file is listed")
    func findings() throws {
        try withFolder { folder in
            try folder.write("zh-Hans.json", #"{"ctl.user.added":"欢迎","ctl.user.adedd":"x","help.usage":"用 {x}"}"#)
            #expect(
                try LanguageCheck.findings(overlay: folder.path) == [
                    .differentPlaces(key: "ctl.user.added", language: .chinese, expected: ["name"], found: []),
                    .unknown(key: "ctl.user.adedd", language: .chinese),
                    .differentPlaces(key: "help.usage", language: .chinese, expected: [], found: ["x"]),
                ])
        }
    }
}
