import Glibc

extension JSONBenchClient {
    private static let acknowledgePrefix = StaticBytes(#"{"method":"recvack","params":{"header":{},"messageId":""#)
    private static let acknowledgeMiddle = StaticBytes(#"","messageSeq":"#)
    private static let acknowledgeSuffix = StaticBytes("}}")

    /// Tells the server that a message arrived, in the server's own digits.
    static func acknowledge(
        _ id: UnsafeRawBufferPointer, _ sequence: UnsafeRawBufferPointer, to unsent: inout ByteBuffer
    ) {
        let count =
            self.acknowledgePrefix.count + id.count + self.acknowledgeMiddle.count + sequence.count
            + self.acknowledgeSuffix.count
        let start = unsent.reserve(count + WebSocketFrame.longestHeader).assumingMemoryBound(to: UInt8.self)
        let header = WebSocketFrame.writeHeader(1, payloadCount: count, to: start)
        var out = UnsafeMutableRawPointer(start + header)
        memcpy(out, self.acknowledgePrefix.start, self.acknowledgePrefix.count)
        out += self.acknowledgePrefix.count
        memcpy(out, id.baseAddress!, id.count)
        out += id.count
        memcpy(out, self.acknowledgeMiddle.start, self.acknowledgeMiddle.count)
        out += self.acknowledgeMiddle.count
        memcpy(out, sequence.baseAddress!, sequence.count)
        out += sequence.count
        memcpy(out, self.acknowledgeSuffix.start, self.acknowledgeSuffix.count)
        unsent.commit(header + count)
    }

    func template(run: UInt32, sender: Int, to destination: Destination) -> MessageTemplate {
        let (channel, type) =
            switch destination {
            case .person(let user): (user, 1)
            case .group(let name): (name, 2)
            }
        var number = [UInt8](repeating: 0, count: 16)
        number.withUnsafeMutableBufferPointer { digits in
            Stamp.writeHex(UInt64(run), digits: 8, to: digits.baseAddress!)
            Stamp.writeHex(UInt64(sender), digits: 8, to: digits.baseAddress! + 8)
        }
        let body = MessageBody.bytes()
        var base64 = [UInt8](repeating: 0, count: body.count / 3 * 4)
        base64.withUnsafeMutableBufferPointer {
            MessageBody.encodeBase64(body, count: body.count, to: $0.baseAddress!)
        }
        var text = Array(#"{"id":""#.utf8)
        let slotOffset = text.count
        text += Array(
            #"00000000","method":"send","params":{"channelId":\#(quoted(channel)),"channelType":\#(type)"#.utf8)
        text += Array(#","clientMsgNo":"\#(String(decoding: number, as: UTF8.self))"#.utf8)
        let counterOffset = text.count
        text += Array(#"00000000","payload":""#.utf8)
        let stampOffset = text.count + MessageBody.base64StampOffset
        text += base64 + Array(#"","header":{"redDot":true}}}"#.utf8)
        let frame = WebSocketFrame.bytes(1, text)
        let header = frame.count - text.count
        return MessageTemplate(
            bytes: frame, slotOffset: header + slotOffset, counterOffset: header + counterOffset,
            stampOffset: header + stampOffset)
    }

    func write(_ stamp: Stamp, slot: Int, of sender: Sender, to connection: LoadConnection) {
        let count = sender.template.bytes.count
        let out = connection.unsent.reserve(count).assumingMemoryBound(to: UInt8.self)
        memcpy(out, sender.template.bytes, count)
        Stamp.writeHex(UInt64(slot), digits: 8, to: out + sender.template.slotOffset)
        Stamp.writeHex(UInt64(stamp.counter), digits: 8, to: out + sender.template.counterOffset!)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Stamp.count) { plain in
            stamp.write(to: plain.baseAddress!)
            MessageBody.encodeBase64(plain.baseAddress!, count: Stamp.count, to: out + sender.template.stampOffset)
        }
        connection.unsent.commit(count)
    }
}
