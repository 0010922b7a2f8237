import ByteCodec

/// Writes packets of the binary encoding as a client does, one after another into one buffer: for tests and load
/// generators.
package struct BinaryClientWriter: Sendable {
    private var output = ByteWriter()

    package init() {}

    /// The frames written since the last `removeAll`.
    package var bytes: [UInt8] { self.output.bytes }

    /// Forgets what was written and keeps the memory.
    package mutating func removeAll() { self.output.removeAll() }

    /// Writes CONNECT.
    package mutating func connect(_ connect: BinaryConnect) {
        self.frame(.connect) { body in
            body.u8(connect.version)
            body.u8(connect.deviceFlag)
            body.binaryString(connect.deviceID)
            body.binaryString(connect.uid)
            body.binaryString(connect.token)
            body.i64(connect.clientTimestamp)
            body.binaryString(connect.clientKey)
        }
    }

    /// The optional fields follow the setting: a topic or stream number that it announces is empty when it is `nil`.
    package mutating func send(_ send: BinarySend, version: BinaryVersion) {
        self.frame(.send, flags: send.header.flags) { body in
            body.u8(send.setting.rawValue)
            body.u32(send.clientSequence)
            body.binaryString(send.clientMessageNumber)
            if send.setting.announcesStreamNumber(version) { body.binaryString(send.streamNumber ?? "") }
            body.binaryString(send.channelID)
            body.u8(send.channelType)
            if version.hasExpire { body.u32(send.expire) }
            send.messageKey.withUnsafeBytes { body.binaryField($0) }
            if send.setting.contains(.topic) { body.binaryString(send.topic ?? "") }
            body.raw(send.payload)
        }
    }

    /// Writes RECVACK.
    package mutating func receiveAcknowledge(messageID: Int64, sequence: UInt32, header: WuKongHeader) {
        self.frame(.receiveAcknowledge, flags: header.flags) { body in
            body.i64(messageID)
            body.u32(sequence)
        }
    }

    /// Writes PING.
    package mutating func ping() {
        self.output.binaryHeader(.ping, flags: 0, bodyBytes: 0)
    }

    /// Writes DISCONNECT.
    package mutating func disconnect(reason: UInt8, text: String) {
        self.frame(.disconnect) { body in
            body.u8(reason)
            body.binaryString(text)
        }
    }

    /// Writes SUB.
    package mutating func subscribe(_ subscribe: BinarySubscribe) {
        self.frame(.subscribe) { body in
            body.u8(subscribe.setting.rawValue)
            body.binaryString(subscribe.number)
            body.binaryString(subscribe.channelID)
            body.u8(subscribe.channelType)
            body.u8(subscribe.action.rawValue)
            body.binaryString(subscribe.parameter)
        }
    }

    private mutating func frame(
        _ type: BinaryPacketType, flags: UInt8 = 0, _ write: (inout ByteWriter) -> Void
    ) {
        var body = ByteWriter()
        write(&body)
        self.output.binaryHeader(type, flags: flags, bodyBytes: body.bytes.count)
        self.output.raw(body.bytes)
    }
}
