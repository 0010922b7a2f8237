import AdminAPI
import CommandLineKit
import QRCode

/// `teahouse ctl invite`
let inviteCommand = Command(
    group: "invite", summary: "command.ctl.invite", examples: ["teahouse ctl invite add"],
    subcommands: operationCommands(below: "invite"))

extension Control {
    func print(_ invitations: [AdminInvitation]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.name", maximumWidth: 20),
                Table.Column("table.displayName", maximumWidth: 20), Table.Column("table.inviter", maximumWidth: 20),
                Table.Column("table.created"), Table.Column("table.expires"),
            ],
            rows: invitations.map {
                [
                    String($0.number), $0.name?.text ?? "", $0.displayName ?? "", $0.inviter.text,
                    localTime($0.createdAtMilliseconds), localTime($0.endsAtMilliseconds),
                ]
            })
    }

    /// Prints the QR code of a link, where the terminal is wide enough, and the link.
    func print(link: String) throws(CommandFailure) { try self.terminal.print(link: link) }

    /// Prints the QR code of the link, the link, and until when it is good.
    func print(_ issued: AdminIssuedInvitation) throws(CommandFailure) {
        try self.print(link: issued.link)
        let values = ["number": String(issued.number), "time": localTime(issued.endsAtMilliseconds)]
        self.terminal.complain(self.text("ctl.invite.made", values) + "\n")
        if issued.isHereOnly { self.terminal.complain(self.text("ctl.invite.hereOnly") + "\n") }
    }
}

extension Terminal {
    /// Prints the QR code of a link, where the terminal is wide enough, and the link.
    func print(link: String) throws(CommandFailure) {
        let picture = QRCode(link)?.lines ?? []
        if let screen = self.screen, let width = picture.first?.count {
            if width <= screen.size().columns {
                // Dark modules are dark on every terminal: black on bright white, whatever its colours are.
                try self.print(picture.map { "\u{1B}[30;107m\($0)\u{1B}[0m\n" }.joined())
            } else {
                self.complain(self.text("ctl.invite.narrow", ["columns": String(width)]) + "\n")
            }
        } else {
            try self.print(picture.map { "\($0)\n" }.joined())
        }
        try self.print("\(DisplayText.escaped(link))\n")
    }
}
