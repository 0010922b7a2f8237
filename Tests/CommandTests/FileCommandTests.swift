import ChatModel
import CommandLineKit
import Execution
import Glibc
import Localization
import Store
import Testing
import teahouse

@Suite("teahouse ctl file, upload, transfer and profile") struct FileCommandTests {
    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        return fixture
    }

    private func text(_ lines: Int) -> String {
        (0..<lines).map { "第 \($0) 行：今天的茶是龙井。" }.joined(separator: "\n")
    }

    @Test("an upload prints its key alone, is sent, and shows where it is used")
    func upload() throws {
        let fixture = try self.fixture()
        let path = try fixture.write(self.text(20_000), to: "会议.txt")
        let sent = fixture.ctl("upload", path, "--as", "ming", "--to-user", "lan", "--name", "记录\u{1B}[2J.txt")
        #expect(sent.code == .done, "\(sent.error)")
        let key = String(sent.output.dropLast())
        #expect(FileKey(key) != nil && sent.output.hasSuffix("\n"))
        #expect(sent.error.hasPrefix("message ") && sent.error.contains("number 1 of its conversation"))
        let shown = fixture.ctl("file", "show", key).output
        #expect(shown.contains(#"NAME        记录\u001b[2J.txt"#))
        #expect(shown.contains("MEDIA TYPE  text/plain") && shown.contains("OWNER       ming"))
        #expect(shown.contains("Uses (1):") && shown.contains("message    id:1  lan,ming    1"))
        #expect(shown.contains("Links:") && shown.contains("th-l"))
        let again = fixture.ctl("upload", path, "--as", "lan", "--json")
        #expect(again.output.hasPrefix(#"{"key":"th-t"#) && again.output.contains(#""state":"succeeded""#))
        let listed = fixture.ctl("file", "list", "--sort", "size")
        #expect(listed.output.contains("KEY  ") && !listed.output.contains("\u{1B}"))
        #expect(listed.output.contains("FILES        2, ") && listed.output.contains("CONTENTS     1, "))
        #expect(listed.output.contains("KEPT ONCE    1, "))
        #expect(fixture.ctl("file", "list", "--of", "lan").output.contains("会议.txt"))
        #expect(fixture.ctl("file", "list", "--orphans").output.contains("orphan"))
        #expect(fixture.ctl("file", "list", "--damaged").output.hasPrefix("nothing to show\n"))
        let conversation = fixture.ctl("conversation", "show", "lan,ming").output
        #expect(conversation.contains(#"记录\u001b[2J.txt"#))
    }

    @Test("what cannot be uploaded says why, before anything is sent")
    func refused() throws {
        let fixture = try self.fixture()
        #expect(fixture.ctl("upload", "/nowhere", "--as", "ming").code == .inputOutput)
        #expect(fixture.ctl("upload", fixture.folder, "--as", "ming").error.contains("is no plain file"))
        let path = try fixture.write("tea", to: "a")
        #expect(fixture.ctl("upload", path).code == .usage)
        #expect(fixture.ctl("upload", path, "--as", "nobody").code == .notFound)
        #expect(fixture.ctl("upload", path, "--as", "ming", "--to", "tea", "--to-user", "lan").code == .usage)
        #expect(fixture.ctl("upload", path, "--as", "ming", "--resume", "x").code == .usage)
        let missing = "th-tabcdefghijklmnopqrstuvwxyz"
        #expect(fixture.ctl("upload", path, "--as", "ming", "--resume", missing).code == .notFound)
        #expect(fixture.ctl("file", "show", "x").code == .usage)
        #expect(fixture.ctl("transfer", "cancel", "x").code == .usage)
        #expect(fixture.ctl("transfer", "cancel", missing).code == .notFound)
        #expect(fixture.ctl("transfer", "list").output == "nothing to show\n")
    }

    @Test("contents are checked, a collection is shown first, and a file is deleted")
    func care() throws {
        let fixture = try self.fixture()
        let path = try fixture.write(self.text(5_000), to: "a.txt")
        let key = String(fixture.ctl("upload", path, "--as", "ming").output.dropLast())
        #expect(fixture.ctl("file", "verify").output.hasPrefix("1 contents read, "))
        #expect(
            fixture.ctl("file", "gc", "--dry-run").output.hasPrefix(
                "0 files, 0 contents and 0 unfinished uploads would"))
        let content = try #require(contents(under: fixture.folder + "/files/objects").first)
        let file = try #require(fopen(content, "r+"))
        fseek(file, 100, SEEK_SET)
        fputs("no tea", file)
        fclose(file)
        let damaged = fixture.ctl("file", "verify", key)
        #expect(damaged.code == .refused && damaged.output.contains("1 of them damaged"))
        #expect(fixture.ctl("status").output.contains("file list --damaged"))
        #expect(fixture.ctl("file", "delete", key).output == "file \(key) deleted\n")
        #expect(fixture.ctl("file", "gc").output.hasPrefix("0 files, 1 contents and 0 unfinished uploads removed, "))
        #expect(contents(under: fixture.folder + "/files/objects").isEmpty)
    }

    @Test("transfers are listed with their state in the person's language")
    func transfers() throws {
        let fixture = try self.fixture()
        let path = try fixture.write("tea", to: "茶.txt")
        _ = fixture.ctl("upload", path, "--as", "ming")
        let listed = fixture.ctl("transfer", "list", "--all", language: .chinese).output
        #expect(listed.contains("茶.txt") && listed.contains("已完成") && listed.contains("上传"))
        #expect(fixture.ctl("transfer", "list", "--all", "--of", "lan").output == "nothing to show\n")
        let json = fixture.ctl("transfer", "list", "--all", "--json").output
        #expect(json.hasPrefix(#"{"transfers":[{"key":"th-t"#))
    }

    @Test("profiles are set, shown with their sources, and thrown out")
    func profiles() throws {
        let fixture = try self.fixture()
        let picture = try fixture.write("no real picture", to: "ming.png")
        let set = fixture.ctl("profile", "set", "ming", "--display-name", "小明", "--avatar", picture)
        #expect(set.output == "profile of ming set\n", "\(set.error)")
        let shown = fixture.ctl("profile", "show", "ming").output
        #expect(shown.contains("SHOWN AS   小明") && shown.contains("display name  小明"))
        #expect(shown.contains("this server") && shown.contains("/api/v1/files/th-f"))
        #expect(fixture.ctl("profile", "set", "ming").code == .usage)
        #expect(fixture.ctl("profile", "set", "ming", "--attributes", "[]").code == .refused)
        #expect(fixture.ctl("profile", "invalidate").code == .usage)
        #expect(fixture.ctl("profile", "invalidate", "ming", "--all").code == .usage)
        #expect(fixture.ctl("profile", "invalidate", "--all").code == .done)
        for language in Language.allCases {
            let stats = fixture.ctl("profile", "stats", language: language)
            #expect(stats.code == .done && !stats.output.contains("figure."))
        }
    }

    @Test("a person sees the bars of transfers move, and gets the terminal back")
    func watch() throws {
        let fixture = try self.fixture()
        let path = try fixture.write("tea", to: "茶.txt")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let keys = ends[0]
        let state = ConditionLock((output: "", code: ExitCode?.none))
        let folder = fixture.folder
        let thread = Thread(name: "watch") {
            let texts = Texts(embedded: .chinese)
            let terminal = Terminal(
                texts: { texts($0, $1) }, environment: [:],
                screen: Screen(size: { ScreenSize(columns: 60, rows: 10) }, keys: keys),
                write: { _, text in
                    state.change { $0.output += text }
                    return true
                }, readLine: { nil })
            let words = ["ctl", "--data", folder, "transfer", "watch"]
            let code = runCommandLine(words, root: teahouseCommand, terminal: terminal)
            state.change { $0.code = code }
        }
        state.wait(until: { $0.output.contains("没有") || $0.output.contains("按 q 结束") }, then: { _ in })
        _ = fixture.ctl("upload", path, "--as", "ming")
        state.wait(until: { $0.output.contains("茶.txt") && $0.output.contains("已完成") }, then: { _ in })
        _ = Glibc.write(ends[1], "q", 1)
        thread.join()
        let (output, code) = state.read { $0 }
        #expect(code == .done)
        #expect(output.hasPrefix("\u{1B}[?1049h\u{1B}[?25l") && output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
    }
}

@Suite("teahouse verify and files") struct VerifyFilesTests {
    private func stopped(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/teahouse-verify-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { removeTree(folder) }
        try makeStoppedFolderWithFile(folder)
        try body(folder)
    }

    @Test("contents are read again, or only looked at")
    func good() throws {
        try self.stopped { folder in
            let read = runTeahouse(["verify", "--data", folder])
            #expect(read.code == .done, "\(read.output)")
            #expect(read.output.hasPrefix("1 contents of files read, "))
            let found = runTeahouse(["verify", "--data", folder, "--quick"]).output
            #expect(found.hasPrefix("1 contents of files found, "))
            #expect(runTeahouse(["verify", "--data", folder, "--json"]).output.contains(#""contents":1,"#))
            let doctor = runTeahouse(["doctor", "--data", folder, "--listen", "127.0.0.1:0", "--json"])
            #expect(doctor.output.contains(#""key":"doctor.files_folder.good""#))
            #expect(doctor.output.contains(#""key":"doctor.files_room."#))
            chmod(folder + "/files", 0o755)
            let open = runTeahouse(["doctor", "--data", folder, "--listen", "127.0.0.1:0", "--json"])
            #expect(open.output.contains(#""key":"doctor.files_folder.open""#))
        }
    }

    @Test("a changed byte is found by reading, a missing content by looking, a stray one by its age")
    func bad() throws {
        try self.stopped { folder in
            let content = try #require(contents(under: folder + "/files/objects").first)
            let file = try #require(fopen(content, "r+"))
            fseek(file, 60, SEEK_SET)
            fputs("x", file)
            fclose(file)
            #expect(runTeahouse(["verify", "--data", folder, "--quick"]).code == .done)
            let read = runTeahouse(["verify", "--data", folder])
            #expect(read.code == .refused && read.output.contains("is damaged on the disk"))
            #expect(LastVerify.read(in: folder)?.findings == 1)
            let doctor = runTeahouse(["doctor", "--data", folder, "--listen", "127.0.0.1:0", "--json"])
            #expect(doctor.output.contains(#""key":"doctor.verify.found""#))
            // An old content by a name that no row has.
            let name = String(content.split(separator: "/").last ?? "")
            let hash = name.prefix(4) + String(repeating: "0", count: 60)
            let stray = content.dropLast(name.count) + hash + name.dropFirst(64)
            try #require(rename(content, String(stray)) == 0)
            let long = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
            utimes(String(stray), long)
            let strayed = runTeahouse(["verify", "--data", folder, "--quick"])
            #expect(strayed.output.contains("The content \(hash) belongs to no file"))
            unlink(String(stray))
            let missing = runTeahouse(["verify", "--data", folder, "--quick", "--json"])
            #expect(missing.code == .refused && missing.output.contains(#""kind":"content""#))
        }
    }
}
