import ChatModel
import Testing

struct SessionSettingsTests {
    private func named(_ name: String) throws -> SessionSetting { try #require(SessionSetting.named(name)) }

    @Test("the most specific value wins: kind and role, then kind, then role, then everywhere")
    func order() {
        var settings = SessionSettings()
        let setting = SessionSetting.maxInput
        func now(_ kind: ConversationKind = .group, _ role: MemberRole = .manager) -> SessionSettingValue {
            settings.effective(setting, kind, role).value
        }
        #expect(now() == .number(0) && settings.effective(setting, .group, .manager).source == .builtIn)
        settings[setting, .everywhere] = .number(1)
        #expect(now() == .number(1) && settings.effective(setting, .group, .manager).source == .scope(.everywhere))
        settings[setting, SessionScope(nil, .manager)] = .number(2)
        #expect(now() == .number(2) && now(.group, .member) == .number(1))
        settings[setting, SessionScope(.group)] = .number(3)
        #expect(now() == .number(3) && now(.room) == .number(2))
        settings[setting, SessionScope(.group, .manager)] = .number(4)
        #expect(now() == .number(4) && now(.group, .owner) == .number(3))
        #expect(settings.overrides(of: setting).map(\.value) == [.number(1), .number(2), .number(3), .number(4)])
        settings[setting, SessionScope(.group, .manager)] = nil
        #expect(now() == .number(3))
    }

    @Test("a conversation's own value wins over every scope, and binds senders like any other")
    func conversation() {
        var settings = SessionSettings()
        settings[.receipts, SessionScope(.group, .owner)] = .text("on")
        var own = ConversationSettings()
        #expect(own.isEmpty && settings.with(own) == settings && !settings.bindsSenders)
        own[.receipts] = .text("off")
        own[.maxInput] = .number(10)
        let here = settings.with(own)
        #expect(own.count == 2 && here.bindsSenders && here.isSet(.maxInput) && !settings.isSet(.maxInput))
        #expect(here.effective(.receipts, .group, .owner).source == .conversation)
        #expect(!here.recordsReaders(.group, .owner, people: 2) && settings.recordsReaders(.group, .owner, people: 2))
        #expect(here.maximumCharacters(.direct, .member) == 10 && settings.maximumCharacters(.direct, .member) == nil)
        own[.receipts] = nil
        own[.maxInput] = nil
        #expect(own.isEmpty && own == ConversationSettings())
    }

    @Test("every default may be set, is what it says, and has a name of its own")
    func defaults() {
        for setting in SessionSetting.all {
            #expect(setting.value(setting.builtIn.text) == setting.builtIn, "\(setting.name)")
            if let direct = setting.directBuiltIn { #expect(setting.value(direct.text) == direct) }
        }
        #expect(Set(SessionSetting.all.map(\.name)).count == SessionSetting.all.count)
        let settings = SessionSettings()
        #expect(settings.effective(.group, .member).count == SessionSetting.all.count)
    }

    @Test("names are shown in groups and not between two people, unless that was set")
    func direct() throws {
        var settings = SessionSettings()
        let setting = try self.named("show_name")
        #expect(settings.effective(setting, .group, .member).value == .flag(true))
        #expect(settings.effective(setting, .direct, .member).value == .flag(false))
        settings[setting, .everywhere] = .flag(true)
        #expect(settings.effective(setting, .direct, .member).value == .flag(true))
    }

    @Test(
        "what may not stand behind a setting is refused",
        arguments: [
            ("max_input", "-1"), ("max_input", "100001"), ("max_input", "many"), ("page_size", "0"),
            ("input_disabled", "yes"), ("receipts", "large"), ("menu_items", "album,album"), ("menu_items", "album,"),
            ("menu_items", "garden"), ("placeholder.en", "a\u{1B}[2J"), ("placeholder.en", "\u{85}"),
            ("placeholder.en", "a text that goes on and on, as no input that is empty ever should say"),
        ] as [(String, String)])
    func refused(_ name: String, _ text: String) throws {
        #expect(try self.named(name).value(text) == nil)
    }

    @Test("words, switches and texts are read as they are written")
    func values() throws {
        #expect(try self.named("menu_items").value("file,album") == .words(["file", "album"]))
        #expect(try self.named("menu_hidden").value("-") == .words([]))
        #expect(SessionSetting.inputDisabled.value("on") == .flag(true))
        #expect(try self.named("placeholder.zh-Hans").value("说点什么") == .text("说点什么"))
    }

    @Test("senders are bound only while a setting that binds them is set")
    func bindsSenders() throws {
        var settings = SessionSettings()
        settings[try self.named("page_size"), .everywhere] = .number(5)
        #expect(!settings.bindsSenders)
        settings[.maxInput, SessionScope(.room)] = .number(5)
        #expect(settings.bindsSenders && settings.maximumCharacters(.room, .member) == 5)
        #expect(settings.maximumCharacters(.group, .member) == nil)
        settings[.maxInput, SessionScope(.room, .owner)] = .number(0)
        #expect(settings.maximumCharacters(.room, .owner) == nil)
        settings[.maxInput, SessionScope(.room)] = nil
        settings[.maxInput, SessionScope(.room, .owner)] = nil
        #expect(!settings.bindsSenders)
        settings[.inputDisabled, SessionScope(nil, .member)] = .flag(true)
        #expect(settings.isReadOnly(.direct, .member) && !settings.isReadOnly(.group, .owner))
    }

    @Test("readers are recorded never, always, or in small teams")
    func receipts() {
        var settings = SessionSettings()
        #expect(settings.recordsReaders(.group, .member, people: 500))
        settings[.receipts, SessionScope(.group)] = .text("small")
        #expect(settings.recordsReaders(.group, .member, people: 50))
        #expect(!settings.recordsReaders(.group, .member, people: 51))
        #expect(settings.recordsReaders(.direct, .member, people: 2))
        settings[.receiptsTeamSize, .everywhere] = .number(60)
        #expect(settings.recordsReaders(.group, .member, people: 60))
        settings[.receipts, SessionScope(.group, .owner)] = .text("off")
        #expect(!settings.recordsReaders(.group, .owner, people: 2))
    }
}
