import AdminAPI
import ChatModel

extension AdminConversation {
    /// Name of the conversation in requests and for `ctl`.
    var reference: String { "id:\(self.number)" }

    /// The name of a group that can be changed; `nil` for other kinds.
    var groupName: ChannelName? { self.kind == .group ? ChannelName(self.name) : nil }
}

/// Actions on a conversation, wherever it is shown.
enum GroupActions {
    enum Command { case add, write, notice, ban, unban, silence, unsilence, card }

    static let bindings: [KeyBinding<Command>] = [
        KeyBinding(.character("+"), .add, "console.groups.add", isChange: true),
        KeyBinding(.character("w"), .write, "console.groups.write", isChange: true),
        KeyBinding(.character("t"), .notice, "console.groups.notice", isChange: true),
        KeyBinding(.character("b"), .ban, "console.groups.ban", isChange: true),
        KeyBinding(.character("B"), .unban, "console.groups.unban", isChange: true),
        KeyBinding(.character("s"), .silence, "console.groups.mute", isChange: true),
        KeyBinding(.character("S"), .unsilence, "console.groups.unmute", isChange: true),
        KeyBinding(.character("c"), .card, "console.groups.card"),
    ]

    /// - Parameter notice: the announcement of the first one, when it is known.
    static func update(
        _ command: Command, _ conversations: [AdminConversation], notice: String = "", members: [String] = [],
        _ look: Look
    ) -> [Intent] {
        guard !conversations.isEmpty else { return look.nothing() }
        let groups = conversations.compactMap(\.groupName)
        guard let group = groups.first else { return look.nothing("console.groups.only") }
        switch command {
        case .card: return [.open(TeamCardScreen(group, hidden: look.hiddenRows))]
        case .add: return [Self.addMembers(group, members: members, look)]
        case .write: return [.form(Self.writeForm(group, look))]
        case .notice: return [.form(Self.noticeForm(group, notice, look))]
        case .ban, .unban:
            return Self.turn(groups, command == .ban, "ban", look) { .teams(.setBanned($0, $1)) }
        case .silence, .unsilence:
            return Self.turn(groups, command == .silence, "mute", look) { .teams(.mute($0, $1 ? .members : .none)) }
        }
    }

    /// First the members are chosen, then the name is typed.
    static func create(_ look: Look) -> [Intent] {
        var configuration = SelectorConfiguration(.people)
        configuration.isMultiple = true
        configuration.title = look("console.groups.chooseMembers")
        return [
            .select(Selector(configuration) { people in [.form(Self.createForm(people.map(\.id), look))] })
        ]
    }

    private static func createForm(_ members: [String], _ look: Look) -> Form {
        let fields = [
            Form.Field(look("table.name"), maximum: ChannelName.maximumScalars),
            Form.Field(look("table.title"), maximum: AdminProtocol.maximumTitleScalars),
            Form.Field(
                look("table.owner"), choices: [("", look("console.groups.noOwner"))] + members.map { ($0, $0) }),
            Form.Field(
                look("table.form"),
                choices: [("", look("console.groups.plain"))]
                    + [TeamForm.advanced, .normal].map(\.word).map { ($0, look("card.row.kind.\($0)")) }),
        ]
        return Form(
            look("console.groups.createTitle", ["count": String(members.count), "names": look.names(members)]), fields,
            check: { values in
                guard ChannelName(values[0]) == nil else { return nil }
                let bound = ["name": values[0], "maximum": String(ChannelName.maximumScalars)]
                return values[0].isEmpty ? look("console.groups.nameMissing") : look("ctl.badGroupName", bound)
            },
            placeholder: "GROUP",
            submit: { values in
                guard let name = ChannelName(values[0]) else { return [] }
                let team = AdminNewTeam(
                    name: name, form: TeamForm(word: values[3]), title: values[1].isEmpty ? nil : values[1],
                    owner: UserName(values[2]), members: members.compactMap { UserName($0) })
                let key = team.form == nil ? "ctl.group.created" : "ctl.team.created"
                let done = look(key, ["name": name.text, "count": String(members.count)])
                return [.perform(OperatorAction([.teams(.create(team))], done: done))]
            })
    }

    private static func addMembers(_ group: ChannelName, members: [String], _ look: Look) -> Intent {
        var configuration = SelectorConfiguration(.people)
        configuration.isMultiple = true
        configuration.filterIDs = Set(members)
        configuration.title = look("console.groups.addTitle", ["name": group.text])
        return .select(
            Selector(configuration) { people in
                let names = people.compactMap { UserName($0.id) }
                let words = people.map(\.id)
                let values = ["name": group.text, "count": String(names.count)]
                let operatorAction = OperatorAction(
                    [.teams(.add(group, names))], done: look("ctl.group.added", values),
                    undone: look("ctl.group.removed", values))
                return [
                    .propose(
                        Proposal(
                            look("console.groups.addTitle", ["name": group.text]) + ": " + look.names(words),
                            consequences: [look("console.groups.addConsequence")], typed: typedNumber(of: names),
                            operatorAction: operatorAction))
                ]
            })
    }

    private static func writeForm(_ group: ChannelName, _ look: Look) -> Form {
        Form(
            look("console.groups.writeTitle", ["name": group.text]),
            [
                Form.Field(look("table.sender"), maximum: UserName.maximumScalars),
                Form.Field(look("table.text"), isMultiline: true),
            ],
            check: { values in
                if UserName(values[0]) == nil { return look("console.groups.senderMissing") }
                return values[1].isEmpty ? look("console.groups.textMissing") : nil
            },
            submit: { values in
                guard let sender = UserName(values[0]) else { return [] }
                let send = AdminSend(from: sender, to: .group(group), text: values[1])
                return [.perform(OperatorAction([.send(send)], done: look("console.groups.written")))]
            })
    }

    private static func noticeForm(_ group: ChannelName, _ notice: String, _ look: Look) -> Form {
        Form(
            look("console.groups.noticeTitle", ["name": group.text]),
            [Form.Field(look("table.notice"), notice, isMultiline: true)],
            submit: { values in
                let key = values[0].isEmpty ? "ctl.group.noticeRemoved" : "ctl.group.noticeSet"
                let done = look(key, ["name": group.text])
                return [.perform(OperatorAction([.teams(.setNotice(group, values[0]))], done: done))]
            })
    }

    private static func turn(
        _ groups: [ChannelName], _ isOn: Bool, _ word: String, _ look: Look,
        request: @escaping @Sendable (ChannelName, Bool) -> AdminRequest
    ) -> [Intent] {
        func key(_ isOn: Bool) -> String { "console.groups.\(isOn ? word : "un\(word)")" }
        func done(_ isOn: Bool) -> String { look.counted(key(isOn) + "Done", groups.count) }
        let change = OperatorAction(groups.map { request($0, isOn) }, done: done(isOn), undone: done(!isOn))
        let action = key(isOn)
        return [
            .propose(
                Proposal(
                    look(action) + ": " + look.names(groups.map(\.text)), consequences: look.consequences(of: change),
                    typed: typedNumber(of: groups), operatorAction: change))
        ]
    }
}
