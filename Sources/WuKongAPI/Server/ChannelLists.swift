import APIKit
import ByteCodec
import ChatModel
import Store

/// Deny and allow lists: of channels, and of people, whose person channel stands for them.
enum ChannelLists {
    /// Change of a list.
    enum Change: Sendable {
        case add
        case replace
        case remove
        case removeAll
    }

    /// List of a channel.
    enum List: Sendable {
        case black
        case white

        var ofPerson: PersonalList { self == .black ? .blocked : .allowed }
    }

    static func handler(_ list: List, _ change: Change) -> APIHandler {
        { request, services, reply throws(APIFailure) in
            let fields = try request.fields()
            let channel = try fields.channel()
            var names: [UserName] = []
            if change != .removeAll { names = try fields.uids("uids", most: Channels.maximumUIDs) }
            let uids = names
            if let person = channel.person {
                services.write(reply, by: .business) { transaction throws(StoreError) in
                    try transaction.change(list.ofPerson, of: person, change, uids)
                } answer: { _ in
                    .ok
                }
            } else {
                let (kind, name) = (channel.kind, try channel.channelName())
                services.write(reply, by: .business) { transaction throws(StoreError) in
                    let id = try transaction.conversations.upsertChannel(kind, name, ChannelPatch()).id
                    try transaction.change(list, of: id, change, uids)
                } answer: { _ in
                    .ok
                }
            }
        }
    }

    /// People on the allow list. The original gives times with each entry; they are not kept here.
    @Sendable static func whitelist(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let channel = try request.queryChannel()
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [UserName] in
            if let person = channel.person {
                guard let owner = try transaction.people.user(named: person) else { return [] }
                return try transaction.people.personalList(of: owner.id, .allowed)
            }
            guard let known = try channel.conversation(seenBy: nil, transaction) else { return [] }
            return try transaction.conversations.list(.allowed, of: known.id).map(\.name)
        } answer: { names in
            .json(
                .array(
                    names.enumerated().map { index, name in
                        .object([
                            JSONValue.Member("id", .integer(Int64(index) + 1)),
                            JSONValue.Member("uid", .string(name.text)), JSONValue.Member("created_at", .null),
                            JSONValue.Member("updated_at", .null),
                        ])
                    }))
        }
    }
}

extension WriteTransaction {
    fileprivate func change(
        _ list: ChannelLists.List, of id: ConversationID, _ change: ChannelLists.Change, _ names: [UserName]
    ) throws(StoreError) {
        let isBlack = list == .black
        switch change {
        case .add: try self.conversations.addListed(try self.ensureUsers(names), in: id, isBlack ? .denied : .allowed)
        case .replace:
            try self.conversations.setList(isBlack ? .denied : .allowed, of: id, to: try self.ensureUsers(names))
        case .remove:
            try self.conversations.removeListed(
                try self.reading.knownUsers(names), in: id, isBlack ? .denied : .allowed)
        case .removeAll: try self.conversations.removeAllListed(in: id, isBlack ? .denied : .allowed)
        }
    }

    fileprivate func change(
        _ list: PersonalList, of person: UserName, _ change: ChannelLists.Change, _ names: [UserName]
    ) throws(StoreError) {
        let owner = try self.people.ensureUser(person).id
        let before = try self.reading.people.personalList(of: owner, list)
        let named = Set(names)
        switch change {
        case .add: break
        case .replace: try self.unlist(before.filter { !named.contains($0) }, list, owner)
        case .remove: return try self.unlist(before.filter(named.contains), list, owner)
        case .removeAll: return try self.unlist(before, list, owner)
        }
        for other in try self.ensureUsers(names) { try self.people.setListed(owner: owner, list, other, true) }
    }

    private func unlist(_ names: [UserName], _ list: PersonalList, _ owner: UserID) throws(StoreError) {
        for other in try self.reading.knownUsers(names) { try self.people.setListed(owner: owner, list, other, false) }
    }
}
