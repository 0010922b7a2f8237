import AdminAPI
import Broker
import ChatModel
import Store

extension AdminHandler {
    func listSessions(_ user: UserName?, after: Int64?, _ then: @escaping Answer) {
        self.userID(user, then) { id in
            self.broker.sessions(of: id) { sessions in
                let start = UInt64(bitPattern: after ?? 0)
                let rest = sessions.filter { $0.id.rawValue > start }.sorted { $0.id.rawValue < $1.id.rawValue }
                // Only those of the page: a reactor is not to look through all it has.
                let page = Array(rest.prefix(AdminProtocol.pageRows))
                self.shownNames(of: page.map(\.userName)) { names in
                    self.measured(page) { measured in
                        var page = measured
                        for place in page.indices { page[place].displayName = names[page[place].user] }
                        then(.success(.sessions(page, next: rest.count > page.count ? page.last?.id : nil)))
                    }
                }
            }
        }
    }

    /// Goes on with the names that people see; with none when the store cannot say.
    func shownNames(of names: [UserName], _ next: @escaping @Sendable ([UserName: String]) -> Void) {
        guard !names.isEmpty else { return next([:]) }
        self.store.read(
            for: .operator, { transaction throws(StoreError) in try transaction.shownNames(of: names) }
        ) { next((try? $0.get()) ?? [:]) }
    }

    /// Goes on with sessions as their gateways know them now.
    func measured(_ sessions: [SessionDescription], _ next: @escaping @Sendable ([AdminSession]) -> Void) {
        self.broker.measure(sessions.map(\.id)) { measures in
            next(sessions.map { AdminSession($0, measures[$0.id]) })
        }
    }

    func endSessions(_ ids: [Int64], _ user: UserName?, _ then: @escaping Answer) {
        let reason = SessionEndReason.kickedByOperator("an operator ended this session")
        self.userID(user, then) { id in
            self.afterAuditing(then) {
                guard let id, let user else { return self.end(ids, reason, alreadyEnded: 0, then) }
                // Who is thrown out altogether does not come back with a session token.
                self.accounts.revokeSessionTokens(of: user) { result in
                    if case .failure(let error) = result { return then(.failure(AdminError(error))) }
                    self.broker.end(allOf: id, deviceClass: nil, reason: reason) { byUser in
                        self.end(ids, reason, alreadyEnded: byUser, then)
                    }
                }
            }
        }
    }

    private func end(_ ids: [Int64], _ reason: SessionEndReason, alreadyEnded: Int, _ then: @escaping Answer) {
        let sessions = ids.map { SessionID(rawValue: UInt64(bitPattern: $0)) }
        self.broker.end(sessions: sessions, reason: reason) { then(.success(.count(Int64(alreadyEnded + $0)))) }
    }

    /// Goes on with the number of a person, or with `nil` when none is named.
    func userID(_ name: UserName?, _ then: @escaping Answer, _ next: @escaping @Sendable (UserID?) -> Void) {
        guard let name else { return next(nil) }
        self.store.read(for: .operator, { transaction throws(StoreError) in try transaction.existingUser(name).id }) {
            found in
            switch found {
            case .success(let id): next(id)
            case .failure(let error): then(.failure(AdminError(error)))
            }
        }
    }

    // MARK: Sending

    func send(_ send: AdminSend, _ then: @escaping Answer) {
        let content = MessageContent(
            kind: .text, flags: [.countsAsUnread, .bodyIsJSONObject], wire: .native, body: textBody(send.text))
        switch send.to {
        case .user(let name): self.publish(content, from: send.from, to: .direct(name), then)
        case .group(let name): self.publish(content, from: send.from, to: .channel(.group, name), then)
        case .room(let name): self.publish(content, from: send.from, to: .channel(.room, name), then)
        case .conversation(let text):
            self.address(of: text, from: send.from, then) { self.publish(content, from: send.from, to: $0, then) }
        }
    }

    /// Goes on with where a message belongs, when its sender can speak there at all.
    private func address(
        of text: String, from name: UserName, _ then: @escaping Answer,
        _ next: @escaping @Sendable (ConversationAddress) -> Void
    ) {
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) -> ConversationAddress? in
                let found = try Self.find(text, transaction)
                if let pair = try transaction.conversations.directPair(of: found.id) {
                    let sender = try transaction.existingUser(name).id
                    guard pair.low == sender || pair.high == sender else { return nil }
                }
                return .id(found.id)
            }
        ) { result in
            switch result {
            case .success(.some(let address)): next(address)
            case .success(nil):
                let problem = "a conversation of two people has no third: \(name) can write to each of them instead"
                then(.failure(AdminError(.refused, problem)))
            case .failure(let error): then(.failure(AdminError(error)))
            }
        }
    }

    /// Publishes by the operator's right and answers with the message.
    func publish(
        _ content: MessageContent, from name: UserName, to address: ConversationAddress, _ then: @escaping Answer
    ) {
        self.userID(name, then) { sender in
            guard let sender else { return }
            self.broker.publish(
                as: sender, authority: .operator, to: address, token: nil, content: content, auditing: self.note
            ) { result in
                switch result {
                case .accepted(let accepted):
                    let peer = accepted.peerName?.text ?? ""
                    let shown = accepted.channel?.text ?? directName(name.text, peer)
                    let kinds = self.moderation.kinds
                    then(.success(.sent(AdminMessage(accepted.message, conversationName: shown, kinds: kinds))))
                case .refused(let refusal): then(.failure(Self.error(refusal, name)))
                case .failed(let error): then(.failure(AdminError(error)))
                }
            }
        }
    }

    private static func error(_ refusal: PublishRefusal, _ sender: UserName) -> AdminError {
        switch refusal {
        case .noSuchUser: AdminError(.notFound, "the user to send to does not exist")
        case .noSuchConversation: AdminError(.notFound, "the conversation to send to does not exist")
        case .senderDisabled: AdminError(.refused, "\(sender) is disabled: enable the account first")
        case .senderSendBanned: AdminError(.refused, "\(sender) may not send")
        case .conversationBanned: AdminError(.refused, "the conversation is banned: unban it first")
        case .conversationSendBanned: AdminError(.refused, "nobody may send in the conversation: it has a send ban")
        case .conversationDisbanded: AdminError(.refused, "the group was disbanded")
        case .bodyTooLarge, .textTooLong: AdminError(.refused, "the message is too long")
        case .inputDisabled: AdminError(.refused, "\(sender) may only read there: see setting effective")
        case .membersMuted, .muted: AdminError(.refused, "\(sender) is muted there")
        case .blocked, .notAllowlisted, .notMember: AdminError(.refused, "\(sender) may not send there")
        case .noSuchFile: AdminError(.refused, "the text names a file that the sender cannot see")
        case .fileIncomplete: AdminError(.refused, "the text names a file that is still on its way")
        case .byHook(_, let detail): AdminError(.refused, detail ?? "the app's server refused it")
        case .tokenConflict, .contentNotAllowed, .kindNotServed, .wordNotAllowed, .commandNotAllowed:
            AdminError(.refused, "the server does not take this message")
        }
    }
}
