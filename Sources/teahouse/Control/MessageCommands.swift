import AdminAPI
import CommandLineKit

/// `teahouse ctl send`
let sendCommand = Command(
    "send", summary: "command.ctl.send", arguments: [CommandArgument("TEXT", help: "argument.text")],
    options: [
        CommandOption("from", .value("NAME"), help: "option.from", isRequired: true),
        CommandOption("to", .value("NAME"), help: "option.to"),
        CommandOption("group", .value("GROUP"), help: "option.group"),
        CommandOption("room", .value("ROOM"), help: "option.room"),
        CommandOption("conversation", .value("CONVERSATION"), help: "option.sendConversation"),
    ],
    examples: [
        "teahouse ctl send --from ming --to lan '你好，阿兰！'", "teahouse ctl send --from ming --group tea 'tea is ready'",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        let from = try control.userName(invocation.value("from") ?? "")
        var targets: [AdminSend.Target] = []
        if let name = invocation.value("to") { targets.append(.user(try control.userName(name))) }
        if let name = invocation.value("group") { targets.append(.group(try control.groupName(name))) }
        if let name = invocation.value("room") { targets.append(.room(try control.groupName(name))) }
        if let name = invocation.value("conversation") { targets.append(.conversation(name)) }
        guard let target = targets.first, targets.count == 1 else {
            throw CommandFailure(.usage, control.text("ctl.toOrGroup"))
        }
        let answer = try control.ask(.send(AdminSend(from: from, to: target, text: invocation.argument("TEXT"))))
        guard case .sent(let message) = answer else { throw control.unexpectedAnswer }
        let values = ["id": String(message.id.rawValue), "sequence": String(message.sequence)]
        try control.tell(answer, "ctl.message.sent", values)
    })

/// `teahouse ctl tail`
let tailCommand = Command(
    "tail", summary: "command.ctl.tail",
    options: [
        CommandOption("conversation", .value("CONVERSATION"), help: "option.conversation"),
        CommandOption("sessions", .flag, help: "option.sessions"),
    ],
    examples: ["teahouse ctl tail", "teahouse ctl tail --conversation tea"],
    body: Control.command { control throws(CommandFailure) in
        let conversation = control.invocation.value("conversation")
        let withSessions = control.invocation.has("sessions")
        guard case .following = try control.ask(.follow(conversation: conversation, withSessions: withSessions)) else {
            throw control.unexpectedAnswer
        }
        while true {
            let event = try control.talk { client throws(AdminError) in try client.nextEvent() }
            if control.wantsJSON {
                try control.print(json: event.json)
            } else {
                try control.terminal.print(control.line(for: event))
            }
        }
    })

extension Control {
    /// One line: time, conversation, sender, text.
    func line(for event: AdminEvent) -> String {
        switch event {
        case .message(let message):
            let conversation = DisplayText.escaped(message.conversationName)
            let sender = DisplayText.escaped(message.sender)
            let text = DisplayText.escaped(self.shown(message))
            return "\(localTime(message.sentAtMilliseconds))  \(conversation)  \(sender)  \(text)\n"
        case .opened(let session):
            return self.line(for: session, "ctl.tail.opened", at: session.openedAtMilliseconds)
        case .ended(let session, let reason):
            return self.line(for: session, "ctl.tail.ended", ["reason": reason], at: nil)
        case .transfers, .checking, .liveMetrics: return ""
        case .missed(let count): return self.text("ctl.tail.missed", ["count": String(count)]) + "\n"
        }
    }

    private func line(
        for session: AdminSession, _ key: String, _ more: [String: String] = [:], at milliseconds: Int64?
    ) -> String {
        let values = ["name": session.user.text, "device": session.device.name, "address": session.address]
        let words = self.text(key, values.merging(more) { $1 })
        return "\(localTime(milliseconds ?? self.now()))  \(words)\n"
    }
}
