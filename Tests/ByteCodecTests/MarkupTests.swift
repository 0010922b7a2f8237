import ByteCodec
import Testing

@Suite("Text inside HTML and XML") struct MarkupTests {
    @Test(
        "shows as it is and ends no element, attribute or document",
        arguments: [
            ("茶 & 水", "茶 &amp; 水"), ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a\" onload='x'", "a&quot; onload=&#39;x&#39;"), ("two\nlines\tand a tab", "two\nlines\tand a tab"),
            ("\u{0}\u{1B}[31m\u{7F}\u{85}\u{FFFE}\u{FFFF}", "??[31m????"), ("&amp;", "&amp;amp;"), ("", ""),
        ])
    func escaped(_ text: String, _ expected: String) {
        #expect(Markup.escaped(text) == expected)
    }
}
