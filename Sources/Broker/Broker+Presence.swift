package import ChatModel

/// That somebody has sessions on devices of one class.
package struct Presence: Hashable, Sendable {
    package var name: UserName
    package var deviceClass: DeviceClass
}

extension Broker {
    /// Which of these people are signed in, and on which classes of devices, by name.
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

    /// Which of these people are signed in, on any device.
    package func online(_ names: Set<UserName>, then: @escaping @Sendable (Set<UserName>) -> Void) {
        self.ask { core in then(core.table.online(names)) }
    }
}
