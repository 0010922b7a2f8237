import APIKit
import Accounts
package import ByteCodec
package import ChatModel
import LeanCloudTranslation
import Store

/// Routes for members with a role. Source: LeanCloud realtime REST guide v2, "member-infos", and the class that its
/// SDKs read.
enum RoleRoutes {
    static let routes: [Route] = [
        Route("POST", realtime: Self.path, .manager, Self.set),
        Route("GET", realtime: Self.path, .manager, Self.list),
        Route("PUT", realtime: Self.path + "/{info}", .manager, Self.change),
        Route("DELETE", realtime: Self.path + "/{info}", .manager, Self.remove),
        Route("GET", realtime: "/1.1/classes/_ConversationMemberInfo", .caller, Self.rows),
    ]

    private static let path = RealtimeResource.conversations.path("/{id}/member-infos")

    // MARK: Changing

    @Sendable private static func set(_ call: RealtimeCall) throws(APIFailure) {
        let (name, address) = (try call.client("clientId"), try call.address())
        let role = try Self.role(call) ?? .member
        Self.write(call, role, at: address) { _, _ throws(StoreError) in name }
    }

    /// Changes a role; the id in the path names the member.
    @Sendable private static func change(_ call: RealtimeCall) throws(APIFailure) {
        let (id, address, role) = (try Self.info(call), try call.address(), try Self.role(call))
        let named = try call.request.fields().optionalText("clientId")
        Self.write(call, role, at: address) { conversation, reading throws(StoreError) in
            let name = try id.name(in: conversation, reading)
            guard named == nil || named == name.text else {
                throw .invalid("the role with this id is another person's")
            }
            return name
        }
    }

    @Sendable private static func remove(_ call: RealtimeCall) throws(APIFailure) {
        let (id, address) = (try Self.info(call), try call.address())
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .conversations)
            let name = try id.name(in: conversation, transaction.reading)
            _ = try transaction.apps.setObjectRole(name.text, .member, conversation.id, by: .application)
        } answer: { _ in
            .nothing
        }
    }

    private static func info(_ call: RealtimeCall) throws(APIFailure) -> RoleID {
        guard let id = RoleID(try call.request.parameter("info")) else { throw .noSuchObject }
        return id
    }

    /// - Returns: `nil` when the request names none.
    private static func role(_ call: RealtimeCall) throws(APIFailure) -> MemberRole? {
        guard let word = try call.request.fields().optionalText("role") else { return nil }
        guard let role = LeanCloudNotices.role(word) else {
            throw APIFailure(LeanCloudFault.unknownConversationRole.saying("a role is Manager or Member"))
        }
        guard role != .owner else {
            throw APIFailure(LeanCloudFault.conversationOperationUnauthorized.saying("nobody is made an owner"))
        }
        return role
    }

    /// - Parameters:
    ///   - role: `nil` to leave it.
    ///   - person: whose it is.
    private static func write(
        _ call: RealtimeCall, _ role: MemberRole?, at address: ConversationAddress,
        of person: @escaping @Sendable (Conversation, ReadTransaction) throws(StoreError) -> UserName
    ) {
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .conversations)
            let name = try person(conversation, transaction.reading)
            var updatedAt = conversation.updatedAtMilliseconds
            if let role {
                updatedAt = try transaction.apps.setObjectRole(name.text, role, conversation.id, by: .application)
            }
            let user = try transaction.reading.people.user(named: name)?.id ?? .system
            return (RoleID(conversation: conversation.id, user: user), updatedAt)
        } answer: { id, updatedAt in
            .json(
                .fields(("updatedAt", .string(LeanCloudDates.text(updatedAt))), ("objectId", .string(id.text))))
        }
    }

    // MARK: Looking

    @Sendable private static func list(_ call: RealtimeCall) throws(APIFailure) {
        let address = try call.address()
        let (limit, skip) = try call.page()
        let word = call.request.query["role"]
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, .conversations)
            return (conversation, try reading.roles(in: conversation.id))
        } answer: { conversation, members in
            let wanted = members.filter { word == nil || LeanCloudNotices.word(for: $0.role) == word }
            return .json(.results(wanted.dropFirst(skip).prefix(limit).map { $0.roleRow(in: conversation) }))
        }
    }

    /// Rows that an SDK reads of a conversation, with the session token that its connection was given. Source:
    /// LeanCloud JavaScript, Swift and C# SDKs: `client_id`, and the conversation in `where` or `cid`.
    @Sendable private static func rows(_ call: RealtimeCall) throws(APIFailure) {
        let asker = call.isMaster ? nil : try call.realtimeClaims()
        let cid = try Self.conversationID(call.request)
        let address = try RealtimeCall.address(cid)
        let (limit, skip) = try call.page(most: 1_000)
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, .conversations)
            if let asker, try reading.conversations.member(asker.user, in: conversation.id) == nil {
                throw .refused(.noSuchConversation)
            }
            return (conversation, try reading.roles(in: conversation.id))
        } answer: { conversation, members in
            .json(.results(members.dropFirst(skip).prefix(limit).map { $0.roleRow(in: conversation) }))
        }
    }

    private static func conversationID(_ request: APIRequest) throws(APIFailure) -> String {
        if let cid = request.query["cid"], !cid.isEmpty { return cid }
        guard let condition = try? JSONValue(parsing: request.query["where"] ?? ""),
            let cid = condition["cid"]?.string
        else { throw .bad("cid is missing, in where or beside it") }
        return cid
    }
}

extension RealtimeCall {
    /// The client whose session token is shown.
    ///
    /// - Throws: 401.
    func realtimeClaims() throws(APIFailure) -> SessionClaims {
        guard let token = self.request.headers["x-lc-im-session-token"], !token.isEmpty else {
            throw APIFailure(401, "X-LC-IM-Session-Token is missing", code: LeanCloudFault.sessionRequired.code)
        }
        let name = self.request.query["client_id"].flatMap { UserName($0) }
        switch self.services.accounts.app.readSessionToken(token, for: name) {
        case .valid(let claims): return claims
        case .expired, .wrong:
            throw APIFailure(401, "SESSION_TOKEN_EXPIRED", code: LeanCloudFault.sessionTokenExpired.code)
        }
    }
}

extension ReadTransaction {
    /// Members with a role of their own.
    fileprivate func roles(in id: ConversationID) throws(StoreError) -> [Member] {
        try self.conversations.members(of: id).filter { $0.role != .member }
    }
}

extension Member {
    /// Row of the role that the member has in a conversation.
    package func roleRow(in conversation: Conversation) -> JSONValue {
        .fields(
            ("objectId", .string(RoleID(conversation: conversation.id, user: self.user).text)),
            ("cid", .string(LeanCloudNames.conversationID(conversation.objectID, conversation.kind))),
            ("clientId", .string(self.name.text)), ("role", .string(LeanCloudNotices.word(for: self.role))))
    }
}

extension JSONValue {
    static func results(_ rows: [JSONValue]) -> JSONValue { .fields(("results", .array(rows))) }
}

/// The id of somebody's role in a conversation: their numbers, six bytes each, in hexadecimal.
struct RoleID: Hashable, Sendable {
    let conversation: ConversationID
    let user: UserID

    init(conversation: ConversationID, user: UserID) {
        self.conversation = conversation
        self.user = user
    }

    init?(_ text: String) {
        guard let bytes = Hex.decode(text), bytes.count == 12 else { return nil }
        let number: (ArraySlice<UInt8>) -> Int64 = { $0.reduce(0) { $0 << 8 | Int64($1) } }
        self.conversation = ConversationID(rawValue: number(bytes[..<6]))
        self.user = UserID(rawValue: number(bytes[6...]))
    }

    /// - Throws: `refused` when it is no role of this conversation.
    func name(in conversation: Conversation, _ reading: ReadTransaction) throws(StoreError) -> UserName {
        guard self.conversation == conversation.id, let user = try reading.people.user(self.user) else {
            throw .refused(.noSuchUser)
        }
        return user.name
    }

    var text: String {
        let bytes: (Int64) -> [UInt8] = { number in
            (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * Int64($0))) }
        }
        return Hex.encode(bytes(self.conversation.rawValue) + bytes(self.user.rawValue))
    }
}
