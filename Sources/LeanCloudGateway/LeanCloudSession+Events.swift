import ChatModel

/// What happens to conversations, as the client is told of it.
extension LeanCloudSession {
    /// Something happened to a conversation of this person, whoever caused it.
    func happened(_ event: ConversationEvent) {
        if self.tellOfMessages(event) { return }
    }
}
