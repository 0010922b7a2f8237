import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl transfer`
let transferCommand = Command(
    group: "transfer", summary: "command.ctl.transfer", examples: ["teahouse ctl transfer list"],
    subcommands: operationCommands(
        below: "transfer",
        bodies: ["watch": { control, request throws(CommandFailure) in try control.watchTransfers(request) }]))

extension Control {
    /// Follows the transfers until it is stopped.
    fileprivate func watchTransfers(_ request: AdminRequest) throws(CommandFailure) {
        try self.refuseEndless()
        guard case .transfers(.watch(let owner)) = request, case .following = try self.ask(request) else {
            throw self.unexpectedAnswer
        }
        let list = AdminTransferRequest.list(owner, withOver: false, limit: AdminProtocol.fileRows)
        guard case .transfers(.list(let transfers)) = try self.ask(.transfers(list)) else {
            throw self.unexpectedAnswer
        }
        if let screen = self.terminal.screen, !self.wantsJSON { return try self.watch(on: screen, transfers) }
        try self.watchInLines(transfers)
    }

    func print(_ transfers: [AdminTransfer]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.key"), Table.Column("table.direction"), Table.Column("table.owner"),
                Table.Column("table.name"), Table.Column("table.done", .right), Table.Column("table.size", .right),
                Table.Column("table.speed", .right), Table.Column("table.remaining", .right),
                Table.Column("table.state"), Table.Column("table.reason"),
            ],
            rows: transfers.map {
                [
                    $0.key.text, self.text($0.direction.textKey), $0.owner.text, $0.fileName, TransferBoard.share($0),
                    $0.size.map { shownBytes($0) } ?? "",
                    $0.state == .progressing ? TransferBoard.speed($0.bytesPerSecond) : "",
                    $0.remainingSeconds.map { shownDuration(seconds: $0) } ?? "", self.text($0.state.textKey),
                    $0.error ?? "",
                ]
            })
    }

    // MARK: Watching

    /// Bars that move.
    fileprivate func watch(on screen: Screen, _ transfers: [AdminTransfer]) throws(CommandFailure) {
        var board = TransferBoard(self.terminal.texts)
        board.update(transfers)
        try self.watch(on: screen) { event, size in
            if case .transfers(let news) = event { board.update(news) }
            return board.picture(size)
        }
    }

    /// A line now and then, until the server stops or the command is ended.
    fileprivate func watchInLines(_ transfers: [AdminTransfer]) throws(CommandFailure) {
        var board = TransferBoard(self.terminal.texts)
        try self.write(.transfers(transfers), &board)
        while true {
            let event = try self.talk { client throws(AdminError) in try client.nextEvent() }
            try self.write(event, &board)
        }
    }

    private func write(_ event: AdminEvent, _ board: inout TransferBoard) throws(CommandFailure) {
        if self.wantsJSON { return try self.print(json: event.json) }
        switch event {
        case .transfers(let news):
            board.update(news)
            for transfer in news {
                if let line = board.plainLine(for: transfer) { try self.terminal.print(line) }
            }
        case .message, .opened, .ended, .checking, .backingUp, .liveMetrics, .missed:
            try self.terminal.print(self.line(for: event))
        }
    }
}
