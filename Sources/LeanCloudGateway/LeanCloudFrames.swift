import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Transport

/// Words each message once for all the sessions of a reactor that get it. Confined to its reactor.
///
/// All that its receivers are told is the same but whom it is for (`peerId`), which any field may follow: what is the same
/// is written once, and the few bytes that differ are put behind it. Source: protobuf.dev, "Encoding", fields may stand in
/// any order.
struct LeanCloudFrames {
    /// The message in base64, up to where receivers differ.
    private struct TextForm {
        let start: [UInt8]
        /// The last of the shared bytes, fewer than three, which stand in one group with what follows them.
        let rest: [UInt8]
    }

    /// As the broker handed it out.
    private var source: Delivery?
    /// As it is worded: without its body when the message was withdrawn meanwhile.
    private var delivery: Delivery?
    private var withdrawn = WithdrawnMessages()
    private var binary: [UInt8]?
    private var text: TextForm?

    /// Sets the message that is sent next, until `end`.
    mutating func beginDelivery(_ delivery: Delivery) {
        guard self.source !== delivery else { return }
        self.end()
        self.source = delivery
        self.delivery = self.withdrawn.contains(delivery.message.id) ? delivery.withdrawn : delivery
    }

    mutating func end() {
        self.source = nil
        self.delivery = nil
        self.binary = nil
        self.text = nil
    }

    /// The bodies of these messages do not go out any more.
    mutating func withdraw(_ messages: [MessageID]) {
        for message in messages { self.withdrawn.insert(message) }
        self.source = nil
    }

    func isWithdrawn(_ message: MessageID) -> Bool { self.withdrawn.contains(message) }

    /// Sends the message to one client.
    ///
    /// - Parameter peer: the bytes of `peerId`.
    mutating func send(to connection: LeanCloudConnection, peer: [UInt8]) {
        guard let delivery = self.delivery else { return }
        if connection.subprotocol.usesTextFrames {
            let form = self.text ?? Self.textForm(of: Self.shared(delivery))
            self.text = form
            connection.connection.sendText(form.start, Base64.encode(form.rest + peer))
        } else {
            if self.binary == nil { self.binary = Self.shared(delivery) }
            self.binary.map { connection.connection.sendBinary($0, peer) }
        }
    }

    private static func shared(_ delivery: Delivery) -> [UInt8] {
        GenericCommand.encoded(LeanCloudContent.direct(delivery.message, in: delivery.objectID, delivery.kind))
    }

    private static func textForm(of shared: [UInt8]) -> TextForm {
        let whole = shared.count / 3 * 3
        return TextForm(start: Base64.encode(Array(shared[..<whole])), rest: Array(shared[whole...]))
    }
}
