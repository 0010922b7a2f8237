import AdminAPI
import CommandLineKit
import Execution

/// `teahouse ctl status`
let statusCommand = operationCommand("status")

/// `teahouse ctl setup-token`
let setupTokenCommand = operationCommand("setup-token") { control, request throws(CommandFailure) in
    let answer = try control.ask(request)
    guard case .token(let token) = answer else { throw control.unexpectedAnswer }
    guard let token else { throw CommandFailure(.refused, control.text("ctl.noSetupToken")) }
    if control.wantsJSON { return try control.print(json: answer.json) }
    try control.terminal.print(token + "\n")
    guard control.terminal.screen != nil, case .status(let status) = try control.ask(.status),
        let port = status.addresses.first?.split(separator: ":").last
    else { return }
    control.terminal.complain(control.text("ctl.setupToken.use", ["token": token, "port": String(port)]) + "\n")
}

extension Control {
    /// UTC milliseconds of this machine.
    func now() -> Int64 { Clock.system.wallMilliseconds() }

    func print(_ status: AdminStatus) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.version"), status.version)
        fields.add(self.text("table.process"), String(status.processID))
        fields.add(self.text("table.dataFolder"), status.dataFolder)
        fields.add(self.text("table.addresses"), status.addresses.joined(separator: ", "))
        fields.add(self.text("table.started"), localTime(status.startedAtMilliseconds))
        fields.add(self.text("table.lastVerify"), self.text(of: status.lastVerify))
        fields.add(self.text("table.lastBackup"), self.text(of: status.lastBackup))
        if let copy = status.upgradeCopy {
            let values = [
                "time": localTime(copy.atMilliseconds), "schema": String(copy.schema), "bytes": shownBytes(copy.bytes),
            ]
            fields.add(self.text("table.upgradeCopy"), self.text("upgradeCopy.kept", values))
        }
        for trouble in status.troubles { fields.add(self.text("table.trouble"), trouble) }
        try self.terminal.print(fields.text + "\n")
        let isPart: (AdminMetric, String) -> Bool = { $0.name.hasPrefix($1) }
        let parts = [("files.", "heading.files"), ("profiles.", "heading.profiles")]
        try self.print(status.metrics.filter { figure in !parts.contains { isPart(figure, $0.0) } })
        for (prefix, heading) in parts {
            let metrics = status.metrics.filter { isPart($0, prefix) }
            guard !metrics.isEmpty else { continue }
            try self.terminal.print("\n\(self.text(heading))\n")
            try self.print(metrics)
        }
        try self.terminal.print("\n")
        try self.print(
            [
                Table.Column("table.limit"), Table.Column("table.unit"), Table.Column("table.value", .right),
                Table.Column("table.peak", .right), Table.Column("table.maximum", .right),
                Table.Column("table.refusals", .right),
            ],
            rows: status.limits.map {
                [
                    $0.name, $0.unit, String($0.current), String($0.peak), String($0.maximum),
                    $0.refusals == 0 ? "" : String($0.refusals),
                ]
            })
    }

    private func text(of last: AdminLastVerify?) -> String {
        guard let last else { return self.text("lastVerify.never") }
        let values = ["time": localTime(last.atMilliseconds), "count": String(last.findings)]
        return self.text(last.findings == 0 ? "lastVerify.good" : "lastVerify.found", values)
            + (last.isQuick ? " " + self.text("lastVerify.quick") : "")
    }

    private func text(of last: AdminLastBackup?) -> String {
        guard let last else { return self.text("lastBackup.never") }
        let values = [
            "time": localTime(last.atMilliseconds), "name": last.name, "bytes": shownBytes(last.bytes),
            "proof": last.proof,
        ]
        return self.text("lastBackup.good", values)
    }

    func print(_ metrics: [AdminMetric]) throws(CommandFailure) {
        try self.print(
            [Table.Column("table.figure"), Table.Column("table.value", .right)],
            rows: metrics.map { [self.text("figure.\($0.name)"), self.value(of: $0)] })
    }

    /// Value of a metric; bytes of the newer parts are shown as people read them. Scripts have `--json`.
    private func value(of figure: AdminMetric) -> String {
        let isAmount = figure.name.contains(".") && figure.name.lowercased().hasSuffix("bytes")
        return isAmount ? shownBytes(figure.value) : String(figure.value)
    }
}
