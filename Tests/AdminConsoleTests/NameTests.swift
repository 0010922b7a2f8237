import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("Names beside ids") struct NameTests {
    private func console(_ language: Language = .english) -> ConsoleDriver {
        var direct = Samples.conversation(2, .direct, "lan,ming")
        direct.people = ["阿兰", "张小明"]
        let group = Samples.conversation(1, .group, "tea", title: "茶馆")
        let member = Member(
            user: UserID(rawValue: 1), name: UserName("ming")!, role: .owner, readSequence: 7, readCountable: 7,
            ownCountableSinceRead: 0, joinedSequence: 0)
        return ConsoleDriver(language: language) { [direct] request in
            switch request {
            case .listConversations: return .success(.conversations([group, direct], next: nil))
            case .showConversation:
                return .success(
                    .conversation(
                        AdminConversationDetail(
                            conversation: group,
                            members: [AdminMember(member, displayName: "张小明", headCountable: 7)])))
            default: return Samples.talk(request)
            }
        }
    }

    @Test("a conversation of two is told by the names of its people", arguments: [Language.english, .chinese])
    func direct(_ language: Language) {
        let console = self.console(language)
        console.press(.character("4"))
        let words = language == .english ? "阿兰 and 张小明" : "阿兰和张小明"
        #expect(console.screen(120).contains { $0.contains("lan,ming") && $0.contains(words) })
        console.press(.character("/"))
        console.type("张小")
        #expect(console.screen(120).contains { $0.contains("lan,ming") })
        #expect(!console.screen(120).contains { $0.contains("茶馆") })
    }

    @Test("a member is told by name, with the id behind it, and found by either")
    func members() {
        let console = self.console()
        console.press(.character("4"), .character("g"), .enter)
        #expect(console.screen(120).contains { $0.contains("张小明  ming") })
        console.press(.character("/"))
        console.type("小明")
        #expect(console.screen(120).contains { $0.contains("张小明  ming") })
    }
}
