import APIKit
import Broker
package import ByteCodec
package import ChatModel
import LeanCloudTranslation
import Store

/// Routes for the visitors of chat rooms and the subscribers of system conversations. Source: LeanCloud realtime REST
/// guide v2.
enum RoomRoutes {
    static let routes: [Route] = [
        Route("GET", realtime: Self.room + "/members") { call throws(APIFailure) in
            Self.visitors(call, of: try call.address()) { names in
                .json(.fields(("result", .names(Array(names.prefix(Self.mostVisitors))))))
            }
        },
        Route("GET", realtime: Self.room + "/members/online-count") { call throws(APIFailure) in
            Self.countVisitors(call, of: try call.address())
        },
        Route("GET", realtime: "/1.1/rtm/transient_group/onlines", .caller) { call throws(APIFailure) in
            Self.countVisitors(call, of: try RealtimeCall.address(try call.request.queryText("gid")))
        },
        Route("POST", realtime: Self.service + "/subscribers") { call throws(APIFailure) in
            Self.subscribe(call, try call.client("client_id"), to: try call.address())
        },
        Route("POST", realtime: Self.subscription) { call throws(APIFailure) in
            let address = try RealtimeCall.address(try call.request.fields().text("conv_id"))
            Self.subscribe(call, try call.client("client_id"), to: address)
        },
        Route("GET", realtime: Self.service + "/subscribers/count", .manager, Self.count),
        Route("DELETE", realtime: Self.service + "/subscribers/{client}") { call throws(APIFailure) in
            let name = try RealtimeCall.client(try call.request.parameter("client"))
            Self.unsubscribe(call, name, from: try call.address())
        },
        Route("DELETE", realtime: Self.subscription) { call throws(APIFailure) in
            let name = try RealtimeCall.client(try call.request.queryText("client_id"))
            Self.unsubscribe(call, name, from: try RealtimeCall.address(try call.request.queryText("conv_id")))
        },
        Route("GET", realtime: Self.service + "/subscribers", .manager, Self.subscribers),
        Route("GET", realtime: "/1.2/rtm/clients/{client}/service-conversations", .manager, Self.services),
    ]

    private static let room = RealtimeResource.chatrooms.path("/{id}")
    private static let service = RealtimeResource.services.path("/{id}")
    /// Source: LeanCloud realtime REST guide v1.
    private static let subscription = "/1.1/rtm/conversation/subscription"
    /// Visitors of a room that are named. Source: LeanCloud realtime guide, members of a chat room.
    private static let mostVisitors = 50
    /// Subscribers on a page. Source: LeanCloud realtime REST guide v2.
    private static let subscribersOnPage: Int64 = 50

    // MARK: Rooms

    /// Visitors of a room who are online now.
    private static func visitors(
        _ call: RealtimeCall, of address: ConversationAddress, _ answer: @escaping @Sendable ([UserName]) -> APIAnswer
    ) {
        let (services, reply) = (call.services, call.reply)
        services.store.read(
            for: call.request.asker,
            { reading throws(StoreError) in
                let room = try reading.realtime(address, .chatrooms)
                var names: Set<UserName> = []
                for user in try reading.conversations.receivers(of: room.id) {
                    if let found = try reading.people.user(user) { names.insert(found.name) }
                }
                return names
            }
        ) { result in
            switch result {
            case .success(let names):
                services.broker.presence(of: names) { present in
                    let online = Set(present.map(\.name)).sorted { $0.text < $1.text }
                    reply(answer(online))
                }
            case .failure(let error): reply(.failure(APIFailure(realtime: error)))
            }
        }
    }

    private static func countVisitors(_ call: RealtimeCall, of address: ConversationAddress) {
        Self.visitors(call, of: address) { .json(.fields(("result", .integer(Int64($0.count))))) }
    }

    // MARK: System conversations

    private static func subscribe(_ call: RealtimeCall, _ name: UserName, to address: ConversationAddress) {
        call.consult {
            address.objectID.map { [.add([name], to: $0, by: systemUserName)] } ?? []
        } then: { call, _ in
            Self.add(call, name, to: address)
        }
    }

    private static func add(_ call: RealtimeCall, _ name: UserName, to address: ConversationAddress) {
        call.write { transaction throws(StoreError) in
            let service = try transaction.reading.realtime(address, .services)
            return try transaction.apps.addToObject([name.text], service.id, by: .application, wholly: true)
        } answer: { outcome in
            outcome.failed.first.map { APIAnswer.failure(APIFailure(LeanCloudFault($0.refusal))) } ?? .nothing
        }
    }

    private static func unsubscribe(_ call: RealtimeCall, _ name: UserName, from address: ConversationAddress) {
        call.consult {
            address.objectID.map { [.remove([name], from: $0, by: systemUserName)] } ?? []
        } then: { call, _ in
            Self.remove(call, name, from: address)
        }
    }

    private static func remove(_ call: RealtimeCall, _ name: UserName, from address: ConversationAddress) {
        call.write { transaction throws(StoreError) in
            let service = try transaction.reading.realtime(address, .services)
            _ = try transaction.apps.removeFromObject([name.text], service.id, by: .application)
        } answer: { _ in
            .nothing
        }
    }

    /// In the order in which they came; the last of one page is `client_id` for the next.
    @Sendable private static func subscribers(_ call: RealtimeCall) throws(APIFailure) {
        let address = try call.address()
        let (limit, _) = try call.page(usual: Self.subscribersOnPage, most: Self.subscribersOnPage)
        let last = call.request.query["client_id"]
        call.read { reading throws(StoreError) in
            let service = try reading.realtime(address, .services)
            let members = try reading.conversations.members(of: service.id).sorted {
                ($0.joinedAtMilliseconds, $0.user) < ($1.joinedAtMilliseconds, $1.user)
            }
            return (service, members)
        } answer: { service, members in
            var rest = members[...]
            if let last, let index = members.firstIndex(where: { $0.name.text == last }) {
                rest = members[(index + 1)...]
            }
            return .json(.array(rest.prefix(limit).map { SubscriberRow.json($0, in: service) }))
        }
    }

    @Sendable private static func count(_ call: RealtimeCall) throws(APIFailure) {
        let address = try call.address()
        call.read { reading throws(StoreError) in
            try reading.realtime(address, .services).memberCount
        } answer: {
            .json(.fields(("count", .integer(Int64($0)))))
        }
    }

    /// System conversations that a client subscribes to. Source: LeanCloud realtime REST guide v2: from `conv_id` with
    /// the `timestamp` of subscribing to it, the earliest first unless `direction` is `old`.
    @Sendable private static func services(_ call: RealtimeCall) throws(APIFailure) {
        let name = try RealtimeCall.client(try call.request.parameter("client"))
        let (limit, _) = try call.page(usual: 50)
        let time = try call.request.queryInteger("timestamp", otherwise: 0)
        let last = call.request.query["conv_id"].flatMap { $0.isEmpty ? nil : $0 }
        guard last == nil || time > 0 else { throw .bad("conv_id needs the time of subscribing to it as timestamp") }
        let direction = call.request.query["direction"] ?? "new"
        guard direction == "new" || direction == "old" else { throw .bad("direction is new or old") }
        call.read { reading throws(StoreError) -> [(Conversation, Member)] in
            guard let user = try reading.people.user(named: name) else { return [] }
            return try reading.conversations.page(of: user.id).filter { $0.conversation.kind == .service }.map {
                ($0.conversation, $0.member)
            }
        } answer: { found in
            var sorted = found.sorted { left, right in
                (left.1.joinedAtMilliseconds, left.0.id) < (right.1.joinedAtMilliseconds, right.0.id)
            }
            if direction == "old" { sorted.reverse() }
            var rest = sorted[...]
            if let index = sorted.firstIndex(where: { $0.0.objectID.text == last }) { rest = sorted[(index + 1)...] }
            return .json(.array(rest.prefix(limit).map { SubscriberRow.json($0.1, in: $0.0) }))
        }
    }
}

/// A subscriber of a system conversation.
package enum SubscriberRow {
    /// Row of a subscriber.
    package static func json(_ member: Member, in service: Conversation) -> JSONValue {
        .fields(
            ("timestamp", .integer(member.joinedAtMilliseconds)), ("subscriber", .string(member.name.text)),
            ("conv_id", .string(service.objectID.text)))
    }
}
