package import ChatModel
package import Store

/// That somebody has sessions on devices of one class.
package struct Presence: Hashable, Sendable {
    /// Name of the person.
    package var name: UserName
    /// Class of devices that the person is signed in on.
    package var deviceClass: DeviceClass
}

extension Broker {
    /// Passes on the people among `names` who are signed in, with the classes of their devices, by name.
    package func presence(of names: Set<UserName>, then: @escaping @Sendable ([Presence]) -> Void) {
        self.sessions(of: nil) { sessions in
            var present: Set<Presence> = []
            for session in sessions where names.contains(session.userName) {
                present.insert(Presence(name: session.userName, deviceClass: session.deviceClass))
            }
            then(
                present.sorted {
                    ($0.name.text, $0.deviceClass.name) < ($1.name.text, $1.deviceClass.name)
                })
        }
    }

    /// Passes on the people among `names` who are signed in on any device.
    package func online(_ names: Set<UserName>, then: @escaping @Sendable (Set<UserName>) -> Void) {
        self.ask { core in then(core.table.online(names)) }
    }

    /// Passes on the people who listen in a room, or to anything else without being a member, and are signed in; in no
    /// order.
    package func listenersOnline(
        in room: ConversationID, then: @escaping @Sendable (Result<[UserName], StoreError>) -> Void
    ) {
        self.store.read(
            of: .applied,
            { transaction throws(StoreError) in try transaction.conversations.listenerIDs(of: room) }
        ) { result in
            switch result {
            case .success(let users):
                self.ask { core in
                    let names = users.compactMap { core.table.people[$0]?.sessions.first?.description.userName }
                    then(.success(names))
                }
            case .failure(let error): then(.failure(error))
            }
        }
    }

    /// How many people that is.
    package func onlineCount(
        of room: ConversationID, then: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        self.listenersOnline(in: room) { result in then(result.map(\.count)) }
    }
}
