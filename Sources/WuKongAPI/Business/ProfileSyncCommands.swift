package import APIKit
package import ChatModel
import Execution
package import Profiles
import Store
import WuKongTranslation

/// Tells apps when somebody is shown otherwise: friends, and whoever was shown them lately, by whichever gateway it
/// came. What only one person sees, and the title of a group, is told by the route that changes it.
package final class ProfileSyncCommands: Sendable {
    /// Most people who are remembered as shown, over all who were shown them; then all are forgotten, and apps hear
    /// again of whom they show again.
    private static let maximumShown = 200_000

    private struct Shown {
        var viewers: [UserName: Set<UserID>] = [:]
        var count = 0
    }

    private let shown = Lock(Shown())

    package init() {}

    /// Remembers that a viewer was shown a person.
    package func didShow(_ name: UserName, to viewer: UserID) {
        self.shown.withLock { shown in
            if shown.count >= Self.maximumShown { shown = Shown() }
            if shown.viewers[name, default: []].insert(viewer).inserted { shown.count += 1 }
        }
    }

    /// Tells from now on, for as long as the profiles are served.
    package func begin(_ profiles: Profiles, _ services: APIServices) {
        _ = profiles.watch { [weak self] change in self?.changed(change, services) }
    }

    private func changed(_ change: ProfileChange, _ services: APIServices) {
        switch change.subject {
        case .person(let name):
            guard change.onlyFor == nil else { return }
            var syncCommands: [SyncCommand] = []
            if change.fields.contains(.picture) { syncCommands.append(.personPicture(name.text)) }
            if !change.fields.isDisjoint(with: Self.onCards(change.cause)) {
                syncCommands.append(.channelChanged(name.text, type: 1, isKept: false))
            }
            self.tell(syncCommands, of: name, services)
        case .team(let id):
            guard change.fields.contains(.picture), change.onlyFor == nil else { return }
            services.store.read(for: .server, { store throws(StoreError) in try store.conversation(id) }) { result in
                guard case .success(let conversation?) = result, let channel = conversation.channel else { return }
                services.sendSyncCommand(.groupPicture(channel.text), in: id, conversation.kind, channel, from: .system)
            }
        case .member, .members, .all: break
        }
    }

    /// Fields of a person's card, besides the picture, that watchers are told of. Nobody knows a person who was made
    /// just now.
    private static func onCards(_ cause: ProfileCause) -> ProfileFields {
        cause == .write ? [.name, .attributes] : [.name, .attributes, .existence]
    }

    private func tell(_ syncCommands: [SyncCommand], of name: UserName, _ services: APIServices) {
        guard !syncCommands.isEmpty else { return }
        let viewers = self.shown.withLock { $0.viewers[name] ?? [] }
        services.store.read(
            for: .server,
            { store throws(StoreError) -> [UserID] in
                guard let user = try store.user(named: name)?.id else { return [] }
                return try store.friendIDs(of: user) + [user]
            }
        ) { result in
            let people = viewers.union((try? result.get()) ?? []).sorted()
            for sendSyncCommand in syncCommands { services.sendSyncCommand(sendSyncCommand, people: people) }
        }
    }
}
