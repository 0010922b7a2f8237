/// Feeds bytes to the splitter and the readers of the binary encoding.
///
/// The first byte chooses the version. Any input may be refused. However it is cut it must give the same frames, and
/// a packet that is accepted must come back the same after writing it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBinary(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // SAFETY: libFuzzer lends `count` bytes for the length of this call.
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let version = BinaryVersion(first & 7)
    let bytes = UnsafeRawBufferPointer(rebasing: input[1...])
    let whole = split(bytes, pieces: .max)
    let cut = split(bytes, pieces: Int(first >> 3 & 7) + 1)
    precondition(whole.frames == cut.frames && whole.error == cut.error, "cutting the input changed what was read")
    for frame in whole.frames {
        checkClient(frame, version)
        checkServer(frame, version)
    }
    // Bytes that no splitter has seen.
    _ = try? BinaryClientPacket(decoding: bytes, version: version)
    _ = try? BinaryServerPacket(decoding: bytes, version: version)
    return 0
}

private func split(_ bytes: UnsafeRawBufferPointer, pieces size: Int) -> (frames: [[UInt8]], error: BinaryWireError?) {
    let limit = 1000
    var splitter = BinaryFrameSplitter(maximumBytes: limit)
    var frames: [[UInt8]] = []
    var start = 0
    do throws(BinaryWireError) {
        while start < bytes.count {
            let end = start + min(size, bytes.count - start)
            try splitter.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { frames.append([UInt8]($0)) }
            precondition(splitter.heldBytes < limit, "more held than allowed")
            start = end
        }
        return (frames, nil)
    } catch {
        precondition(splitter.heldBytes == 0, "held something of a stream that is over")
        return (frames, error)
    }
}

private func checkClient(_ frame: [UInt8], _ version: BinaryVersion) {
    guard let packet = clientPacket(frame, version) else { return }
    var writer = BinaryClientWriter()
    switch packet {
    case .connect(let connect): writer.connect(connect)
    case .send(let send):
        precondition(!send.signature.isEmpty, "a message that signs nothing")
        writer.send(send, version: version)
    case .receiveAcknowledge(let id, let sequence, let header):
        writer.receiveAcknowledge(messageID: id, sequence: sequence, header: header)
    case .ping: writer.ping()
    case .disconnect(let reason, let text): writer.disconnect(reason: reason, text: text)
    case .subscribe(let subscribe): writer.subscribe(subscribe)
    }
    precondition(clientPacket(writer.bytes, version) == packet, "writing changed a packet of a client")
}

private func checkServer(_ frame: [UInt8], _ version: BinaryVersion) {
    guard let packet = serverPacket(frame, version) else { return }
    var writer = BinaryPacketWriter()
    switch packet {
    case .receive(let receive):
        guard let message = message(receive, version) else { return }
        let shared = BinaryReceiveTemplate(message, version: version)
        precondition(shared.signature == receive.signature, "both sides sign different things")
        writer.receive(shared, messageKey: receive.messageKey, payload: receive.payload)
    case .event(let id, let type, let timestamp, let data):
        guard version.hasEvents else { return }
        writer.event(id: id, type: type, timestampMilliseconds: timestamp, data: data, version: version)
    case .pong: writer.pong()
    case .disconnect(let reason, let text):
        guard let reason = WuKongReason(rawValue: Int(reason)) else { return }
        writer.disconnect(reason, text: text)
    case .sendAcknowledge(let answer):
        guard let reason = WuKongReason(rawValue: Int(answer.reason)) else { return }
        writer.sendAcknowledge(
            messageID: answer.messageID, clientSequence: answer.clientSequence, sequence: answer.sequence,
            reason: reason, header: answer.header)
    case .connectAcknowledge(let answer):
        // A server tells the version that it speaks, and the node along with it.
        guard let reason = WuKongReason(rawValue: Int(answer.reason)),
            answer.serverVersion == (answer.nodeID == nil ? nil : version.number)
        else { return }
        writer.connectAcknowledge(
            version: version, timeDifferenceMilliseconds: answer.timeDifferenceMilliseconds, reason: reason,
            serverKey: answer.serverKey, salt: answer.salt, nodeID: answer.nodeID ?? 0)
    case .subscribeAcknowledge(let answer):
        guard let reason = WuKongReason(rawValue: Int(answer.reason)),
            let action = BinarySubscribe.Action(rawValue: answer.action)
        else { return }
        let subscribe = BinarySubscribe(
            setting: [], number: answer.number, channelID: answer.channelID, channelType: answer.channelType,
            action: action, parameter: "")
        writer.subscribeAcknowledge(subscribe, reason: reason)
    }
    precondition(serverPacket(writer.bytes, version) == packet, "writing changed a packet of the server")
}

/// The message that a server would send this way; `nil` when none of ours would.
private func message(_ receive: BinaryReceive, _ version: BinaryVersion) -> ReceivedMessage? {
    guard let channelType = WuKongChannelType(rawValue: receive.channelType) else { return nil }
    let neverShown: UInt8 = version.hasEvents ? 0x14 : 0x16
    guard receive.setting.rawValue & neverShown == 0 else { return nil }
    return ReceivedMessage(
        header: receive.header, setting: receive.setting, messageID: receive.messageID,
        sequence: Int64(receive.sequence), timestampSeconds: Int64(receive.timestampSeconds),
        channelID: receive.channelID, channelType: channelType, fromUID: receive.fromUID, payload: [],
        payloadIsJSONObject: false, clientMessageNumber: receive.clientMessageNumber, topic: receive.topic,
        expire: receive.expire)
}

private func clientPacket(_ frame: [UInt8], _ version: BinaryVersion) -> BinaryClientPacket? {
    frame.withUnsafeBytes { try? BinaryClientPacket(decoding: $0, version: version) }
}

private func serverPacket(_ frame: [UInt8], _ version: BinaryVersion) -> BinaryServerPacket? {
    frame.withUnsafeBytes { try? BinaryServerPacket(decoding: $0, version: version) }
}
