import CommandLineKit
import Localization
import Testing
import teahouse

/// Manual pages and completions, made from the table of commands.
@Suite("Manual pages and completions") struct ManualTests {
    private func page(_ path: [Command]) -> [String] {
        ManualPage.text(of: path, version: "1.2", keysAsTexts).split(separator: "\n").map(String.init)
    }

    @Test("a page names the command, its options and what is below it")
    func page() {
        let root = sampleRoot()
        let whole = self.page([root])
        #expect(whole.contains(#".TH "HOUSE" 1 "" "teahouse 1.2""#))
        #expect(whole.contains(#"house \- house.summary"#))
        #expect(whole.contains(#"\fB\-\-data DIR\fR"#))
        #expect(whole.contains(#"\fBuser\fR"#) && whole.contains("user.summary"))
        let below = self.page([root, root.subcommands[0]])
        #expect(below.contains(#".TH "HOUSE-USER" 1 "" "teahouse 1.2""#))
        #expect(below.contains(#".SS "user add""#) && below.contains("add.summary"))
        #expect(below.contains(#"\fB\-\-role member|admin\fR"#) && below.contains("role.help"))
        #expect(below.contains(#"\fBNAME\fR"#) && below.contains("name.help"))
    }

    @Test("there is a page for each command just below the root")
    func names() {
        #expect(ManualPage.names(root: sampleRoot()) == ["house", "house-user", "house-send"])
    }

    @Test("no text becomes a request of man(7)")
    func requests() {
        let texts: TextLookup = { key, _ in key == "house.summary" ? #".so 'C:\dir' -"# : "'quoted' \(key)" }
        let lines = ManualPage.text(of: [sampleRoot()], version: "1", texts).split(separator: "\n")
        let requests: Set = [".TH", ".SH", ".TP", ".nf", ".fi", #".\""#]
        for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains { line.hasPrefix($0) }, "\(line)")
        }
        #expect(lines.contains(#"house \- \&.so \(aqC:\edir\(aq \-"#))
    }

    @Test("every page of teahouse can be made in both languages", arguments: Language.allCases)
    func all(_ language: Language) {
        let texts = Texts(embedded: language)
        for path in [[teahouseCommand]] + teahouseCommand.subcommands.map({ [teahouseCommand, $0] }) {
            let page = ManualPage.text(of: path, version: "1") { texts($0, $1) }
            #expect(page.hasPrefix(#".\" "#) && page.contains(".SH NAME\n") && page.contains(".SH EXAMPLES\n"))
        }
    }

    @Test("a shell is told every command, option and choice", arguments: ShellCompletion.allCases)
    func completion(_ shell: ShellCompletion) {
        let script = shell.script(root: sampleRoot(), keysAsTexts)
        for word in ["'user add')", "--role", "member admin", "--note", "--quiet", "--from", "--help"] {
            #expect(script.contains(word), "\(word)")
        }
    }
}
