import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl audit export-messages`
///
/// The path of the folder is printed alone, for scripts; everything else goes to standard error.
let auditExportMessagesCommand = Command(
    "export-messages", summary: "command.ctl.audit.exportMessages",
    arguments: [CommandArgument("DIR", help: "argument.exportMessages")],
    options: [
        CommandOption("people", .value("NAMES"), help: "option.exportPeople", isRepeated: true),
        CommandOption("conversation", .value("CONVERSATION"), help: "option.exportConversation", isRepeated: true),
        CommandOption("from", .value("TIME"), help: "option.exportFrom"),
        CommandOption("to", .value("TIME"), help: "option.exportUntil"),
    ],
    examples: [
        "teahouse ctl audit export-messages case7 --people ming,lan --from 2026-11-01 --why 'case 7'",
        "teahouse ctl audit export-messages tea --conversation tea --why 'the works council asks'",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        var scope = AdminExportScope()
        for names in invocation.values("people") {
            for name in names.split(separator: ",") { scope.people.append(try control.userName(String(name))) }
        }
        scope.conversations = invocation.values("conversation")
        for count in [scope.people.count, scope.conversations.count] where count > AdminExportScope.maximumNames {
            let most = String(AdminExportScope.maximumNames)
            throw CommandFailure(.usage, control.text("ctl.export.tooMany", ["maximum": most]))
        }
        scope.fromMilliseconds = try invocation.value("from").map { (text) throws(CommandFailure) in
            try control.moment(text)
        }
        scope.untilMilliseconds = try invocation.value("to").map { (text) throws(CommandFailure) in
            try control.moment(text)
        }
        guard scope.fromMilliseconds ?? .min < scope.untilMilliseconds ?? .max else {
            throw CommandFailure(.usage, control.text("ctl.export.noTime"))
        }
        try control.export(scope)
    })

/// `teahouse ctl user export`
let userExportCommand = Command(
    "export", summary: "command.ctl.user.export",
    arguments: [
        CommandArgument("NAME", help: "argument.userName"), CommandArgument("DIR", help: "argument.exportMessages"),
    ],
    examples: ["teahouse ctl user export ming ming-data --why 'ming asks for the data'"],
    body: Control.command { control throws(CommandFailure) in
        try control.export(AdminExportScope(person: try control.user("NAME")))
    })

extension Control {
    /// Writes an export into the new folder that was typed, and says what is in it.
    fileprivate func export(_ scope: AdminExportScope) throws(CommandFailure) {
        let folder = try ExportFolder(self.invocation.argument("DIR")) { [terminal = self.terminal] in
            terminal.text($0, $1)
        }
        let line = self.wantsJSON ? nil : LiveLine(self.terminal)
        let counts: ExportCounts
        do throws(CommandFailure) {
            var writer = try ExportWriter(self, scope, folder) { counts in
                // A terminal that cannot be written to is noticed when the path is printed.
                try? line?.draw { _ in self.text("ctl.export.progress", counts.values) }
            }
            counts = try writer.run()
            try folder.finish()
            try? line?.erase()
        } catch {
            try? line?.erase()
            folder.discard()
            throw error
        }
        if self.wantsJSON { return try self.print(json: counts.json(path: folder.path)) }
        try self.terminal.print(DisplayText.escaped(folder.path) + "\n")
        self.terminal.complain(self.text("ctl.export.made", counts.values) + "\n")
        if counts.missing > 0 { self.terminal.complain(self.text("ctl.export.missing", counts.values) + "\n") }
    }
}
