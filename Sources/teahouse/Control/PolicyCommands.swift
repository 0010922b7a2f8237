import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl policy`
let policyCommand = Command(
    group: "policy", summary: "command.ctl.policy", examples: ["teahouse ctl policy show"],
    subcommands: operationCommands(below: "policy") + [policyPreviewCommand, policySetCommand])

private let policyArgument = CommandArgument("POLICY", help: "argument.policy", isRepeated: true)

extension Control {
    fileprivate func policy() throws(CommandFailure) -> SignInPolicy {
        do throws(SignInPolicyError) {
            return try SignInPolicy(self.invocation.list("POLICY").joined(separator: " "))
        } catch {
            throw CommandFailure(.usage, DisplayText.escaped(error.description))
        }
    }

    func print(_ policy: SignInPolicy) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.policy"), policy.text)
        fields.add(self.text("table.preset"), policy.preset?.rawValue)
        try self.terminal.print(fields.text + "\n")
        let classes = Set(policy.classes.keys).union(policy.exclusions.flatMap { [$0.one, $0.other] })
        let rows = classes.map(\.name).sorted().compactMap { DeviceClass($0) }.map { deviceClass in
            let rivals = policy.exclusions.compactMap { pair -> String? in
                pair.one == deviceClass ? pair.other.name : pair.other == deviceClass ? pair.one.name : nil
            }
            return [
                deviceClass.name, self.sessions(policy.sessions(of: deviceClass)),
                rivals.sorted().joined(separator: ", "),
            ]
        }
        try self.print(
            [Table.Column("table.device"), Table.Column("table.atOnce"), Table.Column("table.excludes")],
            rows: rows + [["*", self.sessions(policy.standard), ""]])
    }

    private func sessions(_ sessions: SignInPolicy.Sessions) -> String {
        switch sessions {
        case .byLevel: self.text("word.byLevel")
        case .atMost(let count): String(count)
        case .unlimited: self.text("word.unlimited")
        }
    }
}

private let policyPreviewCommand = Command(
    "preview", summary: "command.ctl.policy.preview", arguments: [policyArgument],
    examples: ["teahouse ctl policy preview one-per-class", "teahouse ctl policy preview '*=1' app=2 'desktop!web'"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.policy(.preview(try control.policy())))
        guard case .policy(.preview(let sessions, let count)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.terminal.print(control.text("ctl.policy.wouldEnd", ["count": String(count)]) + "\n")
        if !sessions.isEmpty { try control.print(sessions) }
    })

private let policySetCommand = Command(
    "set", summary: "command.ctl.policy.set", arguments: [policyArgument],
    options: [CommandOption("end", .flag, help: "option.policyEnd")],
    examples: [
        "teahouse ctl policy set pc-and-web-exclusive", "teahouse ctl policy set '*=level' app=2 'desktop!web' --end",
    ],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(
            .policy(.set(try control.policy(), endingNow: control.invocation.has("end"))))
        guard case .policy(.changed(let policy, let ended)) = answer else { throw control.unexpectedAnswer }
        try control.tell(answer, "ctl.policy.set", ["policy": policy.text, "count": String(ended)])
    })
