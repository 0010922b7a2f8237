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
    /// What a form of the message is made of.
    fileprivate struct Form {
        var bytes: [UInt8]
        /// The bytes that are the same for all, at the start.
        let sharedCount: Int
        /// The last of the shared bytes, fewer than three, which stand in one group of base64 with what follows them.
        let rest: [UInt8]
    }

    /// As the broker handed it out.
    private var source: Delivery?
    /// As it is worded: without its body when the message was withdrawn meanwhile.
    private var delivery: Delivery?
    private var withdrawn = WithdrawnMessages()
    private var binary: Form?
    private var base64: Form?

    /// Sets the message that is sent next, until `end`.
    mutating func begin(_ delivery: Delivery) {
        guard self.source !== delivery else { return }
        self.end()
        self.source = delivery
        self.delivery = self.withdrawn.contains(delivery.message.id) ? delivery.withdrawn : delivery
    }

    mutating func end() {
        self.source = nil
        self.delivery = nil
        self.binary = nil
        self.base64 = nil
    }

    /// The bodies of these messages do not go out any more.
    mutating func withdraw(_ messages: [MessageID]) {
        for message in messages { self.withdrawn.insert(message) }
        self.source = nil
    }

    func isWithdrawn(_ message: MessageID) -> Bool { self.withdrawn.contains(message) }

    /// Sends the message to one client.
    mutating func send(to connection: LeanCloudConnection, as client: UserName) {
        guard let delivery = self.delivery else { return }
        let peer = GenericCommand.peerField(client.text)
        if connection.subprotocol.usesTextFrames {
            if self.base64 == nil { self.base64 = Self.base64(Self.shared(delivery)) }
            self.base64?.append { form in Base64.encode(form.rest + peer) }
            if let bytes = self.base64?.bytes { connection.connection.sendText(bytes) }
        } else {
            if self.binary == nil { self.binary = Self.binary(Self.shared(delivery)) }
            self.binary?.append { _ in peer }
            if let bytes = self.binary?.bytes { connection.connection.sendBinary(bytes) }
        }
    }

    private static func shared(_ delivery: Delivery) -> [UInt8] {
        var command = GenericCommand()
        command.cmd = .direct
        command.service = 2
        command.directMessage = LeanCloudContent.direct(delivery.message, in: delivery.objectID, delivery.kind)
        return command.encoded()
    }

    private static func binary(_ shared: [UInt8]) -> Form {
        Form(bytes: shared, sharedCount: shared.count, rest: [])
    }

    private static func base64(_ shared: [UInt8]) -> Form {
        let whole = shared.count / 3 * 3
        let bytes = Base64.encode(Array(shared[..<whole]))
        return Form(bytes: bytes, sharedCount: bytes.count, rest: Array(shared[whole...]))
    }
}

extension LeanCloudFrames.Form {
    /// Puts something else behind what is shared.
    fileprivate mutating func append(_ make: (Self) -> [UInt8]) {
        let tail = make(self)
        self.bytes.removeSubrange(self.sharedCount...)
        self.bytes += tail
    }
}
