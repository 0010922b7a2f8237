import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl kind`
let kindCommand = Command(
    group: "kind", summary: "command.ctl.kind", examples: ["teahouse ctl kind set 500 --sample card"],
    subcommands: operationCommands(
        below: "kind", bodies: ["try": { control, request throws(CommandFailure) in try control.tryKind(request) }])
        + [kindShowCommand, kindSetCommand])

private let numberArgument = CommandArgument("NUMBER", help: "argument.kindNumber")

// One is picked out of the list.
private let kindShowCommand = Command(
    "show", summary: "command.ctl.kind.show", arguments: [numberArgument], examples: ["teahouse ctl kind show 500"],
    body: Control.command { control throws(CommandFailure) in
        let kind = try control.kindNumber()
        guard let found = try control.kinds().first(where: { $0.entry.kind == kind }) else {
            throw CommandFailure(.notFound, control.text("ctl.kind.none", ["number": String(kind.rawValue)]))
        }
        if control.wantsJSON { return try control.print(json: AdminAnswer.kinds(.kind(found)).json) }
        let entry = found.entry
        var fields = FieldList()
        fields.add(control.text("table.number"), String(entry.kind.rawValue))
        fields.add(control.text("table.name"), entry.name)
        fields.add(control.text("table.version"), String(entry.version))
        fields.add(control.text("table.required"), entry.requiredFields.joined(separator: ", "))
        fields.add(control.text("table.fileFields"), entry.fileFields.joined(separator: ", "))
        fields.add(control.text("table.degrade"), entry.degrade)
        fields.add(control.text("table.title"), entry.typeTitle)
        fields.add(control.text("table.summary"), entry.summary)
        fields.add(control.text("table.digest"), entry.digest)
        if !entry.renderer.isEmpty { fields.add(control.text("table.renderer"), entry.renderer) }
        fields.add(control.text("table.state"), control.state(of: entry))
        fields.add(control.text("table.undecodable"), String(found.undecodable))
        try control.terminal.print(fields.text)
    })

// Fields that are not given stay as they are.
private let kindSetCommand = Command(
    "set", summary: "command.ctl.kind.set", arguments: [numberArgument],
    options: [
        CommandOption("sample", .choice(KindSample.allCases.map(\.rawValue)), help: "option.kindSample"),
        CommandOption("name", .value("NAME"), help: "option.kindName"),
        CommandOption("version", .number(1, 1_000_000), help: "option.kindVersion"),
        CommandOption("required", .value("FIELDS"), help: "option.kindRequired"),
        CommandOption("files", .value("FIELDS"), help: "option.kindFiles"),
        CommandOption("degrade", .value("TEXT"), help: "option.kindDegrade"),
        CommandOption("type-title", .value("TEXT"), help: "option.kindTitle"),
        CommandOption("summary", .value("TEXT"), help: "option.kindSummary"),
        CommandOption("digest", .value("TEXT"), help: "option.kindDigest"),
        CommandOption("renderer", .value("JSON"), help: "option.kindRenderer"),
    ],
    examples: [
        "teahouse ctl kind set 500 --sample link",
        "teahouse ctl kind set 501 --name gift --required amount --degrade '请升级应用' --type-title 红包 --summary 收到红包",
        "teahouse ctl kind set 501 --digest '[红包] {amount}'",
    ],
    body: Control.command { control throws(CommandFailure) in
        let kind = try control.kindNumber()
        let known = try control.kinds().first { $0.entry.kind == kind }?.entry
        let sample = control.invocation.value("sample").flatMap(KindSample.init)
        var entry =
            sample?.entry(kind, control) ?? known
            ?? MessageKindEntry(kind: kind, name: "", degrade: "", typeTitle: "", summary: "")
        control.apply(to: &entry)
        let answer = try control.ask(.kinds(.set(entry)))
        try control.tell(answer, "ctl.kind.set", ["number": String(kind.rawValue), "name": entry.name])
    })

/// Kinds to begin with.
private enum KindSample: String, CaseIterable {
    /// Somebody's name card: `{"clientId","name","avatar"}`.
    case card
    /// A moving picture: `{"url","width","height"}`.
    case gif
    /// A link with a picture: `{"url","title","summary","image"}`.
    case link
    /// Two lines: `{"title","subTitle"}`.
    case title

    /// The texts are in the operator's language, as the people's mostly is.
    func entry(_ kind: MessageKind, _ control: Control) -> MessageKindEntry {
        let text: (String) -> String = { control.text("kind.sample.\(self.rawValue).\($0)") }
        var entry = MessageKindEntry(
            kind: kind, name: self.rawValue, degrade: control.text("kind.sample.degrade"), typeTitle: text("title"),
            summary: text("summary"))
        switch self {
        case .card:
            entry.requiredFields = ["clientId"]
            // Source: ChatKit-OC, the name card: without a name, whose id it is.
            entry.digest = "[\(entry.typeTitle)] {name|clientId}"
        case .gif:
            entry.requiredFields = ["url"]
            entry.fileFields = ["url"]
        case .link:
            entry.requiredFields = ["url", "title"]
            entry.fileFields = ["image"]
            entry.digest = "[\(entry.typeTitle)] {title}"
        case .title:
            entry.requiredFields = ["title", "subTitle"]
            entry.digest = "{title}"
        }
        return entry
    }
}

extension Control {
    func print(_ kinds: [AdminMessageKind]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.name"),
                Table.Column("table.version", .right), Table.Column("table.title"),
                Table.Column("table.digest", maximumWidth: 40), Table.Column("table.state"),
                Table.Column("table.undecodable", .right),
            ],
            rows: kinds.map {
                [
                    String($0.entry.kind.rawValue), $0.entry.name, String($0.entry.version), $0.entry.typeTitle,
                    $0.entry.digest, self.state(of: $0.entry), String($0.undecodable),
                ]
            })
    }

    /// Shows what would be shown of a body, and fails for one that cannot be read.
    fileprivate func tryKind(_ request: AdminRequest) throws(CommandFailure) {
        let answer = try self.ask(request)
        guard case .kinds(.tried(let trial)) = answer else { throw self.unexpectedAnswer }
        if self.wantsJSON {
            try self.print(json: answer.json)
        } else {
            var fields = FieldList()
            fields.add(self.text("table.digest"), trial.line)
            fields.add(self.text("table.title"), trial.typeTitle)
            fields.add(self.text("table.summary"), trial.summary)
            fields.add(self.text("table.degrade"), trial.degrade)
            try self.terminal.print(fields.text)
        }
        switch trial.problem {
        case nil: return
        case .noObject: throw CommandFailure(.refused, self.text("ctl.kind.noObject"))
        case .missing(let field): throw CommandFailure(.refused, self.text("ctl.kind.missing", ["field": field]))
        case .newerVersion(let version):
            throw CommandFailure(.refused, self.text("ctl.kind.newer", ["version": String(version)]))
        }
    }

    fileprivate func kinds() throws(CommandFailure) -> [AdminMessageKind] {
        guard case .kinds(.kinds(let kinds)) = try self.ask(.kinds(.list)) else { throw self.unexpectedAnswer }
        return kinds
    }

    fileprivate func kindNumber() throws(CommandFailure) -> MessageKind {
        let text = self.invocation.argument("NUMBER")
        guard let number = Int32(text), number > 0 else {
            throw CommandFailure(.usage, self.text("ctl.kind.badNumber", ["text": text]))
        }
        return MessageKind(rawValue: number)
    }

    fileprivate func state(of entry: MessageKindEntry) -> String {
        self.text(entry.isDisabled ? "word.disabled" : "word.active")
    }

    /// Applies the options; a missing option leaves its field as it is.
    fileprivate func apply(to entry: inout MessageKindEntry) {
        let typed = self.invocation
        if let name = typed.value("name") { entry.name = name }
        if let version = typed.number("version") { entry.version = Int64(version) }
        if let fields = typed.value("required") { entry.requiredFields = Self.names(fields) }
        if let fields = typed.value("files") { entry.fileFields = Self.names(fields) }
        if let text = typed.value("degrade") { entry.degrade = text }
        if let text = typed.value("type-title") { entry.typeTitle = text }
        if let text = typed.value("summary") { entry.summary = text }
        if let text = typed.value("digest") { entry.digest = text }
        if let text = typed.value("renderer") { entry.renderer = text }
    }

    private static func names(_ text: String) -> [String] { text.split(separator: ",").map { String($0) } }
}
