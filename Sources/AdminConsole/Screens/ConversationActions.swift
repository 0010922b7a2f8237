import AdminAPI
import ChatModel

/// Actions on a conversation of any kind, wherever it is shown.
enum ConversationActions {
    enum Command { case rename, delete, export, attributes, find }

    static let bindings: [KeyBinding<Command>] = [
        KeyBinding(.character("r"), .rename, "console.talks.rename", isChange: true),
        KeyBinding(.delete, .delete, "console.talks.delete", isChange: true),
        KeyBinding(.character("E"), .export, "console.talks.export"),
        KeyBinding(.character("a"), .attributes, "console.attributes.open"),
        KeyBinding(.character("F"), .find, "console.search.find"),
    ]

    /// - Returns: `nil` for what is not done with conversations of any kind.
    static func update(_ command: Command, _ conversations: [AdminConversation], _ look: Look) -> [Intent] {
        guard let first = conversations.first else { return look.nothing() }
        let isDirect = first.kind == .direct
        switch command {
        case .export: return [.form(Self.exportForm(first, look))]
        case .find: return [.form(MessageSearch.form(in: first.reference, look) { MessageSearch.open($0) })]
        case .attributes:
            return isDirect ? look.nothing("console.attributes.notDirect") : [.open(AttributesScreen(first))]
        case .rename:
            return isDirect ? look.nothing("console.talks.notDirect") : [.form(Self.renameForm(first, look))]
        case .delete: return isDirect ? look.nothing("console.talks.notDirect") : Self.delete(conversations, look)
        }
    }

    // MARK: Making

    /// Two people are chosen.
    static func createDirect(_ look: Look) -> [Intent] {
        var configuration = SelectorConfiguration(.people)
        configuration.isMultiple = true
        configuration.maximumSelected = 2
        configuration.title = look("console.talks.chooseTwo")
        configuration.tip = look("console.talks.onlyTwo")
        return [
            .select(
                Selector(configuration) { people in
                    let names = people.compactMap { UserName($0.id) }
                    guard names.count == 2 else { return look.nothing("console.talks.onlyTwo") }
                    let operatorAction = OperatorAction(
                        [.conversationDetails(.createDirect(names[0], names[1]))],
                        done: look("console.talks.made"))
                    return [
                        .propose(
                            Proposal(
                                look("console.talks.createDirect") + ": " + look.names(people.map(\.name)),
                                consequences: [look("console.talks.directConsequence")], operatorAction: operatorAction)
                        )
                    ]
                })
        ]
    }

    static func roomForm(_ look: Look) -> Form {
        let fields = [
            Form.Field(look("table.name"), maximum: ChannelName.maximumScalars),
            Form.Field(look("table.title"), maximum: AdminProtocol.maximumTitleScalars),
        ]
        return Form(
            look("console.talks.createRoom"), fields,
            check: { values in
                guard ChannelName(values[0]) == nil else { return nil }
                let bound = ["name": values[0], "maximum": String(ChannelName.maximumScalars)]
                return values[0].isEmpty ? look("console.talks.roomHint") : look("ctl.badGroupName", bound)
            },
            placeholder: "NAME",
            submit: { values in
                guard let name = ChannelName(values[0]) else { return [] }
                let request = AdminConversationRequest.createRoom(name, title: values[1].isEmpty ? nil : values[1])
                return [.perform(OperatorAction([.conversationDetails(request)], done: look("console.talks.made")))]
            })
    }

    // MARK: Changing

    private static func renameForm(_ conversation: AdminConversation, _ look: Look) -> Form {
        let (reference, before) = (conversation.reference, conversation.title)
        @Sendable func operatorAction(_ title: String?) -> OperatorAction {
            OperatorAction(
                [.conversationDetails(.rename(reference, title: title))],
                done: look("ctl.conversation.renamed", ["name": conversation.name]))
        }
        return Form(
            look("console.talks.renameTitle", ["name": conversation.name]),
            [Form.Field(look("table.title"), before ?? "", maximum: AdminProtocol.maximumTitleScalars)],
            check: { values in
                let bound = AdminProtocol.maximumTitleScalars
                guard values[0].unicodeScalars.count > bound else { return nil }
                return look("console.talks.titleHint", ["maximum": String(bound)])
            },
            submit: { values in
                var change = operatorAction(values[0].isEmpty ? nil : values[0])
                change.undo = operatorAction(before)
                return [.perform(change)]
            })
    }

    private static func delete(_ conversations: [AdminConversation], _ look: Look) -> [Intent] {
        let targets = conversations.filter { $0.kind != .direct && !$0.isDisbanded }
        guard let first = targets.first else { return look.nothing("console.talks.areDeleted") }
        let members = targets.reduce(0) { $0 + $1.memberCount }
        let operatorAction = OperatorAction(
            targets.map { .conversationDetails(.delete($0.reference)) },
            done: look.counted("console.talks.deleted", targets.count))
        return [
            .propose(
                Proposal(
                    look("console.talks.delete") + ": " + look.names(targets.map(\.name)),
                    consequences: look.consequences(of: operatorAction) + [
                        look.counted("console.talks.deleteMembers", Int(members))
                    ], typed: targets.count == 1 ? first.name : String(targets.count), operatorAction: operatorAction))
        ]
    }

    /// Form for an export, which the console does itself as a shell would: it writes a file where the console runs, and
    /// may take long.
    private static func exportForm(_ conversation: AdminConversation, _ look: Look) -> Form {
        let command: @Sendable ([String]) -> [String] = { values in
            ["conversation", "export", conversation.reference, "--to", values[0].isEmpty ? "FILE" : values[0]]
        }
        return Form(
            look("console.talks.exportTitle", ["name": conversation.name, "count": String(conversation.head)]),
            [Form.Field(look("console.talks.file"))],
            check: { $0[0].isEmpty ? look("console.talks.fileHint") : nil }, command: command,
            submit: { [.run(command($0), input: [])] })
    }
}
