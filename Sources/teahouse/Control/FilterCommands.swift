import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl filter`
let filterCommand = Command(
    group: "filter", summary: "command.ctl.filter",
    examples: ["teahouse ctl filter add --from spam --for ming --drop"],
    subcommands: operationCommands(below: "filter") + [filterAddCommand])

// The action is one of two options.
private let filterAddCommand = Command(
    "add", summary: "command.ctl.filter.add",
    options: [
        CommandOption("for", .value("NAME"), help: "option.filterFor"),
        CommandOption("from", .value("NAME"), help: "option.filterFrom"),
        CommandOption("kind", .number(-127, Int(Int32.max)), help: "option.filterKind"),
        CommandOption("word", .value("WORD"), help: "option.filterWord"),
        CommandOption("drop", .flag, help: "option.filterDrop"),
        CommandOption("text", .value("TEXT"), help: "option.filterText"),
        CommandOption("as", .number(1, Int(Int32.max)), help: "option.filterAs"),
    ],
    examples: [
        "teahouse ctl filter add --from spam --for ming --drop",
        "teahouse ctl filter add --word 外挂 --text '(removed)'",
    ],
    body: Control.command { control throws(CommandFailure) in
        let text = control.invocation.value("text")
        guard (text != nil) != control.invocation.has("drop") else {
            throw CommandFailure(.usage, control.text("ctl.filter.dropOrText"))
        }
        let asKind = control.invocation.number("as").map { MessageKind(rawValue: Int32(clamping: $0)) } ?? .text
        let rule = AdminFilterRule(
            receiver: try control.name("for"), sender: try control.name("from"), kind: control.filterKind,
            word: control.invocation.value("word"),
            action: text.map { .replace(text: $0, kind: asKind) } ?? .drop)
        let answer = try control.ask(.filters(.add(rule)))
        guard case .filters(.rule(let added)) = answer else { throw control.unexpectedAnswer }
        try control.tell(answer, "ctl.filter.added", ["number": String(added.number)])
    })

extension Control {
    /// Prints an answer about rules.
    func show(_ answer: AdminFilterAnswer) throws(CommandFailure) {
        switch answer {
        case .rules(let rules, _): try self.print(rules)
        case .rule(let rule), .tested(.some(let rule)): try self.print([rule])
        case .tested(.none): try self.terminal.print(self.text("ctl.filter.passes") + "\n")
        }
    }

    fileprivate var filterKind: MessageKind? {
        self.invocation.number("kind").map { MessageKind(rawValue: Int32(clamping: $0)) }
    }

    /// A person's name in an option; `nil` without it.
    fileprivate func name(_ option: String) throws(CommandFailure) -> UserName? {
        guard let text = self.invocation.value(option) else { return nil }
        return try self.userName(text)
    }

    fileprivate func print(_ rules: [AdminFilterRule]) throws(CommandFailure) {
        let all = self.text("word.all")
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.receiver", maximumWidth: 20),
                Table.Column("table.sender", maximumWidth: 20), Table.Column("table.kind", .right),
                Table.Column("table.word", maximumWidth: 20), Table.Column("table.action", maximumWidth: 48),
            ],
            rows: rules.map { rule in
                [
                    String(rule.number), rule.receiver?.text ?? all, rule.sender?.text ?? all,
                    rule.kind.map { String($0.rawValue) } ?? all, rule.word ?? all, self.action(of: rule),
                ]
            })
    }

    private func action(of rule: AdminFilterRule) -> String {
        guard case .replace(let text, let kind) = rule.action else { return self.text("word.filter.drop") }
        let values = ["text": text, "kind": String(kind.rawValue)]
        return self.text(kind == .text ? "word.filter.text" : "word.filter.kind", values)
    }
}
