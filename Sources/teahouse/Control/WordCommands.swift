import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl word`
let wordCommand = Command(
    group: "word", summary: "command.ctl.word", examples: ["teahouse ctl word add 外挂 --action refuse"],
    subcommands: operationCommands(
        below: "word", bodies: ["list": wordListBody, "flagged": wordFlaggedBody],
        options: [
            "list": [
                CommandOption("action", .choice(WordAction.allCases.map(\.rawValue)), help: "option.onlyWordAction")
            ],
            "flagged": [CommandOption("limit", .number(1, 100_000), help: "option.flaggedLimit")],
        ]) + [wordAddCommand, wordRemoveCommand, wordImportCommand])

private let wordsArgument = CommandArgument("WORDS", help: "argument.words", isRepeated: true)
private let actionOption = CommandOption(
    "action", .choice(WordAction.allCases.map(\.rawValue)), help: "option.wordAction", isRequired: true)

/// Prints the rules of one action out of all pages, or all.
private let wordListBody: OperationBody = { control, request throws(CommandFailure) in
    let wanted = control.invocation.value("action").flatMap(WordAction.init)
    guard case .words(.rules(let all, _)) = try control.askAll(request) else {
        throw control.unexpectedAnswer
    }
    let rules = all.filter { wanted == nil || $0.action == wanted }
    if control.wantsJSON { return try control.print(json: AdminAnswer.words(.rules(rules, next: nil)).json) }
    try control.print(rules)
}

// Long lists are sent in pieces, here and in the two below.
private let wordAddCommand = Command(
    "add", summary: "command.ctl.word.add", arguments: [wordsArgument], options: [actionOption],
    examples: ["teahouse ctl word add 外挂 代练 --action refuse", "teahouse ctl word add damn --action mask"],
    body: Control.command { control throws(CommandFailure) in
        let action = control.wordAction
        let rules = control.invocation.list("WORDS").map { WordRule($0, action) }
        try control.tellChanged(try control.inPieces(rules) { .words(.add($0)) }, "ctl.word.added")
    })

private let wordRemoveCommand = Command(
    "remove", summary: "command.ctl.word.remove", arguments: [wordsArgument],
    examples: ["teahouse ctl word remove 代练"],
    body: Control.command { control throws(CommandFailure) in
        let words = control.invocation.list("WORDS")
        try control.tellChanged(try control.inPieces(words) { .words(.remove($0)) }, "ctl.word.removed")
    })

private let wordImportCommand = Command(
    "import", summary: "command.ctl.word.import",
    arguments: [CommandArgument("FILE", help: "argument.wordFile")], options: [actionOption],
    examples: [
        "teahouse ctl word import words.txt --action mask", "teahouse ctl word import - --action flag",
    ],
    body: Control.command { control throws(CommandFailure) in
        let action = control.wordAction
        let path = control.invocation.argument("FILE")
        var rules: [WordRule] = []
        // All are looked at before the first is sent.
        try control.forEachLine(of: path) { line, number throws(CommandFailure) in
            let rule = WordRule(line, action)
            guard let problem = rule.problem else { return rules.append(rule) }
            let values = ["path": path, "line": String(number), "problem": problem]
            throw CommandFailure(.refused, control.text("ctl.word.badLine", values))
        }
        try control.tellChanged(try control.inPieces(rules) { .words(.add($0)) }, "ctl.word.added")
    })

/// Prints the messages of as many pages as the limit takes, which is of all of them.
private let wordFlaggedBody: OperationBody = { control, _ throws(CommandFailure) in
    let most = control.invocation.number("limit") ?? 50
    var messages: [AdminFlagged] = []
    var before: Int64?
    repeat {
        guard case .words(.flagged(let page, let next)) = try control.ask(.words(.flagged(before: before))) else {
            throw control.unexpectedAnswer
        }
        messages += page.prefix(most - messages.count)
        before = messages.count < most ? next : nil
    } while before != nil
    if control.wantsJSON { return try control.print(json: AdminAnswer.words(.flagged(messages, next: nil)).json) }
    try control.print(
        [
            Table.Column("table.time"), Table.Column("table.conversation", maximumWidth: 32),
            Table.Column("table.sequence", .right), Table.Column("table.sender", maximumWidth: 20),
            Table.Column("table.word"),
        ],
        rows: messages.map {
            [localTime($0.atMilliseconds), $0.conversationName, String($0.sequence), $0.sender, $0.word]
        })
}

extension Control {
    /// Action of `--action`; the parser has checked that it is there.
    fileprivate var wordAction: WordAction { self.invocation.value("action").flatMap(WordAction.init) ?? .refuse }

    /// Sends a long list in requests of the size that the server takes, and adds up what they changed.
    fileprivate func inPieces<Item>(
        _ items: [Item], _ request: ([Item]) -> AdminRequest
    ) throws(CommandFailure) -> Int64 {
        var count: Int64 = 0
        var rest = items[...]
        while !rest.isEmpty {
            count += try self.count(request(Array(rest.prefix(AdminProtocol.wordRows))))
            rest = rest.dropFirst(AdminProtocol.wordRows)
        }
        return count
    }

    fileprivate func tellChanged(_ count: Int64, _ key: String) throws(CommandFailure) {
        try self.tell(.count(count), count == 0 ? "ctl.unchanged" : key, ["count": String(count)])
    }

    func print(_ test: AdminWordTest) throws(CommandFailure) {
        let key = test.action.map { "ctl.word.test.\($0.rawValue)" } ?? "ctl.word.test.pass"
        try self.terminal.print(self.text(key, ["text": test.masked ?? ""]) + "\n")
        if !test.hits.isEmpty { try self.print(test.hits) }
    }

    fileprivate func print(_ rules: [WordRule]) throws(CommandFailure) {
        try self.print(
            [Table.Column("table.word"), Table.Column("table.action")],
            rows: rules.map { [$0.word, self.text("word.action.\($0.action.rawValue)")] })
    }
}
