import APIKit
import ByteCodec
import ChatModel
import Store

/// Accounts that pass WuKongIM's checks of who may write to whom.
enum SystemAccounts {
    private static let maximumUIDs = 1000

    /// Makes people system accounts, or ordinary ones again.
    static func handler(adds: Bool) -> APIHandler {
        { request, services, reply throws(APIFailure) in
            let names = try request.fields().uids("uids", most: Self.maximumUIDs).filter { $0 != systemUserName }
            services.write(reply, by: .business) { transaction throws(StoreError) in
                let users = adds ? try transaction.ensureUsers(names) : try transaction.reading.knownUsers(names)
                for user in users { try transaction.people.setSystemAccount(user, adds) }
            } answer: { _ in
                .ok
            }
        }
    }

    @Sendable static func list(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) {
        services.read(reply, for: request.asker) { transaction throws(StoreError) in
            try transaction.people.systemAccounts()
        } answer: { names in
            .json(.array(names.filter { $0 != systemUserName }.map { .string($0.text) }))
        }
    }
}
