import Accounts
import AdminAPI
import ByteCodec
import ChatModel
import Diagnostics
import Store

extension AdminHandler {
    func answerAuditRequest(_ request: AdminAuditRequest, _ then: @escaping Answer) {
        switch request {
        case .list(let query):
            self.read(then) { transaction throws(StoreError) in .audit(try Self.page(of: query, transaction)) }
        case .show(let number):
            self.read(then) { transaction throws(StoreError) in
                guard let entry = try transaction.audit.entry(number) else {
                    throw .notFound("entry \(number) of the audit log")
                }
                return .audit(.one(AdminAuditEntry(entry, hash: Hex.encode(entry.hash))))
            }
        case .verify: self.checkAudit(AuditCheck(), then)
        case .signIns(let query):
            guard let journal = self.accounts.journal else { return then(.failure(Self.noJournal)) }
            journal.read(SignInQuery(query)) { page in
                then(.success(.audit(.signIns(page.entries.map { AdminSignIn($0) }, next: page.next))))
            }
        case .verifySignIns:
            guard let journal = self.accounts.journal else { return then(.failure(Self.noJournal)) }
            journal.check { then(.success(.audit(.checkedSignIns(AdminSignInCheck($0))))) }
        case .log(let query): then(self.log(query))
        }
    }

    /// Checks the audit log, some entries a read.
    private func checkAudit(_ check: AuditCheck, _ then: @escaping Answer) {
        self.store.read(
            as: .page, for: .operator,
            { transaction throws(StoreError) in
                var check = check
                let hasMore = try transaction.audit.checkAudit(&check)
                return (check: check, hasMore: hasMore)
            },
            then: { result in
                switch result {
                case .failure(let error): then(.failure(AdminError(error)))
                case .success(let found) where found.hasMore: self.checkAudit(found.check, then)
                case .success(let found): then(.success(.audit(.checked(AdminAuditCheck(found.check)))))
                }
            })
    }

    private func log(_ query: AdminLogQuery) -> Result<AdminAnswer, AdminError> {
        let least = query.level.map { word in LogLevel.allCases.first { $0.name == word } } ?? .debug
        guard let least else {
            return .failure(AdminError(.invalid, "a level of the log is debug, info, warning or error"))
        }
        let text = query.contains.map { Array($0.utf8) } ?? []
        let lines = self.options.log.history?.lines(limit: Int(query.limit)) { line in
            guard line.level >= least, line.number > query.after ?? 0,
                line.atMilliseconds >= query.sinceMilliseconds ?? .min,
                line.atMilliseconds < query.untilMilliseconds ?? .max, line.event.hasPrefix(query.event ?? "")
            else { return false }
            return text.isEmpty || Self.find(text, in: Array(line.text.utf8))
        }
        let rows = (lines ?? []).map {
            AdminLogLine(
                number: $0.number, atMilliseconds: $0.atMilliseconds, level: $0.level.name, event: $0.event,
                text: $0.text)
        }
        return .success(.audit(.log(rows)))
    }

    private static func find(_ text: [UInt8], in line: [UInt8]) -> Bool {
        guard text.count <= line.count else { return false }
        return (0...line.count - text.count).contains { line[$0...].starts(with: text) }
    }

    private static let noJournal = AdminError(.refused, "this server keeps no journal of sign-ins: journal.days is 0")

    /// Bytes of texts after which a page has enough: escaped, they fit a line of the protocol.
    private static let pageBytes = 300_000

    private static func page(
        of query: AuditQuery, _ transaction: ReadTransaction
    ) throws(StoreError) -> AdminAuditAnswer {
        var wanted = query
        wanted.otherWords = query.what.map { AdminTeamRequest.otherWords(of: $0) } ?? []
        let found = try transaction.audit.entries(wanted)
        var entries: [AdminAuditEntry] = []
        var bytes = 0
        for entry in found {
            bytes += entry.asked.utf8.count + (entry.before?.utf8.count ?? 0) + (entry.after?.utf8.count ?? 0) + 400
            if bytes > Self.pageBytes && !entries.isEmpty { break }
            entries.append(AdminAuditEntry(entry, hash: Hex.encode(entry.hash)))
        }
        let hasMore = entries.count < found.count || found.count == query.limit
        return .list(entries, next: hasMore ? entries.last?.entry.number : nil)
    }
}

// MARK: Notes

extension AdminHandler {
    /// Audit note of a request.
    static func note(of request: AdminRequest, by actor: AuditActor) -> AuditNote {
        AuditNote(
            actor: actor, word: request.word, subject: request.subject, asked: request.asked,
            state: Self.state(of: request.auditSubject))
    }

    /// How to read the state of what a request is about. Of some there is nothing to read: what was asked for says it all.
    private static func state(of subject: AdminSubject) -> AuditNote.State {
        switch subject {
        case .text: Self.nothing
        case .user(let name): Self.stateOfUser(name)
        case .person(let name): Self.stateOfPerson(name)
        case .list(let owner, let list, let other): Self.stateOfList(owner, list, other)
        case .team(let name, let people): Self.stateOfTeam(name, among: people)
        case .member(let name, let team): Self.stateOfMember(name, of: team)
        case .joinRequest(let number): Self.stateOfJoinRequest(number)
        case .hold(let number): Self.stateOfHold(number)
        case .room(let name): Self.stateOfRoom(name)
        case .conversation(let name): Self.stateOfConversation(name)
        case .file(let key): Self.stateOfFile(key)
        case .announcements: Self.stateOfAnnouncements
        case .words: Self.stateOfWord(subject.text)
        case .filters: Self.stateOfFilter
        case .kind(let kind): Self.stateOfKind(kind)
        case .setting(let name, let scope, let conversation): Self.stateOfSetting(name, scope, in: conversation)
        case .policy: Self.stateOfPolicy
        case .app: Self.stateOfApp
        }
    }

    private static func stateOfJoinRequest(_ number: Int64) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let request = try transaction.teams.request(number) else { return nil }
            return Self.object { $0.text("state", request.state.word) }
        }
    }

    private static let nothing: AuditNote.State = { _ throws(StoreError) in nil }

    static func stateOfUser(_ name: UserName) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let user = try transaction.people.user(named: name) else { return nil }
            let profile = try transaction.profiles.profileRows([name])[name]
            let tokens = try transaction.people.tokens(of: user.id).count
            let isAllowlistOnly = try transaction.people.isAllowlistOnly(user.id)
            return Self.object { json in
                json.text("role", user.role == .administrator ? "administrator" : "member")
                json.text("displayName", user.displayName)
                json.text("externalID", user.externalID)
                json.text("avatar", profile?.avatar)
                json.text("attributes", profile?.attributes.map { String(decoding: $0, as: UTF8.self) })
                json.flag("disabled", user.isDisabled)
                json.flag("sendBanned", user.isSendBanned)
                json.flag("allowlistOnly", isAllowlistOnly)
                json.flag("password", user.hasPassword)
                json.number("tokens", Int64(tokens))
            }
        }
    }

    private static let stateOfAnnouncements: AuditNote.State = { transaction throws(StoreError) in
        let newest = try transaction.announcements.page(limit: 1).first?.number
        return Self.object { $0.number("newest", newest ?? 0) }
    }

    /// With what goes when the account goes.
    private static func stateOfPerson(_ name: UserName) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let user = try transaction.people.user(named: name) else { return nil }
            let counts = try transaction.people.counts(of: user.id)
            let tokens = try transaction.people.tokens(of: user.id).count
            return Self.object { json in
                json.text("role", user.role == .administrator ? "administrator" : "member")
                json.text("displayName", user.displayName)
                json.text("externalID", user.externalID)
                json.flag("disabled", user.isDisabled)
                json.flag("deleted", user.deletedAtMilliseconds != nil)
                json.flag("password", user.hasPassword)
                json.number("tokens", Int64(tokens))
                json.number("friends", counts.friends)
                json.number("teams", counts.teams)
                json.number("files", counts.files)
            }
        }
    }

    private static func stateOfList(_ owner: UserName, _ list: PersonalList, _ other: UserName) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let user = try transaction.people.user(named: owner) else { return nil }
            let isListed = try transaction.people.personalList(of: user.id, list).contains(other)
            return Self.object { $0.flag("listed", isListed) }
        }
    }

    private static func stateOfRoom(_ name: ChannelName) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let room = try transaction.conversations.one(.channel(.room, name), seenBy: .system) else {
                return nil
            }
            return try Self.state(of: room, transaction)
        }
    }

    /// - Parameter names: who of these is a member is told too.
    static func state(
        of conversation: Conversation, among names: [UserName] = [], _ transaction: ReadTransaction
    ) throws(StoreError) -> String {
        let card = try transaction.conversations.card(of: conversation.id)
        var present: [UserName] = []
        for name in names {
            guard let user = try transaction.people.user(named: name) else { continue }
            if try transaction.conversations.member(user.id, in: conversation.id) != nil { present.append(name) }
        }
        let members = present
        return Self.object { json in
            json.text("title", conversation.title)
            json.flag("banned", conversation.flags.contains(.banned))
            json.flag("disbanded", conversation.flags.contains(.disbanded))
            json.flag("membersMuted", conversation.flags.contains(.membersMuted))
            json.text("notice", card?.notice)
            json.value("attributes", card?.attributes.flatMap { try? JSONValue(parsing: $0) })
            json.number("members", Int64(conversation.memberCount))
            if !names.isEmpty { json.texts("among", members.map(\.text)) }
        }
    }

    /// State of a group and its settings as a team.
    private static func stateOfTeam(_ name: ChannelName, among names: [UserName] = []) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let group = try transaction.conversations.one(.channel(.group, name), seenBy: .system) else {
                return nil
            }
            let basics = try Self.state(of: group, among: names, transaction)
            guard let team = try transaction.teams.one(group.id, at: 0) else { return basics }
            let owner = try team.owner.flatMap { (owner) throws(StoreError) in try transaction.people.user(owner)?.name
            }
            let settings = Self.object { json in
                json.text("form", team.settings.form.word)
                json.text("owner", owner?.text)
                json.text("introduction", team.introduction)
                json.number("memberLimit", team.settings.memberLimit.map { Int64($0) })
                json.text("join", team.settings.join.word)
                json.text("invite", group.flags.inviteMode.word)
                json.text("beInvited", team.settings.beInvited.word)
                json.text("updateInfo", team.settings.updateInfo.word)
                json.text("updateAttributes", team.settings.updateAttributes.word)
                json.text("mute", group.flags.muteMode.word)
                json.text("ownerLeaving", team.settings.ownerLeaving.word)
            }
            return String(basics.dropLast()) + "," + settings.dropFirst()
        }
    }

    private static func stateOfMember(_ name: UserName, of group: ChannelName) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let found = try transaction.conversations.one(.channel(.group, group), seenBy: .system),
                let user = try transaction.people.user(named: name),
                let member = try transaction.conversations.member(user.id, in: found.id)
            else { return nil }
            return Self.object { json in
                json.number("mutedUntil", member.mutedUntilMilliseconds)
                json.text("nickname", member.nickname)
            }
        }
    }

    private static func stateOfFile(_ key: FileKey) -> AuditNote.State {
        { transaction throws(StoreError) in
            guard let file = try transaction.files.file(key) else { return nil }
            return Self.object { json in
                json.text("name", file.name)
                json.number("size", file.size)
            }
        }
    }

    /// A JSON object, field by field.
    static func object(_ fill: (inout StateWriter) -> Void) -> String {
        var writer = StateWriter()
        fill(&writer)
        return writer.text
    }
}

/// Writes the state of something as a JSON object.
struct StateWriter {
    private var json = JSONWriter()

    init() { self.json.beginObject() }

    mutating func text(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        self.json.key(key)
        self.json.string(value)
    }

    mutating func number(_ key: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.json.key(key)
        self.json.integer(value)
    }

    mutating func value(_ key: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        self.json.key(key)
        value.write(to: &self.json)
    }

    mutating func flag(_ key: StaticString, _ value: Bool) {
        self.json.key(key)
        self.json.boolean(value)
    }

    mutating func texts(_ key: StaticString, _ values: [String]) {
        self.json.key(key)
        self.json.beginArray()
        for value in values { self.json.string(value) }
        self.json.endArray()
    }

    var text: String {
        var whole = self.json
        whole.endObject()
        return String(decoding: whole.bytes, as: UTF8.self)
    }
}

extension AdminAuditCheck {
    init(_ check: AuditCheck) {
        self.init(count: check.head.number, hash: Hex.encode(check.head.hash), problems: check.problems)
    }
}

extension SignInQuery {
    fileprivate init(_ query: AdminSignInQuery) {
        self.init()
        self.user = query.user
        self.address = query.address
        self.result = query.result
        self.sinceMilliseconds = query.sinceMilliseconds
        self.untilMilliseconds = query.untilMilliseconds
        self.before = query.before
        self.limit = Int(query.limit)
    }
}

extension AdminSignIn {
    fileprivate init(_ entry: SignInEntry) {
        self.init(number: entry.number, atMilliseconds: entry.atMilliseconds, kind: entry.kind.rawValue)
        self.user = entry.user
        self.address = entry.address
        self.device = entry.device
        self.gateway = entry.gateway
        self.credentials = entry.credentials
        self.result = entry.result
        self.reason = entry.reason
        self.count = entry.count
    }
}

extension AdminSignInCheck {
    fileprivate init(_ check: SignInCheck) {
        self.init(
            first: check.first, last: check.last, hash: check.hash, mended: check.mended, problems: check.problems)
    }
}
