import AdminAPI
import ChatModel

/// Actions on messages.
enum MessageActions {
    /// Sender of the server's own messages.
    static let system = UserName("____system")

    /// Takes messages back.
    ///
    /// - Parameter forGood: as if they had never been.
    static func recall(
        _ messages: [AdminMessage], of conversation: AdminConversation, forGood: Bool, _ look: Look
    ) -> [Intent] {
        guard let first = messages.first else { return look.nothing() }
        let (reference, key) = (
            conversation.reference, forGood ? "console.messages.recallForGood" : "console.messages.recall"
        )
        let operatorAction = OperatorAction(
            messages.map { .conversationDetails(.recall(reference, sequence: $0.sequence, forGood: forGood)) },
            done: look.counted("console.messages.recalled", messages.count))
        let names = messages.map { "\($0.sequence) \($0.senderName ?? $0.sender)" }
        var consequences = look.consequences(of: operatorAction)
        if messages.count == 1 { consequences.append("“\(look.message(first))”") }
        return [
            .propose(
                Proposal(
                    look(key) + ": " + look.names(names), consequences: consequences,
                    typed: forGood
                        ? String(messages.count == 1 ? first.sequence : Int64(messages.count))
                        : typedNumber(of: messages), operatorAction: operatorAction))
        ]
    }

    /// Gives a message other words, in a field of several lines that begins with those of now.
    static func edit(_ message: AdminMessage, of conversation: AdminConversation, _ look: Look) -> [Intent] {
        // A field that begins with half a text would lose the rest of it.
        guard [.text, .richText].contains(message.sketch.form), !message.isWithdrawn, !message.isCut else {
            return look.nothing("console.messages.editNot")
        }
        let reference = conversation.reference
        @Sendable func request(_ text: String) -> AdminRequest {
            .conversationDetails(.edit(reference, sequence: message.sequence, text: text))
        }
        let form = Form(
            look("console.messages.edit") + ": \(message.sequence) \(message.senderName ?? message.sender)",
            [Form.Field(look("table.text"), message.text, isMultiline: true)],
            check: { $0[0].contains { !$0.isWhitespace } ? nil : look("console.groups.textMissing") },
            submit: { values in
                var operatorAction = OperatorAction([request(values[0])], done: look("ctl.message.edited"))
                operatorAction.undo = OperatorAction(
                    [request(message.text)], done: look("console.messages.editUndone"))
                return [.perform(operatorAction)]
            })
        return [.form(form)]
    }

    static func writeAsSystem(_ conversation: AdminConversation, _ look: Look) -> [Intent] {
        // The system is neither of the two.
        guard conversation.kind != .direct, let system = Self.system else {
            return look.nothing("console.messages.systemNotDirect")
        }
        let reference = conversation.reference
        let form = Form(
            look("console.messages.systemTitle", ["name": conversation.name]),
            [Form.Field(look("table.text"), isMultiline: true)],
            check: { $0[0].isEmpty ? look("console.groups.textMissing") : nil },
            submit: { values in
                let send = AdminSend(from: system, to: .conversation(reference), text: values[0])
                return [.perform(OperatorAction([.send(send)], done: look("console.groups.written")))]
            })
        return [.form(form)]
    }

    /// First the member is chosen, then the reason is typed: both go into the audit log.
    static func seeAs(_ conversation: AdminConversation, _ look: Look) -> [Intent] {
        var configuration = SelectorConfiguration(.members(conversation.reference))
        configuration.title = look("console.seen.choose")
        return [
            .select(
                Selector(configuration) { people in
                    guard let name = people.first.flatMap({ UserName($0.id) }) else { return [] }
                    return [.form(Self.reasonForm(conversation, name, look))]
                })
        ]
    }

    private static func reasonForm(_ conversation: AdminConversation, _ member: UserName, _ look: Look) -> Form {
        let maximum = 500
        return Form(
            look("console.seen.title", ["name": member.text]),
            [Form.Field(look("console.seen.reason"), maximum: maximum)],
            check: { values in
                (1...maximum).contains(values[0].unicodeScalars.count) ? nil : look("console.seen.reasonHint")
            },
            command: { ["conversation", "see-as", conversation.reference, member.text, "--why", $0[0]] },
            submit: { [.open(SeenScreen(conversation, member, why: $0[0]))] })
    }
}
