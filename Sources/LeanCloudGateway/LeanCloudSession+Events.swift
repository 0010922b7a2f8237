import ChatModel
import LeanCloudTranslation
import LeanCloudWire

/// Events of conversations for the client.
extension LeanCloudSession {
    /// Something happened to a conversation of this person, whoever caused it.
    func happened(_ event: ChangeEvent) {
        guard case .active = self.phase, let place = event.place else { return }
        if !self.tellOfMessages(event, in: place) { self.conversationHappened(event, in: place) }
    }

    private func conversationHappened(_ event: ChangeEvent, in place: EventPlace) {
        let moment = self.deliveries.toldEvent(at: event.atMilliseconds)
        guard !self.knowsAlready(event) else { return }
        let announcements = LeanCloudNotices.announcements(
            of: event.change, in: place.objectID, place.kind, by: event.actor, at: event.atMilliseconds,
            for: self.client)
        for notice in announcements {
            var command = notice.command
            command.peerId = self.client.text
            command.serverTs = moment
            self.send(command)
        }
    }

    /// True when the client has done it on this very session, and learns of it by the answer alone.
    ///
    /// The JavaScript SDK does of itself what it is told of members: it would do so twice. What follows from keeping
    /// somebody out is told to it like to everybody. Who gives somebody a role is told of it too, which the SDKs take
    /// as what it is.
    private func knowsAlready(_ event: ChangeEvent) -> Bool {
        guard let session = event.origin.session, session == self.sessionID?.rawValue else { return false }
        switch event.change {
        case .card: return true
        case .created, .joined: return self.sdk == .javaScript
        case .left(let people, _): return self.sdk == .javaScript && !people.allSatisfy(self.keptOut.contains)
        case .blocked(let people):
            self.keptOut = Set(people)
            return false
        case .role, .nickname, .settings, .muted, .unmuted, .unblocked, .edited, .recalled, .annotated, .read, .receipt,
            .own, .ended, .person:
            return false
        }
    }
}
