@testable import Configuration
import Testing

struct SettingsTests {
    func load(
        _ file: String, environment: [String: String] = [:], _ change: (inout CommandLineSettings) -> Void = { _ in }
    ) throws(ConfigurationError) -> Settings {
        var arguments = CommandLineSettings()
        arguments.configPath = "t.toml"
        change(&arguments)
        return try Settings(arguments: arguments, environment: environment) { $0 == "t.toml" ? Array(file.utf8) : nil }
    }

    @Test("reads tables, texts, numbers, switches and lists over several lines")
    func reads() throws {
        let settings = try self.load(
            """
            # a comment
            listen = ["127.0.0.1:0",   # one
                      "[::1]:0"]
            data = "/tmp/\\u8336馆"
            [limits]
            connections = 20_000
            [tls]
            enabled = false # off
            [log]
            level = 'debug'
            """)
        #expect(settings[Keys.listen] == ["127.0.0.1:0", "[::1]:0"])
        #expect(settings[Keys.data] == "/tmp/茶馆")
        #expect(settings[Keys.connections] == 20_000)
        #expect(settings[Keys.tls] == false)
        #expect(settings[Keys.logLevel] == "debug")
        #expect(settings[Keys.groupMembers] == 500)
        #expect(settings.origin(of: Keys.connections.definition) == .file(path: "t.toml", line: 6))
    }

    @Test("flag wins over environment, environment over file")
    func precedence() throws {
        let file = "data = \"/file\"\nlisten = [\"127.0.0.1:1\"]\n"
        let environment = ["TEAHOUSE_DATA": "/environment", "TEAHOUSE_LISTEN": "127.0.0.1:2,127.0.0.1:3"]
        let settings = try self.load(file, environment: environment) { $0.data = "/flag" }
        #expect(settings[Keys.data] == "/flag")
        #expect(settings.origin(of: Keys.data.definition) == .flag("--data"))
        #expect(settings[Keys.listen] == ["127.0.0.1:2", "127.0.0.1:3"])
        #expect(settings.dataFolder == "/flag")
    }

    @Test("without a choice the data folder is the system's when writable, else one here")
    func dataFolder() throws {
        let settings = try self.load("", environment: ["TEAHOUSE_DATA": ""])
        #expect(settings.dataFolder(system: "/tmp") == "/tmp")
        #expect(settings.dataFolder(system: "/nowhere/at/all") == "./teahouse-data")
    }

    static let mistakes: [(String, String)] = [
        ("limit.connections = 1", "t.toml:1: there is no setting limit.connections; did you mean limits.connections?"),
        ("\n[limits]\nconnections = 1", "t.toml:3: limits.connections may be 16 to 1000000 connections, not 1"),
        ("[limits]\nconnections = \"many\"", "t.toml:2: limits.connections needs a number, 16 to 1000000 connections"),
        ("data = 'a'\ndata = 'b'", "t.toml:2: data is set twice"),
        ("storage = \"postgres\"", "t.toml:1: storage may be \"sqlite\", not \"postgres\""),
        ("listen = [1]", "t.toml:1: listen needs a list of \"texts\""),
        ("data = \"open", "t.toml:1: the text is not closed on its line"),
        ("data 'x'", "t.toml:1: expected = after data"),
        ("data = 'x' 'y'", "t.toml:1: expected the end of the line"),
        (
            "[tls]\nenabled = yes",
            "t.toml:2: tls.enabled needs a number, true, false, a \"text\" or a [\"list\"], not yes"
        ),
        ("[tls\nenabled = true", "t.toml:1: expected ] after the table name tls"),
        ("wukong.redelivery_seconds = 99999999999999999999", ""),
        ("data = \"\\q\"", "t.toml:1: \\q is no escape; for a backslash write \\\\"),
    ]

    @Test("a mistake is named with its file, line and what would be right", arguments: Self.mistakes)
    func namesTheMistake(file: String, expected: String) {
        let thrown = #expect(throws: ConfigurationError.self) { try self.load(file) }
        if !expected.isEmpty { #expect(thrown?.description == expected) }
    }

    @Test("a file that is not there is an error, not an empty configuration")
    func missingFile() {
        let thrown = #expect(throws: ConfigurationError.self) { try self.load("") { $0.configPath = "gone.toml" } }
        #expect(thrown?.description == "--config: gone.toml cannot be read, or is over 1 MiB")
    }

    @Test("text that is not UTF-8 is refused")
    func encoding() {
        var arguments = CommandLineSettings()
        arguments.configPath = "x"
        #expect(throws: ConfigurationError.self) { try Settings(arguments: arguments) { _ in [0x23, 0xFF] } }
    }

    @Test("a value that is set at run time holds over the others and says so; a wrong one is refused with its bounds")
    func atRunTime() throws {
        let settings = try Settings.builtIn.setting("limits.sessions_per_user", to: "5")
            .setting("tls.enabled", to: "off").setting("server.hosts", to: "a,b").setting("log.level", to: "debug")
        #expect(settings[Keys.sessionsPerUser] == 5 && !settings[Keys.tls] && settings[Keys.hosts] == ["a", "b"])
        #expect(settings[Keys.logLevel] == "debug" && settings[Keys.hosts.definition].text == "a,b")
        #expect(settings.origin(of: Keys.tls.definition).description == "set at run time")
        #expect(Keys.sessionsPerUser.definition.bounds == "1 to 1000 sessions")
        for (name, value) in [
            ("limits.sessions_per_user", "0"), ("limits.sessions_per_user", "x"), ("tls.enabled", "maybe"),
            ("log.level", "loud"), ("moonlight", "1"),
        ] {
            #expect(throws: ConfigurationError.self) { try Settings.builtIn.setting(name, to: value) }
        }
    }
}
