import Broker
import ChatModel
import Transport
import WuKongCrypto
import WuKongTranslation
import WuKongWire

/// Words each message once for all the sessions of a reactor that get it, as far as their encoding allows. Confined to its
/// reactor.
///
/// In JSON the whole frame is the same for all. In the binary encoding each session has a key of its own: what is not
/// encrypted is written once, and the sessions are served eight at a time. So between `begin` and `end` a message may
/// still be on its way; nothing else is sent to its receivers in between.
struct FrameCache {
    /// Number of a receiver's form of the message: for others or for the sender's own devices, the first time or again.
    private static func form(isOwn: Bool, isRepeat: Bool) -> Int { (isOwn ? 1 : 0) + (isRepeat ? 2 : 0) }
    private static let forms = 4

    private struct JSONForm {
        var writer = WuKongJSONWriter()
        var isWritten = false
        /// The frame, once it is large enough that sharing it is cheaper than copying.
        var shared: SharedBytes?
    }

    /// From this size on, one frame is shared by its receivers instead of copied to each. Measured: at 4,000 bytes
    /// sharing takes two thirds of the time of copying.
    private static let sharedBytes = 2048

    /// As the broker handed it out.
    private var source: Delivery?
    /// As it is worded: without its body when the message was withdrawn meanwhile.
    private var delivery: Delivery?
    private var withdrawn = WithdrawnMessages()
    private var json: [JSONForm] = Array(repeating: JSONForm(), count: forms)

    /// By form and version.
    private var binary: [BinaryFanOut?] = Array(
        repeating: nil, count: forms * (Int(BinaryVersion.latest.number) + 1))
    private var hasBinary = false

    /// Sets the message that is sent next, until `end`.
    mutating func beginDelivery(_ delivery: Delivery) {
        guard self.source !== delivery else { return }
        self.end()
        self.source = delivery
        self.delivery = self.withdrawn.contains(delivery.message.id) ? delivery.withdrawn : delivery
        for index in self.json.indices {
            self.json[index].isWritten = false
            self.json[index].shared = nil
        }
        if self.hasBinary {
            for fanOut in self.binary { fanOut?.forget() }
            self.hasBinary = false
        }
    }

    /// The bodies of these messages do not go out any more.
    mutating func withdraw(_ messages: [MessageID]) {
        for message in messages { self.withdrawn.insert(message) }
        self.source = nil
    }

    /// Sends what still waits for more receivers of the message.
    mutating func end() {
        if self.hasBinary { for fanOut in self.binary { fanOut?.flush() } }
    }

    // MARK: JSON

    /// Sends the message to one session.
    mutating func sendJSON(isOwn: Bool, isRepeat: Bool, to connection: Connection) {
        guard let delivery = self.delivery else { return }
        let index = Self.form(isOwn: isOwn, isRepeat: isRepeat)
        if !self.json[index].isWritten {
            self.json[index].writer.removeAll()
            self.json[index].writer.receive(Translation.received(delivery, isOwn: isOwn, isRepeat: isRepeat))
            self.json[index].isWritten = true
            if self.json[index].writer.bytes.count >= Self.sharedBytes {
                self.json[index].shared = SharedBytes(self.json[index].writer.bytes)
            }
        }
        if let shared = self.json[index].shared {
            connection.sendText(shared: shared)
        } else {
            connection.sendText(self.json[index].writer.bytes)
        }
    }

    // MARK: Binary

    /// Sends the message to one session, with `end` at the latest.
    mutating func sendBinary(
        isOwn: Bool, isRepeat: Bool, version: BinaryVersion, keys: SessionKeys, to connection: Connection
    ) {
        guard let delivery = self.delivery else { return }
        let index = Self.form(isOwn: isOwn, isRepeat: isRepeat) + Self.forms * Int(version.number)
        let fanOut: BinaryFanOut
        if let known = self.binary[index] {
            fanOut = known
        } else {
            fanOut = BinaryFanOut(in: keys.workspace)
            self.binary[index] = fanOut
        }
        if !fanOut.hasMessage {
            fanOut.beginMessage(Translation.received(delivery, isOwn: isOwn, isRepeat: isRepeat), version)
            self.hasBinary = true
        }
        fanOut.send(to: connection, keys)
    }
}

/// Words each event once per encoding for all the sessions of a reactor that get it. Confined to its reactor.
struct EventCache {
    private var json: [UInt8]?
    private var binary: [UInt8]?

    /// Another event is sent next.
    mutating func beginEvent() {
        self.json = nil
        self.binary = nil
    }

    mutating func sendJSON(_ event: StreamEvent, to connection: Connection) {
        if let json = self.json { return connection.sendText(json) }
        var writer = WuKongJSONWriter()
        writer.event(
            id: event.id, type: event.type, timestampMilliseconds: event.timestampMilliseconds,
            data: String(decoding: event.data, as: UTF8.self))
        self.json = writer.bytes
        connection.sendText(writer.bytes)
    }

    /// - Parameter version: one that has events; they are alike in all of these.
    mutating func sendBinary(_ event: StreamEvent, version: BinaryVersion, to connection: Connection) {
        if let binary = self.binary { return connection.sendBinary(binary) }
        var writer = BinaryPacketWriter()
        writer.event(
            id: event.id, type: event.type, timestampMilliseconds: event.timestampMilliseconds, data: event.data,
            version: version)
        self.binary = writer.bytes
        connection.sendBinary(writer.bytes)
    }
}
