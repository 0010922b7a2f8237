import LeanCloudTranslation
import LeanCloudWire

/// Messages that are changed or taken back.
extension LeanCloudSession {
    func patch(_ command: GenericCommand) {
        self.fail(command, .messageEditDisabled.saying("changing messages is not served"))
    }
}
