import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl file`
let fileCommand = Command(
    group: "file", summary: "command.ctl.file", examples: ["teahouse ctl file list --sort size"],
    subcommands: operationCommands(
        below: "file",
        bodies: ["verify": { control, request throws(CommandFailure) in try control.verifyFiles(request) }]))

extension Control {
    /// Reads contents, with a line that moves, and fails when one is damaged.
    fileprivate func verifyFiles(_ request: AdminRequest) throws(CommandFailure) {
        let answer = try self.askWithProgress(request)
        guard case .files(.checked(let check)) = answer else { throw self.unexpectedAnswer }
        if self.wantsJSON { try self.print(json: answer.json) } else { try self.print(check) }
        if check.damagedCount > 0 { throw CommandFailure(.refused, "") }
    }

    /// Prints an answer about files.
    func show(_ answer: AdminFileAnswer) throws(CommandFailure) {
        switch answer {
        case .list(let files, let totals):
            try self.print(files)
            try self.terminal.print("\n")
            try self.print(totals)
        case .one(let detail): try self.print(detail)
        case .checked(let check): try self.print(check)
        case .collected(let collection): try self.print(collection)
        }
    }

    private func print(_ check: AdminFileCheck) throws(CommandFailure) {
        for damage in check.damaged {
            try self.terminal.print(DisplayText.escaped("\(damage.hash): \(damage.problem)") + "\n")
        }
        let values = [
            "count": String(check.objects), "bytes": shownBytes(check.bytes), "damaged": String(check.damagedCount),
        ]
        let key = check.damagedCount == 0 ? "ctl.file.allGood" : "ctl.file.someDamaged"
        try self.terminal.print(self.text(key, values) + "\n")
    }

    private func print(_ collection: AdminCollection) throws(CommandFailure) {
        if !collection.names.isEmpty {
            try self.print(collection.names)
            try self.terminal.print("\n")
        }
        let values = [
            "files": String(collection.files), "objects": String(collection.objects),
            "uploads": String(collection.uploads), "bytes": shownBytes(collection.bytes),
        ]
        let key = collection.isDryRun ? "ctl.file.wouldCollect" : "ctl.file.collected"
        try self.terminal.print(self.text(key, values) + "\n")
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

    func print(_ totals: FileTotals) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.files"), "\(totals.files), \(shownBytes(totals.fileBytes))")
        fields.add(self.text("table.contents"), "\(totals.objects), \(shownBytes(totals.plainBytes))")
        let ratio = self.ratio(totals.storedBytes, totals.plainBytes)
        fields.add(
            self.text("table.onDisk"), shownBytes(totals.storedBytes) + (ratio.isEmpty ? "" : ", \(ratio)"))
        let duplicates = max(0, totals.files - totals.objects)
        let spared = shownBytes(totals.fileBytes - totals.plainBytes)
        fields.add(self.text("table.duplicates"), "\(duplicates), \(spared)")
        fields.add(self.text("table.orphans"), String(totals.unreferencedFiles))
        fields.add(self.text("table.damaged"), String(totals.damagedObjects))
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
