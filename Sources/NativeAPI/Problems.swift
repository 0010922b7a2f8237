package import APIKit
package import Accounts
import ByteCodec
package import ChatModel
import Localization
package import Store

/// Reason why a request of the native API is not done; the raw values are in answers and never change.
package enum ProblemCode: String, Sendable, CaseIterable {
    // The request itself.
    case invalidRequest = "invalid_request"
    case unknownField = "unknown_field"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    /// Inside of its bounds, and yet of no use here: a cursor of another list, an end before its beginning.
    case unusableField = "unusable_field"
    case methodNotAllowed = "method_not_allowed"
    case tooLarge = "too_large"
    // Who asks.
    case signedOut = "signed_out"
    case wrongCredentials = "wrong_credentials"
    /// The present password of a person who is signed in, shown for a change.
    case wrongPassword = "wrong_password"
    case accountDisabled = "account_disabled"
    case plainNotAllowed = "plain_not_allowed"
    case refused
    // What is not there, or not for who asks.
    case notFound = "not_found"
    case noSuchConversation = "no_such_conversation"
    case noSuchMessage = "no_such_message"
    case noSuchUser = "no_such_user"
    case noSuchFile = "no_such_file"
    case noSuchSession = "no_such_session"
    case noSuchRequest = "no_such_request"
    case invitationEnded = "invitation_ended"
    // Rights.
    case notMember = "not_member"
    case notAuthor = "not_author"
    case notManager = "not_manager"
    case notOwner = "not_owner"
    case notAdministrator = "not_administrator"
    case windowOver = "window_over"
    case mayNotSend = "may_not_send"
    case switchedOff = "switched_off"
    case disbanded
    case joiningClosed = "joining_closed"
    case sendBanned = "send_banned"
    case conversationBanned = "conversation_banned"
    case blocked
    case notAllowlisted = "not_allowlisted"
    case membersMuted = "members_muted"
    case muted
    case inputDisabled = "input_disabled"
    case textTooLong = "text_too_long"
    case contentNotAllowed = "content_not_allowed"
    case wordNotAllowed = "word_not_allowed"
    case refusedByServer = "refused_by_server"
    case reactionNotAllowed = "reaction_not_allowed"
    // How things stand.
    case alreadyGone = "already_gone"
    case notApplicable = "not_applicable"
    case ownMessage = "own_message"
    case tooMany = "too_many"
    case changedMeanwhile = "changed_meanwhile"
    case alreadyMember = "already_member"
    case ownerMustTransfer = "owner_must_transfer"
    case tokenConflict = "token_conflict"
    case fileIncomplete = "file_incomplete"
    case fileInUse = "file_in_use"
    case exists
    case over
    // The server.
    case tooManyRequests = "too_many_requests"
    case failed
    case busy
    case full

    /// Status of the answer.
    package var status: Int {
        switch self {
        case .invalidRequest, .unknownField, .missingField, .invalidField: 400
        case .signedOut, .wrongCredentials: 401
        case .wrongPassword, .accountDisabled, .plainNotAllowed, .refused, .notMember, .notAuthor, .notManager,
            .notOwner, .notAdministrator, .windowOver, .mayNotSend, .switchedOff, .disbanded, .joiningClosed,
            .sendBanned, .conversationBanned, .blocked, .notAllowlisted, .membersMuted, .muted, .inputDisabled,
            .textTooLong, .contentNotAllowed, .wordNotAllowed, .refusedByServer, .reactionNotAllowed:
            403
        case .notFound, .noSuchConversation, .noSuchMessage, .noSuchUser, .noSuchFile, .noSuchSession, .noSuchRequest,
            .invitationEnded:
            404
        case .methodNotAllowed: 405
        case .unusableField, .alreadyGone, .notApplicable, .ownMessage, .tooMany, .changedMeanwhile, .alreadyMember,
            .ownerMustTransfer, .tokenConflict, .fileIncomplete, .fileInUse, .exists, .over:
            409
        case .tooLarge: 413
        case .tooManyRequests: 429
        case .failed: 500
        case .busy: 503
        case .full: 507
        }
    }

    /// Fields of a path that name what is not there; `nil` for a reason about anything else.
    var places: Set<String>? { Self.placesByCode[self] }
    private static let placesByCode: [ProblemCode: Set<String>] = [
        .noSuchConversation: ["conversation", "message"], .noSuchMessage: ["message"], .noSuchUser: ["person"],
        .noSuchFile: ["file"],
    ]

    /// Code for a failure that a module without codes has found.
    init(status: Int) {
        switch status {
        case 401: self = .signedOut
        case 403: self = .refused
        case 404: self = .notFound
        case 405: self = .methodNotAllowed
        case 409: self = .changedMeanwhile
        case 410: self = .over
        case 413: self = .tooLarge
        case 429: self = .tooManyRequests
        case 503: self = .busy
        case 507: self = .full
        case 400..<500: self = .invalidRequest
        default: self = .failed
        }
    }
}

/// Failure of a request, with its code; becomes an `APIFailure` on its way out.
package struct Problem: Error, Hashable, Sendable {
    /// Reason.
    package var code: ProblemCode
    /// The reason in English, with what it is about.
    package var detail: String
    /// Field of the request that is wrong; `nil` for none.
    package var field: String?
    /// The configuration key, setting of conversations or rule of a team that says no; `nil` for none.
    package var setting: String?
    /// Seconds after which the request may succeed; `nil` when time does not help.
    package var retryAfterSeconds: Int64?

    package init(
        _ code: ProblemCode, _ detail: String, field: String? = nil, setting: String? = nil,
        retryAfterSeconds: Int64? = nil
    ) {
        self.code = code
        self.detail = detail
        self.field = field
        self.setting = setting
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The same for a handler's reply.
    package var failure: APIFailure {
        var failure = APIFailure(self.code.status, self.detail, retryAfterSeconds: self.retryAfterSeconds)
        failure.problem = self.code.rawValue
        failure.field = self.field
        failure.setting = self.setting
        return failure
    }
}

extension APIAnswer {
    /// `application/problem+json` (RFC 9457), in the language that the request asks for.
    ///
    /// - Parameter language: the header field `Accept-Language`; `nil` for none.
    package static func problem(_ failure: APIFailure, language: String?) -> APIAnswer {
        let code = failure.problem.flatMap(ProblemCode.init(rawValue:)) ?? ProblemCode(status: failure.status)
        let language = Language(accepted: language)
        let title = Texts(installed: language)("problem.\(code.rawValue)")
        var answer = APIAnswer.failure(failure)
        var status = failure.status
        if failure.problem == nil { status = code.status }
        answer.status = status
        answer.contentType = "application/problem+json"
        answer.headers.append(("Content-Language", language.rawValue))
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.key("type")
        writer.string("/problems/\(code.rawValue)")
        writer.key("title")
        writer.string(title)
        writer.key("status")
        writer.integer(Int64(status))
        writer.key("detail")
        // What a module says of the very case is in English; another language has the sentence of the code.
        writer.string(language == .english ? failure.message : title)
        writer.key("code")
        writer.string(code.rawValue)
        if let field = failure.field {
            writer.key("field")
            writer.string(field)
        }
        if let setting = failure.setting {
            writer.key("setting")
            writer.string(setting)
        }
        if let seconds = failure.retryAfterSeconds {
            writer.key("retryAfterMilliseconds")
            writer.integer(seconds * 1_000)
        }
        writer.endObject()
        answer.body = writer.bytes
        return answer
    }

    /// Shape of every problem, for the description.
    static let problemShape = Shape.object([
        .required("type", .anyText, "Path made of the code."),
        .required("title", .anyText, "Sentence about the code, in the language asked for."),
        .required("status", .integer(400...599)), .required("detail", .anyText, "Sentence about this very case."),
        .required("code", .choice(ProblemCode.allCases.map(\.rawValue)), "Stable name of the reason."),
        .optional("field", .anyText, "Field of the request that is wrong."),
        .optional("setting", .anyText, "Configuration key or setting that says no."),
        .optional("retryAfterMilliseconds", .count, "When the same request may succeed."),
    ])
}

extension Language {
    /// The first language with texts of a header field `Accept-Language`, by its weights; English without one. Source:
    /// RFC 9110 section 12.5.4.
    init(accepted field: String?) {
        var best: (language: Language, weight: Double)?
        for entry in (field ?? "").split(separator: ",").prefix(16) {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let name = parts.first, let language = Language(named: name) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .english
    }
}

// MARK: What others say no with

extension Problem {
    /// Failure of the store.
    package init(_ error: StoreError) {
        switch error {
        case .busy: self.init(.busy, "\(error)", retryAfterSeconds: 1)
        case .unavailable: self.init(.busy, "\(error)", retryAfterSeconds: 5)
        case .full: self.init(.full, "\(error)")
        case .notFound: self.init(.notFound, "\(error)")
        case .exists: self.init(.exists, "\(error)")
        case .invalid: self.init(.notApplicable, "\(error)")
        case .refused(let refusal): self.init(refusal)
        case .fatal, .alreadyRunning, .schemaTooNew, .unreadableEvent:
            self.init(.failed, "the database failed: see the log of the server")
        }
    }

    /// A change that a person may not make.
    package init(_ refusal: ActionRefusal) {
        let code: ProblemCode =
            switch refusal {
            case .noSuchConversation: .noSuchConversation
            case .noSuchMessage: .noSuchMessage
            case .noSuchUser: .noSuchUser
            case .notMember: .notMember
            case .notAuthor: .notAuthor
            case .notManager: .notManager
            case .notOwner: .notOwner
            case .windowOver: .windowOver
            case .mayNotSend: .mayNotSend
            case .switchedOff: .switchedOff
            case .alreadyGone: .alreadyGone
            case .notApplicable: .notApplicable
            case .ownMessage: .ownMessage
            case .tooMany: .tooMany
            case .changedMeanwhile: .changedMeanwhile
            case .disbanded: .disbanded
            case .joiningClosed: .joiningClosed
            case .alreadyMember: .alreadyMember
            case .ownerMustTransfer: .ownerMustTransfer
            case .noSuchRequest: .noSuchRequest
            case .requestOver, .transferOver: .over
            case .noSuchFile: .noSuchFile
            case .fileIncomplete: .fileIncomplete
            case .fileInUse: .fileInUse
            case .fileTooLong: .tooLarge
            case .quotaReached: .full
            case .tooManyUploads, .uploadsTooFast: .tooManyRequests
            // That there is a hold is the operator's knowledge, not the person's.
            case .underHold: .switchedOff
            }
        self.init(code, refusal == .underHold ? "\(ActionRefusal.switchedOff)" : "\(refusal)")
    }

    /// A message that is not taken.
    package init(_ refusal: PublishRefusal) {
        switch refusal {
        case .senderDisabled: self.init(.accountDisabled, "the account is disabled")
        case .senderSendBanned: self.init(.sendBanned, "the operator lets this account read only")
        case .conversationBanned, .conversationSendBanned: self.init(.conversationBanned, "nobody may send here")
        case .conversationDisbanded: self.init(.disbanded, "the group was disbanded")
        case .noSuchConversation: self.init(.noSuchConversation, "there is no such conversation")
        case .noSuchUser: self.init(.noSuchUser, "there is no such person")
        case .blocked: self.init(.blocked, "the receiver takes no messages from this person")
        case .notAllowlisted: self.init(.notAllowlisted, "the receiver takes messages from a list only")
        case .notMember: self.init(.notMember, "only members may send here")
        case .membersMuted: self.init(.membersMuted, "only managers may send here now", setting: "mute")
        case .muted: self.init(.muted, "a manager has muted this person for a time")
        case .tokenConflict: self.init(.tokenConflict, "the clientToken came before with another body")
        case .bodyTooLarge: self.init(.tooLarge, "the message is too long")
        case .inputDisabled: self.init(.inputDisabled, "only reading is allowed here", setting: "input_disabled")
        case .textTooLong:
            self.init(.textTooLong, "the text has more characters than are allowed here", setting: "max_input")
        case .contentNotAllowed:
            self.init(.contentNotAllowed, "messages of this kind are not allowed here", setting: "allowed_kinds")
        case .kindNotServed: self.init(.notApplicable, "conversations of this kind take no messages")
        case .noSuchFile: self.init(.noSuchFile, "the message names a file that its sender cannot see")
        case .fileIncomplete: self.init(.fileIncomplete, "the message names a file that is still on its way")
        case .commandNotAllowed: self.init(.notApplicable, "people give no commands")
        case .wordNotAllowed: self.init(.wordNotAllowed, "the text has a word that is not allowed here")
        case .byHook(_, let detail): self.init(.refusedByServer, detail ?? "the app's server refused it")
        }
    }

    /// Somebody who may not come in.
    package init(_ refusal: SignInRefusal) {
        switch refusal {
        case .wrongCredentials, .expired: self.init(.wrongCredentials, "the name or the password is wrong")
        case .disabled: self.init(.accountDisabled, "the account is disabled")
        case .throttled(let seconds):
            self.init(.tooManyRequests, "too many wrong passwords: try again later", retryAfterSeconds: seconds)
        case .plainNotAllowed:
            self.init(.plainNotAllowed, SignInRefusal.plainPassword, setting: "server.plain_passwords")
        case .busy, .unavailable: self.init(.busy, "the server is busy: try again", retryAfterSeconds: 1)
        }
    }

    /// A change of an account that was not made.
    package init(_ error: AccountsError) {
        switch error {
        case .busy: self.init(.busy, "\(error)", retryAfterSeconds: 1)
        case .store(let error): self.init(error)
        case .noSuchUser: self.init(.noSuchUser, "\(error)")
        case .userExists: self.init(.exists, "\(error)")
        case .password: self.init(.unusableField, "\(error)", field: "password")
        case .badToken, .systemUser, .setup: self.init(.refused, "\(error)")
        case .invitation(.ended): self.init(.invitationEnded, "\(error)")
        case .invitation(.otherName): self.init(.unusableField, "\(error)", field: "name")
        case .invitation(.notAdministrator): self.init(.notAdministrator, "\(error)")
        case .invitation(.tokenConflict): self.init(.tokenConflict, "\(error)")
        case .invitation(.throttled(let seconds)):
            self.init(.tooManyRequests, "\(error)", retryAfterSeconds: seconds)
        }
    }
}
