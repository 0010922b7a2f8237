import ChatModel

/// Sessions that receive the messages of a conversation, remembered from one message to the next. Confined to the
/// broker's thread.
struct FanOut {
    typealias Targets = [(lane: SessionTable.Lane, handles: [UInt64])]

    private struct Plan {
        var members: [UserID]
        var generation: UInt64
        var targets: Targets
    }

    /// Most conversations whose targets are remembered; when there are more, all are forgotten and computed anew.
    static let maximumPlans = 4096

    private var plans: [ConversationID: Plan] = [:]

    /// The sessions of `members`, by lane.
    ///
    /// Computed again when a session came or went, or when `members` is another array than last time: the writer hands
    /// out the same storage for as long as the membership stays as it is.
    mutating func targets(of conversation: ConversationID, members: [UserID], in table: SessionTable) -> Targets {
        if let plan = self.plans[conversation], plan.generation == table.generation,
            Self.isSameStorage(plan.members, members)
        {
            return plan.targets
        }
        let targets = Self.compute(members, in: table)
        // A transient message to someone one has never written to has no conversation yet.
        guard conversation.rawValue != 0 else { return targets }
        if self.plans.count >= Self.maximumPlans { self.plans.removeAll(keepingCapacity: true) }
        self.plans[conversation] = Plan(members: members, generation: table.generation, targets: targets)
        return targets
    }

    /// The sessions of these people, by lane.
    static func compute(_ members: [UserID], in table: SessionTable) -> Targets {
        var targets: Targets = []
        for member in members {
            guard let person = table.people[member] else { continue }
            for session in person.sessions {
                if let index = targets.firstIndex(where: { $0.lane === session.lane }) {
                    targets[index].handles.append(session.handle)
                } else {
                    targets.append((session.lane, [session.handle]))
                }
            }
        }
        return targets
    }

    private static func isSameStorage(_ left: [UserID], _ right: [UserID]) -> Bool {
        // Both are alive here, so equal addresses mean one buffer, and a shared buffer is never written to.
        left.count == right.count
            && left.withUnsafeBufferPointer { left in
                right.withUnsafeBufferPointer { right in left.baseAddress == right.baseAddress }
            }
    }
}
