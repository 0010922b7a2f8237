package import APIKit
import ByteCodec
import ChatModel
import Store

/// Routes for announcements of the operator: people read them again, and confirm them.
package enum AnnouncementRoutes {
    /// Routes of announcements.
    package static let routes = [
        Route("GET", "\(APIPaths.prefix)/notices", .session, Self.list),
        Route("POST", "\(APIPaths.prefix)/notices/{number}/confirm", .session, Self.confirm),
    ]

    /// The newest first; `before` is the number that the page before ended with.
    @Sendable private static func list(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let person = try request.person().user
        let before = try request.queryInteger("before", otherwise: .max)
        services.read(reply, for: request.asker) { store throws(StoreError) in
            try store.announcements(for: person, before: before, limit: AnnouncementBounds.page)
        } answer: { found in
            let rows = found.map { row in
                JSONValue.object([
                    JSONValue.Member("number", .integer(row.notice.number)),
                    JSONValue.Member("title", .string(row.notice.title)),
                    JSONValue.Member("text", .string(row.notice.body)),
                    JSONValue.Member("created_at", .integer(row.notice.createdAtMilliseconds)),
                    JSONValue.Member("confirmed_at", row.confirmedAtMilliseconds.map { .integer($0) } ?? .null),
                ])
            }
            let next = found.count == AnnouncementBounds.page ? found.last?.notice.number : nil
            return .json(
                .object([
                    JSONValue.Member("notices", .array(rows)),
                    JSONValue.Member("next", next.map { .integer($0) } ?? .null),
                ]))
        }
    }

    /// Confirming again answers when it was confirmed first.
    @Sendable private static func confirm(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply)
        throws(APIFailure)
    {
        let person = try request.person().user
        guard let number = Int64(try request.parameter("number")) else {
            throw APIFailure(404, "there is no such announcement")
        }
        services.write(reply, by: .native) { store throws(StoreError) in
            try store.confirmAnnouncement(number, by: person)
        } answer: { confirmedAt in
            .json(
                .object([
                    JSONValue.Member("number", .integer(number)),
                    JSONValue.Member("confirmed_at", .integer(confirmedAt)),
                ]))
        }
    }
}
