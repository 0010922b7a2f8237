package import ChatModel

/// Words what a group shows about the events of one change: some messages of the system, in order, often none.
///
/// It runs on the writer's thread, inside the transaction of the change, and must not wait. All events are of one group
/// and came by one gateway.
package typealias SystemMessageWording =
    @Sendable ([ChangeEvent], SystemMessageContext) throws(StoreError) -> [MessageContent]

/// A person in a system message.
package struct SystemMessagePerson: Hashable, Sendable {
    /// The account.
    package var user: UserName
    /// Name that readers know the person by: the display name, or else the name of the account.
    package var name: String

    package init(_ user: UserName, name: String) {
        self.user = user
        self.name = name
    }
}

/// Facts about a group and its people as they are after the change.
package struct SystemMessageContext {
    /// Normal groups and advanced teams have words of their own.
    package let form: TeamForm
    private let findPerson: (UserID) throws(StoreError) -> SystemMessagePerson
    private let findManagers: () throws(StoreError) -> [UserName]

    package init(
        form: TeamForm, person: @escaping (UserID) throws(StoreError) -> SystemMessagePerson,
        managers: @escaping () throws(StoreError) -> [UserName]
    ) {
        self.form = form
        self.findPerson = person
        self.findManagers = managers
    }

    /// - Throws: `notFound`.
    package func person(_ id: UserID) throws(StoreError) -> SystemMessagePerson { try self.findPerson(id) }

    /// - Throws: `notFound`.
    package func people(_ ids: [UserID]) throws(StoreError) -> [SystemMessagePerson] {
        var people: [SystemMessagePerson] = []
        for id in ids { people.append(try self.findPerson(id)) }
        return people
    }

    /// Names of the owner and the managers.
    package func managers() throws(StoreError) -> [UserName] { try self.findManagers() }
}

extension Append {
    /// The ticket of a message that the store made: nobody waits for its answer.
    package static let unasked = UInt64.max
}

extension WriteTransaction {
    /// Sends a message that goes with this change: it is appended in the same commit, after everything else of the
    /// change, and not at all when the change is undone. A message that is refused leaves a line in the log.
    package func say(
        _ content: MessageContent, as sender: UserID, authority: Authority, to address: ConversationAddress
    ) {
        self.said.append(
            Append(
                sender: sender, authority: authority, address: address, clientToken: nil, content: content,
                ticket: Append.unasked))
    }

    /// The messages of the system about this change, to be appended in its commit. A group in which nobody is left, or
    /// that was over before, is told nothing.
    ///
    /// - Throws: what the wording throws.
    func systemMessages() throws(StoreError) -> [Append] {
        guard !self.worded.isEmpty, let wording = self.options.systemMessages else { return [] }
        var order: [ConversationID] = []
        var events: [ConversationID: [ChangeEvent]] = [:]
        for event in self.worded {
            guard let id = event.place?.conversation else { continue }
            if events[id] == nil { order.append(id) }
            events[id, default: []].append(event)
        }
        var messages: [Append] = []
        for id in order {
            guard let conversation = try self.memory.conversation(id), !conversation.roles.isEmpty else { continue }
            for content in try wording(events[id] ?? [], self.context(of: conversation)) {
                messages.append(
                    Append(
                        sender: .system, authority: .operator, address: .id(id), clientToken: nil, content: content,
                        ticket: Append.unasked))
            }
        }
        return messages
    }

    private func context(of conversation: ConversationState) -> SystemMessageContext {
        let (reading, id) = (self.reading, conversation.id)
        return SystemMessageContext(
            form: conversation.settings.form,
            person: { user throws(StoreError) in
                guard let found = try reading.people.user(user) else { throw .notFound("user number \(user.rawValue)") }
                return SystemMessagePerson(found.name, name: found.displayName ?? found.name.text)
            },
            managers: { () throws(StoreError) in
                try reading.conversations.members(of: id).filter { $0.role != .member }.map(\.name)
            })
    }
}
