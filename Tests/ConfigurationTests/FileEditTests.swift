import Testing

@testable import Configuration

@Suite("Changes of the file")
struct FileEditTests {
    func edited(_ text: String, _ change: (inout FileEdit) -> Void) throws(ConfigurationError) -> String {
        var edit = try FileEdit(text, path: "t.toml")
        change(&edit)
        return try edit.text()
    }

    @Test("a key goes into the line of its default, and everything else stays to the byte")
    func defaultFile() throws {
        let text = try self.edited(DefaultFile.text) {
            $0.set(Keys.listen.definition, to: .texts(["127.0.0.1:7000"]))
            $0.set(Keys.tls.definition, to: .boolean(false))
            $0.set(Keys.serverName.definition, to: .text("茶馆 \"一\" \\"))
        }
        let before = DefaultFile.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let after = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(before.count == after.count)
        let changed = zip(before, after).filter { $0 != $1 }
        #expect(changed.map(\.0) == ["# listen = [\"0.0.0.0:7677\"]", "# name = \"teahouse\"", "# enabled = true"])
        #expect(
            changed.map(\.1) == [
                "listen = [\"127.0.0.1:7000\"]", "name = \"茶馆 \\\"一\\\" \\\\\"", "enabled = false",
            ])
        let settings = try FileEdit(text, path: "t.toml")
        #expect(settings.value(of: Keys.serverName.definition) == .text("茶馆 \"一\" \\"))
        #expect(settings.value(of: Keys.tls.definition) == .boolean(false))
    }

    @Test("a key that is set is changed in its place, also over several lines, with the comments around it")
    func setBefore() throws {
        let text = try self.edited(
            "# mine\nlisten = [\"127.0.0.1:1\", # one\n  \"127.0.0.1:2\",\n]\n[log] # level\nlevel = 'debug'\n"
        ) {
            $0.set(Keys.listen.definition, to: .texts(["127.0.0.1:3"]))
            $0.set(Keys.logFormat.definition, to: .text("json"))
        }
        #expect(text == "# mine\nlisten = [\"127.0.0.1:3\"]\n[log] # level\nlevel = 'debug'\nformat = \"json\"\n")
    }

    @Test("a missing table comes at the end; keys without a table stand above the first one")
    func missing() throws {
        let text = try self.edited("[log]\nlevel = \"info\"") {
            $0.set(Keys.data.definition, to: .text("/srv/t"))
            $0.set(Keys.tls.definition, to: .boolean(false))
        }
        #expect(text == "data = \"/srv/t\"\n[log]\nlevel = \"info\"\n\n[tls]\nenabled = false\n")
        #expect(try self.edited("") { $0.set(Keys.data.definition, to: .text("/srv/t")) } == "data = \"/srv/t\"\n")
    }

    @Test("a value that is there already changes nothing")
    func same() throws {
        var edit = try FileEdit("listen = [ \"0.0.0.0:7677\" ]\n", path: "t.toml")
        edit.set(Keys.listen.definition, to: .texts(["0.0.0.0:7677"]))
        edit.set(Keys.tls.definition, to: .boolean(true))
        #expect(edit.changesNothing)
        #expect(try edit.text() == "listen = [ \"0.0.0.0:7677\" ]\n")
    }

    @Test("a file that does not hold is not edited, and no edit makes one that does not")
    func refused() throws {
        #expect(throws: ConfigurationError.self) { try FileEdit("nonsense = 1\n", path: "t.toml") }
        #expect(throws: ConfigurationError.self) {
            try self.edited("log.level = \"debug\"\n") { $0.set(Keys.logLevel.definition, to: .text("info")) }
        }
        #expect(throws: ConfigurationError.self) {
            try self.edited("") { $0.set(Keys.logLevel.definition, to: .text("loud")) }
        }
    }
}
