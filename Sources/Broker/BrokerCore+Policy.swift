package import ChatModel

// Which sessions of a person exclude each other, and limits that change while the server runs.
extension BrokerCore {
    /// Ends the sessions that the new one excludes, and the oldest when there are too many.
    func endOthers(because new: SessionTable.Session) {
        if let tag = new.description.tag { self.endTagged(tag, because: new) }
        let others = new.person.sessions.filter { $0 !== new }
        let ends = self.policy.ended(of: others.map { Self.device($0.description) }, by: Self.device(new.description))
        for end in ends { self.end(others[end.index].description.id, Self.reason(end.reason)) }
        while new.person.sessions.count > self.limits.sessionsPerUser {
            self.end(new.person.sessions[0].description.id, .takenOver)
        }
    }

    /// Ends all sessions of one person with one tag except the newest claim, which may not be the session that arrived
    /// last.
    private func endTagged(_ tag: SessionTag, because new: SessionTable.Session) {
        for other in new.person.sessions where other !== new && other.description.tag?.name == tag.name {
            let isOlder = other.description.tag.map { $0.claim <= tag.claim } ?? true
            self.end(isOlder ? other.description.id : new.description.id, .takenOver)
        }
    }

    /// The sessions that would not be open under a policy, by id, and why.
    func sessionsEnded(under policy: SignInPolicy) -> [(session: SessionDescription, reason: SessionEndReason)] {
        self.table.people.values.flatMap { person in
            policy.ended(of: person.sessions.map { Self.device($0.description) }).map {
                (person.sessions[$0.index].description, Self.reason($0.reason))
            }
        }.sorted { $0.0.id.rawValue < $1.0.id.rawValue }
    }

    private static func device(_ session: SessionDescription) -> SignInPolicy.Device {
        SignInPolicy.Device(session.deviceClass, id: session.deviceID, session.deviceLevel)
    }

    private static func reason(_ reason: SignInPolicy.EndReason) -> SessionEndReason {
        switch reason {
        case .sameDevice: .sameDevice
        case .takenOver: .takenOver
        }
    }
}

extension Broker {
    /// Decides sign-ins by another policy from now on.
    ///
    /// - Parameters:
    ///   - endingNow: the open sessions that it does not allow end too.
    ///   - then: how many were ended.
    package func apply(
        _ policy: SignInPolicy, endingNow: Bool = false, then: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.ask { core in
            core.policy = policy
            then(endingNow ? core.sessionsEnded(under: policy).count { core.end($0.session.id, $0.reason) } : 0)
        }
    }

    /// The open sessions that a policy does not allow, by id.
    package func preview(_ policy: SignInPolicy, then: @escaping @Sendable ([SessionDescription]) -> Void) {
        self.ask { core in then(core.sessionsEnded(under: policy).map(\.session)) }
    }

    /// Holds to other limits from now on. Sessions above the number of one person end when they sign in again.
    package func apply(_ limits: BrokerLimits) { self.ask { core in core.limits = limits } }
}
