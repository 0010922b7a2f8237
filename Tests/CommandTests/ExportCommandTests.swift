import ChatModel
import Glibc
import Testing

@testable import teahouse

@Suite("Exports by teahouse ctl") struct ExportCommandTests {
    @Test(
        "a content keeps the end of its name, and is never a page or a way out of the folder",
        arguments: [
            ("茶.png", "files/th-k-茶.png"), ("../../etc/passwd", "files/th-k-_.._etc_passwd"),
            ("a\n; rm -rf *.txt", "files/th-k-a___rm_-rf__.txt"), ("page.HTML", "files/th-k-page.HTML.txt"),
            ("x.svg", "files/th-k-x.svg.txt"), ("", "files/th-k"), ("...", "files/th-k"),
            ("a.tar.gz", "files/th-k-a.tar.gz"), ("noend", "files/th-k-noend"),
            (String(repeating: "名", count: 300) + ".pdf", "files/th-k-" + String(repeating: "名", count: 40) + ".pdf"),
        ])
    func files(_ name: String, _ path: String) {
        #expect(ExportName.file("th-k", name) == path)
        #expect(path.utf8.count < 250)
    }

    @Test("conversations are numbered in their names, whatever they are called")
    func conversations() {
        #expect(ExportName.conversation(7, "茶馆") == "0007-茶馆")
        #expect(ExportName.conversation(12_345, "a/b") == "12345-a_b")
        #expect(ExportName.conversation(1, "") == "0001")
        #expect(ExportName.conversation(1, "..") == "0001")
    }

    @Test("times say their zone, and programs get UTC with milliseconds")
    func times() {
        #expect(ExportTime.utc(1_800_000_000_123) == "2027-01-15T08:00:00.123Z")
        #expect(ExportTime.utc(-1) == "1969-12-31T23:59:59.999Z")
        let zoned = ExportTime.zoned(1_800_000_000_123)
        #expect(zoned.utf8.count == 25 && zoned.hasPrefix(ExportTime.day(1_800_000_000_123)))
    }

    @Test("what is typed wrong is told before a folder is made")
    func typed() throws {
        let fixture = try Fixture()
        let folder = fixture.folder + "/copy"
        let many = (0..<201).map { "p\($0)" }.joined(separator: ",")
        for words in [["--people", many], ["--from", "yesterday"], ["--from", "1d", "--to", "2d"]] {
            let run = runTeahouse(["ctl", "--data", fixture.folder, "audit", "export-messages", folder] + words)
            #expect(run.code == .usage, "\(words): \(run.error)")
        }
        #expect(fixture.ctl("audit", "export-messages").code == .usage)
        #expect(fixture.ctl("user", "export", "ming").code == .usage)
        let silent = fixture.ctl("user", "export", "ming", folder)
        #expect(silent.code == .refused && silent.error.contains("say why you export"), "\(silent.error)")
        #expect(fixture.ctl("user", "export", "ming", folder, "--why", "w").code == .notFound)
        #expect(access(folder, F_OK) != 0 && access(folder + ".partial", F_OK) != 0)
    }
}
