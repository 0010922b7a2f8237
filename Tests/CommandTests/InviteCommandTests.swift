import CommandLineKit
import Execution
import Localization
import QRCode
import Testing

@testable import teahouse

@Suite("teahouse ctl invite") struct InviteCommandTests {
    @Test("a link is printed below its QR code, listed until it is withdrawn, and never shown again")
    func invite() throws {
        let fixture = try Fixture()
        let made = fixture.ctl(
            "invite", "add", "--display-name", "小明\u{1B}", "--hours", "24", "--address", "https://chat.lan:7677")
        #expect(made.code == .refused)
        let good = fixture.ctl(
            "invite", "add", "--display-name", "小明", "--hours", "24", "--address", "https://chat.lan:7677")
        var lines = good.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.removeLast().isEmpty, "\(good.error)")
        let link = lines.removeLast()
        #expect(link.hasPrefix("https://chat.lan:7677/join/"))
        #expect(lines == QRCode(link)?.lines)
        #expect(good.error.hasPrefix("invitation 1: good for one person, once, until "))
        let listed = fixture.ctl("invite", "list").output
        #expect(listed.contains("小明") && listed.contains("____system") && !listed.contains("join"))
        #expect(fixture.ctl("invite", "list", "--json").output.hasPrefix(#"{"invitations":[{"number":1,"#))
        #expect(fixture.ctl("invite", "withdraw", "1").output == "invitation 1 withdrawn\n")
        #expect(fixture.ctl("invite", "withdraw", "1").code == .notFound)
        #expect(fixture.ctl("invite", "withdraw", "one").code == .usage)
        #expect(fixture.ctl("invite", "add", "--hours", "721").code == .usage)
        #expect(fixture.ctl("invite", "list").output == "nothing to show\n")
    }

    @Test("an address that this machine alone knows is pointed out; scripts have JSON")
    func here() throws {
        let fixture = try Fixture()
        let made = fixture.ctl("invite", "add")
        #expect(made.output.contains("http://127.0.0.1:7677/join/"))
        #expect(made.error.contains("this machine alone knows that address"))
        let json = fixture.ctl("invite", "add", "--name", "ming", "--json")
        #expect(json.output.hasPrefix(#"{"number":2,"link":"http://127.0.0.1:7677/join/"#) && json.error.isEmpty)
    }

    @Test("on a screen the code is black on white, and left out where it has no room", arguments: [80, 20])
    func screen(_ columns: Int) throws {
        let fixture = try Fixture()
        let written = Lock((output: "", error: ""))
        let texts = Texts(embedded: .english)
        let terminal = Terminal(
            texts: { texts($0, $1) }, environment: [:],
            screen: Screen(size: { ScreenSize(columns: columns, rows: 24) }),
            write: { stream, text in
                written.withLock { if stream == .output { $0.output += text } else { $0.error += text } }
                return true
            }, readLine: { nil })
        let words = ["ctl", "--data", fixture.folder, "invite", "add"]
        #expect(runCommandLine(words, root: teahouseCommand, terminal: terminal) == ExitCode.done)
        let (output, error) = written.withLock { $0 }
        let link = try #require(output.split(separator: "\n").last.map(String.init))
        let picture = try #require(QRCode(link)).lines.map { "\u{1B}[30;107m\($0)\u{1B}[0m\n" }.joined()
        #expect(output == (columns == 80 ? picture : "") + link + "\n")
        #expect(error.contains("the QR code needs") == (columns == 20))
    }
}
