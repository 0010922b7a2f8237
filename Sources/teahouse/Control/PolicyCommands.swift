import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl policy`
let policyCommand = Command(
    group: "policy", summary: "command.ctl.policy", examples: ["teahouse ctl policy show"],
    subcommands: operationCommands(below: "policy"))

extension Control {
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

    /// Prints the sessions that a policy would end.
    func print(_ sessions: [AdminSession], ending count: Int64) throws(CommandFailure) {
        try self.terminal.print(self.text("ctl.policy.wouldEnd", ["count": String(count)]) + "\n")
        if !sessions.isEmpty { try self.print(sessions) }
    }

    private func sessions(_ sessions: SignInPolicy.Sessions) -> String {
        switch sessions {
        case .byLevel: self.text("word.byLevel")
        case .atMost(let count): String(count)
        case .unlimited: self.text("word.unlimited")
        }
    }
}
