import Accounts
import AdminAPI
import Broker
import ChatModel
import Execution
import Profiles
import Store
import Transfers

/// Works on requests. Each is answered once, on whatever thread has the result; any thread may ask.
struct AdminHandler: Sendable {
    typealias Answer = @Sendable (Result<AdminAnswer, AdminError>) -> Void

    let options: AdminServiceOptions
    let store: Store
    let accounts: Accounts
    let broker: Broker
    let moderation: Moderation
    /// `nil` when the server keeps no files.
    let transfers: Transfers?
    let profiles: Profiles?
    let announcer: Announcer
    let startedAtMilliseconds: Int64
    /// Audit note of the request that is worked on; `nil` when it changes nothing.
    private(set) var note: AuditNote?

    init(
        _ options: AdminServiceOptions, store: Store, accounts: Accounts, broker: Broker, moderation: Moderation,
        transfers: Transfers?, profiles: Profiles?
    ) {
        self.options = options
        self.store = store
        self.accounts = accounts
        self.broker = broker
        self.moderation = moderation
        self.transfers = transfers
        self.profiles = profiles
        self.announcer = Announcer(store: store, broker: broker, log: options.log)
        self.startedAtMilliseconds = options.clock.wallMilliseconds()
    }

    /// The handler at which one request of one operator is worked on.
    func auditing(_ request: AdminRequest, by actor: AuditActor) -> AdminHandler {
        var handler = self
        handler.note = request.isAudited ? Self.note(of: request, by: actor) : nil
        return handler
    }

    /// Answers everything that does not belong to a connection, as `follow`, watches, uploads and long checks do.
    func answerRequest(_ request: AdminRequest, then: @escaping Answer) {
        switch request {
        case .status: self.status(then)
        case .setupToken: self.setupToken(then)
        case .managerToken: self.managerToken(then)
        case .addUser(let user): self.add(user, then)
        case .listUsers(let after): self.listUsers(after: after, then)
        case .showUser(let name): self.show(name, then)
        case .issueToken(let name, let device, let level): self.issueToken(name, device, level, then)
        case .revoke(let name, let device): self.revoke(name, device, then)
        case .setDisabled(let name, let isDisabled): self.setDisabled(name, isDisabled, then)
        case .setPassword(let name, let password): self.setPassword(name, password, then)
        case .setListed(let owner, let list, let other, let isListed):
            self.setListed(owner, list, other, isListed, then)
        case .setSendBanned(let name, let isBanned): self.setSendBanned(name, isBanned, then)
        case .setAllowlistOnly(let name, let isOn): self.setAllowlistOnly(name, isOn, then)
        case .importUsers(let rows, let classes): self.importUsers(rows, classes, then)
        case .listConversations(let after): self.listConversations(after: after, then)
        case .showConversation(let conversation): self.show(conversation, then)
        case .listMessages(let conversation, let before, let limit):
            self.listMessages(conversation, before: before, limit: limit, then)
        case .listSessions(let user, let after): self.listSessions(user, after: after, then)
        case .endSessions(let ids, let user): self.endSessions(ids, user, then)
        case .send(let send): self.send(send, then)
        case .files(let request): self.answerFileRequest(request, then)
        case .transfers(let request): self.answerTransferRequest(request, then)
        case .profiles(let request): self.answerProfileRequest(request, then)
        case .teams(let request): self.answerTeamRequest(request, then)
        case .audit(let request): self.answerAuditRequest(request, then)
        case .conversationDetails(let request): self.answerConversationRequest(request, then)
        case .people(let request): self.answerPeopleRequest(request, then)
        case .words(let request): self.answerWordRequest(request, then)
        case .filters(let request): self.answerFilterRequest(request, then)
        case .kinds(let request): self.answerKindRequest(request, then)
        case .hooks(let request): self.answerHookRequest(request, then)
        case .settings(let request): self.answerSettingsRequest(request, then)
        case .policy(let request): self.answerPolicyRequest(request, then)
        case .announcements(let request): self.answerAnnouncementRequest(request, then)
        case .app(let request): self.answerAppRequest(request, then)
        case .search(let request): self.answerSearchRequest(request, then)
        case .imports(let request): self.answerImportRequest(request, then)
        case .retention(let request): self.answerRetentionRequest(request, then)
        case .follow, .stopFollowing, .live, .backups, .exports:
            then(.failure(AdminError(.invalid, "this request belongs to a connection")))
        }
    }

    /// The same handler, noting a state that was read elsewhere than in the store.
    func auditing(state: String) -> AdminHandler {
        var handler = self
        handler.note?.state = { _ throws(StoreError) in state }
        return handler
    }

    /// Makes a change in the store, with its entry in the audit log, and answers with what `body` returns.
    func write(
        _ then: @escaping Answer,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> AdminAnswer
    ) {
        self.store.write(auditing: self.note) { transaction throws(StoreError) in
            transaction.origin = EventOrigin(.operator)
            return try body(transaction)
        } then: { result in
            then(result.mapError { AdminError($0) })
        }
    }

    /// Goes on once the audit log has an entry that this was asked for: for what is no change of the store alone.
    func afterAuditing(_ then: @escaping Answer, _ next: @escaping @Sendable () -> Void) {
        guard let note = self.note else { return next() }
        self.store.write({ transaction throws(StoreError) in try transaction.audit.noteAsked(note) }) { result in
            guard case .failure(let error) = result else { return next() }
            then(.failure(AdminError(error)))
        }
    }

    /// Adds an entry to the audit log, and goes on whether or not the store could take it.
    func noteAsked(_ note: AuditNote, then: @escaping @Sendable () -> Void) {
        let log = self.options.log
        self.store.write({ transaction throws(StoreError) in try transaction.audit.noteAsked(note) }) { result in
            if case .failure(let error) = result { log.warning("audit_failed", ["reason": .text(error.description)]) }
            then()
        }
    }

    /// Reads from the store and answers with what `body` returns.
    func read(
        _ then: @escaping Answer, as lane: ReadLane = .page,
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> AdminAnswer
    ) {
        self.store.read(as: lane, for: .operator, body) { then($0.mapError { AdminError($0) }) }
    }
}

extension AdminError {
    convenience init(_ error: StoreError) {
        let code: Code
        switch error {
        case .busy: code = .busy
        case .unavailable: code = .unavailable
        case .full: code = .full
        case .fatal, .unreadableEvent: code = .failed
        case .notFound: code = .notFound
        case .exists: code = .exists
        case .invalid: code = .invalid
        case .refused, .alreadyRunning, .schemaTooNew: code = .refused
        }
        self.init(code, error.description)
    }

    convenience init(_ error: AccountsError) {
        switch error {
        case .store(let error): self.init(error)
        case .noSuchUser: self.init(.notFound, error.description)
        case .userExists: self.init(.exists, error.description)
        case .password, .badToken: self.init(.invalid, error.description)
        case .busy: self.init(.busy, error.description)
        case .setup, .systemUser, .invitation: self.init(.refused, error.description)
        }
    }

    static func noSuchUser(_ name: UserName) -> AdminError { AdminError(AccountsError.noSuchUser(name)) }
}

extension ReadTransaction {
    /// - Throws: `notFound`.
    func existingUser(_ name: UserName) throws(StoreError) -> User {
        guard let user = try self.people.user(named: name) else { throw .notFound("user \(name)") }
        return user
    }
}

/// Checks that a display name or title can be shown in one line.
func checkTitle(_ title: String?) throws(AdminError) {
    guard let title else { return }
    let count = title.unicodeScalars.count
    let hasControls = title.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    guard count <= AdminProtocol.maximumTitleScalars && !hasControls else {
        throw AdminError(
            .invalid,
            "a name to show or a title has at most \(AdminProtocol.maximumTitleScalars) characters, none of them control"
        )
    }
}
