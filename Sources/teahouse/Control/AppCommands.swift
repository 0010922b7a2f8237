import AdminAPI
import CommandLineKit

/// `teahouse ctl app`
let appCommand = Command(
    group: "app", summary: "command.ctl.app",
    examples: ["teahouse ctl app show", "teahouse ctl app sign open --client tom"],
    subcommands: operationCommands(below: "app") + [appRotateCommand, appPolicyCommand, appReadyCommand])

// A key that is brought along comes from standard input.
private let appRotateCommand = Command(
    "rotate", summary: "command.ctl.app.rotate", arguments: [CommandArgument("KEY", help: "argument.appKey")],
    options: [
        CommandOption("overlap", .number(0, 7_776_000), help: "option.appOverlap"),
        CommandOption("key-stdin", .flag, help: "option.appKeyStdin"),
    ],
    examples: [
        "teahouse ctl app rotate master-key --overlap 3600",
        "teahouse ctl app rotate app-key --overlap 0 --key-stdin",
    ],
    body: Control.command { control throws(CommandFailure) in
        let typed = control.invocation
        guard let key = AdminAppRotation.Key(rawValue: typed.argument("KEY")) else {
            throw CommandFailure(.usage, control.text("ctl.app.badKey", ["text": typed.argument("KEY")]))
        }
        var rotation = AdminAppRotation(key: key, overlapSeconds: Int64(typed.number("overlap") ?? dayOfOverlap))
        if typed.has("key-stdin") { rotation.value = try control.keyFromInput() }
        let answer = try control.ask(.app(.rotate(rotation)))
        guard case .app(.app(let app)) = answer else { throw control.unexpectedAnswer }
        let until = key == .appKey ? app.previousAppKeyUntilMilliseconds : app.previousMasterKeyUntilMilliseconds
        let values = ["key": key.rawValue, "time": until.map(localTime) ?? ""]
        try control.tell(answer, until == nil ? "ctl.app.rotatedAtOnce" : "ctl.app.rotated", values)
    })

/// How long an old key counts when nobody says otherwise, seconds: a day to bring the new one to where it is used.
private let dayOfOverlap = 86_400

// Without an option it shows the app.
private let appPolicyCommand = Command(
    "policy", summary: "command.ctl.app.policy",
    options: [
        CommandOption("sign-in", .choice(["signature", "token", "open"]), help: "option.appSignIn"),
        CommandOption("conversations", .choice(["on", "off"]), help: "option.appConversations"),
        CommandOption("history", .choice(["on", "off"]), help: "option.appHistory"),
        CommandOption("create-users", .choice(["on", "off"]), help: "option.appCreateUsers"),
    ],
    examples: [
        "teahouse ctl app policy", "teahouse ctl app policy --sign-in open --conversations off --history off",
    ],
    body: Control.command { control throws(CommandFailure) in
        let typed = control.invocation
        var patch = AdminAppPatch()
        patch.signIn = typed.value("sign-in")
        patch.signsConversations = typed.value("conversations").map { $0 == "on" }
        patch.signsHistory = typed.value("history").map { $0 == "on" }
        patch.createsUsers = typed.value("create-users").map { $0 == "on" }
        try control.perform(.app(patch == AdminAppPatch() ? .show : .set(patch)))
    })

extension Control {
    fileprivate func keyFromInput() throws(CommandFailure) -> String {
        guard let line = self.terminal.nextLine(), !line.isEmpty else {
            throw CommandFailure(.usage, self.text("ctl.app.noKey"))
        }
        return line
    }

    /// Prints an answer about the app.
    func show(_ answer: AdminAppAnswer) throws(CommandFailure) {
        switch answer {
        case .app(let app): try self.print(app)
        case .keys(let keys):
            var fields = FieldList()
            fields.add(self.text("table.appID"), keys.appID)
            fields.add(self.text("table.appKey"), keys.appKey)
            fields.add(self.text("table.masterKey"), keys.masterKey)
            try self.terminal.print(fields.text + self.text("ctl.app.keepMasterKey") + "\n")
        case .signed(let signed):
            var fields = FieldList()
            fields.add(self.text("table.signedText"), signed.text)
            fields.add(self.text("table.signature"), signed.signature)
            fields.add(self.text("table.timestamp"), String(signed.timestamp))
            fields.add(self.text("table.nonce"), signed.nonce)
            try self.terminal.print(fields.text)
        }
    }

    private func print(_ app: AdminApp) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.appID"), app.appID)
        fields.add(self.text("table.appKey"), self.key(app.appKeyHint, app.previousAppKeyUntilMilliseconds))
        fields.add(self.text("table.masterKey"), self.key(app.masterKeyHint, app.previousMasterKeyUntilMilliseconds))
        fields.add(self.text("table.signIn"), self.text("word.appSignIn.\(app.signIn)"))
        fields.add(self.text("table.signsConversations"), self.yesOrNo(app.signsConversations))
        fields.add(self.text("table.signsHistory"), self.yesOrNo(app.signsHistory))
        fields.add(self.text("table.createsUsers"), self.yesOrNo(app.createsUsers))
        let seconds: (Int64) -> String = { self.text("word.seconds", ["count": String($0)]) }
        fields.add(self.text("table.signatureWindow"), seconds(app.signatureWindowSeconds))
        fields.add(self.text("table.sessionToken"), seconds(app.sessionTokenSeconds))
        try self.terminal.print(fields.text)
        if app.signIn == "open", app.signsConversations || app.signsHistory {
            try self.terminal.print("\n" + self.text("ctl.app.stillSigned") + "\n")
        }
        guard !app.signatures.isEmpty else { return }
        try self.terminal.print("\n")
        try self.print(
            [
                Table.Column("table.signatures"), Table.Column("table.valid", .right),
                Table.Column("table.missing", .right), Table.Column("table.wrong", .right),
                Table.Column("table.expired", .right), Table.Column("table.replayed", .right),
            ],
            rows: app.signatures.map {
                [
                    $0.action, String($0.valid), String($0.missing), String($0.wrong), String($0.expired),
                    String($0.replayed),
                ]
            })
    }

    private func key(_ hint: String, _ previousUntil: Int64?) -> String {
        guard let previousUntil else { return hint }
        return self.text("ctl.app.keyAndPrevious", ["hint": hint, "time": localTime(previousUntil)])
    }
}
