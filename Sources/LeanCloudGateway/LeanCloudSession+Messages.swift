import Broker
import LeanCloudTranslation
import LeanCloudWire

/// Messages that the client sends, and what it says of those it got.
extension LeanCloudSession {
    func direct(_ command: GenericCommand) {
        self.fail(command, .invalidMessagingTarget.saying("messages are not served"))
    }

    func acknowledge(_ command: GenericCommand) {}

    func read(_ command: GenericCommand) {
        self.fail(command, .invalidMessagingTarget.saying("reading positions are not served"))
    }

    /// The broker's answer to a message of this session.
    func published(_ ticket: UInt64, _ outcome: PublishOutcome) {}
}
