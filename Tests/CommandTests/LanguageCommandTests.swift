import CommandLineKit
import Glibc
import Localization
import Testing
import teahouse

/// The operator's own texts, in the folder `lang` of the data folder.
@Suite("Languages")
struct LanguageCommandTests {
    private func house(_ file: String? = nil) throws -> House {
        let house = try House()
        guard let file else { return house }
        mkdir("\(house.folder)/lang", 0o700)
        _ = try house.write(file, to: "lang/en.json")
        return house
    }

    @Test("texts that fit are good, and so is none")
    func good() throws {
        #expect(try self.house().ctl("lang", "check").code == .done)
        let house = try self.house(#"{"ctl.user.added": "welcome, {name}"}"#)
        let outcome = house.ctl("lang", "check")
        #expect(outcome.code == .done)
        #expect(outcome.output == "every text in \(house.folder)/lang fits this version\n")
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
        let house = try self.house(file)
        let outcome = house.ctl("lang", "check")
        #expect(outcome.code == .refused)
        #expect(outcome.output.split(separator: "\n").map(String.init).first == finding)
        let json = house.ctl("lang", "check", "--json")
        #expect(json.code == .refused)
        #expect(json.output == #"{"findings":["\#(finding)"]}"# + "\n")
    }

    @Test("a file that is no JSON is a mistake of the configuration")
    func broken() throws { #expect(try self.house("{").ctl("lang", "check").code == .configuration) }

    @Test("texts are found by their words and by their keys")
    func find() throws {
        let house = try self.house()
        let byWord = house.ctl("lang", "find", "USER {name} ADDED")
        #expect(byWord.code == .done)
        #expect(byWord.output == "ctl.user.added: user {name} added\n")
        #expect(house.ctl("lang", "find", "ctl.user.added").output == byWord.output)
        #expect(house.ctl("lang", "find", "no such text anywhere").code == .refused)
    }
}
