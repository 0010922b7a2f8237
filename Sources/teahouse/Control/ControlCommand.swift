import CommandLineKit

/// `teahouse ctl`
let controlCommand = Command(
    group: "ctl", summary: "command.ctl",
    options: [
        SharedOption.data, SharedOption.json, CommandOption("operator", .value("NAME"), help: "option.operator"),
        CommandOption("why", .value("TEXT"), help: "option.why"),
        CommandOption("read-only", .flag, help: "option.ctlReadOnly"),
        CommandOption("yes", .flag, help: "option.yes"),
    ],
    examples: [
        "teahouse ctl --data /srv/teahouse status", "teahouse ctl --data /srv/teahouse user add ming --display-name 小明",
        "teahouse ctl --data /srv/teahouse group create tea --members ming,lan",
        "teahouse ctl --data /srv/teahouse send --from ming --to lan '你好，阿兰！'",
        "teahouse ctl --data /srv/teahouse tail",
    ],
    subcommands: [
        userCommand, inviteCommand, groupCommand, teamCommand, requestCommand, conversationCommand, messageCommand,
        sessionCommand,
        fileCommand, transferCommand, uploadCommand, profileCommand, sendCommand, tailCommand, statusCommand,
        topCommand,
        auditCommand, logCommand, noticeCommand, wordCommand, filterCommand, kindCommand, hookCommand, settingCommand,
        policyCommand, setupTokenCommand, addressCommand, languageCommand, wuKongCommand, appCommand, searchCommand,
        backupCommand, controlImportCommand, retentionCommand, holdCommand,
    ]
).withListOptions()
