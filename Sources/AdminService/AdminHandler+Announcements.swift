import AdminAPI
import ChatModel
import Store

extension AdminHandler {
    func answerAnnouncementRequest(_ request: AdminAnnouncementRequest, _ then: @escaping Answer) {
        switch request {
        case .send(let new): self.send(new, then)
        case .list(let before):
            self.read(then) { transaction throws(StoreError) in
                let found = try transaction.announcements.page(before: before ?? .max, limit: AnnouncementBounds.page)
                let next = found.count == AnnouncementBounds.page ? found.last?.number : nil
                return .announcements(.list(found, next: next))
            }
        case .show(let number, let people, let last):
            self.read(then) { transaction throws(StoreError) in
                guard let notice = try transaction.announcements.notice(number) else {
                    throw .notFound("announcement \(number)")
                }
                let rows = AdminProtocol.pageRows
                let found = try transaction.announcements.receivers(
                    of: number, people, after: last.map { UserID(rawValue: $0) }, limit: rows)
                return .announcements(
                    .one(
                        notice, people: found.map { AdminAnnouncementReceiver($0) },
                        next: found.count == rows ? found.last?.user.rawValue : nil))
            }
        }
    }

    /// Answers with the announcement as it begins; it is sent meanwhile.
    private func send(_ new: AdminNewAnnouncement, _ then: @escaping Answer) {
        do throws(AdminError) {
            try checkTitle(new.title)
            try checkText(new.text)
        } catch {
            return then(.failure(error))
        }
        let announcer = self.announcer
        let sender = self.note?.actor.name ?? self.note.map { "uid \($0.actor.uid)" } ?? ""
        self.write({ result in
            then(result)
            if case .success = result { announcer.beginAnnouncement() }
        }) { transaction throws(StoreError) in
            var teams: [ConversationID] = []
            for name in new.teams { teams.append(try Self.team(name, transaction.reading)) }
            let number = try transaction.announcements.create(title: new.title, new.text, sender: sender, teams: teams)
            guard let notice = try transaction.reading.announcements.notice(number) else {
                throw .notFound("announcement \(number)")
            }
            return .announcements(.one(notice, people: [], next: nil))
        }
    }
}

/// Checks that a text can be read: lines of characters, no others.
private func checkText(_ text: String) throws(AdminError) {
    let hasControls = text.unicodeScalars.contains { scalar in
        scalar != "\n" && scalar != "\t" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
    }
    guard !hasControls, text.contains(where: { !$0.isWhitespace }) else {
        throw AdminError(.invalid, "an announcement has words, and no control characters but tabs and line feeds")
    }
}

extension AdminAnnouncementReceiver {
    init(_ receiver: AnnouncementReceiver) {
        self.init(name: receiver.name, confirmedAtMilliseconds: receiver.confirmedAtMilliseconds)
    }
}
