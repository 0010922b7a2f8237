import CommandLineKit
import Testing

@Suite("teahouse ctl app") struct AppCommandTests {
    private static let masterKey = "MasterKeyForTeahouseTests01"

    @Test("it is shown without its keys, and keys prints them")
    func shown() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("app", "rotate", "master-key", "--key-stdin", input: [Self.masterKey]).code == .done)
        let shown = fixture.ctl("app", "show").output
        for text in ["teahouse-test-app-gzGzoHsz", "Mast…", "signature of the app's own server", "172800 seconds"] {
            #expect(shown.contains(text), "\(shown)")
        }
        #expect(!shown.contains(Self.masterKey) && shown.contains("the one before counts until"))
        let keys = fixture.ctl("app", "keys")
        #expect(keys.output.contains(Self.masterKey) && keys.output.contains("never into a client"))
        #expect(fixture.ctl("app", "keys", "--json").output.contains(#""masterKey":"\#(Self.masterKey)""#))
        #expect(fixture.ctl("audit", "list").output.contains("app.keys"))
        #expect(!fixture.ctl("audit", "list", "--json").output.contains(Self.masterKey))
        #expect(fixture.ctl("app", "show", language: .chinese).output.contains("应用服务器的签名"))
    }

    @Test("keys are replaced, for some time beside the old ones")
    func rotated() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("app", "rotate", "app-key").output.contains("the old one counts until"))
        #expect(
            fixture.ctl("app", "rotate", "app-key", "--overlap", "0").output
                == "the app-key is replaced; the old one counts no longer\n")
        #expect(fixture.ctl("app", "rotate", "app-key", "--json").output.contains(#""previousAppKeyUntil":"#))
        #expect(fixture.ctl("app", "rotate", "key").code == .usage)
        #expect(fixture.ctl("app", "rotate", "app-key", "--overlap", "7776001").code == .usage)
        #expect(fixture.ctl("app", "rotate", "app-key", "--key-stdin").code == .usage)
        #expect(fixture.ctl("app", "rotate", "app-key", "--key-stdin", input: ["short"]).code == .refused)
        #expect(fixture.ctl("--read-only", "app", "rotate", "app-key").code == .refused)
    }

    @Test(
        "it signs what the app's own server signs, also by the words of older guides",
        arguments: [
            (["open"], "e3cbde5464299023c8dfec99ad921a974c923acc"),
            (["start", "--members", "Jerry,Tom,Bob"], "56037fed77c0c00aece28d9222a19a8f4221225a"),
            (
                ["add", "--members", "Mary,Harry", "--conversation", "551260efe4b01608686c3e0f"],
                "23c55dd1c1c3c1f1763b273366cd1b53bd375ba0"
            ),
            (
                ["remove", "--members", "Harry", "--conversation", "551260efe4b01608686c3e0f"],
                "836f56eea4b853e9cc5625404b6322a55eb1fc40"
            ),
            (
                ["block", "--members", "Harry", "--conversation", "551260efe4b01608686c3e0f"],
                "0f6e66c021e8a0615df3c80aa2754967bbee15b9"
            ),
            (["history", "--conversation", "551260efe4b01608686c3e0f"], "a016937f8ca6ea2a21b4a4c816bd8decfcd9173e"),
        ])
    func signed(_ words: [String], _ signature: String) throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("app", "rotate", "master-key", "--key-stdin", input: [Self.masterKey]).code == .done)
        let command =
            ["app", "sign"] + words + ["--client", "Tom", "--timestamp", "1794873600000", "--nonce", "a1b2c3"]
        let shown = runTeahouse(["ctl", "--data", fixture.folder] + command)
        #expect(shown.output.contains("teahouse-test-app-gzGzoHsz:Tom:") && shown.output.contains(signature))
        let json = runTeahouse(["ctl", "--data", fixture.folder] + command + ["--json"])
        #expect(json.output.contains(#""signature":"\#(signature)""#))
    }

    @Test("what it cannot sign is said")
    func unsigned() throws {
        let fixture = try Fixture()
        #expect(fixture.ctl("app", "sign", "shout", "--client", "Tom").code == .usage)
        #expect(fixture.ctl("app", "sign", "open").error.contains("client"))
        #expect(fixture.ctl("app", "sign", "kick", "--client", "Tom").error.contains("conversation"))
        #expect(fixture.ctl("app", "sign", "rest-master").output.contains(",master"))
    }
}
