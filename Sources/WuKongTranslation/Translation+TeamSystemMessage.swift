import ByteCodec
import ChatModel
import Store

extension Translation {
    /// A line in a team about something that happened, which apps show as a message of the system, and by which those
    /// that know the event word it in their own language.
    ///
    /// - Parameters:
    ///   - text: `{0}`, `{1}` … stand for `people`, whom apps show by the names they know.
    ///   - actor: who did it; `nil` for a business server or the operator.
    static func teamSystemMessage(
        _ event: TeamEvent, text: String, people: [SystemMessagePerson], actor: UserName?, targets: [UserName]
    ) -> MessageContent {
        var about: [JSONValue.Member] = [JSONValue.Member("event", .string(event.word))]
        if case .updated(let fields) = event {
            about.append(JSONValue.Member("fields", .array(fields.map { .string($0.rawValue) })))
        }
        if let actor { about.append(JSONValue.Member("actor", .string(actor.text))) }
        about.append(JSONValue.Member("targets", .array(targets.map { .string($0.text) })))
        var further: [(String, JSONValue)] = []
        if let switched = Self.switched(event) {
            further.append(("data", .object([JSONValue.Member(switched.0, .string(switched.1))])))
        }
        further.append(("team_event", .object(about)))
        return WuKongSystemMessages.content(text, people, type: Self.contentType(of: event), further)
    }

    /// Source: TangSengDaoDao server library: 1002 members came, 1003 members were removed, 1005 the group has changed,
    /// 1008 it has another owner, 1021 a member has left.
    private static func contentType(of event: TeamEvent) -> Int64 {
        switch event {
        case .invited, .joined, .applicationPassed, .invitationAccepted: 1_002
        case .removed: 1_003
        case .ownerChanged: 1_008
        case .left: 1_021
        case .dismissed, .managerAdded, .managerRemoved, .muted, .unmuted, .updated, .allMuted, .allUnmuted, .unknown:
            1_005
        }
    }

    /// The switch of a group that apps read from such a message.
    private static func switched(_ event: TeamEvent) -> (String, String)? {
        if event == .allMuted { return ("forbidden", "1") }
        return event == .allUnmuted ? ("forbidden", "0") : nil
    }
}
