import AdminAPI
import AdminConsole
import ChatModel
import Testing

@Suite("The selector") struct SelectorTests {
    static let people = [
        SelectorItem(id: "ming", name: "张小明"), SelectorItem(id: "lan", name: "阿兰"), SelectorItem(id: "romeo"),
        SelectorItem(id: "zhao", name: "赵"), SelectorItem(id: "7", name: "7up"),
    ]

    private func selector(_ change: (inout SelectorConfiguration) -> Void = { _ in }) -> Selector {
        var configuration = SelectorConfiguration(.custom(Self.people))
        configuration.isMultiple = true
        change(&configuration)
        return Selector(configuration) { items in [.tell(StatusLine(items.map(\.id).joined(separator: ",")))] }
    }

    /// Choice in the end; `nil` when it was given up or goes on.
    private func chosen(_ selector: Selector, _ keys: Key...) -> String? {
        var selector = selector
        for key in keys {
            if case .done(let intents) = selector.press(key, height: 10), case .tell(let notice)? = intents.first {
                return notice.text
            }
        }
        return nil
    }

    @Test("rows stand under the letters of their names, in the order of their short spelling")
    func sections() {
        #expect(self.chosen(self.selector(), .character("Z"), .character(" "), .character(" "), .enter) == "zhao,ming")
        #expect(self.chosen(self.selector(), .character("#"), .character(" "), .enter) == "7")
        #expect(self.chosen(self.selector(), .character("A"), .character(" "), .enter) == "lan")
    }

    @Test("what is filtered out is never shown")
    func filtered() {
        let selector = self.selector { $0.filterIDs = ["zhao"] }
        #expect(self.chosen(selector, .character("Z"), .character(" "), .enter) == "ming")
    }

    @Test("those chosen before count, and can be taken out")
    func preselected() {
        let selector = self.selector { $0.selectedIDs = ["romeo", "gone"] }
        #expect(self.chosen(selector, .enter) == "romeo,gone")
        #expect(self.chosen(selector, .character("R"), .character(" "), .enter) == "gone")
        #expect(self.chosen(selector, .backspace, .enter) == "romeo")
    }

    @Test("one more than the maximum is refused with the tip, and nothing is chosen")
    func maximum() {
        var selector = self.selector { configuration in
            configuration.maximumSelected = 1
            configuration.tip = "enough"
        }
        _ = selector.press(.character(" "), height: 10)
        guard case .beep = selector.press(.character(" "), height: 10) else {
            Issue.record("the second one was taken")
            return
        }
        #expect(self.chosen(selector, .enter) == "7")
    }

    @Test("nothing chosen counts as giving up; where one alone can be chosen, Enter takes it")
    func empty() {
        var selector = self.selector()
        guard case .cancelled = selector.press(.enter, height: 10) else {
            Issue.record("an empty choice was finished")
            return
        }
        #expect(self.chosen(self.selector { $0.isMultiple = false }, .character("Z"), .down, .enter) == "ming")
    }

    @Test("incremental search in Chinese, by initials and by id", arguments: ["小明", "zxm", "ming", "MING"])
    func search(_ text: String) {
        var selector = self.selector()
        _ = selector.press(.character("/"), height: 10)
        for character in text { _ = selector.press(.character(character), height: 10) }
        #expect(self.chosen(selector, .enter, .character(" "), .enter) == "ming")
    }

    @Test("a range chooses everybody in it")
    func range() {
        let selector = self.selector()
        #expect(self.chosen(selector, .character("v"), .down, .down, .character("v"), .enter) == "7,lan,romeo")
    }

    /// A console with a selector of this source over its first screen.
    private func console(_ configuration: SelectorConfiguration) -> ConsoleDriver {
        let console = ConsoleDriver { request in
            switch request {
            case .people(.details(let name)):
                var details = AdminPersonDetails(name: name, friendCount: 3)
                details.friends = [
                    AdminFriend(name: UserName("ming")!, sinceMilliseconds: 0),
                    AdminFriend(name: UserName("zoe")!, remark: "波兰人", sinceMilliseconds: 0),
                    AdminFriend(name: UserName("lan")!, sinceMilliseconds: 0),
                ]
                return .success(.details(details))
            default: return Samples.answer(request)
            }
        }
        console.console.select(Selector(configuration) { _ in [] })
        console.work()
        return console
    }

    @Test(
        "the friends of a person, by what the person calls them or what they are called; filtered, some chosen before")
    func friends() {
        var configuration = SelectorConfiguration(.friends(UserName("anna")!))
        configuration.isMultiple = true
        configuration.filterIDs = ["lan"]
        configuration.selectedIDs = ["zoe"]
        let console = self.console(configuration)
        let screen = console.screen()
        #expect(screen.contains { $0.contains("Choose people  1 chosen") })
        #expect(screen.contains { $0.contains("[x] 波兰人  zoe") })
        #expect(screen.contains { $0.contains("[ ] 张小明  ming") })
        #expect(!screen.contains { $0.contains("阿兰") })
        #expect(console.asked.contains(.people(.details(UserName("anna")!))))
    }

    @Test("the tip goes by itself after two seconds")
    func tip() {
        var configuration = SelectorConfiguration(.people)
        configuration.isMultiple = true
        configuration.maximumSelected = 1
        let console = self.console(configuration)
        #expect(console.screen().contains { $0.contains("0/1") })
        console.press(.character(" "), .character(" "))
        func isShown() -> Bool { console.screen().contains { $0.contains("! That is too many.") } }
        #expect(isShown())
        console.pass(milliseconds: 1)
        console.pass(milliseconds: 1_900)
        #expect(isShown())
        console.pass(milliseconds: 200)
        #expect(!isShown())
        #expect(console.screen().contains { $0.contains("1/1") })
    }

    @Test("where the names do not come, the ids do")
    func namesFail() {
        let console = ConsoleDriver { request in
            switch request {
            case .people(.details(let name)):
                var details = AdminPersonDetails(name: name, friendCount: 1)
                details.friends = [AdminFriend(name: UserName("ming")!, sinceMilliseconds: 0)]
                return .success(.details(details))
            case .listUsers: return .failure(AdminError(.failed, "the disk is gone"))
            default: return Samples.answer(request)
            }
        }
        console.console.select(Selector(SelectorConfiguration(.friends(UserName("lan")!))) { _ in [] })
        console.work()
        #expect(console.screen().contains { $0.contains("[ ] ming") })
    }
}
