/// Answer of the server to a request.
package enum AdminAnswer: Equatable, Sendable {
    case done
    case status(AdminStatus)
    /// A page; `next` asks for the one after it, `nil` on the last.
    case users([AdminUser], next: Int64?)
    case user(AdminUserDetail)
    /// Sign-in token or key. A new one is shown once: only its hash is kept. `nil` when there is none to show.
    case token(String?)
    case imported([AdminImportResult])
    case conversations([AdminConversation], next: Int64?)
    case conversation(AdminConversationDetail)
    case messages([AdminMessage])
    case sessions([AdminSession], next: Int64?)
    /// Number of sessions, members or tokens that the request changed.
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
    case conversationDetails(AdminConversationAnswer)
    case previewed([AdminImportPreview])
    case brought([AdminArrivalResult])
    case invited(AdminIssuedInvitation)
    case invitations([AdminInvitation], next: Int64?)
    case words(AdminWordAnswer)
    case filters(AdminFilterAnswer)
    case kinds(AdminKindAnswer)
    case hooks(AdminHookAnswer)
    case settings(AdminSettingsAnswer)
    case policy(AdminPolicyAnswer)
    case details(AdminPersonDetails)
    case announcements(AdminAnnouncementAnswer)
    case app(AdminAppAnswer)
    case search(AdminSearchAnswer)
    case backups(AdminBackupAnswer)
    case imports(AdminImportAnswer)
    case retention(AdminRetentionAnswer)
    case exports(AdminExportAnswer)
}

/// Something that happened, for a connection that follows.
package enum AdminEvent: Equatable, Sendable {
    case message(AdminMessage)
    case opened(AdminSession)
    case ended(AdminSession, reason: String)
    /// Transfers that moved, as they are now.
    case transfers([AdminTransfer])
    /// Progress of a check of files.
    case checking(AdminFileCheck)
    /// Progress of copying the database for a backup.
    case backingUp(AdminBackupProgress)
    /// The server now, and what it did in the last second.
    case liveMetrics(AdminLivePoint)
    /// Number of events that were left out, because the reader was too slow.
    case missed(Int64)
}

/// One line from the server.
package enum AdminReply: Equatable, Sendable {
    case answer(id: Int64, Result<AdminAnswer, AdminError>)
    case event(id: Int64, AdminEvent)
}

extension AdminReply {
    /// The line, without its line feed.
    package var line: [UInt8] {
        LineWriter.object { line in
            switch self {
            case .answer(let id, .success(let answer)):
                line.field("id", id)
                line.field("answer", answer.word)
                line.object("with") { answer.writeFields(to: line) }
            case .answer(let id, .failure(let error)):
                line.field("id", id)
                line.object("error") {
                    line.field("code", error.code.rawValue)
                    line.field("message", error.message)
                    if let reason = error.reason {
                        line.field("number", reason.number)
                        line.field("values", reason.values)
                    }
                }
            case .event(let id, let event):
                line.field("id", id)
                line.field("event", event.word)
                line.object("with") { event.writeFields(to: line) }
            }
        }
    }

    /// Reads one line of the server, without its line feed.
    ///
    /// - Throws: `protocolError` for a line that is no answer or event, `invalid` for a field that is wrong.
    package init(line: [UInt8]) throws(AdminError) {
        let fields = try ObjectReader(line: line)
        let id: Int64 = try fields.value("id")
        let (answer, event): (String?, String?) = (try fields.value("answer"), try fields.value("event"))
        if let word = answer {
            guard let sample = AdminAnswer.byWord[word] else {
                throw AdminError(.protocolError, "the server answered \(word), which this command does not know")
            }
            self = .answer(id: id, .success(try sample.pass(.reading(fields.object("with")))))
        } else if let word = event {
            guard let sample = AdminEvent.byWord[word] else {
                let problem = "the server sent the event \(word), which this command does not know"
                throw AdminError(.protocolError, problem)
            }
            self = .event(id: id, try sample.pass(.reading(fields.object("with"))))
        } else {
            let error = try fields.object("error")
            let (code, message): (String, String) = (try error.value("code"), try error.value("message"))
            let (number, values): (Int64?, [String]?) = (try error.value("number"), try error.value("values"))
            let reason = number.map { AdminError.Reason(number: $0, values: values ?? []) }
            let known = AdminError.Code(rawValue: code) ?? .refused
            self = .answer(id: id, .failure(AdminError(known, message, reason: reason)))
        }
    }
}

extension AdminAnswer: AdminFamily {
    static let all: [Self] =
        [
            .done, .status(.sample), .users(.sample, next: .sample), .user(.sample), .token(.sample),
            .imported(.sample),
            .conversations(.sample, next: .sample), .conversation(.sample), .messages(.sample),
            .sessions(.sample, next: .sample), .count(.sample), .sent(.sample), .following, .previewed(.sample),
            .brought(.sample), .invited(.sample), .invitations(.sample, next: .sample), .details(.sample),
            .live(.sample),
        ] + families

    fileprivate static let byWord = Self.samplesByWord()

    private static let families: [Self] = [
        AdminFileAnswer.all.map { .files($0) },
        AdminTransferAnswer.all.map { .transfers($0) },
        AdminProfileAnswer.all.map { .profiles($0) },
        AdminTeamAnswer.all.map { .teams($0) },
        AdminAuditAnswer.all.map { .audit($0) },
        AdminConversationAnswer.all.map { .conversationDetails($0) },
        AdminWordAnswer.all.map { .words($0) },
        AdminFilterAnswer.all.map { .filters($0) },
        AdminKindAnswer.all.map { .kinds($0) },
        AdminHookAnswer.all.map { .hooks($0) },
        AdminSettingsAnswer.all.map { .settings($0) },
        AdminPolicyAnswer.all.map { .policy($0) },
        AdminAnnouncementAnswer.all.map { .announcements($0) },
        AdminAppAnswer.all.map { .app($0) },
        AdminSearchAnswer.all.map { .search($0) },
        AdminBackupAnswer.all.map { .backups($0) },
        AdminImportAnswer.all.map { .imports($0) }, AdminRetentionAnswer.all.map { .retention($0) },
        AdminExportAnswer.all.map { .exports($0) },
    ].flatMap { $0 }

    /// The answer as one JSON object, for scripts.
    package var json: [UInt8] { self.object }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .done: fields.named("done", self)
        case .status(let status): try .status(fields.named("status").inline(status))
        case .users(let users, let next):
            try .users(fields.named("users").rows("users", users), next: fields.next(next))
        case .user(let user): try .user(fields.named("user").inline(user))
        case .token(let token): try .token(fields.named("token")("token", token))
        case .imported(let users): try .imported(fields.named("imported")("users", users))
        case .conversations(let conversations, let next):
            try .conversations(
                fields.named("conversations").rows("conversations", conversations), next: fields.next(next))
        case .conversation(let conversation): try .conversation(fields.named("conversation").inline(conversation))
        case .messages(let messages): try .messages(fields.named("messages")("messages", messages))
        case .sessions(let sessions, let next):
            try .sessions(fields.named("sessions").rows("sessions", sessions), next: fields.next(next))
        case .count(let count): try .count(fields.named("count")("count", count))
        case .sent(let sent): try .sent(fields.named("sent").inline(sent))
        case .following: fields.named("following", self)
        case .previewed(let users): try .previewed(fields.named("previewed")("users", users))
        case .brought(let users): try .brought(fields.named("brought")("users", users))
        case .invited(let issued): try .invited(fields.named("invited").inline(issued))
        case .invitations(let invitations, let next):
            try .invitations(fields.named("invitations").rows("invitations", invitations), next: fields.next(next))
        case .details(let details): try .details(fields.named("details").inline(details))
        case .live(let live): try .live(fields.named("live").inline(live))
        case .files(let answer): try .files(fields.inline(answer))
        case .transfers(let answer): try .transfers(fields.inline(answer))
        case .profiles(let answer): try .profiles(fields.inline(answer))
        case .teams(let answer): try .teams(fields.inline(answer))
        case .audit(let answer): try .audit(fields.inline(answer))
        case .conversationDetails(let answer): try .conversationDetails(fields.inline(answer))
        case .words(let answer): try .words(fields.inline(answer))
        case .filters(let answer): try .filters(fields.inline(answer))
        case .kinds(let answer): try .kinds(fields.inline(answer))
        case .hooks(let answer): try .hooks(fields.inline(answer))
        case .settings(let answer): try .settings(fields.inline(answer))
        case .policy(let answer): try .policy(fields.inline(answer))
        case .announcements(let answer): try .announcements(fields.inline(answer))
        case .app(let answer): try .app(fields.inline(answer))
        case .search(let answer): try .search(fields.inline(answer))
        case .backups(let answer): try .backups(fields.inline(answer))
        case .imports(let answer): try .imports(fields.inline(answer))
        case .retention(let answer): try .retention(fields.inline(answer))
        case .exports(let answer): try .exports(fields.inline(answer))
        }
    }
}

extension AdminEvent: AdminFamily {
    static let all: [Self] = [
        .message(.sample), .opened(.sample), .ended(.sample, reason: .sample), .transfers(.sample),
        .checking(.sample), .backingUp(.sample), .liveMetrics(.sample), .missed(.sample),
    ]

    fileprivate static let byWord = Self.samplesByWord()

    /// The event as one JSON object with its word, for scripts.
    package var json: [UInt8] {
        LineWriter.object { line in
            line.field("event", self.word)
            self.writeFields(to: line)
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .message(let message): try .message(fields.named("message").inline(message))
        case .opened(let opened): try .opened(fields.named("session.opened").inline(opened))
        case .ended(let ended, let reason):
            try .ended(fields.named("session.ended").inline(ended), reason: fields("reason", reason))
        case .transfers(let transfers): try .transfers(fields.named("transfers")("transfers", transfers))
        case .checking(let checking): try .checking(fields.named("files.checking").inline(checking))
        case .backingUp(let progress): try .backingUp(fields.named("backup.progress").inline(progress))
        case .liveMetrics(let liveMetrics): try .liveMetrics(fields.named("pulse").inline(liveMetrics))
        case .missed(let count): try .missed(fields.named("missed")("count", count))
        }
    }
}
