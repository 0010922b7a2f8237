import CommandLineKit
import Glibc
import Localization
import Testing
import teahouse

/// The operator's own texts, in the folder `lang` of the data folder.
@Suite("Languages")
struct LanguageCommandTests {
    private func fixture(_ file: String? = nil) throws -> Fixture {
        let fixture = try Fixture()
        guard let file else { return fixture }
        mkdir("\(fixture.folder)/lang", 0o700)
        _ = try fixture.write(file, to: "lang/en.json")
        return fixture
    }

    @Test("texts that fit are good, and so is none")
    func good() throws {
        #expect(try self.fixture().ctl("lang", "check").code == .done)
        let fixture = try self.fixture(#"{"ctl.user.added": "welcome, {name}"}"#)
        let outcome = fixture.ctl("lang", "check")
        #expect(outcome.code == .done)
        #expect(outcome.output == "every text in \(fixture.folder)/lang fits this version\n")
    }

    @Test(
        "what does not fit is named, with exit code 1",
        arguments: [
            (#"{"ctl.user.adedd": "x"}"#, "en.json: ctl.user.adedd is no key of this version"),
            (
                #"{"ctl.user.added": "welcome"}"#,
                "en.json: ctl.user.added has the places none, the English text has {name}"
            ),
        ])
    func findings(_ file: String, _ finding: String) throws {
        let fixture = try self.fixture(file)
        let outcome = fixture.ctl("lang", "check")
        #expect(outcome.code == .refused)
        #expect(outcome.output.split(separator: "\n").map(String.init).first == finding)
        let json = fixture.ctl("lang", "check", "--json")
        #expect(json.code == .refused)
        #expect(json.output == #"{"findings":["\#(finding)"]}"# + "\n")
    }

    @Test("a file that is no JSON is a mistake of the configuration")
    func broken() throws { #expect(try self.fixture("{").ctl("lang", "check").code == .configuration) }

    @Test("texts are found by their words and by their keys")
    func find() throws {
        let fixture = try self.fixture()
        let byWord = fixture.ctl("lang", "find", "USER {name} ADDED")
        #expect(byWord.code == .done)
        #expect(byWord.output == "ctl.user.added: user {name} added\n")
        #expect(fixture.ctl("lang", "find", "ctl.user.added").output == byWord.output)
        #expect(fixture.ctl("lang", "find", "no such text anywhere").code == .refused)
    }
}
