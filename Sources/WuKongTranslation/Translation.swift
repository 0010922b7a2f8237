package import Broker
package import ChatModel
package import WuKongWire

/// WuKongIM's words and numbers for what the server says, and the other way round: for its gateway and its HTTP API.
/// Pure.
package enum Translation {}

/// Reasons.
extension Translation {
    /// Reason code that a sender gets for what became of a message.
    package static func reason(_ outcome: PublishOutcome) -> WuKongReason {
        switch outcome {
        case .accepted: .success
        case .refused(let refusal): self.reason(refusal)
        case .rateLimited, .busy: .rateLimit
        case .full: .systemError
        }
    }

    /// Reason code of a refusal. Several refusals share one, as the SDKs know few.
    package static func reason(_ refusal: PublishRefusal) -> WuKongReason {
        switch refusal {
        case .senderDisabled, .conversationBanned: .ban
        case .senderSendBanned, .conversationSendBanned: .sendBan
        case .conversationDisbanded: .disband
        case .noSuchConversation, .noSuchUser: .channelNotExist
        case .blocked: .inBlacklist
        case .notAllowlisted: .notInWhitelist
        case .notMember: .subscriberNotExist
        case .membersMuted, .muted, .tokenConflict, .bodyTooLarge, .noSuchFile, .fileIncomplete, .wordNotAllowed,
            .commandNotAllowed, .inputDisabled, .textTooLong, .contentNotAllowed, .byHook:
            .notAllowSend
        case .kindNotServed: .notSupportChannelType
        }
    }
}
