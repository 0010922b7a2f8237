import APIKit
import ByteCodec
import ChatModel
import Store

/// The log of commands of one person: what is to be done by an app that was away.
enum Commands {
    /// Source: WuKongIM v2.2.5, /message/sync.
    private static let usualLimit: Int64 = 200
    private static let maximumLimit: Int64 = 1000

    /// Commands after a place of the log, or after the last one that was acknowledged.
    @Sendable static func sync(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        let after = try fields.largeInteger("message_seq") ?? 0
        let asked = try fields.integer("limit")
        let limit = Int(min(asked > 0 ? asked : Self.usualLimit, Self.maximumLimit))
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [MessageAnswer] in
            guard let user = try transaction.people.user(named: name) else { return [] }
            let from = after > 0 ? after : try transaction.commands.position(user.id)
            return try transaction.commands.page(for: user.id, after: from, limit: limit).map { MessageAnswer($0) }
        } answer: { messages in
            .json { MessageAnswer.write(messages, to: &$0) }
        }
    }

    @Sendable static func acknowledge(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let name = try fields.uid("uid")
        guard let last = try fields.largeInteger("last_message_seq"), last >= 0 else {
            throw .bad("last_message_seq is missing")
        }
        services.write(reply, by: .business) { transaction throws(StoreError) in
            let user = try transaction.reading.existingUser(name)
            try transaction.commands.acknowledge(user, upTo: last, single: false)
        } answer: { _ in
            .ok
        }
    }
}
