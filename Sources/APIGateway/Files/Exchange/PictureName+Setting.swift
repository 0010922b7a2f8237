import APIKit
import ChatModel
import Store
import Transfers

extension PictureName {
    /// Makes a complete file the picture. What apps are told of a person or group follows with it.
    ///
    /// - Throws: `refused` when the actor may not change it.
    func set(_ file: FileRecord, by actor: Actor, in store: WriteTransaction) throws(StoreError) {
        switch self {
        case .person(let name):
            guard let user = try store.reading.people.user(named: name)?.id, actor.isPrivileged || user == actor.user
            else {
                throw .refused(.noSuchUser)
            }
            try store.files.setPicture(of: .person(user, isSmall: false), to: file.key, by: actor)
            try store.files.setPicture(of: .person(user, isSmall: true), to: nil, by: actor)
            try store.people.setProfile(of: user, ProfilePatch(avatar: APIPaths.file(file.key), avatarSmall: ""))
        case .group(let name):
            let address = ConversationAddress.channel(.group, name)
            guard let id = try store.reading.conversations.one(address, seenBy: actor.user)?.id else {
                throw .refused(.noSuchConversation)
            }
            let member = try store.reading.conversations.member(actor.user, in: id)
            // Who is not in it does not learn that there is one.
            guard actor.isPrivileged || member != nil else { throw .refused(.noSuchConversation) }
            var patch = ChannelPatch()
            patch.logo = APIPaths.file(file.key)
            _ = try store.conversations.updateInfo(of: id, patch, by: actor)
            try store.files.setPicture(of: .conversation(id, isSmall: false), to: file.key, by: actor)
        }
    }

    /// Place of the picture.
    enum Place: Sendable {
        case file(FileRecord)
        /// Elsewhere, as it was written into the profile.
        case address(String)
        case none
    }

    func place(in store: ReadTransaction) throws(StoreError) -> Place {
        switch self {
        case .person(let name):
            guard let profile = try store.people.profile(named: name) else { return .none }
            if let file = try store.files.picture(of: .person(profile.user, isSmall: false)) { return .file(file) }
            return profile.avatar.map { .address($0) } ?? .none
        case .group(let name):
            let address = ConversationAddress.channel(.group, name)
            guard let id = try store.conversations.one(address, seenBy: .system)?.id else { return .none }
            if let file = try store.files.picture(of: .conversation(id, isSmall: false)) { return .file(file) }
            return try store.conversations.card(of: id)?.logo.map { .address($0) } ?? .none
        }
    }
}
