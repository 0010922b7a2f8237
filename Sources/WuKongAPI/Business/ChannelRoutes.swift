import APIKit
import ByteCodec
import ChatModel
import Store

/// The card of a channel, as the SDKs' channel managers ask for it.
enum ChannelRoutes {
    static let routes: [Route] = [
        Route("GET", "/v1/channels/{id}/{type}", Self.card),
        Route("PATCH", "/v1/channels/{id}/{type}/extra", Self.setExtra),
    ]

    private enum Card: Sendable {
        case person(PersonView)
        case group(GroupView)
    }

    @Sendable static func card(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.pathChannel()
        let (user, hides) = (call.user, call.services.showsOnlyAcquainted)
        call.readThen { store throws(StoreError) in
            if case .direct(let name) = channel.address {
                guard let view = try store.view(of: name, for: user, hidesPresence: hides) else {
                    throw .refused(.noSuchUser)
                }
                return Card.person(view)
            }
            return .group(try store.view(of: try store.knownConversation(channel, of: user), for: user))
        } then: { card, reply in
            switch card {
            case .person(let view):
                call.services.didShow(view.profile.name, user)
                call.services.presence(of: view.present) { presence in
                    reply(.json(Self.row(view.dressed(call.services), channel, presence)))
                }
            case .group(let view): reply(.json(Self.row(view, channel)))
            }
        }
    }

    /// Changes keys that an app keeps with a channel, the same that LeanCloud's apps call its attributes; `null`
    /// removes one. Who may, the team's setting for attributes says.
    @Sendable static func setExtra(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.pathChannel()
        guard case .channel = channel.address else { throw .bad("a person channel has no extra of the app's own") }
        guard let members = call.request.body.object else { throw .bad("the body must be a JSON object") }
        if let taken = members.first(where: { GroupView.names.contains($0.name) }) {
            throw .bad("\(taken.name) is the server's own: it is changed by its own path")
        }
        var change = ChannelPatch()
        change.attributesMergePatch = call.request.body.serialized()
        let (actor, patch) = (call.actor, change)
        call.write { store throws(StoreError) in
            let conversation = try store.reading.knownConversation(channel, of: actor.user)
            try store.conversations.updateInfo(of: conversation.id, patch, by: actor)
            return try store.reading.view(of: conversation, for: actor.user)
        } answer: { view in
            .json(view.extra)
        }
    }

    /// Source: TangSengDaoDao server library, ChannelResp.
    private static func row(_ view: PersonView, _ channel: BusinessChannel, _ presence: PresenceTable) -> JSONValue {
        let (attributes, switches) = (view.attributes, view.switches)
        return Self.head(channel, name: view.displayName, logo: view.profile.avatar, view.remark, view.preference)
            .adding(
                .fields(
                    ("username", .string(view.profile.name.text)), ("status", .integer(view.isBlocked ? 2 : 1)),
                    ("online", .flag(presence.isOnline(view.profile.name))),
                    ("last_offline", .integer(view.lastOffline(presence))),
                    ("device_flag", .number(presence.deviceFlag(view.profile.name))),
                    ("receipt", switches.switchValue("receipt", otherwise: 1)),
                    ("robot", .flag(view.profile.isSystem)), ("category", .text(attributes["category"]?.string)),
                    ("show_nick", .integer(0)), ("follow", .flag(view.isFriend)),
                    ("be_deleted", .flag(view.friend?.isRemoved == true)),
                    ("be_blacklist", .flag(view.hasBlockedViewer)), ("notice", .string("")), ("save", .integer(0)),
                    ("forbidden", .integer(0)), ("invite", .integer(0)), ("flame", switches.switchValue("flame")),
                    ("flame_second", switches.switchValue("flame_second")), ("extra", view.row(presence))))
    }

    private static func row(_ view: GroupView, _ channel: BusinessChannel) -> JSONValue {
        let group = view.row
        return Self.head(channel, name: view.card.title, logo: view.card.logo, view.preference.remark, view.preference)
            .adding(
                .fields(
                    ("status", group["status"] ?? .integer(1)), ("online", .integer(0)), ("last_offline", .integer(0)),
                    ("device_flag", .integer(0)), ("receipt", group.switchValue("receipt")), ("robot", .integer(0)),
                    ("category", .string("")), ("show_nick", group.switchValue("show_nick")), ("follow", .integer(1)),
                    ("be_deleted", .integer(0)), ("be_blacklist", .integer(0)),
                    ("notice", .text(view.card.notice)), ("save", group.switchValue("save")),
                    ("forbidden", group.switchValue("forbidden")), ("invite", group.switchValue("invite")),
                    ("flame", group.switchValue("flame")), ("flame_second", group.switchValue("flame_second")),
                    ("extra", view.extra)))
    }

    private static func head(
        _ channel: BusinessChannel, name: String?, logo: String?, _ remark: String?,
        _ preference: ConversationPreference
    ) -> JSONValue {
        .fields(
            (
                "channel",
                .fields(("channel_id", .string(channel.id)), ("channel_type", .number(channel.typeNumber)))
            ), ("name", .text(name)), ("logo", .text(logo)), ("remark", .text(remark)),
            ("stick", .flag(preference.isPinned)), ("mute", .flag(preference.isSilenced)))
    }
}
