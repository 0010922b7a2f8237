import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl upload`
///
/// The key is printed alone, for scripts; everything else goes to standard error.
let uploadCommand = Command(
    "upload", summary: "command.ctl.upload", arguments: [CommandArgument("FILE", help: "argument.uploadFile")],
    options: [
        CommandOption("as", .value("NAME"), help: "option.uploadAs", isRequired: true),
        CommandOption("to", .value("CONVERSATION"), help: "option.uploadTo"),
        CommandOption("to-user", .value("NAME"), help: "option.uploadToUser"),
        CommandOption("name", .value("SHOWN"), help: "option.uploadName"),
        CommandOption("resume", .value("KEY"), help: "option.uploadResume"),
    ],
    examples: [
        "teahouse ctl upload 会议记录.pdf --as ming --to tea", "teahouse ctl upload video.mp4 --as ming --to-user lan",
        "teahouse ctl upload video.mp4 --as ming --resume th-tabcdefghijklmnopqrstuvwxyz",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        let owner = try control.userName(invocation.value("as") ?? "")
        let target: AdminFileSend.Target?
        switch (invocation.value("to"), invocation.value("to-user")) {
        case (.some(let conversation), nil): target = .conversation(conversation)
        case (nil, .some(let name)): target = .user(try control.userName(name))
        case (nil, nil): target = nil
        default: throw CommandFailure(.usage, control.text("ctl.upload.toOrToUser"))
        }
        var resumed: TransferKey?
        if let text = invocation.value("resume") {
            guard let key = TransferKey(text) else {
                throw CommandFailure(.usage, control.text("ctl.badTransfer", ["key": text]))
            }
            resumed = key
        }
        let uploader = try Uploader(control, path: invocation.argument("FILE"))
        let name = invocation.value("name") ?? uploader.fileName
        let transfer = try uploader.run(for: owner, name: name, resuming: resumed)
        if control.wantsJSON {
            try control.print(json: AdminAnswer.transfers(.one(transfer)).json)
        } else {
            try control.terminal.print(transfer.file.text + "\n")
        }
        guard let target else { return }
        let answer = try control.ask(.files(.send(AdminFileSend(from: owner, to: target, file: transfer.file))))
        guard case .sent(let message) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        let values = ["id": String(message.id.rawValue), "sequence": String(message.sequence)]
        control.terminal.complain(control.text("ctl.message.sent", values) + "\n")
    })
