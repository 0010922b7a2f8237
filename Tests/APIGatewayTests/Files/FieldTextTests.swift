import Testing

@testable import APIGateway

@Suite("Names of files: reading, cleaning, writing")
struct FieldTextTests {
    @Test(
        "a file's name in every notation that is in use",
        arguments: [
            ("form-data; name=file; filename=plain.txt", "plain.txt"),
            ("form-data; filename=\"two words.txt\"; name=\"file\"", "two words.txt"),
            ("form-data; name=\"a;b\"; filename=\"semi;colon=.txt\"", "semi;colon=.txt"),
            ("form-data; filename=\"a \\\"quoted\\\" \\\\ name\"", "a \"quoted\" \\ name"),
            ("form-data; filename=\"C:\\dir\\old.txt\"", "C:\\dir\\old.txt"),
            ("form-data; filename=\"a%22b%0Ac%20d.txt\"", "a\"b\nc%20d.txt"),
            ("form-data; filename=\"\u{4F60}\u{597D}.txt\"", "\u{4F60}\u{597D}.txt"),
            ("form-data; filename=\"x.txt\"; filename*=UTF-8''%E4%BD%A0.txt", "\u{4F60}.txt"),
            ("form-data; filename*=utf-8'zh'%e4%bd%a0%20b; filename=\"x\"", "\u{4F60} b"),
            ("form-data; filename*=ISO-8859-1''caf%E9", "caf\u{E9}"),
            ("form-data; filename*=KOI8-R''%C1; filename=\"fallback\"", "fallback"),
            ("form-data; filename*=nonsense; filename=\"fallback\"", "fallback"),
            (
                "form-data; filename*0*=UTF-8''%E4%BD; filename*1*=%A0; filename*2=\".t\"; filename*3=xt",
                "\u{4F60}.txt"
            ),
            ("form-data; filename*0=\"long \"; filename*1=\"name\"", "long name"),
            ("form-data; filename=", ""),
            ("form-data; filename=\"open", "open"),
        ])
    func fileNames(_ field: String, _ name: String) {
        let parameters = FieldParameters(field)
        #expect(parameters.word == "form-data")
        #expect(parameters.text("filename") == name)
    }

    @Test("what is no parameter is stepped over")
    func strange() {
        let parameters = FieldParameters("X ; ;; alone; =y; a = 1 ; b=\"2\" junk; c=3")
        #expect(parameters.word == "x")
        #expect(parameters["a"] == "1")
        #expect(parameters["b"] == "2")
        #expect(parameters["c"] == "3")
        #expect(parameters["alone"] == nil)
        #expect(FieldParameters("").text("filename") == nil)
        let many = (0..<100).map { "p\($0)=\($0)" }.joined(separator: ";")
        #expect(FieldParameters("w;" + many)["p31"] == "31")
        #expect(FieldParameters("w;" + many)["p32"] == nil)
    }

    @Test(
        "a name is text to show and never a path",
        arguments: [
            ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("C:\\Users\\x\\a.txt", "a.txt"),
            ("/", "file"), ("", "file"), ("..", "file"), ("...", "file"), (".bashrc", "bashrc"), ("a.", "a"),
            ("  spaced .txt ", "spaced .txt"), ("nul\u{0}l\u{7}.txt", "null.txt"), ("two\r\nlines: x", "twolines: x"),
            ("\u{202E}gpj.exe", "gpj.exe"), ("esc\u{1B}]0;x\u{9B}.txt", "esc]0;x.txt"),
            ("\u{4F60}\u{597D} \u{1F600}.txt", "\u{4F60}\u{597D} \u{1F600}.txt"), ("dir/", "dir"),
        ])
    func cleaned(_ name: String, _ clean: String) {
        #expect(DisplayName.cleaned(name) == clean)
        #expect(DisplayName.cleaned(clean) == clean)
    }

    @Test("a long name is cut between characters and keeps its ending")
    func longNames() {
        let long = String(repeating: "\u{4F60}", count: 2000) + ".jpeg"
        let cut = DisplayName.cleaned(long)
        #expect(cut.utf8.count <= DisplayName.maximumBytes && cut.utf8.count > DisplayName.maximumBytes - 3)
        #expect(cut.hasSuffix("\u{4F60}.jpeg"))
        let most = String(repeating: "a", count: DisplayName.maximumBytes)
        #expect(DisplayName.cleaned(most) == most)
        #expect(DisplayName.cleaned(most + "b") == most)
        let zalgo = "a" + String(repeating: "\u{301}", count: 5000)
        #expect(DisplayName.cleaned(zalgo) == "file")
    }

    @Test(
        "Content-Disposition in any script",
        arguments: [
            (false, "plain name.txt", "attachment; filename=\"plain name.txt\""),
            (true, "a.png", "inline; filename=\"a.png\""),
            (
                false, "\u{4F60}\u{597D}.txt",
                "attachment; filename=\"__.txt\"; filename*=UTF-8''%E4%BD%A0%E5%A5%BD.txt"
            ),
            (
                false, "a\"b\\c%41;d'*.txt",
                "attachment; filename=\"a_b_c_41;d'*.txt\"; filename*=UTF-8''a%22b%5Cc%2541%3Bd%27%2A.txt"
            ),
            (
                false, "x\r\nSet-Cookie: a",
                "attachment; filename=\"x_Set-Cookie: a\"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a"
            ),
            (true, "\u{1F600}e\u{301}.gif", "inline; filename=\"__.gif\"; filename*=UTF-8''%F0%9F%98%80e%CC%81.gif"),
        ])
    func disposition(_ isInline: Bool, _ name: String, _ value: String) {
        #expect(ContentDisposition.value(isInline: isInline, name: name) == value)
        #expect(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        let read = FieldParameters(value)
        #expect(read.text("filename") == name)
    }
}
