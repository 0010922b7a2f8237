import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl request`
let requestCommand = Command(
    group: "request", summary: "command.ctl.request", examples: ["teahouse ctl request list"],
    subcommands: operationCommands(below: "request"))

extension Control {
    func print(_ requests: [AdminJoinRequest]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.kind"), Table.Column("table.team"),
                Table.Column("table.person", maximumWidth: 20), Table.Column("table.inviter", maximumWidth: 20),
                Table.Column("table.postscript", maximumWidth: 60), Table.Column("table.state"),
                Table.Column("table.answeredBy", maximumWidth: 20), Table.Column("table.created"),
            ],
            rows: requests.map {
                [
                    String($0.number), self.text("word.request.\($0.kind.word)"),
                    $0.team?.text ?? "", $0.person.text, $0.inviter?.text ?? "", $0.postscript,
                    self.text("word.request.\($0.state.word)"), $0.answeredBy?.text ?? "",
                    localTime($0.createdAtMilliseconds),
                ]
            })
    }
}
