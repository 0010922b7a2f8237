/// Why LeanCloud's gateway says no: a code and the name that its SDKs compare. Source: LeanCloud realtime error codes;
/// the names are those that its servers answer, misspellings included.
package struct LeanCloudFault: Error, Hashable, Sendable {
    /// Code of the fault.
    package var code: Int32
    /// Name of the fault in LeanCloud's documentation.
    package var reason: String
    /// A sentence for developers.
    package var detail: String?
    /// A hook's own number.
    package var appCode: Int32?
    /// A hook's own words.
    package var appMessage: String?

    private init(_ code: Int32, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The same with a sentence about it.
    package func saying(_ detail: String) -> LeanCloudFault {
        var fault = self
        fault.detail = detail
        return fault
    }

    package static let appNotAvailable = LeanCloudFault(4100, "APP_NOT_AVAILABLE")
    package static let signatureFailed = LeanCloudFault(4102, "SIGNATURE_FAILED")
    package static let invalidLogin = LeanCloudFault(4103, "INVALID_LOGIN")
    package static let sessionRequired = LeanCloudFault(4105, "SESSION_REQUIRED")
    package static let blacklisted = LeanCloudFault(4106, "BLACKLISTED")
    package static let readTimeout = LeanCloudFault(4107, "READ_TIMEOUT")
    package static let loginTimeout = LeanCloudFault(4108, "LOGIN_TIMEOUT")
    package static let frameTooLong = LeanCloudFault(4109, "FRAME_TOO_LONG")
    package static let invalidOrigin = LeanCloudFault(4110, "INVALID_ORIGIN")
    package static let sessionConflict = LeanCloudFault(4111, "SESSION_CONFLICT")
    package static let sessionTokenExpired = LeanCloudFault(4112, "SESSION_TOKEN_EXPIRED")
    package static let appQuotaExceeded = LeanCloudFault(4113, "APP_QUOTA_EXCEEDED")
    package static let unparseableMessage = LeanCloudFault(4114, "UNPARSEABLE_RAW_MESSAGE")
    package static let kickedByApp = LeanCloudFault(4115, "KICKED_BY_APP")
    package static let messageQuotaExceeded = LeanCloudFault(4116, "MESSAGE_SENT_QUOTA_EXCEEDED")
    package static let internalError = LeanCloudFault(4200, "INTERNAL_ERROR")
    package static let sendTimeout = LeanCloudFault(4201, "SEND_MESSAGE_TIMEOUT")
    package static let conversationInternalError = LeanCloudFault(4300, "CONVERSATION_INTERNAL_ERROR")
    package static let conversationAPIFailed = LeanCloudFault(4301, "CONVERSATION_API_FAILED")
    package static let conversationSignatureFailed = LeanCloudFault(4302, "CONVERSATION_SIGNATURE_FAILED")
    package static let conversationNotFound = LeanCloudFault(4303, "CONVERSATION_NOT_FOUND")
    package static let conversationFull = LeanCloudFault(4304, "CONVERSATION_FULL")
    package static let conversationRejectedByApp = LeanCloudFault(4305, "CONVERSATION_REJECTED_BY_APP")
    package static let conversationUpdateFailed = LeanCloudFault(4306, "CONVERSATION_UPDATE_FAILED")
    package static let conversationReadOnly = LeanCloudFault(4307, "CONVERSATION_READ_ONLY")
    package static let conversationNotAllowed = LeanCloudFault(4308, "CONVERSATION_NOT_ALLOWED")
    /// Not a member.
    package static let conversationUpdateRejected = LeanCloudFault(4309, "CONVERSATION_UPDATE_REJECTED")
    package static let conversationQueryFailed = LeanCloudFault(4310, "CONVERSATION_QUERY_FAILED")
    package static let conversationLogFailed = LeanCloudFault(4311, "CONVERSATION_LOG_FAILED")
    /// Not a member.
    package static let conversationLogRejected = LeanCloudFault(4312, "CONVERSATION_LOG_REJECTED")
    package static let systemConversationRequired = LeanCloudFault(4313, "SYSTEM_CONVERSATION_REQUIRED")
    package static let normalConversationRequired = LeanCloudFault(4314, "NORMAL_CONVERSATION_REQUIRED")
    package static let conversationBlacklisted = LeanCloudFault(4315, "CONVERSATION_BLACKLISTED")
    package static let transientConversationRequired = LeanCloudFault(4316, "TRANSIENT_CONVERSATION_REQUIRED")
    package static let conversationMembershipRequired = LeanCloudFault(4317, "CONVERSATION_MEMBERSHIP_REQUIRED")
    package static let conversationAPIQuotaExceeded = LeanCloudFault(4318, "CONVERSATION_API_QUOTA_EXCEEDED")
    package static let conversationOperationUnauthorized = LeanCloudFault(4320, "CONVERSATION_OPERATION_UNAUTHORIZED")
    package static let unknownConversationRole = LeanCloudFault(4321, "UNKNOWN_CONVERSATION_ROLE")
    package static let conversationRoleFull = LeanCloudFault(4322, "CONVERSATION_MEMBER_IN_ROLE_FULL")
    package static let temporaryConversationExpired = LeanCloudFault(4323, "TEMPORARY_CONVERSATION_EXPIRED")
    package static let conversationNeedsOwner = LeanCloudFault(4324, "CONVERSATION_NEED_OWNER")
    package static let memberInfoDisabled = LeanCloudFault(4325, "CONVERSATION_MEMBER_INFO_FEATURE_DISABLED")
    package static let invalidMessagingTarget = LeanCloudFault(4401, "INVALID_MESSAGING_TARGET")
    package static let messageRejectedByApp = LeanCloudFault(4402, "MESSAGE_REJECTED_BY_APP")
    package static let messageOwnershipRequired = LeanCloudFault(4403, "MESSAGE_OWNERSHIP_REQUIRED")
    package static let messageNotFound = LeanCloudFault(4404, "MESSAGE_NOT_FOUND")
    package static let messageUpdateRejectedByApp = LeanCloudFault(4405, "MESSAGE_UPDATE_REJECTED_BY_APP")
    package static let messageEditDisabled = LeanCloudFault(4406, "MESSAGE_EDIT_DISABLED")
    package static let messageRecallDisabled = LeanCloudFault(4407, "MESSAGE_RECALL_DISABLED")
    package static let messageCensored = LeanCloudFault(4408, "MESSAGE_MODIFIED_BY_CENSORSHIP")
    package static let blacklistFull = LeanCloudFault(4543, "BLACKLIST_FULL")
    package static let blacklistDisabled = LeanCloudFault(4544, "BLACKLIST_FEATURE_DISABLED")
    package static let blacklistSignatureFailed = LeanCloudFault(4546, "BLACKLIST_SIGNATURE_FAILED")
    package static let blockedByConversation = LeanCloudFault(4548, "BLOCKED_BY_CONV")
    package static let silencedListFull = LeanCloudFault(4561, "SILIENCED_MEMBER_LIST_FULL")
    package static let silenced = LeanCloudFault(4563, "SILIENCED")
}
