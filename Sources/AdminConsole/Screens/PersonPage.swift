import AdminAPI
import ChatModel
import CommandLineKit

/// Page about a person, beside the facts of the person's screen.
enum PersonPage {
    static func page(_ details: AdminPersonDetails, _ look: Look) -> Page {
        var lines: [Line] = []
        if let deletedAt = details.deletedAtMilliseconds {
            lines.append(Line("\(look("console.users.isDeleted")) \(look.time(deletedAt))", .bad))
        }
        func section(_ key: String, _ count: Int64?, _ rows: [Line]) {
            if !lines.isEmpty { lines.append(Line()) }
            lines.append(Line(look(key) + (count.map { "  \($0)" } ?? ""), .heading))
            lines += rows.isEmpty ? [Line("-", .dim)] : rows
        }
        section("table.files", nil, [Self.files(details.files, look)])
        section(
            "console.person.friends", details.friendCount,
            details.friends.map { friend in
                Line(friend.name.text) + Line(friend.remark.map { "  \($0)" } ?? "", .accent)
                    + Line("  \(look.shortTime(friend.sinceMilliseconds))", .dim)
            })
        section("console.person.recent", nil, details.recent.map { Self.line($0, look) })
        section(
            "console.person.teams", details.teamCount,
            details.teams.map { team in
                Line(team.team.text) + Line(team.title.map { "  \($0)" } ?? "", .accent)
                    + Line("  \(look(team.role.textKey))", .dim)
            })
        section("console.person.tokens", nil, details.tokens.map { Self.line($0, look) })
        section("console.person.ends", nil, details.ends.map { Self.line($0, look) })
        if !details.devices.isEmpty {
            section("console.person.devices", nil, details.devices.map { Self.line($0, look) })
        }
        return Page(look("console.person.title", ["name": details.name.text]), lines)
    }

    private static func files(_ use: AdminFileUse, _ look: Look) -> Line {
        let quota = use.quotaBytes.map { quota in
            "\(shownBytes(quota)) (\(percent(of: use.bytes, in: quota)) %)"
        }
        let isFull = use.quotaBytes.map { use.bytes >= $0 } ?? false
        return Line(
            "\(use.count)  \(shownBytes(use.bytes)) / \(quota ?? look("console.person.noQuota"))",
            isFull ? .bad : .plain)
    }

    private static func line(_ recent: AdminRecentConversation, _ look: Look) -> Line {
        let values = ["unread": String(recent.unread), "badge": String(recent.badge)]
        return Line(recent.conversation) + Line("  \(look(recent.kind.textKey))", .dim)
            + Line("  " + look("console.person.unread", values), recent.badge > 0 ? .warning : .plain)
            + Line(recent.isPinned ? "  " + look("card.row.pinned") : "", .accent)
            + Line("  \(look.shortTime(recent.activeAtMilliseconds))", .dim)
    }

    private static func line(_ device: AdminInstallation, _ look: Look) -> Line {
        Line("\(device.deviceType ?? "-")  \(device.installationID ?? device.objectID)")
            + Line(device.tokenHint.map { "  \($0)" } ?? "", .accent)
            + Line("  " + look("console.user.seen", ["time": look.time(device.updatedAtMilliseconds)]), .dim)
    }

    private static func line(_ issued: AdminIssuedToken, _ look: Look) -> Line {
        let token = issued.token
        let level = look(token.level == .primary ? "word.primary" : "word.secondary")
        let seen = look("console.user.seen", ["time": look.time(token.lastSeenAtMilliseconds)])
        return Line("\(token.device.name)  \(level)  \(look.time(issued.issuedAtMilliseconds))  ") + Line(seen, .dim)
    }

    private static func line(_ end: AdminSessionEnd, _ look: Look) -> Line {
        Line("\(look.time(end.endedAtMilliseconds))  ") + Line("\(end.reason)  ", .warning)
            + Line("\(end.device.name)  \(end.address)", .dim)
    }
}
