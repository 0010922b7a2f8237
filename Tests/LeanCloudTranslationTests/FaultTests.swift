import ChatModel
import LeanCloudTranslation
import Store
import Testing

/// Refusals of the server in LeanCloud's words. Source: LeanCloud realtime error codes; SDKs compare number and name.
struct FaultTests {
    private func short(_ fault: LeanCloudFault) -> String { "\(fault.code) \(fault.reason)" }

    @Test(
        "why a message was not taken",
        arguments: [
            (.senderDisabled, "4106 BLACKLISTED"), (.senderSendBanned, "4106 BLACKLISTED"),
            (.conversationBanned, "4307 CONVERSATION_READ_ONLY"),
            (.conversationSendBanned, "4307 CONVERSATION_READ_ONLY"), (.inputDisabled, "4307 CONVERSATION_READ_ONLY"),
            (.notAllowlisted, "4307 CONVERSATION_READ_ONLY"),
            (.conversationDisbanded, "4401 INVALID_MESSAGING_TARGET"),
            (.noSuchConversation, "4401 INVALID_MESSAGING_TARGET"), (.noSuchUser, "4401 INVALID_MESSAGING_TARGET"),
            (.notMember, "4401 INVALID_MESSAGING_TARGET"), (.kindNotServed, "4401 INVALID_MESSAGING_TARGET"),
            (.blocked, "4548 BLOCKED_BY_CONV"), (.membersMuted, "4563 SILIENCED"), (.muted, "4563 SILIENCED"),
            (.tokenConflict, "4402 MESSAGE_REJECTED_BY_APP"), (.textTooLong, "4402 MESSAGE_REJECTED_BY_APP"),
            (.noSuchFile, "4402 MESSAGE_REJECTED_BY_APP"), (.fileIncomplete, "4402 MESSAGE_REJECTED_BY_APP"),
            (.wordNotAllowed, "4402 MESSAGE_REJECTED_BY_APP"), (.bodyTooLarge, "4109 FRAME_TOO_LONG"),
            (.commandNotAllowed, "4402 MESSAGE_REJECTED_BY_APP"),
            (.contentNotAllowed, "4402 MESSAGE_REJECTED_BY_APP"),
            (.byHook(code: 7, detail: "no"), "4402 MESSAGE_REJECTED_BY_APP"),
        ] as [(PublishRefusal, String)])
    func message(_ refusal: PublishRefusal, _ wanted: String) {
        #expect(self.short(LeanCloudFault(refusal)) == wanted)
    }

    @Test("an app's own server refuses with its own number and words")
    func hook() {
        let fault = LeanCloudFault(PublishRefusal.byHook(code: 7, detail: "no"))
        #expect(fault.appCode == 7 && fault.appMessage == "no")
        let large = LeanCloudFault.conversationRejectedByApp.byHook(code: .max, detail: nil)
        #expect(self.short(large) == "4305 CONVERSATION_REJECTED_BY_APP" && large.appCode == .max)
    }

    @Test(
        "why a conversation was not changed: in general, its card, and what only ordinary ones have",
        arguments: [
            (.noSuchConversation, "4303 CONVERSATION_NOT_FOUND", nil, nil),
            (.notMember, "4317 CONVERSATION_MEMBERSHIP_REQUIRED", "4309 CONVERSATION_UPDATE_REJECTED", nil),
            (.noSuchUser, "4317 CONVERSATION_MEMBERSHIP_REQUIRED", nil, nil),
            (.notManager, "4320 CONVERSATION_OPERATION_UNAUTHORIZED", nil, nil),
            (.notOwner, "4320 CONVERSATION_OPERATION_UNAUTHORIZED", nil, nil),
            (.tooMany(limit: 500), "4304 CONVERSATION_FULL", nil, nil),
            (.ownerMustTransfer, "4324 CONVERSATION_NEED_OWNER", nil, nil),
            (.disbanded, "4307 CONVERSATION_READ_ONLY", nil, nil),
            (.joiningClosed, "4308 CONVERSATION_NOT_ALLOWED", nil, nil),
            (
                .notApplicable, "4308 CONVERSATION_NOT_ALLOWED", "4314 NORMAL_CONVERSATION_REQUIRED",
                "4314 NORMAL_CONVERSATION_REQUIRED"
            ),
        ] as [(ActionRefusal, String, String?, String?)])
    func conversation(_ refusal: ActionRefusal, _ general: String, _ card: String?, _ ordinary: String?) {
        #expect(self.short(LeanCloudFault(conversation: refusal)) == general)
        #expect(self.short(LeanCloudFault(update: refusal)) == card ?? general)
        #expect(self.short(LeanCloudFault(ordinary: refusal)) == ordinary ?? general)
    }

    @Test(
        "why somebody was left out",
        arguments: [
            (.unknown, "4317 CONVERSATION_MEMBERSHIP_REQUIRED"), (.notMember, "4317 CONVERSATION_MEMBERSHIP_REQUIRED"),
            (.blocked, "4548 BLOCKED_BY_CONV"), (.outranked, "4320 CONVERSATION_OPERATION_UNAUTHORIZED"),
            (.ownerStays, "4324 CONVERSATION_NEED_OWNER"),
        ] as [(PersonRefusal, String)])
    func person(_ refusal: PersonRefusal, _ wanted: String) {
        #expect(self.short(LeanCloudFault(refusal)) == wanted)
    }

    @Test(
        "why a message was not changed, and not taken back",
        arguments: [
            (.noSuchConversation, "4303 CONVERSATION_NOT_FOUND", nil), (.noSuchMessage, "4404 MESSAGE_NOT_FOUND", nil),
            (.alreadyGone, "4404 MESSAGE_NOT_FOUND", nil), (.notAuthor, "4403 MESSAGE_OWNERSHIP_REQUIRED", nil),
            (.notMember, "4403 MESSAGE_OWNERSHIP_REQUIRED", nil),
            (.windowOver(seconds: 2), "4406 MESSAGE_EDIT_DISABLED", "4407 MESSAGE_RECALL_DISABLED"),
            (.switchedOff, "4406 MESSAGE_EDIT_DISABLED", "4407 MESSAGE_RECALL_DISABLED"),
            (.mayNotSend, "4405 MESSAGE_UPDATE_REJECTED_BY_APP", nil),
        ] as [(ActionRefusal, String, String?)])
    func change(_ refusal: ActionRefusal, _ edit: String, _ recall: String?) {
        #expect(self.short(LeanCloudFault(message: refusal, isRecall: false)) == edit)
        #expect(self.short(LeanCloudFault(message: refusal, isRecall: true)) == recall ?? edit)
    }

    @Test("what went wrong below says whether to try again")
    func below() {
        func fault(_ error: StoreError) -> String {
            self.short(LeanCloudFault(error, invalid: .blacklistFull) { LeanCloudFault(conversation: $0) })
        }
        #expect(fault(.busy) == "4201 SEND_MESSAGE_TIMEOUT")
        #expect(fault(.refused(.noSuchConversation)) == "4303 CONVERSATION_NOT_FOUND")
        #expect(fault(.notFound("it")) == "4303 CONVERSATION_NOT_FOUND")
        #expect(fault(.invalid("too many")) == "4543 BLACKLIST_FULL")
        #expect(fault(.exists("it")) == "4543 BLACKLIST_FULL")
        #expect(fault(.full) == "4200 INTERNAL_ERROR")
    }
}
