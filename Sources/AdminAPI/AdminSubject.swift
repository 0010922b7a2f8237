package import ChatModel

/// Subject of an operation: what it is about, and whose state the audit log keeps before and after a change.
package enum AdminSubject: Equatable, Sendable {
    /// A name alone, or none; of some changes what was asked for says it all.
    case text(String?)
    /// An account with its profile and its tokens.
    case user(UserName)
    /// A person with everything that a deletion takes.
    case person(UserName)
    /// An entry of a personal list: owner, list, the other person.
    case list(UserName, PersonalList, UserName)
    /// A team with some of its people.
    case team(ChannelName, among: [UserName] = [])
    case member(UserName, of: ChannelName)
    /// A request to join a team.
    case joinRequest(Int64)
    /// A legal hold, by its number.
    case hold(Int64)
    case room(ChannelName)
    /// A conversation, named as in `AdminRequest.listMessages`.
    case conversation(String)
    case file(FileKey)
    /// Announcements of the operator, to one team or to all.
    case announcements(ChannelName?)
    /// Rules of the word list.
    case words([String])
    /// Filter rules; the text names one of them, or the receiver.
    case filters(String?)
    case kind(MessageKind)
    /// A setting in a scope, or in one conversation, named as in `AdminRequest.listMessages`.
    case setting(String, SessionScope, conversation: String?)
    case policy
    /// The app; the text names one of its keys.
    case app(String?)

    /// Name in the audit log; `nil` when there are several or none.
    package var text: String? {
        switch self {
        case .text(let text), .filters(let text), .app(let text): text
        case .user(let name), .person(let name), .list(let name, _, _): name.text
        case .team(let name, _), .member(_, let name), .room(let name): name.text
        case .joinRequest(let number), .hold(let number): String(number)
        case .conversation(let name), .setting(let name, _, _): name
        case .file(let key): key.text
        case .announcements(let team): team?.text
        case .words(let words): words.count == 1 ? words[0] : nil
        case .kind(let kind): String(kind.rawValue)
        case .policy: nil
        }
    }
}
