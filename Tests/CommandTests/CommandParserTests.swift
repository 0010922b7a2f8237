import CommandLineKit
import Diagnostics
import Testing

@Suite("Command lines") struct CommandParserTests {
    private func parse(_ words: String...) throws -> Invocation? {
        guard case .run(_, let invocation) = try CommandParser.parse(words, root: sampleRoot()) else { return nil }
        return invocation
    }

    private func problem(_ words: [String]) -> UsageError.Problem? {
        do throws(UsageError) {
            _ = try CommandParser.parse(words, root: sampleRoot())
            return nil
        } catch {
            return error.problem
        }
    }

    @Test("arguments by place, options by name, in any order")
    func mixed() throws {
        let read = try #require(
            try self.parse("user", "--data", "/d", "add", "--role=admin", "romeo", "--quiet", "a", "--level", "3", "b"))
        #expect(read.path == ["house", "user", "add"])
        #expect(read.argument("NAME") == "romeo")
        #expect(read.list("TAGS") == ["a", "b"])
        #expect(read.value("data") == "/d")
        #expect(read.value("role") == "admin")
        #expect(read.number("level") == 3)
        #expect(read.has("quiet"))
        #expect(!read.has("note"))
    }

    @Test("an option of a command above may come last")
    func inherited() throws {
        let read = try #require(try self.parse("user", "add", "romeo", "--data=/d"))
        #expect(read.value("data") == "/d")
    }

    @Test("a repeated option keeps every value in order")
    func repeated() throws {
        let read = try #require(try self.parse("user", "add", "romeo", "--note", "one", "--note="))
        #expect(read.values("note") == ["one", ""])
    }

    @Test("what follows two dashes is taken as it is")
    func afterDashes() throws {
        let read = try #require(try self.parse("user", "add", "--", "--role", "--help"))
        #expect(read.argument("NAME") == "--role")
        #expect(read.list("TAGS") == ["--help"])
    }

    @Test("a single dash and a negative number are arguments")
    func dash() throws {
        let read = try #require(try self.parse("user", "add", "-", "-5"))
        #expect(read.argument("NAME") == "-")
        #expect(read.list("TAGS") == ["-5"])
    }

    @Test(
        "what the table does not allow is refused",
        arguments: [
            (["usr"], .unknownCommand("usr", nearest: "user")),
            (["zebra"], .unknownCommand("zebra", nearest: nil)),
            ([], .missingCommand),
            (["user"], .missingCommand),
            (["user", "add"], .missingArgument("NAME")),
            (["user", "add", "r", "--rol", "admin"], .unknownOption("--rol", nearest: "--role")),
            (["user", "add", "r", "-x"], .unknownOption("-x", nearest: nil)),
            (["user", "add", "r", "--role"], .optionNeedsValue("role")),
            (["user", "add", "r", "--quiet=1"], .flagTakesNoValue("quiet")),
            (
                ["user", "add", "r", "--role", "king"],
                .notAChoice(option: "role", value: "king", choices: ["member", "admin"])
            ),
            (
                ["user", "add", "r", "--level", "10"],
                .notANumber(option: "level", value: "10", minimum: 1, maximum: 9)
            ),
            (
                ["user", "add", "r", "--level", "x"],
                .notANumber(option: "level", value: "x", minimum: 1, maximum: 9)
            ),
            (["user", "add", "r", "--role", "admin", "--role", "member"], .optionRepeated("role")),
            (["send"], .missingOption("--from NAME")),
            (["send", "--from", "a", "extra"], .unexpectedArgument("extra")),
        ] as [([String], UsageError.Problem)])
    func refused(_ words: [String], _ expected: UsageError.Problem) {
        #expect(self.problem(words) == expected)
    }

    @Test("help wins over mistakes and knows how far the words went", arguments: ["--help", "-h"])
    func help(_ word: String) throws {
        guard case .help(let path) = try CommandParser.parse(["user", "add", word, "--wrong"], root: sampleRoot())
        else {
            Issue.record("no help")
            return
        }
        #expect(path.map(\.name) == ["house", "user", "add"])
    }

    @Test("help shows usage, arguments, options of all levels and an example")
    func page() throws {
        guard case .help(let path) = try CommandParser.parse(["user", "add", "-h"], root: sampleRoot()) else {
            Issue.record("no help")
            return
        }
        #expect(
            HelpPage.text(of: path, keysAsTexts) == """
                house user add - add.summary

                help.usage
                  house user add [--role member|admin] [--level N] [--note TEXT ...] [--quiet] NAME [TAGS ...]

                help.arguments
                  NAME  name.help
                  TAGS  tags.help

                help.options
                  --role member|admin  role.help
                  --level N            level.help
                  --note TEXT          note.help
                  --quiet              quiet.help
                  --data DIR           data.help
                  --help               option.help

                help.examples
                  house user add romeo

                """)
    }
}

@Suite("Nearest names") struct NearestNameTests {
    @Test(
        "a slip of the fingers finds the name",
        arguments: [("lsit", "list"), ("lst", "list"), ("listt", "list"), ("LIST", "list"), ("sohw", "show")])
    func near(_ typed: String, _ expected: String) {
        #expect(nearestName(to: typed, among: ["add", "list", "show"]) == expected)
    }

    @Test("a word far from all of them finds none", arguments: ["zebra", "", "l"])
    func far(_ typed: String) {
        #expect(nearestName(to: typed, among: ["add", "list", "show"]) == nil)
    }
}
