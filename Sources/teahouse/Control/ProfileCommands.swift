import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl profile`
let profileCommand = Command(
    group: "profile", summary: "command.ctl.profile", examples: ["teahouse ctl profile show ming"],
    subcommands: operationCommands(below: "profile") + [profileSetCommand])

private let nameArgument = CommandArgument("NAME", help: "argument.userName")

// A picture comes from a file.
private let profileSetCommand = Command(
    "set", summary: "command.ctl.profile.set", arguments: [nameArgument],
    options: [
        CommandOption("display-name", .value("NAME"), help: "option.displayName"),
        CommandOption("external-id", .value("ID"), help: "option.externalID"),
        CommandOption("avatar", .value("FILE"), help: "option.avatar"),
        CommandOption("attributes", .value("JSON"), help: "option.attributes"),
    ],
    examples: [
        "teahouse ctl profile set ming --display-name 小明 --avatar ming.png",
        #"teahouse ctl profile set ming --attributes '{"department":"tea"}'"#,
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        var change = AdminProfileChange(name: try control.user("NAME"))
        change.displayName = invocation.value("display-name")
        change.externalID = invocation.value("external-id")
        change.attributes = invocation.value("attributes")
        let picture = invocation.value("avatar")
        guard change != AdminProfileChange(name: change.name) || picture != nil else {
            throw CommandFailure(.usage, control.text("ctl.profile.nothingToSet"))
        }
        if let picture {
            let uploader = try Uploader(control, path: picture)
            change.avatar = try uploader.run(for: change.name, name: uploader.fileName, isAvatar: true).file
        }
        let answer = try control.ask(.profiles(.set(change)))
        try control.tell(answer, "ctl.profile.set", ["name": change.name.text])
    })

extension Control {
    func print(_ profile: AdminProfile) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.name"), profile.name.text)
        fields.add(self.text("table.shownName"), profile.shownName)
        fields.add(self.text("table.known"), self.yesOrNo(profile.isKnown))
        if profile.isPlaceholder { fields.add(self.text("table.state"), self.text("word.placeholder")) }
        if let entry = profile.entry {
            let values = [
                "source": self.word(forSource: entry.source),
                "age": shownDuration(seconds: entry.ageMilliseconds / 1000),
                "left": shownDuration(seconds: entry.leftMilliseconds / 1000),
            ]
            let key = entry.leftMilliseconds > 0 ? "ctl.profile.entry" : "ctl.profile.staleEntry"
            fields.add(self.text("table.cache"), self.text(key, values))
        } else {
            fields.add(self.text("table.cache"), self.text("ctl.profile.noEntry"))
        }
        fields.add(self.text("table.watchers"), String(profile.watchers))
        try self.terminal.print(fields.text + "\n")
        try self.print(
            [
                Table.Column("table.field"), Table.Column("table.value", maximumWidth: 100),
                Table.Column("table.source"),
            ],
            rows: profile.fields.map { [self.word(forField: $0.name), $0.value, self.word(forSource: $0.source)] })
    }

    /// The text for a field of a profile, or its name when a newer server has one that is not known here.
    private func word(forField name: String) -> String {
        let key = "profile.field.\(name)"
        let text = self.text(key)
        return text == key ? name : text
    }

    private func word(forSource name: String) -> String {
        let key = "profile.source.\(name)"
        let text = self.text(key)
        return text == key ? name : text
    }
}
