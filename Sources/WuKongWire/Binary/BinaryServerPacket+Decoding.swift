import ByteCodec

extension BinaryServerPacket {
    /// Reads one whole frame as `BinaryFrameSplitter` cuts it, header included.
    ///
    /// `version` is what the client asked for; it learns from CONNACK what the session speaks.
    ///
    /// - Throws: `wrongDirection` for a packet that only clients send; `malformed` when a field is missing, too long or
    ///   no UTF-8, when bytes follow the last one, and for stream fields, which no server of today sends.
    package init(
        decoding frame: UnsafeRawBufferPointer, version: BinaryVersion = .latest
    ) throws(BinaryWireError) {
        self = try BinaryFrame.decode(frame) { (header, body) throws(DecodeError) in
            try Self.read(header, from: &body, version)
        }
    }

    /// `nil` for a packet that only clients send.
    private static func read(
        _ header: BinaryFrame, from body: inout ByteReader, _ version: BinaryVersion
    ) throws(DecodeError) -> BinaryServerPacket? {
        switch header.type {
        case .connectAcknowledge:
            let hasVersion = header.flags & 1 != 0
            return .connectAcknowledge(try BinaryConnectAcknowledge(from: &body, hasVersion, version))
        case .sendAcknowledge:
            return .sendAcknowledge(try BinarySendAcknowledge(from: &body, WuKongHeader(flags: header.flags)))
        case .receive: return .receive(try BinaryReceive(from: &body, WuKongHeader(flags: header.flags), version))
        case .pong: return .pong
        case .disconnect: return .disconnect(reason: try body.u8(), text: try body.binaryString())
        case .subscribeAcknowledge: return .subscribeAcknowledge(try BinarySubscribeAcknowledge(from: &body))
        case .event:
            return .event(
                id: try body.binaryString(), type: try body.binaryString(), timestampMilliseconds: try body.i64(),
                data: try body.rest())
        case .connect, .send, .receiveAcknowledge, .ping, .subscribe: return nil
        }
    }
}

extension BinaryConnectAcknowledge {
    fileprivate init(
        from body: inout ByteReader, _ hasVersion: Bool, _ version: BinaryVersion
    ) throws(DecodeError) {
        self.init(
            serverVersion: hasVersion ? try body.u8() : nil, timeDifferenceMilliseconds: try body.i64(),
            reason: try body.u8(), serverKey: try body.binaryString(), salt: try body.binaryString(),
            nodeID: version.connectAcknowledgeHasVersion ? try body.u64() : nil)
    }
}

extension BinarySendAcknowledge {
    fileprivate init(from body: inout ByteReader, _ header: WuKongHeader) throws(DecodeError) {
        self.init(
            header: header, messageID: try body.i64(), clientSequence: try body.u32(), sequence: try body.u32(),
            reason: try body.u8())
    }
}

extension BinaryReceive {
    fileprivate init(
        from body: inout ByteReader, _ header: WuKongHeader, _ version: BinaryVersion
    ) throws(DecodeError) {
        let setting = WuKongSetting(rawValue: try body.u8())
        guard !setting.announcesStreamNumber(version) else { throw DecodeError(.unknownValue, at: 0) }
        self.init(
            header: header, setting: setting, messageKey: [UInt8](try body.binaryField()),
            fromUID: try body.binaryString(), channelID: try body.binaryString(), channelType: try body.u8(),
            expire: version.hasExpire ? try body.u32() : 0, clientMessageNumber: try body.binaryString(),
            messageID: try body.i64(), sequence: try body.u32(),
            timestampSeconds: Int32(bitPattern: try body.u32()),
            topic: setting.contains(.topic) ? try body.binaryString() : nil, payload: try body.rest())
    }
}

extension BinarySubscribeAcknowledge {
    fileprivate init(from body: inout ByteReader) throws(DecodeError) {
        self.init(
            number: try body.binaryString(), channelID: try body.binaryString(), channelType: try body.u8(),
            action: try body.u8(), reason: try body.u8())
    }
}
