import Broker
import ChatModel
import Transport
import WuKongTranslation
import WuKongWire

/// Words each message once for all the sessions of a reactor that get it, and answers without a buffer of their own.
/// Confined to its reactor.
struct FrameCache {
    /// The forms a message has: for others or for the sender's own devices, the first time or again.
    private struct Form {
        var writer = WuKongJSONWriter()
        var isWritten = false
        /// The frame, once it is large enough that sharing it is cheaper than copying.
        var shared: SharedBytes?
    }

    /// From this size on, one frame is shared by its receivers instead of copied to each. Measured: at 4,000 bytes
    /// sharing takes two thirds of the time of copying.
    private static let sharedBytes = 2048

    private var delivery: Delivery?
    private var forms: [Form] = Array(repeating: Form(), count: 4)
    private var answer = WuKongJSONWriter()

    /// Sets the message that is sent next.
    mutating func begin(_ delivery: Delivery) {
        guard self.delivery !== delivery else { return }
        self.delivery = delivery
        for index in self.forms.indices {
            self.forms[index].isWritten = false
            self.forms[index].shared = nil
        }
    }

    /// Sends the message to one session.
    mutating func sendJSON(isOwn: Bool, isRepeat: Bool, to connection: Connection) {
        guard let delivery = self.delivery else { return }
        let index = (isOwn ? 1 : 0) + (isRepeat ? 2 : 0)
        if !self.forms[index].isWritten {
            self.forms[index].writer.removeAll()
            self.forms[index].writer.receive(Translation.received(delivery, isOwn: isOwn, isRepeat: isRepeat))
            self.forms[index].isWritten = true
            if self.forms[index].writer.bytes.count >= Self.sharedBytes {
                self.forms[index].shared = SharedBytes(self.forms[index].writer.bytes)
            }
        }
        if let shared = self.forms[index].shared {
            connection.sendText(shared: shared)
        } else {
            connection.sendText(self.forms[index].writer.bytes)
        }
    }

    /// Sends one answer.
    mutating func reply(to connection: Connection, _ write: (inout WuKongJSONWriter) -> Void) {
        self.answer.removeAll()
        write(&self.answer)
        connection.sendText(self.answer.bytes)
    }
}
