package import APIKit
package import ChatModel
import Execution
package import Profiles
import Store
import WuKongTranslation

/// People who are told when somebody is shown otherwise: friends, and whoever was shown that person lately.
package final class PersonWatchers: Sendable {
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

    /// Finds the watchers of a person, and the person; `then` is called once, on any thread.
    func find(_ name: UserName, _ services: APIServices, then: @escaping @Sendable ([UserID]) -> Void) {
        let viewers = self.shown.withLock { $0.viewers[name] ?? [] }
        services.store.read(
            for: .server,
            { store throws(StoreError) -> [UserID] in
                guard let user = try store.people.user(named: name)?.id else { return [] }
                return try store.friends.ids(of: user) + [user]
            }
        ) { result in
            then(viewers.union((try? result.get()) ?? []).sorted())
        }
    }

    /// Tells apps from now on what the profile service learns from the other user system, for as long as the profiles
    /// are served. What is written here the store tells as an event.
    package func tellNews(of profiles: Profiles, _ services: APIServices) {
        _ = profiles.watch { [weak self] change in self?.changed(change, services) }
    }

    private func changed(_ change: ProfileChange, _ services: APIServices) {
        guard change.cause != .write, change.onlyFor == nil else { return }
        switch change.subject {
        case .person(let name):
            for notice in WuKongNotices.announcements(ofPerson: name, showing: change.fields) {
                self.deliver(notice, services)
            }
        case .team(let id):
            guard change.fields.contains(.picture) else { return }
            services.store.read(for: .server, { store throws(StoreError) in try store.conversations.one(id) }) {
                result in
                guard case .success(let conversation?) = result, let channel = conversation.channel else { return }
                self.deliver(WuKongNotices.announcement(ofPictureOf: channel, in: id, conversation.kind), services)
            }
        case .member, .members, .all: break
        }
    }
}
