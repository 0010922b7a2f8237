import Glibc
import LeanCloudWire

/// LeanCloud's realtime protocol in its binary form over WebSocket, `lc.protobuf2.3`: one command in each message.
///
/// It does what the Swift SDK does: the client is alone on its connection and therefore leaves its name out, and every
/// arrival is acknowledged by itself. Conversations are made, or found, before anybody sends.
///
/// Source: schema `push_server.messages2`, as `LeanCloudWire` has it, and the feature bits that the Swift SDK sends.
final class LeanCloudBenchClient: WebSocketBenchClient {
    /// The server does not send a message back on the connection that it came from.
    let echoesToSender = false

    let usesTextFrames = false
    let upgrade: WebSocketUpgrade
    private let appID: String
    /// Conversations that waiting connections have asked for, by index.
    private var sought: [Int: Destination] = [:]
    /// Their ids.
    private var conversations: [Destination: String] = [:]

    private static let subprotocol = LeanCloudSubprotocol(.binary, .countsMissedMessages)
    private static let features = ConfigBitmap(rawValue: 187)
    private static let signInNumber: Int32 = 1
    private static let seekNumber: Int32 = 2
    /// Limits of a command: missed messages come in one, which may be long.
    private static let limits = WireLimits(frameBytes: 1 << 20, fields: 1 << 16)

    /// The commands that are looked at.
    private enum Kind: UInt64 { case session = 0, conversation = 1, direct = 2, acknowledge = 3, error = 7 }

    /// - Parameters:
    ///   - host: for the upgrade request: the server's address and port.
    ///   - appID: the id of the server's app.
    init(host: String, appID: String) {
        self.upgrade = WebSocketUpgrade(host: host, subprotocol: Self.subprotocol.name)
        self.appID = appID
    }

    // MARK: Signing in

    /// The account's token stands where a signature would: a server that asks for tokens takes it, one that asks for
    /// nothing does not look at it.
    func signIn(_ connection: LoadConnection) {
        var session = SessionCommand()
        session.ua = "teahouse-bench"
        session.s = connection.account.token
        session.deviceId = "bench-\(connection.index)"
        session.configBitmap = Self.features
        var command = GenericCommand()
        command.cmd = .session
        command.op = .open
        command.appId = self.appID
        command.peerId = connection.account.user
        command.i = Self.signInNumber
        command.sessionMessage = session
        Self.send(command, to: connection)
        connection.phase = .signingIn
    }

    private static func send(_ command: GenericCommand, to connection: LoadConnection) {
        connection.unsent.append(WebSocketFrame.bytes(2, command.encoded()))
    }

    // MARK: Conversations

    /// Two people have one conversation, which the first of them makes; a group is looked for by its name among those
    /// that the sender is in, unless the name is an id.
    func seek(_ destination: Destination, _ connection: LoadConnection) -> Bool {
        let user = connection.account.user
        var command = GenericCommand()
        command.cmd = .conv
        command.i = Self.seekNumber
        var body = ConvCommand()
        switch destination {
        case .person(let other):
            command.op = .start
            body.m = [user, other]
            body.unique = true
        case .group(let name):
            guard LeanCloudObjectID(name) == nil else {
                self.conversations[destination] = name
                return false
            }
            command.op = .query
            var condition = JsonObjectMessage()
            condition.data = #"{"name":\#(quoted(name)),"m":\#(quoted(user))}"#
            body.where = condition
            body.limit = 1
            // Without its members.
            body.flag = 1
        }
        command.convMessage = body
        Self.send(command, to: connection)
        self.sought[connection.index] = destination
        connection.phase = .seeking
        return true
    }

    private func found(_ answer: ConvCommand, _ connection: LoadConnection) throws(BenchError) {
        guard let destination = self.sought.removeValue(forKey: connection.index) else {
            throw .server("the server answers \(connection.account.user) what was not asked")
        }
        let (id, name) =
            switch destination {
            case .person(let user): (answer.cid, "with \(user)")
            case .group(let group): (Self.firstID(in: answer.results?.data ?? ""), "called \(group)")
            }
        guard let id, (1...LeanCloudArrival.longestID).contains(id.utf8.count) else {
            throw .server("\(connection.account.user) is in no conversation \(name)")
        }
        self.conversations[destination] = id
        connection.phase = .ready
    }

    /// The id of the first row of a query's result.
    private static func firstID(in rows: String) -> String? {
        Array(rows.utf8).withUnsafeBytes { rows in
            var key = KeyFinder(#""objectId":""#)
            return key.end(in: rows).flatMap { rows.quoted(at: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    // MARK: Receiving

    /// The commands that come a million times a second are read where they lie; the others become values.
    func read(
        _ command: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        var fields = LeanCloudFields(command)
        var kind: Kind?
        var number: Int?
        var body = UnsafeRawBufferPointer(start: nil, count: 0)
        while try fields.next() {
            switch fields.number {
            case 1: kind = Kind(rawValue: fields.value)
            case 5: number = Int(truncatingIfNeeded: fields.value)
            case 104, 105: body = fields.content
            default: break
            }
        }
        switch kind {
        case .direct?: try self.readArrival(body, connection, traffic)
        case .acknowledge?: try Self.readAnswer(body, number, connection, traffic)
        case .session?, .conversation?, .error?: try self.handle(Self.decoded(command), connection, traffic)
        case nil: break
        }
    }

    private static func decoded(_ command: UnsafeRawBufferPointer) throws(BenchError) -> GenericCommand {
        do throws(LeanCloudWireError) {
            return try GenericCommand(decoding: command, limits: self.limits)
        } catch {
            throw .server("the server sent \(error)")
        }
    }

    private func readArrival(
        _ direct: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        let arrival = try LeanCloudArrival(direct)
        arrival.acknowledge(to: &connection.unsent)
        // A message of somebody else's making is acknowledged and not counted. Clients see no sequence.
        guard let stamp = LeanCloudBody.stamp(in: arrival.content) else { return }
        traffic.arrived(connection, stamp, sequence: 0)
    }

    /// An AckCommand: code 1, which is there when the server refuses; uid 6, the id of a message that it took.
    private static func readAnswer(
        _ acknowledge: UnsafeRawBufferPointer, _ number: Int?, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        guard let number else { throw .server("an ack lacks the number of the message that it answers") }
        var code: Int?
        var hasID = false
        var fields = LeanCloudFields(acknowledge)
        while try fields.next() {
            switch fields.number {
            case 1: code = Int(truncatingIfNeeded: fields.value)
            case 6: hasID = fields.content.count > 0
            default: break
            }
        }
        // 0 would be a yes here.
        let reason = code.map { $0 == 0 ? -1 : $0 } ?? (hasID ? 0 : -1)
        try traffic.answered(connection, slot: number - LeanCloudTemplate.firstNumber, reason: reason)
    }

    private func handle(
        _ command: GenericCommand, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        let user = connection.account.user
        switch (command.cmd, command.op) {
        case (.session?, .opened?):
            guard connection.phase == .signingIn else { throw .server("the server signs \(user) in a second time") }
            connection.phase = .ready
        case (.session?, .closed?):
            let end = Self.words(command.sessionMessage?.reason, command.sessionMessage?.code)
            throw .server("the server ends the session of \(user): \(end)")
        case (.conv?, .started?), (.conv?, .results?):
            if let body = command.convMessage { try self.found(body, connection) }
        case (.error?, _): try Self.refused(command, connection, traffic)
        default: break
        }
    }

    private static func refused(
        _ command: GenericCommand, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        let (fault, user) = (command.errorMessage, connection.account.user)
        if let number = command.i.map(Int.init), number >= LeanCloudTemplate.firstNumber {
            return try traffic.answered(
                connection, slot: number - LeanCloudTemplate.firstNumber, reason: fault.map { Int($0.code) } ?? -1)
        }
        let words = Self.words(fault?.reason, fault?.code)
        switch connection.phase {
        case .signingIn: throw .server("the server does not sign \(user) in: \(words)")
        case .seeking: throw .server("the server gives \(user) no conversation: \(words)")
        case .connecting, .upgrading, .subscribing, .ready, .closed:
            throw .server("the server refuses \(user): \(words)")
        }
    }

    private static func words(_ reason: String?, _ code: Int32?) -> String {
        "\(reason ?? "no reason") (\(code.map { String($0) } ?? "no code"))"
    }

    // MARK: Sending

    func template(run: UInt32, sender: Int, to destination: Destination) -> MessageTemplate {
        guard let conversation = self.conversations[destination] else {
            preconditionFailure("a message to a conversation that nobody looked for")
        }
        return LeanCloudTemplate.make(run: run, sender: sender, to: conversation)
    }

    func write(_ stamp: Stamp, slot: Int, of sender: Sender, to connection: LoadConnection) {
        let template = sender.template
        let count = template.bytes.count
        let out = connection.unsent.reserve(count).assumingMemoryBound(to: UInt8.self)
        memcpy(out, template.bytes, count)
        LeanCloudTemplate.writeNumber(slot: slot, to: out + template.slotOffset)
        Stamp.writeHex(UInt64(stamp.counter), digits: 8, to: out + template.counterOffset!)
        stamp.write(to: out + template.stampOffset)
        connection.unsent.commit(count)
    }
}
