import CLinux
import Glibc

/// WuKongIM's JSON-RPC over WebSocket, as its Easy SDKs speak it: one text frame per request, notification or reply.
///
/// Source: the requests that `wukong-easy-sdk` 0.1.0 sends, and the key names of its replies.
final class JSONBenchClient: WebSocketBenchClient {
    /// The server does not send a message back on the connection that it came from.
    let echoesToSender = false
    let usesTextFrames = true
    let upgrade: WebSocketUpgrade

    // Each key is used by one call at a time, which the compiler cannot prove and would check a million times a second.
    @exclusivity(unchecked) private var arrivalMethod = KeyFinder(#""method":"recv""#)
    @exclusivity(unchecked) private var arrivalID = KeyFinder(#""messageId":""#)
    @exclusivity(unchecked) private var arrivalSequence = KeyFinder(#""messageSeq":"#)
    @exclusivity(unchecked) private var arrivalPayload = KeyFinder(#""payload":"#)
    @exclusivity(unchecked) private var answerID = KeyFinder(#""id":""#)
    @exclusivity(unchecked) private var answerReason = KeyFinder(#""reasonCode":"#)
    @exclusivity(unchecked) private var errorCode = KeyFinder(#""code":"#)

    /// `host` goes into the upgrade request: the server's address and port.
    init(host: String) { self.upgrade = WebSocketUpgrade(host: host) }

    func signIn(_ connection: LoadConnection) {
        let account = connection.account
        let request = """
            {"id":"connect","method":"connect","params":{"uid":\(quoted(account.user)),"token":\(quoted(account.token)),\
            "deviceId":"bench-\(connection.index)","deviceFlag":2,"clientTimestamp":\(clinux_wall_milliseconds())}}
            """
        connection.unsent.append(WebSocketFrame.bytes(1, Array(request.utf8)))
        connection.phase = .signingIn
    }

    func read(
        _ text: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        if self.arrivalMethod.isWhereItWas(in: text) { return try self.readArrival(text, connection, traffic) }
        if self.answerID.isWhereItWas(in: text) { return try self.readAnswer(text, connection, traffic) }
        if self.arrivalMethod.end(in: text) != nil { return try self.readArrival(text, connection, traffic) }
        // A notification that is no message, such as an event, has no id: nothing to count.
        if self.answerID.end(in: text) != nil { return try self.readAnswer(text, connection, traffic) }
    }

    private func readAnswer(
        _ text: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        let reason = self.reason(in: text)
        if connection.phase == .signingIn {
            guard reason == 0 else {
                let answer = String(decoding: text, as: UTF8.self)
                throw .server("the server does not sign \(connection.account.user) in: \(answer)")
            }
            connection.phase = .ready
            return
        }
        guard let start = self.answerID.end(in: text), text.count >= start + 8 else {
            throw .server("an answer has another id than its request: \(String(decoding: text, as: UTF8.self))")
        }
        let slot = Stamp.readHex(text.baseAddress!.assumingMemoryBound(to: UInt8.self) + start)
        try traffic.answered(connection, slot: Int(slot), reason: reason)
    }

    /// 0 for success, which is reason 1 in this protocol; else the reason or the error's code.
    private func reason(in text: UnsafeRawBufferPointer) -> Int {
        if let start = self.answerReason.end(in: text), let (value, _) = text.number(at: start) {
            return value == 1 ? 0 : Int(truncatingIfNeeded: value)
        }
        if let start = self.errorCode.end(in: text), let (value, _) = text.number(at: start) {
            return Int(truncatingIfNeeded: value)
        }
        return -1
    }

    private func readArrival(
        _ text: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        guard let idStart = self.arrivalID.end(in: text), let id = text.quoted(at: idStart),
            let sequenceStart = self.arrivalSequence.end(in: text),
            let (sequence, sequenceEnd) = text.number(at: sequenceStart)
        else { throw .server("a recv lacks its messageId or messageSeq: \(String(decoding: text, as: UTF8.self))") }
        let sequenceText = text.part(sequenceStart, sequenceEnd - sequenceStart)
        Self.acknowledge(id, sequenceText, to: &connection.unsent)
        // A message of somebody else's making is acknowledged and not counted.
        guard let stamp = self.stamp(in: text) else { return }
        traffic.arrived(connection, stamp, sequence: sequence)
    }

    /// The payload comes as the JSON object that it is, or as its base64 text.
    private func stamp(in text: UnsafeRawBufferPointer) -> Stamp? {
        guard let start = self.arrivalPayload.end(in: text), start < text.count else { return nil }
        if text[start] == UInt8(ascii: "\"") {
            return MessageBody.stamp(inBase64: text.part(start + 1, text.count - start - 1))
        }
        return MessageBody.stamp(in: text.part(start, text.count - start))
    }
}
