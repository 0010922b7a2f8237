import LeanCloudTranslation
import LeanCloudWire

/// What was said before.
extension LeanCloudSession {
    func logs(_ command: GenericCommand) {
        self.fail(command, .conversationLogFailed.saying("the history is not served"))
    }
}
