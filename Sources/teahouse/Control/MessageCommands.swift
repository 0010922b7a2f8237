import AdminAPI
import CommandLineKit

/// `teahouse ctl send`
let sendCommand = {
    var command = operationCommand("send")
    // A file may stand for it.
    for place in command.arguments.indices { command.arguments[place].isOptional = true }
    command.options.append(CommandOption("file", .value("FILE"), help: "option.sendFile"))
    command.examples.append("teahouse ctl send --from ming --group tea --file note.txt")
    return command
}()

/// `teahouse ctl tail`, which goes on until it is stopped.
let tailCommand = operationCommand("tail") { control, request throws(CommandFailure) in
    try control.refuseEndless()
    guard case .following = try control.ask(request) else { throw control.unexpectedAnswer }
    while true {
        let event = try control.talk { client throws(AdminError) in try client.nextEvent() }
        if control.wantsJSON {
            try control.print(json: event.json)
        } else {
            try control.terminal.print(control.line(for: event))
        }
    }
}

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
        case .transfers, .checking, .backingUp, .liveMetrics: return ""
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
