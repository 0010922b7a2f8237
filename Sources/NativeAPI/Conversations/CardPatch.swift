import APIKit
import ChatModel
import Store

/// Rows of a card that one request changes together.
struct CardPatch: Sendable {
    private var info = ChannelPatch()
    private var modes = TeamModesPatch()
    private var own = PreferencePatch()
    private var introduction: String?
    private var nickname: String?
    /// Key of the new picture; the inner `nil` for none any more.
    private var picture: FileKey??

    /// - Throws: 404 `no_such_file` for what is no key.
    init(_ input: NativeInput) throws(Problem) {
        self.info.title = input.text("title")
        self.info.notice = input.text("announcement")
        self.introduction = input.text("introduction")
        self.nickname = input.text("nickname")
        if let text = input.text("picture") {
            let key = FileKey(text)
            guard text.isEmpty || key != nil else {
                throw Problem(.noSuchFile, "there is no such file", field: "picture")
            }
            self.picture = .some(key)
            self.info.logo = key.map(APIPaths.file) ?? ""
        }
        self.modes.join = Self.mode(input.text("join"), \.word)
        self.modes.invite = Self.mode(input.text("invite"), \.word)
        self.modes.beInvited = Self.mode(input.text("beInvited"), \.word)
        self.modes.updateInfo = Self.mode(input.text("updateInfo"), \.word)
        self.modes.mute = Self.mode(input.text("muteAll"), \.word)
        self.own.isPinned = input.flag("pin")
        self.own.alerts = input.text("notify").flatMap(TeamAlerts.init(rawValue:))
    }

    private static func mode<Mode: CaseIterable>(_ word: String?, _ spelling: KeyPath<Mode, String>) -> Mode? {
        word.flatMap { word in Mode.allCases.first { $0[keyPath: spelling] == word } }
    }

    /// Actions that the person has to be allowed.
    var actions: [TeamAction] {
        var actions = self.modes.modes.map { TeamAction.setMode($0) }
        if self.info.title != nil || self.info.logo != nil { actions.append(.updateInfo) }
        if self.info.notice != nil { actions.append(.announce) }
        if self.introduction != nil { actions.append(.setIntroduction) }
        if self.nickname != nil { actions.append(.rename(nil)) }
        return actions
    }

    /// Makes the changes, all of them or none.
    func apply(to id: ConversationID, by user: UserID, _ store: WriteTransaction) throws(StoreError) {
        let actor = Actor(user)
        if self.info != ChannelPatch() { try store.conversations.updateInfo(of: id, self.info, by: actor) }
        if let picture { try store.files.setPicture(of: .conversation(id, isSmall: false), to: picture, by: actor) }
        if let introduction { try store.teams.setIntroduction(of: id, introduction, by: actor) }
        if !self.modes.modes.isEmpty { try store.teams.setModes(of: id, self.modes, by: actor) }
        if let nickname { try store.conversations.setNickname(of: user, nickname, in: id, by: actor) }
        if self.own != PreferencePatch() { try store.inbox.setPreference(user, in: id, self.own) }
    }
}
