import AdminAPI
import ChatModel
import Search
import Store

// Searching the messages of all people.
extension AdminHandler {
    func answerSearchRequest(_ request: AdminSearchRequest, _ then: @escaping Answer) {
        guard let index = self.options.search else {
            return then(.failure(AdminError(.refused, "this server has no index of messages")))
        }
        switch request {
        case .messages(let search): self.find(search, in: index, then)
        case .status: then(.success(.search(.status(AdminSearchStatus(index.currentStatus)))))
        case .rebuild:
            self.afterAuditing(then) {
                index.rebuild()
                then(.success(.done))
            }
        }
    }

    private func find(_ search: AdminSearch, in index: SearchIndex, _ then: @escaping Answer) {
        guard self.note?.actor.reason != nil else {
            return then(
                .failure(AdminError(.invalid, "say why you search what people wrote: it goes into the audit log")))
        }
        let asked: SearchQuery
        do throws(AdminError) { asked = try Self.query(search) } catch { return then(.failure(error)) }
        let kinds = self.moderation.kinds
        self.afterAuditing(then) {
            self.read(then, as: .long) { transaction throws(StoreError) in
                var query = asked
                query.conversation = try search.conversation.map { name throws(StoreError) in
                    try Self.find(name, transaction).id
                }
                query.sender = try search.sender.map { name throws(StoreError) in
                    try transaction.existingUser(name).id
                }
                let page = try index.search(query, in: transaction, as: .unrestricted)
                var conversations: [ConversationID: AdminConversation] = [:]
                var found: [AdminFound] = []
                for hit in page.hits {
                    let id = hit.message.conversation
                    if conversations[id] == nil, let one = try transaction.conversations.one(id) {
                        conversations[id] = try Self.shown(one, transaction)
                    }
                    guard let conversation = conversations[id],
                        let message = try Self.current([hit.message], in: conversation, kinds, transaction).first
                    else { continue }
                    found.append(AdminFound(message: message, snippet: hit.snippet.text))
                }
                return .search(.found(found, next: page.next?.text, indexedTo: page.indexedTo))
            }
        }
    }

    private static func query(_ search: AdminSearch) throws(AdminError) -> SearchQuery {
        let terms: SearchTerms
        do throws(SearchTermsError) { terms = try SearchTerms(search.words) } catch {
            throw AdminError(.invalid, "a search has at most \(SearchTerms.maximumTerms) words")
        }
        guard !terms.isEmpty else {
            throw AdminError(.invalid, "there are no letters, digits or symbols to search for")
        }
        var query = SearchQuery(terms)
        query.limit = Int(search.limit)
        if let text = search.after {
            guard let cursor = SearchCursor(text) else { throw AdminError(.invalid, "after is none of this request") }
            query.cursor = cursor
        }
        return query
    }
}

extension AdminSearchStatus {
    fileprivate init(_ status: SearchStatus) {
        self.init(
            state: status.state.rawValue, indexedToMilliseconds: status.indexedTo, messages: status.documents,
            waiting: status.waiting, bytes: status.bytes, rebuilds: status.rebuilds, searches: status.searches,
            cutShort: status.cutShort, reason: status.reason.isEmpty ? nil : status.reason)
    }
}
