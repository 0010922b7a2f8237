import ByteCodec

extension BinaryClientPacket {
    /// Reads one whole frame as `BinaryFrameSplitter` cuts it, header included.
    ///
    /// `version` is what the session speaks; CONNECT comes before there is one and does not depend on it.
    ///
    /// - Throws: `wrongDirection` for a packet that only servers send; `malformed` when a field is missing, longer than
    ///   32767 bytes or no UTF-8, and when bytes follow the last one.
    package init(
        decoding frame: UnsafeRawBufferPointer, version: BinaryVersion = .latest
    ) throws(BinaryWireError) {
        self = try BinaryFrame.decode(frame) { (header, body) throws(DecodeError) in
            try Self.read(header, from: &body, version)
        }
    }

    /// `nil` for a packet that only servers send.
    private static func read(
        _ header: BinaryFrame, from body: inout ByteReader, _ version: BinaryVersion
    ) throws(DecodeError) -> BinaryClientPacket? {
        let flags = WuKongHeader(flags: header.flags)
        switch header.type {
        case .connect: return .connect(try BinaryConnect(from: &body))
        case .send: return .send(try BinarySend(from: &body, flags, version))
        case .receiveAcknowledge:
            return .receiveAcknowledge(messageID: try body.i64(), sequence: try body.u32(), header: flags)
        case .ping: return .ping
        case .disconnect: return .disconnect(reason: try body.u8(), text: try body.binaryString())
        case .subscribe: return .subscribe(try BinarySubscribe(from: &body))
        case .connectAcknowledge, .sendAcknowledge, .receive, .pong, .subscribeAcknowledge, .event: return nil
        }
    }
}

extension BinaryConnect {
    fileprivate init(from body: inout ByteReader) throws(DecodeError) {
        self.init(
            version: try body.u8(), deviceFlag: try body.u8(), deviceID: try body.binaryString(),
            uid: try body.binaryString(), token: try body.binaryString(), clientTimestamp: try body.i64(),
            clientKey: try body.binaryString())
    }
}

extension BinarySend {
    fileprivate init(
        from body: inout ByteReader, _ header: WuKongHeader, _ version: BinaryVersion
    ) throws(DecodeError) {
        let setting = WuKongSetting(rawValue: try body.u8())
        self.init(
            header: header, setting: setting, clientSequence: try body.u32(),
            clientMessageNumber: try body.binaryString(),
            streamNumber: setting.announcesStreamNumber(version) ? try body.binaryString() : nil,
            channelID: try body.binaryString(), channelType: try body.u8(),
            expire: version.hasExpire ? try body.u32() : 0, messageKey: [UInt8](try body.binaryField()),
            topic: setting.contains(.topic) ? try body.binaryString() : nil, payload: try body.rest())
    }
}

extension BinarySubscribe {
    fileprivate init(from body: inout ByteReader) throws(DecodeError) {
        let setting = WuKongSetting(rawValue: try body.u8())
        let number = try body.binaryString()
        let channelID = try body.binaryString()
        let channelType = try body.u8()
        let start = body.offset
        guard let action = Action(rawValue: try body.u8()) else { throw DecodeError(.unknownValue, at: start) }
        self.init(
            setting: setting, number: number, channelID: channelID, channelType: channelType, action: action,
            parameter: try body.binaryString())
    }
}
