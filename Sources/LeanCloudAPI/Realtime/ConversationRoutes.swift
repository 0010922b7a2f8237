import APIKit
import Broker
import ByteCodec
import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import Store

/// Conversations, chat rooms and system conversations: by the paths of version 1.2, and as the class `_Conversation`.
///
/// Source: LeanCloud realtime REST guide v2; LeanCloud REST guide, "Objects", for the class.
enum ConversationRoutes {
    static let routes: [Route] =
        RealtimeResource.allCases.flatMap(Self.routes(of:)) + [
            Route("GET", realtime: "/1.2/rtm/all-conversations") { call throws(APIFailure) in try Self.find(call, nil)
            },
            Route("POST", realtime: Self.classPath) { call throws(APIFailure) in try Self.create(call, nil) },
            Route("GET", realtime: Self.classPath) { call throws(APIFailure) in try Self.find(call, nil) },
            Route("GET", realtime: Self.classPath + "/{id}", .manager, Self.one),
            Route("PUT", realtime: Self.classPath + "/{id}") { call throws(APIFailure) in try Self.update(call, nil) },
            Route("DELETE", realtime: Self.classPath + "/{id}") { call throws(APIFailure) in try Self.delete(call, nil)
            },
        ]

    private static let classPath = "/1.1/classes/_Conversation"

    private static func routes(of resource: RealtimeResource) -> [Route] {
        [
            Route("POST", realtime: resource.path()) { call throws(APIFailure) in try Self.create(call, resource) },
            Route("GET", realtime: resource.path()) { call throws(APIFailure) in try Self.find(call, resource) },
            Route("PUT", realtime: resource.path("/{id}")) { call throws(APIFailure) in
                try Self.update(call, resource)
            },
            Route("DELETE", realtime: resource.path("/{id}")) { call throws(APIFailure) in
                try Self.delete(call, resource)
            },
        ]
    }

    // MARK: Making

    private static func create(_ call: RealtimeCall, _ resource: RealtimeResource?) throws(APIFailure) {
        let draft = try ConversationDraft(try call.request.fields(), call.request.body, resource)
        call.consult {
            [
                .start(
                    by: draft.creator ?? systemUserName, members: draft.members,
                    attributes: draft.attributes.serialized())
            ]
        } then: { call, _ in
            Self.create(call, draft, resource)
        }
    }

    private static func create(_ call: RealtimeCall, _ draft: ConversationDraft, _ resource: RealtimeResource?) {
        let now = call.now
        call.write { transaction throws(StoreError) in
            let creator = try draft.creator.map { name throws(StoreError) in try transaction.people.ensureUser(name).id
            }
            let new = NewObject(
                draft.form, creator: creator ?? .system, members: draft.members, title: draft.card.name,
                attributes: draft.card.attributes, fields: draft.card.fields)
            let (id, isNew) = try transaction.apps.createObject(new)
            let muting = try transaction.ensureUsers(draft.muting)
            for user in muting { try transaction.setSilenced(user, true, in: id) }
            return (try LeanCloudRows.one(id, for: .system, at: now, in: transaction.reading), isNew)
        } answer: { row, isNew in
            var answer = APIAnswer.json(row ?? .object([]), status: resource == nil && isNew ? 201 : 200)
            if let id = row?["objectId"]?.string, resource == nil {
                answer.headers.append(("Location", "\(Self.classPath)/\(id)"))
            }
            return answer
        }
    }

    // MARK: Looking

    private static func find(_ call: RealtimeCall, _ resource: RealtimeResource?) throws(APIFailure) {
        let search = try ConversationSearch(call, resource)
        let now = call.now
        call.read(as: .long) { reading throws(StoreError) in
            try search.answer(at: now, in: reading)
        } answer: {
            .json($0)
        }
    }

    @Sendable private static func one(_ call: RealtimeCall) throws(APIFailure) {
        let address = LeanCloudNames.address(cid: try call.request.parameter("id"))
        let (keys, now) = (KeyChoice(call.request.query["keys"] ?? ""), call.now)
        call.read { reading throws(StoreError) -> JSONValue? in
            guard let address, let found = try reading.conversations.one(address, seenBy: .system),
                !found.flags.contains(.disbanded)
            else { return nil }
            return try LeanCloudRows.one(found.id, for: .system, at: now, in: reading)
        } answer: { row in
            row.map { .json(keys.chosen(of: $0)) } ?? .failure(.noSuchObject)
        }
    }

    // MARK: Changing

    private static func update(_ call: RealtimeCall, _ resource: RealtimeResource?) throws(APIFailure) {
        let change = try ConversationChange(call.request.body, takesMembers: resource == nil)
        let address = try call.address()
        call.consult(looking: { reading throws(StoreError) in
            // What is not there is refused when it is to be changed.
            guard let found = try reading.conversations.one(address, seenBy: .system) else { return [] }
            return try change.questions(about: found, in: reading)
        }) { call, answers in
            do throws(APIFailure) {
                let wanted = try change.taking(answers)
                Self.update(call, wanted, at: address, resource)
            } catch {
                call.reply(.failure(error))
            }
        }
    }

    private static func update(
        _ call: RealtimeCall, _ change: ConversationChange, at address: ConversationAddress,
        _ resource: RealtimeResource?
    ) {
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, resource)
            return (conversation, try change.apply(to: conversation, in: transaction))
        } answer: { conversation, updatedAt in
            .updated(conversation, at: updatedAt)
        }
    }

    /// Nobody is in it afterwards and nobody may send; what was said stays for the operator. Two people who had it as
    /// theirs may begin another one.
    private static func delete(_ call: RealtimeCall, _ resource: RealtimeResource?) throws(APIFailure) {
        let address = try call.address()
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, resource)
            let id = conversation.id
            switch conversation.kind {
            case .room: try transaction.conversations.setListeners([], of: id)
            case .direct:
                let names = try transaction.reading.conversations.members(of: id).map(\.name.text)
                _ = try transaction.apps.removeFromObject(names, id, by: .application)
            case .group, .temporary, .service, .customerService, .community, .communityTopic, .data, .visitors, .agent,
                .agentGroup:
                try transaction.conversations.removeAllMembers(from: id, by: .application)
            }
            try transaction.conversations.setFlags(conversation.flags.union(.disbanded), of: id)
        } answer: { _ in
            .nothing
        }
    }
}

/// A conversation as a request wants it made.
struct ConversationDraft: Sendable {
    let form: NewObject.Form
    /// `nil` for the system.
    let creator: UserName?
    let members: [UserName]
    let muting: [UserName]
    let card: LeanCloudCard
    /// The card as it was asked for.
    let attributes: JSONValue

    /// Fields that are read here; the rest is the card.
    private static let own: Set<String> = ["m", "mu", "c", "unique", "tr", "sys", "tempConv", "tempConvTTL", "ttl"]

    /// - Parameter resource: what the path says; `nil` where the body says it by `tr` and `sys`.
    init(_ fields: APIFields, _ body: JSONValue, _ resource: RealtimeResource?) throws(APIFailure) {
        self.members = try Self.people(body["m"], "m")
        self.muting = try Self.people(body["mu"], "mu")
        let creator = try fields.optionalText("c")
        self.creator = try creator.map { text throws(APIFailure) in try RealtimeCall.client(text) }
        self.form = try Self.form(fields, resource)
        self.attributes = .object((body.object ?? []).filter { !Self.own.contains($0.name) })
        do throws(ObjectQueryError) {
            self.card = try LeanCloudCard(parsing: String(decoding: self.attributes.serialized(), as: UTF8.self))
        } catch {
            throw APIFailure(400, error.reason, code: LeanCloudFault.conversationAPIFailed.code)
        }
    }

    private static func form(_ fields: APIFields, _ resource: RealtimeResource?) throws(APIFailure) -> NewObject.Form {
        let (isRoom, isService) = (try fields.isOn("tr"), try fields.isOn("sys"))
        switch resource {
        case .chatrooms?: return .room
        case .services?: return .service
        case nil where isRoom && isService: throw .bad("tr and sys exclude each other")
        case nil where isRoom: return .room
        case nil where isService: return .service
        case nil: break
        case .conversations?:
            guard !isRoom && !isService else { throw .bad("tr and sys have paths of their own") }
        }
        let isUnique = fields.member("unique") == nil ? nil : try fields.isOn("unique")
        return NewObject.Form(
            isRoom: false, isTemporary: try fields.isOn("tempConv"), isUnique: isUnique,
            temporarySeconds: try fields.integer("tempConvTTL", otherwise: try fields.integer("ttl")))
    }

    /// An array, or the operation with which an SDK fills one.
    private static func people(_ value: JSONValue?, _ name: String) throws(APIFailure) -> [UserName] {
        guard let value, !value.isNull else { return [] }
        let list =
            value.array ?? (value["__op"]?.string.map { $0.hasPrefix("Add") } == true ? value["objects"]?.array : nil)
        guard let list, list.count <= ObjectBounds.peoplePerCreation else {
            throw .bad("\(name) must be an array of at most \(ObjectBounds.peoplePerCreation) client ids")
        }
        var people: [UserName] = []
        for element in list {
            guard let text = element.string else { throw .bad("\(name) has something that is no client id") }
            people.append(try RealtimeCall.client(text))
        }
        return people
    }
}

/// A change of a conversation's row. Who is in it, and who wants no alerts, changes by the server's own ways.
struct ConversationChange: Sendable {
    /// Step with a list of people.
    private enum Step: Sendable {
        case add([String])
        case remove([String])
        case set([String])
    }

    private let members: Step?
    private let muting: Step?
    /// Silence of notifications that the app's functions want otherwise than was asked for, by person.
    private var silencingInstead: [UserName: Bool] = [:]
    private var update: ObjectUpdate
    private var asked: [UInt8]

    /// Source: LeanCloud realtime REST guide v2: everything but `m` changes by the paths of version 1.2.
    ///
    /// - Parameter takesMembers: whether `m` may be in it.
    init(_ body: JSONValue, takesMembers: Bool) throws(APIFailure) {
        guard let fields = body.object else { throw .bad("expected a JSON object as the body") }
        self.members = takesMembers ? try Self.step(body["m"], "m") : nil
        self.muting = try Self.step(body["mu"], "mu")
        let rest = fields.filter { $0.name != "mu" && !(takesMembers && $0.name == "m") }
        self.asked = JSONValue.object(rest).serialized()
        self.update = try Self.update(self.asked)
    }

    private static func update(_ asked: [UInt8]) throws(APIFailure) -> ObjectUpdate {
        do throws(ObjectQueryError) {
            return try LeanCloudRows.update(parsing: String(decoding: asked, as: UTF8.self))
        } catch {
            throw APIFailure(400, error.reason, code: LeanCloudFault.conversationUpdateFailed.code)
        }
    }

    /// The same as the app's functions want it.
    func taking(_ answers: [RealtimeCall.HookAnswer]) throws(APIFailure) -> ConversationChange {
        var change = self
        for (question, changes) in answers {
            switch question {
            case .change:
                guard let attributes = changes.attributes else { continue }
                change.update = try Self.update(attributes)
                change.asked = attributes
            case .silence(_, let person, let isSilenced):
                if let wanted = changes.isSilenced, wanted != isSilenced { change.silencingInstead[person] = wanted }
            case .message, .update, .start, .add, .remove, .sign: break
            }
        }
        return change
    }

    /// Questions to an app's functions before the change: people who join or leave, silenced notifications, and the
    /// card.
    func questions(
        about conversation: Conversation, in reading: ReadTransaction
    ) throws(StoreError) -> [HookQuestion] {
        let id = conversation.objectID
        var questions: [HookQuestion] = []
        if let members = self.members {
            let (added, removed) = Self.difference(
                members, try reading.conversations.members(of: conversation.id).map(\.name.text))
            if !removed.isEmpty {
                questions.append(.remove(removed.compactMap { UserName($0) }, from: id, by: systemUserName))
            }
            if !added.isEmpty {
                questions.append(.add(added.compactMap { UserName($0) }, to: id, by: systemUserName))
            }
        }
        if let muting = self.muting {
            let (added, removed) = Self.difference(muting, try Self.muting(in: conversation.id, reading))
            questions += added.compactMap { UserName($0) }.map { .silence(id, by: $0, isSilenced: true) }
            questions += removed.compactMap { UserName($0) }.map { .silence(id, by: $0, isSilenced: false) }
        }
        if !self.update.keys.isEmpty {
            questions.append(.change(id, by: systemUserName, attributes: self.asked))
        }
        return questions
    }

    private static func muting(in id: ConversationID, _ reading: ReadTransaction) throws(StoreError) -> [String] {
        (try reading.apps.objectRows([id], seenBy: .system).first?.muting ?? []).map(\.text)
    }

    private static func step(_ value: JSONValue?, _ name: String) throws(APIFailure) -> Step? {
        guard let value else { return nil }
        let list = value.array ?? value["objects"]?.array ?? []
        guard list.count <= ObjectBounds.peoplePerRequest, list.allSatisfy({ $0.string != nil }) else {
            throw .bad("\(name) must name at most \(ObjectBounds.peoplePerRequest) client ids")
        }
        let names = list.compactMap(\.string)
        for text in names { _ = try RealtimeCall.client(text) }
        if value.array != nil { return .set(names) }
        switch value["__op"]?.string {
        case "Add", "AddUnique": return .add(names)
        case "Remove": return .remove(names)
        case "Delete", "Unset": return .set([])
        default: throw .bad("\(name) must be an array, or Add, AddUnique or Remove")
        }
    }

    /// - Returns: when the conversation changed last, UTC milliseconds.
    func apply(to conversation: Conversation, in transaction: WriteTransaction) throws(StoreError) -> Int64 {
        let id = conversation.id
        if let members = self.members {
            let before = try transaction.reading.conversations.members(of: id).map(\.name.text)
            let (added, removed) = Self.difference(members, before)
            if !removed.isEmpty { _ = try transaction.apps.removeFromObject(removed, id, by: .application) }
            if !added.isEmpty { _ = try transaction.apps.addToObject(added, id, by: .application) }
        }
        if let muting = self.muting {
            let (added, removed) = Self.difference(muting, try Self.muting(in: id, transaction.reading))
            let wanted = added.map { ($0, true) } + removed.map { ($0, false) }
            for (text, isSilenced) in wanted {
                guard let name = UserName(text) else { continue }
                let user = try transaction.people.ensureUser(name).id
                try transaction.setSilenced(user, self.silencingInstead[name] ?? isSilenced, in: id)
            }
        }
        guard !self.update.keys.isEmpty else {
            return try transaction.reading.conversations.one(id)?.updatedAtMilliseconds ?? 0
        }
        return try transaction.apps.updateObject(id, by: .application, asked: self.asked) { row throws(StoreError) in
            do throws(ObjectQueryError) {
                return try self.update.apply(to: row)
            } catch {
                throw .invalid(error.reason)
            }
        }
    }

    private static func difference(_ step: Step, _ before: [String]) -> (added: [String], removed: [String]) {
        switch step {
        case .add(let names): return (names, [])
        case .remove(let names): return ([], names)
        case .set(let names):
            let (old, new) = (Set(before), Set(names))
            return (names.filter { !old.contains($0) }, before.filter { !new.contains($0) })
        }
    }
}

extension WriteTransaction {
    /// Silences a member's notifications of a conversation, or stops silencing them.
    func setSilenced(_ user: UserID, _ isSilenced: Bool, in id: ConversationID) throws(StoreError) {
        var patch = PreferencePatch()
        patch.isSilenced = isSilenced
        try self.inbox.setPreference(user, in: id, patch)
    }
}
