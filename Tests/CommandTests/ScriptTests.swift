import AdminAPI
import AdminConsole
import CommandLineKit
import Foundation
import Testing
import teahouse

@Suite("ctl in scripts") struct ScriptTests {
    @Test("with --json a failure is one line of JSON with a stable code, and the exit codes tell why")
    func errors() throws {
        let fixture = try Fixture()
        _ = fixture.ctl("user", "add", "ming")
        let missing = fixture.ctl("user", "show", "nobody", "--json")
        #expect(missing.code == .notFound && missing.code.rawValue == 3 && missing.output.isEmpty)
        #expect(missing.error.hasPrefix(#"{"error":{"code":"notFound","exit":3,"message":"#))
        #expect(missing.error.split(separator: "\n").count == 1)
        let refused = fixture.ctl("user", "add", "ming", "--json")
        #expect(refused.code == .refused && refused.error.hasPrefix(#"{"error":{"code":"exists","exit":1,"#))
        let usage = fixture.ctl("user", "shew", "--json")
        #expect(usage.code == .usage && usage.error.hasPrefix(#"{"error":{"code":"usage","exit":64,"#))
        let nobody = runTeahouse(["ctl", "--data", "/tmp/no-teahouse-here", "status", "--json"])
        #expect(nobody.code == .notRunning && nobody.error.hasPrefix(#"{"error":{"code":"notRunning","exit":69,"#))
        // A line for people where nobody asked for JSON.
        #expect(fixture.ctl("user", "show", "nobody").error.hasPrefix("teahouse: "))
    }

    @Test("a numbered refusal has its number and its values in JSON")
    func numbers() throws {
        let fixture = try Fixture()
        _ = fixture.ctl("user", "add", "ming")
        let refused = fixture.ctl("user", "disable", "nobody", "--json")
        #expect(refused.error.contains(#""number":"#) && refused.error.contains(#""values":["#))
    }

    @Test("every list takes a filter and a limit, in tables and as JSON")
    func lists() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan", "mia"] { _ = fixture.ctl("user", "add", name) }
        let found = fixture.ctl("user", "list", "--filter", "MI").output
        #expect(found.contains("ming") && found.contains("mia") && !found.contains("lan"))
        let first = fixture.ctl("user", "list", "--filter", "mi", "--limit", "1").output
        #expect(first.split(separator: "\n").count == 2)
        let json = fixture.ctl("user", "list", "--filter", "lan", "--json").output
        #expect(json.contains(#""name":"lan""#) && !json.contains(#""name":"ming""#))
        #expect(fixture.ctl("user", "list", "--filter", "nobody at all").output == "nothing to show\n")
        #expect(fixture.ctl("user", "list", "--limit", "0").code == .usage)
        for path in TeahouseTableTests.paths
        where path.last?.name == "list" && path.contains(where: { $0.name == "ctl" }) {
            let names = path[path.count - 1].options.map(\.name)
            #expect(names.count { $0 == "filter" } == 1 && names.count { $0 == "limit" } == 1)
        }
    }

    @Test("a text to send comes from the line, a file or standard input, and is told as JSON")
    func send() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        let path = try fixture.write("one\ntwo\n", to: "people.txt")
        let words = ["send", "--from", "ming", "--to", "lan"]
        func send(_ more: String..., input: [String] = []) -> Fixture.Outcome {
            runTeahouse(["ctl", "--data", fixture.folder] + words + more, input: input)
        }
        #expect(send("--file", path).code == .done)
        #expect(send("-", input: ["three", "four"]).code == .done)
        #expect(send("five", "--json").output.contains(#""text":"five""#))
        let shown = fixture.ctl("conversation", "messages", "lan,ming", "--json").output
        #expect(shown.contains(#"one\ntwo""#) && shown.contains(#"three\nfour""#))
        #expect(send().code == .usage && send("-").code == .usage && send("x", "--file", path).code == .usage)
        #expect(send("--file", "/nowhere").code == .inputOutput)
    }

    @Test("a table takes no more cells than the terminal has; a pipe gets whole values")
    func tables() {
        var table = Table([Table.Column("NAME"), Table.Column("TEXT"), Table.Column("NUMBER", .right)])
        table.add(["ming", "a text that is rather long", "12"])
        #expect(table.text(fitting: nil).contains("a text that is rather long"))
        let lines = table.text(fitting: 30).split(separator: "\n")
        #expect(lines.allSatisfy { displayWidth(of: String($0)) <= 30 })
        #expect(lines[1].hasPrefix("ming  a text that") && lines[1].contains("…") && lines[1].hasSuffix("12"))
        #expect(table.text(fitting: 200) == table.text)
    }

    @Test("the address is told with its QR code, and as JSON; one that no other machine reaches is no address")
    func address() throws {
        let fixture = try Fixture { $0.publicAddress = { "http://192.168.1.5:7677" } }
        let shown = fixture.ctl("address")
        #expect(shown.code == .done && shown.output.hasSuffix("\nhttp://192.168.1.5:7677\n"))
        #expect(shown.output.contains("█"))
        let json = fixture.ctl("address", "--json").output
        #expect(json == #"{"address":"http://192.168.1.5:7677","listens":["127.0.0.1:7677"]}"# + "\n")
        let here = try Fixture().ctl("address")
        #expect(here.code == .refused && here.error.contains("127.0.0.1:7677"))
    }

    @Test("the console runs line by line, asks what ctl asks, and ends with quit")
    func plain() throws {
        let fixture = try Fixture()
        let lines = ["user add ming", "ctl user show nobody", "", "user disable ming", "quit", "user add late"]
        let run = runTeahouse(["console", "--data", fixture.folder, "--plain"], input: lines)
        #expect(run.code == .done && run.output.contains("user ming added\n"))
        #expect(run.output.components(separatedBy: "teahouse> ").count == 6)
        #expect(run.error.contains("nobody"))
        #expect(fixture.ctl("user", "list").output.contains("disabled"))
        #expect(fixture.ctl("user", "show", "late").code == .notFound)
        let readOnly = runTeahouse(
            ["console", "--data", fixture.folder, "--plain", "--read-only"], input: ["user add eve"])
        #expect(readOnly.code == .done && fixture.ctl("user", "show", "eve").code == .notFound)
    }

    @Test("console.toml has theme, split, aliases and keys; what it does not know is told with the file")
    func preferences() throws {
        let fixture = try Fixture()
        let terminal = Terminal(texts: { key, _ in key }, environment: [:], write: { _, _ in true }, readLine: { nil })
        let environment = ["XDG_CONFIG_HOME": fixture.folder]
        #expect(try Preferences(environment: environment, terminal).isSplit)
        #expect(mkdir(fixture.folder + "/teahouse", 0o700) == 0)
        _ = try fixture.write(
            """
            theme = "light"
            split = false
            [aliases]
            everybody = "user list --limit 20"
            [keys]
            F5 = "user show {}"
            """, to: "teahouse/console.toml")
        let preferences = try Preferences(environment: environment, terminal)
        #expect(preferences.theme == .light && !preferences.isSplit)
        #expect(preferences.aliases == ["everybody": ["user", "list", "--limit", "20"]])
        #expect(preferences.keys == [5: ["user", "show", "{}"]])
        for wrong in ["theme = \"green\"", "colour = 1", "[keys]\nF1 = \"status\"", "split"] {
            _ = try fixture.write(wrong, to: "teahouse/console.toml")
            #expect(throws: CommandFailure.self) { try Preferences(environment: environment, terminal) }
        }
    }
}
