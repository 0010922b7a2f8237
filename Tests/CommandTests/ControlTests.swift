import Accounts
import CommandLineKit
import Glibc
import Store
import Testing

@Suite("teahouse ctl") struct ControlTests {
    @Test("people: added, listed in aligned columns, shown")
    func users() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("user", "add", "ming", "--display-name", "小明").output == "user ming added\n")
        #expect(fixture.ctl("user", "add", "阿兰", "--role", "admin").code == .done)
        let lines = fixture.ctl("user", "list").output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("NAME  DISPLAY NAME  ROLE           STATE   CREATED"))
        #expect(lines[1].hasPrefix("ming  小明          member         active  "))
        #expect(lines[2].hasPrefix("阿兰                administrator  active  "))
        let again = fixture.ctl("user", "add", "ming")
        #expect(again.code == .refused)
        #expect(again.error == "teahouse: user ming exists already: choose another name\n")
        #expect(fixture.ctl("user", "show", "ming").output.contains("DISPLAY NAME  小明\n"))
    }

    @Test("a token is printed alone, for scripts")
    func token() throws {
        let fixture = try Fixture()
        _ = fixture.ctl("user", "add", "ming")
        let token = fixture.ctl("user", "token", "ming", "--device", "web", "--level", "primary")
        #expect(token.code == .done)
        #expect(token.output.hasPrefix("tea_") && token.output.hasSuffix("\n"))
        #expect(token.output.filter { $0 == "\n" }.count == 1)
        let shown = fixture.ctl("user", "show", "ming").output
        #expect(shown.contains("\nweb     primary"))
        #expect(fixture.ctl("user", "revoke", "ming").output == "tokens of ming ended, 0 sessions closed\n")
        #expect(!fixture.ctl("user", "show", "ming").output.contains("web"))
    }

    @Test(
        "a person at a terminal is asked twice, and sees nothing of it",
        arguments: [
            (["a cup of longjing", "a cup of longjing"], ExitCode.done, "New password: \nThe same again: \n"),
            (["a cup of longjing", "a cup of tea"], .usage, "the two passwords differ; nothing was changed"),
            (["a cup of longjing"], .usage, "no password was typed; nothing was changed"),
            ([], .usage, "no password was typed; nothing was changed"),
        ] as [([String], ExitCode, String)])
    func askedPassword(_ typed: [String], _ code: ExitCode, _ told: String) throws {
        let fixture = try Fixture()
        _ = fixture.ctl("user", "add", "ming")
        let outcome = fixture.ctl("user", "password", "ming", typed: typed)
        #expect(outcome.code == code)
        #expect(outcome.error.contains(told))
    }

    @Test("passwords come from standard input")
    func passwords() throws {
        let fixture = try Fixture()
        let added = fixture.ctl("user", "add", "ming", "--password-stdin", input: ["a cup of longjing"])
        #expect(added.code == .done)
        #expect(fixture.ctl("user", "show", "ming").output.contains("PASSWORD  yes\n"))
        #expect(fixture.ctl("user", "password", "ming", "--password-stdin").code == .usage)
        let unasked = fixture.ctl("user", "password", "ming", input: ["a pot of tea for two"])
        #expect(unasked.code == .usage)
        #expect(unasked.error.contains("--password-stdin"))
        #expect(fixture.ctl("user", "password", "ming", "--password-stdin", input: ["short"]).code == .refused)
        let changed = fixture.ctl("user", "password", "ming", "--password-stdin", input: ["a pot of pu'er tea"])
        #expect(changed.output == "password of ming set, 0 sessions closed\n")
    }

    @Test(
        "lists and switches say what changed, and when nothing did",
        arguments: [
            (["block", "ming", "lan"], "lan may no longer send to ming\n"),
            (["allow", "ming", "lan"], "lan is on the allow list of ming\n"),
            (["allowlist", "ming", "on"], "only people on the allow list may send to ming\n"),
            (["mute", "ming"], "ming may no longer send\n"),
        ])
    func switches(_ words: [String], _ said: String) throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        let command = ["ctl", "--data", fixture.folder, "user"] + words
        #expect(runTeahouse(command).output == said)
        #expect(runTeahouse(command).output == "nothing to change: it is so already\n")
    }

    @Test("an import prints a token for each line, and goes on after a bad one")
    func imports() throws {
        let fixture = try Fixture()
        let people = try fixture.write("a\tAnna\nb\r\n\n\u{7}\nc", to: "people.txt")
        let imported = fixture.ctl("user", "import", people)
        #expect(imported.code == .refused)
        let rows = imported.output.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(rows.map { $0[0] } == ["a", "b", "c"])
        #expect(rows.allSatisfy { $0.count == 2 && $0[1].hasPrefix("tea_") })
        #expect(
            imported.error == """
                \(people), line 4: no name of a person
                teahouse: 1 people were not imported, 3 were

                """)
        #expect(fixture.ctl("user", "show", "a").output.contains("Anna"))
        #expect(fixture.ctl("user", "import", "/nowhere").code == .inputOutput)
    }

    @Test("two thousand people are imported in order, a few requests at a time")
    func manyImports() throws {
        let fixture = try Fixture()
        let names = (0..<2_000).map { "u\($0)" }
        let people = try fixture.write(names.joined(separator: "\n"), to: "people.txt")
        let imported = fixture.ctl("user", "import", people)
        #expect(imported.code == .done)
        #expect(imported.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) } == names)
        let group = fixture.ctl("group", "create", "g", "--members-file", people)
        #expect(group.code == .refused)
        #expect(group.error.contains("at most 500 members"))
    }

    @Test("groups and messages: made, sent, shown with control characters visible")
    func messages() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan", "wei"] { _ = fixture.ctl("user", "add", name) }
        let made = fixture.ctl("group", "create", "tea", "--title", "茶馆", "--members", "ming, lan")
        #expect(made.output == "group tea created, members: 2\n")
        #expect(fixture.ctl("group", "add", "tea", "wei,lan").output == "1 people added to tea\n")
        #expect(fixture.ctl("group", "remove", "tea", "lan").output == "1 people removed from tea\n")
        #expect(fixture.ctl("group", "add", "tea").code == .usage)
        let sent = fixture.ctl("send", "--from", "ming", "--group", "tea", "\u{1B}[2J你好\u{202E}\nx")
        #expect(sent.code == .done)
        let shown = fixture.ctl("conversation", "show", "tea").output
        #expect(shown.contains(#"  ming        \u001b[2J你好\u202e\nx"#))
        #expect(!shown.contains("\u{1B}") && !shown.contains("\u{202E}"))
        #expect(shown.contains("Members (2):\n"))
        _ = fixture.ctl("send", "--from", "lan", "--to", "ming", "hi")
        let list = fixture.ctl("conversation", "list").output
        #expect(list.contains("id:1  group   tea       茶馆   active        2         3"))
        #expect(list.contains("id:2  direct  lan,ming"))
        let muted = fixture.ctl("group", "mute", "tea", "ming", "--minutes", "5")
        #expect(muted.output == "ming may not send to tea for now\n")
        #expect(fixture.ctl("group", "unmute", "tea", "ming").output == "ming may send to tea again\n")
        #expect(fixture.ctl("group", "mute", "tea", "--minutes", "5").code == .usage)
        #expect(fixture.ctl("group", "mute", "tea").output.hasPrefix("group tea muted"))
        #expect(fixture.ctl("group", "unmute", "tea").output == "group tea is no longer muted\n")
        #expect(fixture.ctl("group", "notice", "tea", "今晚").output == "announcement of tea set\n")
        #expect(fixture.ctl("group", "notice", "tea").output == "announcement of tea removed\n")
        #expect(fixture.ctl("group", "ban", "tea").output == "group tea banned: nobody may send\n")
        #expect(fixture.ctl("send", "--from", "ming", "--group", "tea", "x").code == .refused)
        #expect(fixture.ctl("send", "--from", "ming", "x").code == .usage)
        #expect(fixture.ctl("send", "--from", "ming", "--to", "lan", "--group", "tea", "x").code == .usage)
    }

    @Test("a group shows its owner, announcement and who may not send")
    func groupDetail() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        #expect(fixture.ctl("group", "create", "tea", "--owner", "ming", "--members", "lan").code == .done)
        _ = fixture.ctl("group", "notice", "tea", "今天喝龙井")
        _ = fixture.ctl("group", "mute", "tea")
        _ = fixture.ctl("group", "mute", "tea", "lan")
        let shown = fixture.ctl("conversation", "show", "tea").output
        #expect(shown.contains("今天喝龙井") && shown.contains("only managers send"))
        #expect(shown.contains("ming  owner") && shown.contains("lan   member  muted"))
        #expect(fixture.ctl("group", "create", "x", "--owner", "nobody").code == .notFound)
    }

    @Test("older messages are read page by page")
    func history() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        for number in 1...45 { _ = fixture.ctl("send", "--from", "ming", "--to", "lan", "m\(number)") }
        let shown = fixture.ctl("conversation", "show", "lan,ming", "--messages", "44").output
        let texts = shown.split(separator: "\n").compactMap { $0.split(separator: " ").last }.filter { $0.first == "m" }
        #expect(texts.suffix(44) == (2...45).map { "m\($0)" }[...])
        #expect(!shown.contains("m1\n"))
    }

    @Test("JSON holds what a terminal would obey escaped")
    func json() throws {
        let fixture = try Fixture()
        _ = fixture.ctl("user", "add", "a\u{202E}b")
        let listed = fixture.ctl("user", "list", "--json").output
        #expect(listed.hasPrefix(#"{"users":[{"name":"a\u202eb","role":"member""#))
        #expect(listed.hasSuffix("}]}\n"))
        #expect(fixture.ctl("--json", "status").output.hasPrefix(#"{"version":"1.0","processID":"#))
        #expect(fixture.ctl("session", "list", "--json").output == "{\"sessions\":[]}\n")
    }

    @Test("empty lists say so, in the person's language")
    func empty() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("session", "list").output == "nothing to show\n")
        #expect(fixture.ctl("user", "list", language: .chinese).output != "nothing to show\n")
        #expect(fixture.ctl("session", "kick").code == .usage)
        #expect(fixture.ctl("session", "kick", "x").code == .usage)
        #expect(fixture.ctl("session", "kick", "7").code == .notFound)
        #expect(fixture.ctl("setup-token").code == .refused)
    }

    @Test("the key of the HTTP API is printed alone, for scripts; before there is one, in which setting it is served")
    func managerToken() throws {
        let fixture = try Fixture()
        let before = fixture.ctl("wukong", "token")
        #expect(before.code == .refused && before.error.contains("wukong.api_enabled"))
        _ = try ManagerToken(folder: fixture.folder)
        defer { unlink(ManagerToken.path(in: fixture.folder)) }
        let text = try #require(try ManagerToken.text(in: fixture.folder))
        #expect(fixture.ctl("wukong", "token").output == text + "\n")
        #expect(fixture.ctl("wukong", "token", "--json").output.contains(text))
    }

    @Test("every figure of the status has a name in both languages")
    func status() throws {
        let fixture = try Fixture()
        for shown in [fixture.ctl("status"), fixture.ctl("status", language: .chinese)] {
            #expect(shown.code == .done)
            #expect(!shown.output.contains("figure.") && !shown.output.contains("table."))
            #expect(shown.output.contains("127.0.0.1:7677"))
        }
    }

    @Test("the status says when the folder was last verified, and what to do when it never was or was not in order")
    func lastVerify() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("status").output.contains("never: stop teahouse and run teahouse verify"))
        #expect(!fixture.ctl("status", "--json").output.contains("lastVerify"))
        let at: Int64 = 1_800_000_000_000
        defer { unlink("\(fixture.folder)/last-verify.json") }
        #expect(LastVerify(atMilliseconds: at, findings: 0, isQuick: true).write(in: fixture.folder))
        #expect(fixture.ctl("status").output.contains(": all good (contents of files were not read)"))
        #expect(
            fixture.ctl("status", "--json").output.contains(
                #""lastVerify":{"at":1800000000000,"findings":0,"quick":true}"#))
        #expect(LastVerify(atMilliseconds: at, findings: 7, isQuick: false).write(in: fixture.folder))
        #expect(fixture.ctl("status").output.contains(": 7 faults; stop teahouse and run teahouse verify"))
    }

    @Test("tail prints what is sent until the server stops")
    func tail() throws {
        var fixture: Fixture? = try Fixture()
        for name in ["ming", "lan"] { _ = fixture?.ctl("user", "add", name) }
        let tail = Tail(of: try #require(fixture).folder)
        // Until the tail is there, its first message may come before it.
        while !tail.hasPrinted(where: { !$0.isEmpty }) {
            _ = fixture?.ctl("send", "--from", "ming", "--to", "lan", "first")
        }
        _ = fixture?.ctl("send", "--from", "ming", "--to", "lan", "last\u{1B}")
        tail.wait { $0.contains("  lan,ming  ming  last\\u001b\n") }
        fixture = nil
        #expect(tail.end() == .inputOutput)
    }

    @Test("without a server it says which folder, and how to start one")
    func notRunning() {
        let outcome = runTeahouse(["ctl", "--data", "/tmp/no-teahouse-here", "status"])
        #expect(outcome.code == .notRunning)
        #expect(
            outcome.error == """
                teahouse: no teahouse is running on /tmp/no-teahouse-here: start it with teahouse serve --data \
                /tmp/no-teahouse-here, or name another folder with --data

                """)
    }
}

@Suite("teahouse verify and doctor") struct CheckCommandTests {
    @Test("verify: refused on a running server's folder and without a database")
    func verifyRefused() throws {
        let fixture = try Fixture()
        #expect(runTeahouse(["verify", "--data", fixture.folder]).code == .alreadyRunning)
        #expect(runTeahouse(["verify", "--data", "/tmp/no-teahouse-here"]).code == .refused)
    }

    @Test("verify: a folder that was stopped is good, in words and in JSON")
    func verifyGood() throws {
        var template = Array("/tmp/teahouse-verify-XXXXXX".utf8CString)
        let copy = String(cString: try #require(mkdtemp(&template)))
        defer {
            for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "last-verify.json"] {
                unlink("\(copy)/\(name)")
            }
            rmdir(copy)
        }
        try makeStoppedFolder(copy)
        #expect(runTeahouse(["verify", "--data", copy]).output == "0 messages in 0 conversations: all good\n")
        let json = runTeahouse(["verify", "--data", copy, "--json"])
        #expect(json.code == .done)
        #expect(json.output.hasPrefix(#"{"clean":true,"findings":[],"moreFindings":0,"#))
        let doctor = ["doctor", "--data", copy, "--listen", "127.0.0.1:0", "--json"]
        #expect(runTeahouse(doctor).output.contains(#""key":"doctor.verify.good""#))
        let last = try #require(LastVerify.read(in: copy))
        #expect(last.findings == 0 && !last.isQuick && last.atMilliseconds > 0)
        #expect(runTeahouse(["verify", "--data", copy, "--quick"]).code == .done)
        #expect(LastVerify.read(in: copy)?.isQuick == true)
    }

    @Test("a configuration that does not hold exits with 78", arguments: ["serve", "verify", "doctor"])
    func configuration(_ command: String) {
        let outcome = runTeahouse([command, "--config", "/nowhere/teahouse.toml"])
        #expect(outcome.code == .configuration)
        #expect(outcome.error.contains("/nowhere/teahouse.toml"))
    }
}
