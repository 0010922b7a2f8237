/// What the server answers to a request.
package enum AdminAnswer: Hashable, Sendable {
    case done
    case status(AdminStatus)
    /// A page; `next` asks for the one after it, `nil` on the last.
    case users([AdminUser], next: Int64?)
    case user(AdminUserDetail)
    /// A new one is shown once: only its hash is kept. `nil` when there is none to show.
    case token(String?)
    case imported([AdminImportResult])
    case conversations([AdminConversation], next: Int64?)
    case conversation(AdminConversationDetail)
    case messages([AdminMessage])
    case sessions([AdminSession], next: Int64?)
    /// How many sessions, members or tokens the request changed.
    case count(Int64)
    case sent(AdminMessage)
    /// Events follow, marked with the id of the request.
    case following
    case files(AdminFileAnswer)
    case transfers(AdminTransferAnswer)
    case profiles(AdminProfileAnswer)
    case teams(AdminTeamAnswer)
    case audit(AdminAuditAnswer)
    case live(AdminLiveHistory)
    case talks(AdminTalkAnswer)
    case previewed([AdminImportPreview])
    case brought([AdminArrivalResult])
    case words(AdminWordAnswer)
    case filters(AdminFilterAnswer)
    case kinds(AdminKindAnswer)
    case hooks(AdminHookAnswer)
    case settings(AdminSettingsAnswer)
    case policy(AdminPolicyAnswer)
    case details(AdminPersonDetails)
    case notices(AdminNoticeAnswer)
    case app(AdminAppAnswer)
}

/// Something that happened, for who follows.
package enum AdminEvent: Hashable, Sendable {
    case message(AdminMessage)
    case opened(AdminSession)
    case ended(AdminSession, reason: String)
    /// Transfers that moved, as they are now.
    case transfers([AdminTransfer])
    /// How far a check of files is.
    case checking(AdminFileCheck)
    /// The server now, and what it did in the last second.
    case pulse(AdminLivePoint)
    /// So many events were left out, because the reader was too slow.
    case missed(Int64)
}

/// One line from the server.
package enum AdminReply: Hashable, Sendable {
    case answer(id: Int64, Result<AdminAnswer, AdminError>)
    case event(id: Int64, AdminEvent)
}

extension AdminReply {
    /// The line, without its line feed.
    package var line: [UInt8] {
        FieldWriter.object { fields in
            switch self {
            case .answer(let id, .success(let answer)):
                fields.number("id", id)
                fields.text("answer", answer.word)
                fields.object("with", answer.write)
            case .answer(let id, .failure(let error)):
                fields.number("id", id)
                fields.object("error") { fields in
                    fields.text("code", error.code.rawValue)
                    fields.text("message", error.message)
                }
            case .event(let id, let event):
                fields.number("id", id)
                fields.text("event", event.word)
                fields.object("with", event.write)
            }
        }
    }

    package init(line: [UInt8]) throws(AdminError) {
        let fields = try FieldReader(line: line)
        let id = try fields.number("id")
        if let word = try fields.optionalText("answer") {
            self = .answer(id: id, .success(try AdminAnswer(word: word, fields.object("with"))))
        } else if let word = try fields.optionalText("event") {
            self = .event(id: id, try AdminEvent(word: word, fields.object("with")))
        } else {
            let error = try fields.object("error")
            let code = AdminError.Code(rawValue: try error.text("code")) ?? .refused
            self = .answer(id: id, .failure(AdminError(code, try error.text("message"))))
        }
    }
}

extension AdminAnswer {
    var word: String {
        switch self {
        case .done: "done"
        case .status: "status"
        case .users: "users"
        case .user: "user"
        case .token: "token"
        case .imported: "imported"
        case .conversations: "conversations"
        case .conversation: "conversation"
        case .messages: "messages"
        case .sessions: "sessions"
        case .count: "count"
        case .sent: "sent"
        case .following: "following"
        case .files(let answer): answer.word
        case .transfers(let answer): answer.word
        case .profiles(let answer): answer.word
        case .teams(let answer): answer.word
        case .audit(let answer): answer.word
        case .live: "live"
        case .talks(let answer): answer.word
        case .previewed: "previewed"
        case .brought: "brought"
        case .words(let answer): answer.word
        case .filters(let answer): answer.word
        case .kinds(let answer): answer.word
        case .hooks(let answer): answer.word
        case .settings(let answer): answer.word
        case .policy(let answer): answer.word
        case .details: "details"
        case .notices(let answer): answer.word
        case .app(let answer): answer.word
        }
    }

    /// The answer as one JSON object, for scripts.
    package var json: [UInt8] { FieldWriter.object(self.write) }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .done, .following: break
        case .status(let status): status.write(to: &fields)
        case .users(let users, let next):
            fields.records("users", users)
            fields.number("next", next)
        case .user(let detail): detail.write(to: &fields)
        case .token(let token): fields.text("token", token)
        case .imported(let results): fields.records("users", results)
        case .conversations(let conversations, let next):
            fields.records("conversations", conversations)
            fields.number("next", next)
        case .conversation(let detail): detail.write(to: &fields)
        case .messages(let messages): fields.records("messages", messages)
        case .sessions(let sessions, let next):
            fields.records("sessions", sessions)
            fields.number("next", next)
        case .count(let count): fields.number("count", count)
        case .sent(let message): message.write(to: &fields)
        case .files(let answer): answer.write(to: &fields)
        case .transfers(let answer): answer.write(to: &fields)
        case .profiles(let answer): answer.write(to: &fields)
        case .teams(let answer): answer.write(to: &fields)
        case .audit(let answer): answer.write(to: &fields)
        case .live(let history): history.write(to: &fields)
        case .talks(let answer): answer.write(to: &fields)
        case .previewed(let previews): fields.records("users", previews)
        case .brought(let results): fields.records("users", results)
        case .words(let answer): answer.write(to: &fields)
        case .filters(let answer): answer.write(to: &fields)
        case .kinds(let answer): answer.write(to: &fields)
        case .hooks(let answer): answer.write(to: &fields)
        case .settings(let answer): answer.write(to: &fields)
        case .policy(let answer): answer.write(to: &fields)
        case .details(let details): details.write(to: &fields)
        case .notices(let answer): answer.write(to: &fields)
        case .app(let answer): answer.write(to: &fields)
        }
    }

    init(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "done": self = .done
        case "status": self = .status(try AdminStatus(with))
        case "users": self = .users(try with.records("users"), next: try with.optionalNumber("next"))
        case "user": self = .user(try AdminUserDetail(with))
        case "token": self = .token(try with.optionalText("token"))
        case "imported": self = .imported(try with.records("users"))
        case "conversations":
            self = .conversations(try with.records("conversations"), next: try with.optionalNumber("next"))
        case "conversation": self = .conversation(try AdminConversationDetail(with))
        case "messages": self = .messages(try with.records("messages"))
        case "sessions": self = .sessions(try with.records("sessions"), next: try with.optionalNumber("next"))
        case "count": self = .count(try with.number("count"))
        case "sent": self = .sent(try AdminMessage(with))
        case "following": self = .following
        case "previewed": self = .previewed(try with.records("users"))
        case "brought": self = .brought(try with.records("users"))
        case "details": self = .details(try AdminPersonDetails(with))
        case "live": self = .live(try AdminLiveHistory(with))
        default: self = try Self.aboutFiles(word: word, with)
        }
    }

    private static func aboutFiles(word: String, _ with: FieldReader) throws(AdminError) -> AdminAnswer {
        if let answer = try AdminFileAnswer(word: word, with) { return .files(answer) }
        if let answer = try AdminTransferAnswer(word: word, with) { return .transfers(answer) }
        if let answer = try AdminProfileAnswer(word: word, with) { return .profiles(answer) }
        if let answer = try AdminTeamAnswer(word: word, with) { return .teams(answer) }
        if let answer = try AdminAuditAnswer(word: word, with) { return .audit(answer) }
        if let answer = try AdminTalkAnswer(word: word, with) { return .talks(answer) }
        if let answer = try AdminWordAnswer(word: word, with) { return .words(answer) }
        if let answer = try AdminFilterAnswer(word: word, with) { return .filters(answer) }
        if let answer = try AdminKindAnswer(word: word, with) { return .kinds(answer) }
        if let answer = try AdminHookAnswer(word: word, with) { return .hooks(answer) }
        if let answer = try AdminSettingsAnswer(word: word, with) { return .settings(answer) }
        if let answer = try AdminPolicyAnswer(word: word, with) { return .policy(answer) }
        if let answer = try AdminNoticeAnswer(word: word, with) { return .notices(answer) }
        if let answer = try AdminAppAnswer(word: word, with) { return .app(answer) }
        throw AdminError(.protocolError, "the server answered \(word), which this command does not know")
    }
}

extension AdminEvent {
    var word: String {
        switch self {
        case .message: "message"
        case .opened: "session.opened"
        case .ended: "session.ended"
        case .transfers: "transfers"
        case .checking: "files.checking"
        case .pulse: "pulse"
        case .missed: "missed"
        }
    }

    /// The event as one JSON object with its word, for scripts.
    package var json: [UInt8] {
        FieldWriter.object { fields in
            fields.text("event", self.word)
            self.write(to: &fields)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .message(let message): message.write(to: &fields)
        case .opened(let session): session.write(to: &fields)
        case .ended(let session, let reason):
            session.write(to: &fields)
            fields.text("reason", reason)
        case .transfers(let transfers): fields.records("transfers", transfers)
        case .checking(let check): check.write(to: &fields)
        case .pulse(let point): point.write(to: &fields)
        case .missed(let count): fields.number("count", count)
        }
    }

    init(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "message": self = .message(try AdminMessage(with))
        case "session.opened": self = .opened(try AdminSession(with))
        case "session.ended": self = .ended(try AdminSession(with), reason: try with.text("reason"))
        case "transfers": self = .transfers(try with.records("transfers"))
        case "files.checking": self = .checking(try AdminFileCheck(with))
        case "pulse": self = .pulse(try AdminLivePoint(with))
        case "missed": self = .missed(try with.number("count"))
        default: throw AdminError(.protocolError, "the server sent the event \(word), which this command does not know")
        }
    }
}
