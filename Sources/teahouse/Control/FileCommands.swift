import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl file`
let fileCommand = Command(
    group: "file", summary: "command.ctl.file", examples: ["teahouse ctl file list --sort size"],
    subcommands: [fileListCommand, fileShowCommand, fileVerifyCommand, fileCollectCommand, fileDeleteCommand])

private let fileListCommand = Command(
    "list", summary: "command.ctl.file.list",
    options: [
        CommandOption("of", .value("NAME"), help: "option.fileOwner"),
        CommandOption("conversation", .value("CONVERSATION"), help: "option.conversation"),
        CommandOption("sort", .choice(AdminFileQuery.Order.allCases.map(\.rawValue)), help: "option.fileSort"),
        CommandOption("orphans", .flag, help: "option.orphans"),
        CommandOption("damaged", .flag, help: "option.damaged"),
        CommandOption("limit", .number(1, Int(AdminProtocol.fileRows)), help: "option.limit"),
    ],
    examples: [
        "teahouse ctl file list", "teahouse ctl file list --of ming --sort size --limit 20",
        "teahouse ctl file list --orphans --json",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        var query = AdminFileQuery()
        if let name = invocation.value("of") { query.owner = try control.userName(name) }
        query.conversation = invocation.value("conversation")
        query.order = invocation.value("sort").flatMap { AdminFileQuery.Order(rawValue: $0) } ?? .time
        query.onlyOrphans = invocation.has("orphans")
        query.onlyDamaged = invocation.has("damaged")
        query.limit = Int64(invocation.number("limit") ?? 100)
        let answer = try control.ask(.files(.list(query)))
        guard case .files(.list(let files, let totals)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(files)
        try control.terminal.print("\n")
        try control.print(totals)
    })

private let fileArgument = CommandArgument("KEY", help: "argument.file")

private let fileShowCommand = Command(
    "show", summary: "command.ctl.file.show", arguments: [fileArgument],
    examples: ["teahouse ctl file show th-fabcdefghijklmnopqrstuvwxyz"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.files(.show(try control.fileKey(control.invocation.argument("KEY")))))
        guard case .files(.one(let detail)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(detail)
    })

private let fileVerifyCommand = Command(
    "verify", summary: "command.ctl.file.verify",
    arguments: [CommandArgument("KEY", help: "argument.fileOrAll", isOptional: true)],
    examples: ["teahouse ctl file verify", "teahouse ctl file verify th-fabcdefghijklmnopqrstuvwxyz"],
    body: Control.command { control throws(CommandFailure) in
        var key: FileKey?
        if let text = control.invocation.list("KEY").first { key = try control.fileKey(text) }
        let answer = try control.askWithProgress(.files(.verify(key)))
        guard case .files(.checked(let check)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON {
            try control.print(json: answer.json)
        } else {
            for damage in check.damaged {
                try control.terminal.print(DisplayText.escaped("\(damage.hash): \(damage.problem)") + "\n")
            }
            let values = [
                "count": String(check.objects), "bytes": shownBytes(check.bytes),
                "damaged": String(check.damagedCount),
            ]
            let key = check.damagedCount == 0 ? "ctl.file.allGood" : "ctl.file.someDamaged"
            try control.terminal.print(control.text(key, values) + "\n")
        }
        if check.damagedCount > 0 { throw CommandFailure(.refused, "") }
    })

private let fileCollectCommand = Command(
    "gc", summary: "command.ctl.file.collect",
    options: [CommandOption("dry-run", .flag, help: "option.dryRun")],
    examples: ["teahouse ctl file gc --dry-run", "teahouse ctl file gc"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.files(.collect(isDryRun: control.invocation.has("dry-run"))))
        guard case .files(.collected(let collection)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        if !collection.names.isEmpty {
            try control.print(collection.names)
            try control.terminal.print("\n")
        }
        let values = [
            "files": String(collection.files), "objects": String(collection.objects),
            "uploads": String(collection.uploads), "bytes": shownBytes(collection.bytes),
        ]
        let key = collection.isDryRun ? "ctl.file.wouldCollect" : "ctl.file.collected"
        try control.terminal.print(control.text(key, values) + "\n")
    })

private let fileDeleteCommand = Command(
    "delete", summary: "command.ctl.file.delete", arguments: [fileArgument],
    examples: ["teahouse ctl file delete th-fabcdefghijklmnopqrstuvwxyz"],
    body: Control.command { control throws(CommandFailure) in
        let key = try control.fileKey(control.invocation.argument("KEY"))
        try control.tell(try control.ask(.files(.delete(key))), "ctl.file.deleted", ["key": key.text])
    })

extension Control {
    func fileKey(_ text: String) throws(CommandFailure) -> FileKey {
        guard let key = FileKey(text) else { throw CommandFailure(.usage, self.text("ctl.badFile", ["key": text])) }
        return key
    }

    /// Asks for something long; on a terminal a line shows how far it is.
    func askWithProgress(_ request: AdminRequest) throws(CommandFailure) -> AdminAnswer {
        let line = self.wantsJSON ? nil : LiveLine(self.terminal)
        let answer = try self.talk { client throws(AdminError) in
            try client.ask(request) { event in
                guard case .checking(let check) = event, let line else { return }
                // A terminal that cannot be written to is noticed when the answer is printed.
                try? line.draw { self.line(for: check, columns: $0) }
            }
        }
        try line?.erase()
        return answer
    }

    func line(for check: AdminFileCheck, columns: Int) -> String {
        let bar = ProgressBar.text(done: check.bytes, of: check.allBytes, width: min(30, columns / 3))
        let values = [
            "count": String(check.objects), "all": String(check.allObjects), "bytes": shownBytes(check.bytes),
            "allBytes": shownBytes(check.allBytes), "damaged": String(check.damagedCount),
        ]
        return "\(bar) \(self.text("ctl.file.checking", values))"
    }

    func state(of file: AdminFile) -> String {
        if file.isDamaged { return self.text("word.damaged") }
        if !file.isComplete { return self.text("word.uploading") }
        return self.text(file.references == 0 ? "word.orphan" : "word.kept")
    }

    /// Bytes on the disk in percent of the content's; empty when there is nothing to compare.
    private func ratio(_ stored: Int64?, _ plain: Int64) -> String {
        guard let stored, plain > 0 else { return "" }
        // A file that gzip makes longer has more than 100 percent.
        return "\(plain > Int64.max / 100 ? stored / (plain / 100) : stored * 100 / plain)%"
    }

    func print(_ files: [AdminFile]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.key"), Table.Column("table.name"), Table.Column("table.size", .right),
                Table.Column("table.stored", .right), Table.Column("table.ratio", .right),
                Table.Column("table.owner", maximumWidth: 20), Table.Column("table.references", .right),
                Table.Column("table.state"), Table.Column("table.created"),
            ],
            rows: files.map {
                [
                    $0.key.text, $0.name, shownBytes($0.size), $0.storedSize.map { shownBytes($0) } ?? "",
                    self.ratio($0.storedSize, $0.size), $0.owner.text, String($0.references), self.state(of: $0),
                    localTime($0.createdAtMilliseconds),
                ]
            })
    }

    func print(_ totals: AdminFileTotals) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.files"), "\(totals.files), \(shownBytes(totals.fileBytes))")
        fields.add(self.text("table.contents"), "\(totals.objects), \(shownBytes(totals.plainBytes))")
        let ratio = self.ratio(totals.storedBytes, totals.plainBytes)
        fields.add(
            self.text("table.onDisk"), shownBytes(totals.storedBytes) + (ratio.isEmpty ? "" : ", \(ratio)"))
        let duplicates = max(0, totals.files - totals.objects)
        let spared = shownBytes(totals.fileBytes - totals.plainBytes)
        fields.add(self.text("table.duplicates"), "\(duplicates), \(spared)")
        fields.add(self.text("table.orphans"), String(totals.orphans))
        fields.add(self.text("table.damaged"), String(totals.damaged))
        try self.terminal.print(fields.text)
    }

    func print(_ detail: AdminFileDetail) throws(CommandFailure) {
        let file = detail.file
        var fields = FieldList()
        fields.add(self.text("table.key"), file.key.text)
        fields.add(self.text("table.name"), file.name)
        fields.add(self.text("table.mediaType"), file.mediaType)
        fields.add(self.text("table.owner"), file.owner.text)
        fields.add(self.text("table.state"), self.state(of: file))
        fields.add(self.text("table.size"), "\(shownBytes(file.size)) (\(file.size))")
        if let stored = file.storedSize {
            let how = [detail.codec, detail.provider, self.ratio(stored, file.size)].compactMap { $0 }
            let words = how.filter { !$0.isEmpty }.joined(separator: ", ")
            fields.add(self.text("table.stored"), "\(shownBytes(stored)) (\(words))")
        }
        fields.add(self.text("table.hash"), file.hash?.hex)
        fields.add(self.text("table.metadata"), detail.metadata)
        fields.add(self.text("table.created"), localTime(file.createdAtMilliseconds))
        try self.terminal.print(fields.text)
        if !detail.references.isEmpty {
            let heading = self.text("heading.references", ["count": String(detail.references.count)])
            try self.terminal.print("\n\(heading)\n")
            try self.print(detail.references)
        }
        if !detail.links.isEmpty {
            try self.terminal.print("\n\(self.text("heading.links"))\n")
            try self.print(detail.links)
        }
    }

    private func print(_ references: [AdminFileReference]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.kind"), Table.Column("table.number", .right), Table.Column("table.name"),
                Table.Column("table.sequence", .right),
            ],
            rows: references.map {
                [
                    self.word(for: $0.kind), $0.conversation.map { "id:\($0)" } ?? "", $0.name,
                    $0.sequence.map { String($0) } ?? "",
                ]
            })
    }

    private func print(_ links: [AdminFileLink]) throws(CommandFailure) {
        try self.print(
            [Table.Column("table.key"), Table.Column("table.number", .right), Table.Column("table.created")],
            rows: links.map {
                [$0.key.text, $0.conversation.map { "id:\($0)" } ?? "", localTime($0.createdAtMilliseconds)]
            })
    }

    private func word(for kind: AdminFileReference.Kind) -> String {
        switch kind {
        case .message: self.text("word.message")
        case .avatar: self.text("word.avatar")
        case .smallAvatar: self.text("word.smallAvatar")
        case .groupPicture: self.text("word.groupPicture")
        }
    }
}
