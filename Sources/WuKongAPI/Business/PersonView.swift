import APIKit
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// A person as somebody sees them: their profile, what the two are to each other, and what the one who looks has set.
struct PersonView: Sendable {
    var profile: Profile
    let viewer: UserID
    /// `nil` when the two never were friends.
    let friend: Friend?
    /// By the one who looks.
    let isBlocked: Bool
    /// By this person.
    let hasBlockedViewer: Bool
    let preference: ConversationPreference
    /// False for a stranger where people are told how acquaintances stand and nobody else.
    var showsPresence = true

    /// People whose presence the row needs.
    var present: [UserName] { self.showsPresence ? [self.profile.name] : [] }

    /// With the name and picture of another user system.
    func dressed(_ services: APIServices) -> PersonView {
        guard let said = services.saidElsewhere(self.profile.name) else { return self }
        var view = self
        view.profile.displayName = said.displayName ?? self.profile.displayName
        view.profile.avatar = said.avatar ?? self.profile.avatar
        return view
    }

    var isSelf: Bool { self.profile.user == self.viewer }
    var isFriend: Bool { self.friend.map { !$0.isRemoved } ?? false }
    var displayName: String { self.profile.displayName ?? self.profile.name.text }
    var remark: String { (self.isFriend ? self.friend?.remark : nil) ?? self.preference.remark ?? "" }

    /// Fields that an app keeps beside the names.
    var attributes: JSONValue { .stored(self.profile.attributes) }
    /// The further switches of the direct conversation.
    var switches: JSONValue { .stored(self.preference.settings) }

    /// Source: TangSengDaoDao server, UserDetailResp.
    func row(_ presence: PresenceTable) -> JSONValue {
        let (attributes, switches) = (self.attributes, self.switches)
        var row = JSONValue.fields(
            ("uid", .string(self.profile.name.text)), ("name", .string(self.displayName)),
            ("username", .string(self.profile.name.text)), ("mute", .flag(self.preference.isSilenced)),
            ("top", .flag(self.preference.isPinned)), ("sex", attributes.switchValue("sex")),
            ("category", .text(attributes["category"]?.string)), ("short_no", .text(attributes["short_no"]?.string)),
            ("chat_pwd_on", switches.switchValue("chat_pwd_on")),
            ("screenshot", switches.switchValue("screenshot", otherwise: 1)),
            ("revoke_remind", switches.switchValue("revoke_remind", otherwise: 1)),
            ("receipt", switches.switchValue("receipt", otherwise: 1)),
            ("online", .flag(presence.isOnline(self.profile.name))),
            ("last_offline", .integer(self.lastOffline(presence))),
            ("device_flag", .number(presence.deviceFlag(self.profile.name))), ("follow", .flag(self.isFriend)))
        row = row.adding(
            .fields(
                ("be_deleted", .flag(self.friend?.isRemoved == true)), ("be_blacklist", .flag(self.hasBlockedViewer)),
                ("vercode", .string("")), ("source_desc", .string("")), ("remark", .string(self.remark)),
                ("is_upload_avatar", .flag(self.profile.avatar != nil)),
                ("avatar", .text(self.profile.avatar)), ("status", .integer(self.isBlocked ? 2 : 1)),
                ("robot", .flag(self.profile.isSystem)), ("is_destroy", .flag(self.profile.isDisabled)),
                ("flame", switches.switchValue("flame")), ("flame_second", switches.switchValue("flame_second"))))
        guard self.isSelf else { return row }
        return row.adding(
            .fields(
                ("zone", .text(attributes["zone"]?.string)), ("phone", .text(attributes["phone"]?.string)),
                ("email", .text(attributes["email"]?.string))))
    }

    /// Seconds; 0 while a device is online.
    func lastOffline(_ presence: PresenceTable) -> Int64 {
        presence.isOnline(self.profile.name) ? 0 : (self.profile.lastSeenAtMilliseconds ?? 0) / 1_000
    }
}

extension ReadTransaction {
    func view(of profile: Profile, for viewer: UserID) throws(StoreError) -> PersonView {
        let conversation = try self.conversations.one(.direct(profile.name), seenBy: viewer)?.id
        let preference =
            try conversation.map { id throws(StoreError) in try self.inbox.preference(of: viewer, in: id) }
            ?? ConversationPreference()
        return PersonView(
            profile: profile, viewer: viewer, friend: try self.friends.one(profile.user, of: viewer),
            isBlocked: try self.people.isListed(profile.user, by: viewer, on: .blocked),
            hasBlockedViewer: try self.people.isListed(viewer, by: profile.user, on: .blocked), preference: preference)
    }

    /// `nil` when nobody has this name.
    ///
    /// - Parameter hidesPresence: how strangers stand is not told, nor when they were there last.
    func view(
        of name: UserName, for viewer: UserID, hidesPresence: Bool = false
    ) throws(StoreError) -> PersonView? {
        guard let profile = try self.people.profile(named: name) else { return nil }
        var view = try self.view(of: profile, for: viewer)
        if hidesPresence, try self.profiles.acquaintances(of: viewer, among: [name]).isEmpty {
            view.showsPresence = false
            view.profile.lastSeenAtMilliseconds = nil
        }
        return view
    }

    /// Name to show for a person.
    func displayName(of user: UserID) throws(StoreError) -> String {
        guard let profile = try self.people.profile(of: user) else { return "" }
        return profile.displayName ?? profile.name.text
    }
}

/// Presence of people, and their kinds of devices.
struct PresenceTable: Sendable {
    private var devices: [UserName: [DeviceClass]] = [:]

    init(_ present: [Presence]) {
        for entry in present { self.devices[entry.name, default: []].append(entry.deviceClass) }
    }

    func isOnline(_ name: UserName) -> Bool { self.devices[name] != nil }

    func classes(of name: UserName) -> [DeviceClass] { self.devices[name] ?? [] }

    /// The device people are told; 0 for nobody.
    func deviceFlag(_ name: UserName) -> Int {
        ShownDevice.flag(of: self.classes(of: name).compactMap(Translation.deviceFlag)) ?? 0
    }
}

extension APIServices {
    /// Passes on the presence of these people. `then` runs on the broker's thread.
    func presence(of names: [UserName], then: @escaping @Sendable (PresenceTable) -> Void) {
        guard !names.isEmpty else { return then(PresenceTable([])) }
        self.broker.presence(of: Set(names)) { then(PresenceTable($0)) }
    }
}
