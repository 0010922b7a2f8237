import APIKit
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Channels and their subscribers, as a business server manages them.
enum Channels {
    /// Most uids in one request; more are added with further requests.
    static let maximumUIDs = 20_000

    // MARK: Channels

    /// Makes a channel, or changes it, with its subscribers. Switches that are left out are off.
    @Sendable static func save(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        if let person = channel.person { return try Self.savePerson(person, fields, services, reply) }
        let name = try channel.channelName()
        var patch = try Self.switches(fields)
        patch.resetsMembers = try fields.isOn("reset")
        let subscribers = try fields.uids("subscribers", most: Self.maximumUIDs)
        let kind = channel.kind
        let basePatch = patch
        services.write(reply, by: .business) { transaction throws(StoreError) in
            var patch = basePatch
            let members = try transaction.ensureUsers(subscribers)
            if !members.isEmpty || patch.resetsMembers { patch.members = members }
            try transaction.conversations.upsertChannel(kind, name, patch)
        } answer: { _ in
            .ok
        }
    }

    /// Makes a channel, or changes its switches.
    @Sendable static func saveInfo(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        if let person = channel.person { return try Self.savePerson(person, fields, services, reply) }
        let (kind, name) = (channel.kind, try channel.channelName())
        let patch = try Self.switches(fields)
        services.write(reply, by: .business) { transaction throws(StoreError) in
            try transaction.conversations.upsertChannel(kind, name, patch)
        } answer: { _ in
            .ok
        }
    }

    /// `allow_stranger` is WuKongIM's for person channels only.
    static func switches(_ fields: APIFields) throws(APIFailure) -> ChannelPatch {
        var patch = ChannelPatch()
        let switches: [(name: String, flag: ConversationFlags)] = [
            ("large", .large), ("ban", .banned), ("disband", .disbanded), ("send_ban", .sendBanned),
        ]
        for (name, flag) in switches {
            if try fields.isOn(name) { patch.setFlags.insert(flag) } else { patch.clearedFlags.insert(flag) }
        }
        return patch
    }

    /// A person channel stands for its person: `ban` is whether they may sign in, `send_ban` whether they may send.
    /// `allow_stranger` = 1 lets everybody write to them.
    private static func savePerson(
        _ name: UserName, _ fields: APIFields, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let (isBanned, isSendBanned) = (try fields.isOn("ban"), try fields.isOn("send_ban"))
        let allowsStrangers = try fields.isOn("allow_stranger")
        let (accounts, broker) = (services.accounts, services.broker)
        services.call(reply, for: .application).write { transaction throws(StoreError) in
            let user = try transaction.people.ensureUser(name).id
            try transaction.people.setSendBanned(user, isSendBanned)
            if allowsStrangers { try transaction.people.setAllowlistOnly(user, false) }
        } then: {
            accounts.setDisabled(name, isBanned) { result in
                switch result {
                case .success(let sessions):
                    if isBanned { broker.end(allOf: sessions.user, deviceClass: nil, reason: .disabled) }
                    reply(.ok)
                case .failure(let error): reply(.failure(APIFailure(error)))
                }
            }
        }
    }

    /// Takes everybody out of a channel and off its lists; its history stays, for a channel that is made again under
    /// this id.
    @Sendable static func delete(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let (channel, address) = try Self.named(request)
        _ = try channel.channelName()
        services.write(reply, by: .business) { transaction throws(StoreError) in
            guard let known = try transaction.reading.conversations.one(address, seenBy: .system) else { return }
            if known.kind != .room { try transaction.conversations.removeAllMembers(from: known.id, by: .application) }
            try transaction.conversations.setListeners([], of: known.id)
            try transaction.conversations.removeAllListed(in: known.id, .denied)
            try transaction.conversations.removeAllListed(in: known.id, .allowed)
        } answer: { _ in
            .ok
        }
    }

    static func named(_ request: APIRequest) throws(APIFailure) -> (ChannelReference, ConversationAddress) {
        let channel = try request.fields().channel()
        return (channel, channel.address)
    }

    // MARK: Subscribers

    /// Adds subscribers; the channel is made when missing. Temporary ones get what is said while they are there, and
    /// have no unread counts.
    @Sendable static func addSubscribers(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        let (kind, name) = (channel.kind, try channel.channelName())
        let subscribers = try fields.uids("subscribers", most: Self.maximumUIDs)
        let resets = try fields.isOn("reset")
        let isTemporary = try fields.isOn("temp_subscriber")
        guard resets || !subscribers.isEmpty else { throw .bad("subscribers is missing") }
        services.write(reply, by: .business) { transaction throws(StoreError) in
            let users = try transaction.ensureUsers(subscribers)
            var patch = ChannelPatch()
            if !isTemporary {
                patch.members = users
                patch.resetsMembers = resets
            }
            let id = try transaction.conversations.upsertChannel(kind, name, patch).id
            guard isTemporary else { return }
            if resets {
                try transaction.conversations.setListeners(users, of: id)
            } else {
                try transaction.conversations.addListeners(users, to: id)
            }
        } answer: { _ in
            .ok
        }
    }

    @Sendable static func removeSubscribers(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        _ = try channel.channelName()
        let subscribers = try fields.uids("subscribers", most: Self.maximumUIDs)
        let isTemporary = try fields.isOn("temp_subscriber")
        let address = channel.address
        services.write(reply, by: .business) { transaction throws(StoreError) in
            guard let known = try transaction.reading.conversations.one(address, seenBy: .system) else { return }
            let users = try transaction.reading.knownUsers(subscribers)
            if isTemporary || known.kind == .room {
                try transaction.conversations.removeListeners(users, from: known.id)
            } else {
                try transaction.conversations.removeMembers(users, from: known.id, by: .application)
            }
        } answer: { _ in
            .ok
        }
    }

    @Sendable static func removeAllSubscribers(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let (channel, address) = try Self.named(request)
        _ = try channel.channelName()
        services.write(reply, by: .business) { transaction throws(StoreError) in
            guard let known = try transaction.reading.conversations.one(address, seenBy: .system) else { return }
            if known.kind == .room {
                try transaction.conversations.setListeners([], of: known.id)
            } else {
                try transaction.conversations.removeAllMembers(from: known.id, by: .application)
            }
        } answer: { _ in
            .ok
        }
    }
}
