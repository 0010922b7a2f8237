package import ChatModel
import LeanCloudWire
package import Store

// Our refusals in LeanCloud's words.
extension LeanCloudFault {
    /// Why a message was not taken.
    package init(_ refusal: PublishRefusal) {
        self =
            switch refusal {
            case .senderDisabled, .senderSendBanned: .blacklisted.saying("the operator keeps this person from sending")
            case .conversationBanned, .conversationSendBanned, .inputDisabled:
                .conversationReadOnly.saying("nobody sends here just now")
            case .conversationDisbanded: .invalidMessagingTarget.saying("the conversation is over")
            case .noSuchConversation: .invalidMessagingTarget.saying("there is no such conversation")
            case .noSuchUser: .invalidMessagingTarget.saying("there is no such person")
            case .blocked: .blockedByConversation
            case .notAllowlisted: .conversationReadOnly.saying("only some people send here")
            case .notMember: .invalidMessagingTarget.saying("only members send here")
            case .membersMuted, .muted: .silenced
            case .tokenConflict: .messageRejectedByApp.saying("this dt came before with another message")
            case .bodyTooLarge: .frameTooLong.saying("the message is too long")
            case .textTooLong: .messageRejectedByApp.saying("the text has more characters than are allowed here")
            case .contentNotAllowed: .messageRejectedByApp.saying("messages of this kind are not allowed here")
            case .kindNotServed: .invalidMessagingTarget.saying("this kind of conversation is not served")
            case .noSuchFile: .messageRejectedByApp.saying("the message names a file that its sender cannot see")
            case .fileIncomplete: .messageRejectedByApp.saying("the message names a file that is still on its way")
            case .wordNotAllowed: .messageRejectedByApp.saying("the text has a word that is not allowed here")
            case .commandNotAllowed: .messageRejectedByApp.saying("people give no commands")
            case .byHook(let code, let detail): LeanCloudFault.messageRejectedByApp.byHook(code: code, detail: detail)
            }
    }

    /// Why a message was not taken, in the conversation of this id.
    package init(_ refusal: PublishRefusal, in cid: String) {
        let fault = LeanCloudFault(refusal)
        let isGone = refusal == .noSuchConversation || refusal == .conversationDisbanded
        self = isGone ? .gone(cid, otherwise: fault) : fault
    }

    /// The error for a conversation that is not there: temporary ones are gone in time, which has an error of its own. Source:
    /// LeanCloud error codes, 4323.
    package static func gone(_ cid: String, otherwise fault: LeanCloudFault) -> LeanCloudFault {
        cid.hasPrefix(LeanCloudObjectID.temporaryPrefix) ? .temporaryConversationExpired : fault
    }

    /// With the number and words of the app's own server.
    package func byHook(code: Int64?, detail: String?) -> LeanCloudFault {
        var fault = self
        fault.appCode = code.map { Int32(clamping: $0) }
        fault.appMessage = detail
        return fault
    }

    /// Why a conversation or its people were not changed.
    package init(conversation refusal: ActionRefusal) {
        self =
            switch refusal {
            case .noSuchConversation: .conversationNotFound
            case .notMember, .noSuchUser: .conversationMembershipRequired.saying(refusal.description)
            case .notManager, .notOwner: .conversationOperationUnauthorized.saying(refusal.description)
            case .tooMany: .conversationFull.saying(refusal.description)
            case .ownerMustTransfer: .conversationNeedsOwner
            case .disbanded: .conversationReadOnly.saying(refusal.description)
            case .noSuchMessage, .notAuthor, .windowOver, .mayNotSend, .switchedOff, .alreadyGone, .notApplicable,
                .ownMessage, .changedMeanwhile, .joiningClosed, .alreadyMember, .noSuchRequest, .requestOver,
                .noSuchFile, .fileIncomplete, .transferOver, .fileInUse, .fileTooLong, .quotaReached, .tooManyUploads,
                .uploadsTooFast, .underHold:
                .conversationNotAllowed.saying(refusal.description)
            }
    }

    /// Why the card of a conversation was not changed.
    package init(update refusal: ActionRefusal) {
        self = refusal == .notMember ? .conversationUpdateRejected : LeanCloudFault(ordinary: refusal)
    }

    /// Why nobody's role, right to speak, or marks were changed: only ordinary conversations have such.
    package init(ordinary refusal: ActionRefusal) {
        self =
            refusal == .notApplicable
            ? .normalConversationRequired.saying(refusal.description) : LeanCloudFault(conversation: refusal)
    }

    /// Why somebody was not added, removed, silenced or kept out.
    package init(_ refusal: PersonRefusal) {
        self =
            switch refusal {
            case .unknown: .conversationMembershipRequired.saying("there is no such person")
            case .blocked: .blockedByConversation
            case .notMember: .conversationMembershipRequired.saying("only members")
            case .outranked: .conversationOperationUnauthorized.saying("only members below who asks")
            case .ownerStays: .conversationNeedsOwner
            }
    }

    /// Why a message was not changed.
    package init(message refusal: ActionRefusal, isRecall: Bool) {
        self =
            switch refusal {
            case .noSuchConversation: .conversationNotFound
            case .noSuchMessage, .alreadyGone: .messageNotFound
            case .notMember, .notAuthor, .notManager, .notOwner: .messageOwnershipRequired.saying(refusal.description)
            case .windowOver, .switchedOff:
                (isRecall ? LeanCloudFault.messageRecallDisabled : .messageEditDisabled).saying(refusal.description)
            case .noSuchUser, .mayNotSend, .notApplicable, .ownMessage, .tooMany, .changedMeanwhile, .disbanded,
                .joiningClosed, .alreadyMember, .ownerMustTransfer, .noSuchRequest, .requestOver, .noSuchFile,
                .fileIncomplete, .transferOver, .fileInUse, .fileTooLong, .quotaReached, .tooManyUploads,
                .uploadsTooFast, .underHold:
                .messageUpdateRejectedByApp.saying(refusal.description)
            }
    }

    /// Fault for a store error: busy may be tried again, full and stopping may later.
    ///
    /// - Parameters:
    /// - invalid: for a request that makes no sense.
    /// - refused: words for a refusal by our rules.
    package init(
        _ error: StoreError, invalid: LeanCloudFault = .conversationAPIFailed,
        refused: (ActionRefusal) -> LeanCloudFault
    ) {
        self =
            switch error {
            case .refused(let refusal): refused(refusal)
            case .busy: .sendTimeout.saying(error.description)
            case .notFound: .conversationNotFound.saying(error.description)
            case .exists, .invalid: invalid.saying(error.description)
            case .unavailable, .full, .fatal, .alreadyRunning, .schemaTooNew, .unreadableEvent:
                .internalError.saying(error.description)
            }
    }
}
