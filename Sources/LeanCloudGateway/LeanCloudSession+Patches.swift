import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store

/// Messages that are changed or taken back.
extension LeanCloudSession {
    /// One message to be changed.
    private struct Change: Sendable {
        let address: ConversationAddress
        let edge: HistoryEdge
        /// What it says from now on; `nil` to take it back.
        var content: MessageContent?
        /// Watched words in it.
        var flagged: [String] = []

        init?(_ item: PatchItem) {
            guard let address = item.cid.flatMap({ LeanCloudNames.address(cid: $0) }) else { return nil }
            self.address = address
            self.edge = LeanCloudContent.edge(item.timestamp, item.mid)
            if item.recall == true { return }
            // COMPAT(LeanCloud Java 8.2): binary content stands where text is expected.
            let misplaced = item.data == nil ? item.content : nil
            guard let body = LeanCloudContent.body(text: item.data, binary: item.binaryMsg ?? misplaced) else {
                return nil
            }
            self.content = LeanCloudContent.content(
                body, mentionsAll: item.mentionAll ?? false, mentions: item.mentionPids)
        }
    }

    /// Changes in one command. Source: the SDKs, which send one.
    private static let mostChanges = 20

    func patch(_ command: GenericCommand) {
        let items = command.patchMessage?.patches ?? []
        let changes = items.compactMap(Change.init)
        guard command.op == .modify, !changes.isEmpty, changes.count == items.count, items.count <= Self.mostChanges
        else { return self.fail(command, .unparseableMessage.saying("each change needs a conversation and a content")) }
        let (later, store) = (self.later(), self.house.store)
        guard let user = self.identity?.user else { return }
        Self.screen(changes, 0, self.house.broker) { [origin = self.origin] screened in
            guard let screened else {
                return later {
                    $0.fail(command, .messageUpdateRejectedByApp.saying("the text has a word that is not allowed here"))
                }
            }
            store.write { transaction throws(StoreError) -> Done in
                transaction.origin = origin
                return try LeanCloudSession.perform(screened, by: user, transaction)
            } then: { result in
                later { $0.answer(command, isRecall: items[0].recall == true, result) }
            }
        }
    }

    /// The word list is held against an edit as against a message. `nil` when one of them is refused.
    private static func screen(
        _ changes: [Change], _ index: Int, _ broker: Broker, then: @escaping @Sendable ([Change]?) -> Void
    ) {
        guard index < changes.count else { return then(changes) }
        guard let content = changes[index].content else { return Self.screen(changes, index + 1, broker, then: then) }
        broker.screen(content, from: .user) { screening in
            if screening?.refusal != nil { return then(nil) }
            var changes = changes
            if let screening {
                changes[index].content = screening.content
                changes[index].flagged = screening.flagged
            }
            LeanCloudSession.screen(changes, index + 1, broker, then: then)
        }
    }

    private struct Done: Sendable {
        /// UTC milliseconds.
        var at: Int64
        /// What the word list has changed.
        var masked: [MessagePlace]
    }

    private static func perform(
        _ changes: [Change], by user: UserID, _ transaction: WriteTransaction
    ) throws(StoreError) -> Done {
        var done = Done(at: transaction.wallMilliseconds, masked: [])
        for change in changes {
            guard let conversation = try transaction.reading.conversation(change.address, seenBy: user) else {
                throw .refused(.noSuchConversation)
            }
            guard let place = try transaction.reading.place(of: change.edge, in: conversation.id),
                let known = try transaction.reading.message(
                    in: conversation.id, sequence: place.sequence, as: .unrestricted)
            else { throw .refused(.noSuchMessage) }
            // Source: LeanCloud, 4403: whoever a person is there, messages of others are not theirs to change.
            guard known.sender == user else { throw .refused(.notAuthor) }
            guard let content = change.content else {
                try transaction.recall(place, by: Actor(user))
                continue
            }
            try transaction.edit(
                place, newBody: content.body, isJSONObject: content.flags.contains(.bodyIsJSONObject),
                isBinary: content.flags.contains(.binary), wire: .leanCloud,
                envelope: LeanCloudContent.envelope(of: content, after: known.content.envelope), by: Actor(user))
            if !change.flagged.isEmpty { try transaction.addFlagged(change.flagged, at: place, by: user) }
            if content.flags.contains(.masked) { done.masked.append(place) }
        }
        return done
    }

    private func answer(_ command: GenericCommand, isRecall: Bool, _ result: Result<Done, StoreError>) {
        switch result {
        case .success(let done):
            var answer = self.answer(to: command, .patch, .modified)
            var patch = PatchCommand()
            patch.lastPatchTime = done.at
            answer.patchMessage = patch
            self.send(answer)
            for place in done.masked { self.tellMasked(place) }
        case .failure(let error):
            self.fail(command, LeanCloudFault(error) { LeanCloudFault(message: $0, isRecall: isRecall) })
        }
    }

    /// Tells of messages that were changed or taken back.
    func push(_ items: [PatchItem], lastPatchTime: Int64) {
        var command = self.push(.patch, .modify)
        var patch = PatchCommand()
        patch.patches = items
        patch.lastPatchTime = lastPatchTime
        command.patchMessage = patch
        self.send(command)
    }
}
