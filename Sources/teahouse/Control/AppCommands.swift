import AdminAPI
import CommandLineKit

/// `teahouse ctl app`
let appCommand = Command(
    group: "app", summary: "command.ctl.app",
    examples: ["teahouse ctl app show", "teahouse ctl app sign open --client tom"],
    subcommands: [appShowCommand, appKeysCommand, appRotateCommand, appPolicyCommand, appSignCommand])

private let appShowCommand = Command(
    "show", summary: "command.ctl.app.show", examples: ["teahouse ctl app show"],
    body: Control.command { control throws(CommandFailure) in try control.print(app: try control.ask(.app(.show))) })

private let appKeysCommand = Command(
    "keys", summary: "command.ctl.app.keys",
    examples: ["teahouse ctl app keys", "teahouse ctl --why 'setting up the signing server' app keys"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.app(.keys))
        guard case .app(.keys(let keys)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        var fields = FieldList()
        fields.add(control.text("table.appID"), keys.appID)
        fields.add(control.text("table.appKey"), keys.appKey)
        fields.add(control.text("table.masterKey"), keys.masterKey)
        try control.terminal.print(fields.text + control.text("ctl.app.keepMasterKey") + "\n")
    })

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
        try control.print(app: try control.ask(.app(patch == AdminAppPatch() ? .show : .set(patch))))
    })

private let appSignCommand = Command(
    "sign", summary: "command.ctl.app.sign", arguments: [CommandArgument("ACTION", help: "argument.appAction")],
    options: [
        CommandOption("client", .value("NAME"), help: "option.appClient"),
        CommandOption("members", .value("NAMES"), help: "option.appMembers"),
        CommandOption("conversation", .value("ID"), help: "option.appConversation"),
        CommandOption("timestamp", .number(0, Int.max), help: "option.appTimestamp"),
        CommandOption("nonce", .value("TEXT"), help: "option.appNonce"),
    ],
    examples: [
        "teahouse ctl app sign open --client tom", "teahouse ctl app sign start --client tom --members bob,jerry",
        "teahouse ctl app sign invite --client tom --conversation 551260efe4b01608686c3e0f --members harry",
        "teahouse ctl app sign open --client tom --timestamp 1794873600000 --nonce a1b2c3",
        "teahouse ctl app sign rest-master",
    ],
    body: Control.command { control throws(CommandFailure) in
        let typed = control.invocation
        guard let action = AdminAppSigning.Action(typed: typed.argument("ACTION")) else {
            throw CommandFailure(.usage, control.text("ctl.app.badAction", ["text": typed.argument("ACTION")]))
        }
        let signing = AdminAppSigning(
            action, client: typed.value("client") ?? "",
            members: typed.value("members")?.split(separator: ",").map(String.init) ?? [],
            conversation: typed.value("conversation"), timestamp: typed.number("timestamp").map { Int64($0) },
            nonce: typed.value("nonce"))
        let answer = try control.ask(.app(.sign(signing)))
        guard case .app(.signed(let signed)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        var fields = FieldList()
        fields.add(control.text("table.signedText"), signed.text)
        fields.add(control.text("table.signature"), signed.signature)
        fields.add(control.text("table.timestamp"), String(signed.timestamp))
        fields.add(control.text("table.nonce"), signed.nonce)
        try control.terminal.print(fields.text)
    })

extension Control {
    fileprivate func keyFromInput() throws(CommandFailure) -> String {
        guard let line = self.terminal.nextLine(), !line.isEmpty else {
            throw CommandFailure(.usage, self.text("ctl.app.noKey"))
        }
        return line
    }

    fileprivate func print(app answer: AdminAnswer) throws(CommandFailure) {
        guard case .app(.app(let app)) = answer else { throw self.unexpectedAnswer }
        if self.wantsJSON { return try self.print(json: answer.json) }
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
