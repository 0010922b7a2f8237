import CommandLineKit

/// A small table with every shape of argument and option.
func sampleRoot(_ body: @escaping Command.Body = { _, _ in }) -> Command {
    let add = Command(
        "add", summary: "add.summary",
        arguments: [
            CommandArgument("NAME", help: "name.help"),
            CommandArgument("TAGS", help: "tags.help", isOptional: true, isRepeated: true),
        ],
        options: [
            CommandOption("role", .choice(["member", "admin"]), help: "role.help"),
            CommandOption("level", .number(1, 9), help: "level.help"),
            CommandOption("note", .value("TEXT"), help: "note.help", isRepeated: true),
            CommandOption("quiet", .flag, help: "quiet.help"),
        ],
        examples: ["house user add romeo"], body: body)
    let send = Command(
        "send", summary: "send.summary",
        options: [CommandOption("from", .value("NAME"), help: "from.help", isRequired: true)],
        examples: ["house send --from romeo"], body: body)
    let user = Command(
        group: "user", summary: "user.summary", examples: ["house user add romeo"], subcommands: [add])
    return Command(
        group: "house", summary: "house.summary", options: [CommandOption("data", .value("DIR"), help: "data.help")],
        examples: ["house user add romeo"], subcommands: [user, send])
}

/// Shows the key and its values in the order of their names, so that tests read without a language file.
let keysAsTexts: TextLookup = { key, values in
    let shown = values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    return key + shown.joined()
}
