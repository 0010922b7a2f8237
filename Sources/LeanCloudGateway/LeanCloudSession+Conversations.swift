import LeanCloudTranslation
import LeanCloudWire

/// Conversations and their people, as the client changes and asks them.
extension LeanCloudSession {
    func conversationCommand(_ command: GenericCommand) {
        self.fail(command, .conversationNotAllowed.saying("conversation commands are not served"))
    }

    func blacklistCommand(_ command: GenericCommand) {
        self.fail(command, .blacklistDisabled.saying("lists of blocked people are not served"))
    }
}
