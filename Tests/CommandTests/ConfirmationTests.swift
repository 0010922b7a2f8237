@testable import AdminAPI
import CommandLineKit
import Execution
import Localization
import Testing

@Suite("Questions before changes") struct ConfirmationTests {
    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        let made = fixture.ctl("team", "create", "tea", "--form", "advanced", "--owner", "ming", "--members", "lan")
        #expect(made.code == .done, "\(made.error)")
        return fixture
    }

    private func run(
        _ fixture: Fixture, _ words: String..., reply: (@Sendable (Question) -> Question.Reply)?
    ) -> Fixture.Outcome {
        runTeahouse(["ctl", "--data", fixture.folder] + words, reply: reply)
    }

    @Test("dissolving a team asks with its name and its members, and a no changes nothing")
    func asks() throws {
        let fixture = try self.fixture()
        let asked = Lock<[Question]>([])
        let declined = self.run(fixture, "team", "dismiss", "tea") { question in
            asked.withLock { $0.append(question) }
            return .declined
        }
        #expect(declined.code == .refused && declined.error.contains("nothing was done"))
        let question = try #require(asked.withLock { $0 }.first)
        #expect(question.typed == "tea" && question.title == "dissolve the group: tea")
        #expect(question.consequences.first == "It can only be read from now on. It cannot be taken back.")
        #expect(question.consequences.last == "2 members are in it.")
        #expect(self.run(fixture, "team", "dismiss", "tea", reply: { _ in .agreed }).output == "team tea dissolved\n")
    }

    @Test("a script has to say --yes to what nothing brings back, and to nothing else")
    func scripts() throws {
        let fixture = try self.fixture()
        let refused = self.run(fixture, "team", "dismiss", "tea", reply: nil)
        #expect(refused.code == .refused && refused.output.isEmpty)
        #expect(refused.error.contains("--yes") && refused.error.contains("It cannot be taken back."))
        #expect(self.run(fixture, "user", "delete", "lan", reply: nil).code == .refused)
        #expect(self.run(fixture, "user", "disable", "lan", reply: nil).code == .done)
        #expect(self.run(fixture, "team", "dismiss", "tea", "--yes", reply: nil).output == "team tea dissolved\n")
        #expect(self.run(fixture, "--yes", "user", "delete", "lan", reply: { _ in .declined }).code == .done)
    }

    @Test("conversations of two and members are told by the names that people see")
    func names() throws {
        let fixture = try self.fixture()
        _ = fixture.ctl("user", "edit", "ming", "--display-name", "小明")
        _ = fixture.ctl("conversation", "direct", "lan", "ming")
        let list = fixture.ctl("conversation", "list").output
        #expect(list.contains("lan,ming") && list.contains("lan and 小明"))
        #expect(fixture.ctl("conversation", "list", language: .chinese).output.contains("lan和小明"))
        #expect(fixture.ctl("conversation", "show", "tea").output.contains("小明  ming"))
        let json = fixture.ctl("conversation", "show", "lan,ming", "--json").output
        #expect(json.contains(#""people":["lan","小明"]"#) && json.contains(#""displayName":"小明""#))
    }

    @Test("ending a session that is not there is no success")
    func noSession() throws {
        let fixture = try self.fixture()
        let gone = fixture.ctl("session", "kick", "999")
        #expect(gone.code == .notFound && gone.error.contains("no such session: 999") && gone.output.isEmpty)
        #expect(fixture.ctl("session", "kick", "--user", "ming").code == .done)
    }

    @Test("a refusal is told in the language of the person")
    func languages() throws {
        let fixture = try self.fixture()
        let english = fixture.ctl("user", "disable", "nobody")
        #expect(english.error.contains("user nobody does not exist: check the spelling"))
        let chinese = fixture.ctl("user", "disable", "nobody", language: .chinese)
        #expect(chinese.code == .notFound && chinese.error.contains("用户 nobody 不存在"))
        _ = fixture.ctl("team", "create", "chat", "--form", "normal", "--owner", "ming", "--members", "lan")
        let rule = fixture.ctl("team", "set", "chat", "--join", "approval", language: .chinese)
        #expect(rule.error.contains("讨论组没有入群审批"))
    }

    @Test("a line agrees with yes, or with the text that is to be typed")
    func lines() {
        let yes = Question("t", consequences: [], typed: nil)
        #expect(yes.isAgreed(by: "y") && yes.isAgreed(by: "YES") && !yes.isAgreed(by: "") && !yes.isAgreed(by: "n"))
        let name = Question("t", consequences: [], typed: "tea")
        #expect(name.isAgreed(by: "tea") && !name.isAgreed(by: "y") && !name.isAgreed(by: "Tea"))
    }

    @Test(
        "every question has its texts in both languages, and what is final is asked about", arguments: Language.allCases
    )
    func texts(_ language: Language) {
        let texts = Texts(embedded: language)
        for request in AdminRequest.all + AdminRequest.more {
            guard let caution = request.operation.caution else { continue }
            #expect(request.isChange)
            for key in [caution.action] + caution.consequences {
                #expect(texts(key, caution.values) != key, "\(request.word): \(key)")
            }
            if let losers = caution.losers { #expect(texts("\(losers.text).other") != "\(losers.text).other") }
            #expect(caution.typed == nil || caution.isFinal)
        }
        let final = Set(AdminRequest.all.filter { $0.operation.caution?.isFinal == true }.map(\.word))
        #expect(final.isSuperset(of: ["team.dismiss", "conversation.delete", "message.recall", "user.delete"]))
    }
}
