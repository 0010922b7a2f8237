import ChatModel
import Testing

@testable import Store

@Suite("Files in messages")
struct FileReferenceTests {
    private func text(_ file: FileRecord) -> String { #"{"url":"\#(file.key)"}"# }

    @Test("nobody but its owner can read a file that nothing refers to")
    func unreferenced() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        #expect(try verona.readers(of: file) == [verona.romeo])
        #expect(try verona.canRead(file, .operator))
        #expect(try verona.canRead(file, .application))
        #expect(try verona.isSound() == [])
    }

    @Test("whoever can see a message that names a file can read it, from the same commit on")
    func named() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let place = try verona.say(self.text(file), verona.romeo)
        #expect(try verona.readers(of: file) == verona.everyone.sorted { $0.rawValue < $1.rawValue })
        let references = try verona.read { store throws(StoreError) in try store.files.references(of: file.id) }
        #expect(references == [FileReference(place: place, isLink: false)])
        #expect(try verona.file(file.key)?.references == 1)
        #expect(try verona.isSound() == [])
    }

    @Test("the file of somebody else cannot be sent by who does not see it")
    func stolen() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        #expect(verona.refusalToSay(self.text(file), verona.juliet) == .noSuchFile)
        #expect(verona.refusalToSay(self.text(file), verona.tybalt, to: direct("tybalt")) == .noSuchFile)
        #expect(try verona.readers(of: file) == [verona.romeo])
        #expect(try verona.fixture.bodies(verona.id).isEmpty)
        let link = try verona.link(file)
        #expect(verona.refusalToSay("see \(link)", verona.juliet) == .noSuchFile)
        #expect(try verona.isSound() == [])
    }

    @Test("who sees it may pass it on, and what they pass on stays when the first message goes")
    func forwarded() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let first = try verona.say(self.text(file), verona.romeo)
        #expect(verona.refusalToSay(self.text(file), verona.juliet, to: direct("tybalt")) == nil)
        #expect(try verona.canRead(file, verona.tybalt))
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in _ = try store.messages.recall(first, by: Actor(romeo)) }
        #expect(try verona.readers(of: file) == [verona.juliet, verona.tybalt])
        #expect(try verona.file(file.key)?.references == 1)
        #expect(try verona.isSound() == [])
    }

    @Test("an unfinished file cannot be sent, not by its owner either; a name that nobody has is only text")
    func incomplete() throws {
        let verona = try Verona()
        let transfer = try verona.begin(verona.romeo)
        #expect(verona.refusalToSay("\(transfer.file)", verona.romeo) == .fileIncomplete)
        #expect(verona.refusalToSay("\(transfer.file)", verona.juliet) == .noSuchFile)
        let nobodys = FileKey(random: Verona.randomBytes())
        #expect(verona.refusalToSay("\(nobodys)", verona.romeo) == nil)
        #expect(verona.refusalToSay("\(transfer.key)", verona.romeo) == nil)
        #expect(try verona.isSound() == [])
    }

    @Test(
        "the file fields of an app's own kind are files like any other, in the body and in its attributes",
        arguments: [
            #"{"type":500,"picture":"FILE"}"#,
            #"{"_lctype":500,"_lcattrs":{"picture":"https://tea.example/f/FILE/a.png"}}"#,
        ])
    func kinds(_ body: String) throws {
        let verona = try Verona()
        let entry = MessageKindEntry(
            kind: MessageKind(rawValue: 500), name: "gift", requiredFields: ["picture"], fileFields: ["picture"],
            degrade: "d", typeTitle: "t", summary: "s")
        try verona.write { store throws(StoreError) in try store.moderation.setMessageKind(entry) }
        func send(_ key: FileKey, from sender: UserID) -> AppendResult {
            var append = verona.fixture.append(
                body.replacing("FILE", with: "\(key)"), from: sender, to: .id(verona.id),
                flags: [.countsAsUnread, .bodyIsJSONObject])
            append.content.kind = entry.kind
            append.content.wire = .leanCloud
            return verona.fixture.send([append])[0]
        }
        let file = try verona.upload(verona.romeo)
        #expect(send(file.key, from: verona.juliet).refusal == .noSuchFile)
        let pending = try verona.begin(verona.romeo).file
        #expect(send(pending, from: verona.romeo).refusal == .fileIncomplete)
        let accepted = try #require(send(file.key, from: verona.romeo).accepted)
        #expect(try verona.readers(of: file) == verona.everyone.sorted { $0.rawValue < $1.rawValue })
        let (place, romeo) = (MessagePlace(verona.id, accepted.message.sequence), verona.romeo)
        try verona.write { store throws(StoreError) in _ = try store.messages.recall(place, by: Actor(romeo)) }
        #expect(try verona.readers(of: file) == [romeo], "what is taken back shows nobody its files")
        #expect(try verona.isSound() == [])
    }

    @Test("a refused message leaves the one it is a resend of as it was taken")
    func resent() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        try verona.say(self.text(file), verona.romeo)
        let place = try verona.say(self.text(file), verona.juliet, token: "a")
        let (id, juliet) = (verona.id, verona.juliet)
        try verona.write { store throws(StoreError) in _ = try store.conversations.removeMembers([juliet], from: id) }
        let again = verona.fixture.send(self.text(file), from: juliet, to: .id(id), token: "a")
        #expect(again.accepted?.isDuplicate == true)
        #expect(again.accepted?.message.sequence == place.sequence)
        #expect(try verona.file(file.key)?.references == 2)
        #expect(try verona.isSound() == [])
    }

    @Test("transient messages and what the server words itself refer to nothing")
    func unnamed() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        #expect(
            verona.fixture.send("\(file.key)", from: verona.romeo, to: .id(verona.id), flags: .transient).accepted
                != nil)
        // Somebody who left calls a group of theirs like the file.
        var notice = verona.fixture.append(
            "the group is called \(file.key)", from: .system, to: .id(verona.id), authority: .application)
        notice.content.namesFiles = false
        #expect(verona.fixture.send([notice])[0].accepted != nil)
        #expect(try verona.readers(of: file) == [verona.romeo])
        #expect(try verona.file(file.key)?.references == 0)
        #expect(try verona.isSound() == [])
    }

    // MARK: Taken back

    @Test(
        "a recalled message, or one deleted for all, takes its link with it in the same commit",
        arguments: [true, false])
    func withdrawn(recalls: Bool) throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let link = try verona.link(file)
        #expect(try verona.file(link: link)?.key == file.key)
        let place = try verona.say("\(file.key) and \(link)", verona.romeo)
        #expect(try verona.file(link: link)?.key == file.key)
        #expect(try verona.file(file.key)?.references == 2)
        let romeo = verona.romeo
        let alive = try verona.write { store throws(StoreError) in
            _ =
                recalls
                ? try store.messages.recall(place, by: Actor(romeo))
                : try store.messages.deleteForAll(place, by: Actor(romeo))
            return try store.reading.files.file(link: link) != nil
        }
        #expect(!alive)
        #expect(try verona.file(link: link) == nil)
        #expect(try verona.readers(of: file) == [verona.romeo])
        // A dead link stays dead when it is written again.
        try verona.say("\(link)", verona.romeo)
        #expect(try verona.file(link: link) == nil)
        #expect(try verona.readers(of: file) == [verona.romeo])
        #expect(try verona.isSound() == [])
    }

    @Test("a link lives as long as one message with it")
    func linkInTwo() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let link = try verona.link(file)
        let places = [try verona.say("\(link)", verona.romeo), try verona.say("\(link)", verona.juliet)]
        try verona.write { store throws(StoreError) in _ = try store.messages.recall(places[0], by: .operator) }
        #expect(try verona.file(link: link) != nil)
        #expect(try verona.read { store throws(StoreError) in try store.files.link(to: file.id) } == link)
        try verona.write { store throws(StoreError) in _ = try store.messages.recall(places[1], by: .operator) }
        #expect(try verona.file(link: link) == nil)
        #expect(try verona.read { store throws(StoreError) in try store.files.link(to: file.id) } == nil)
        #expect(try verona.isSound() == [])
    }

    @Test("an edit names what the new body names, and nothing that the old one did")
    func edited() throws {
        let verona = try Verona()
        let (one, two) = (try verona.upload(verona.romeo, "one"), try verona.upload(verona.romeo, "two"))
        let others = try verona.upload(verona.juliet, "three")
        let place = try verona.say("\(one.key)", verona.romeo)
        let romeo = Actor(verona.romeo)
        #expect(
            verona.refusal { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array("\(others.key)".utf8), isJSONObject: false, by: romeo)
            } == .noSuchFile)
        #expect(try verona.canRead(one, verona.juliet))
        #expect(try verona.extra(place) == nil)
        let both = Array("\(one.key) \(two.key)".utf8)
        try verona.write { store throws(StoreError) in
            _ = try store.messages.edit(place, newBody: both, isJSONObject: false, by: romeo)
        }
        #expect(try verona.canRead(one, verona.juliet))
        #expect(try verona.canRead(two, verona.juliet))
        try verona.write { store throws(StoreError) in
            _ = try store.messages.edit(place, newBody: Array("\(two.key)".utf8), isJSONObject: false, by: romeo)
        }
        #expect(try !verona.canRead(one, verona.juliet))
        #expect(try verona.canRead(two, verona.juliet))
        #expect(try verona.file(one.key)?.references == 0)
        #expect(try verona.isSound() == [])
    }

    @Test("a change that is refused after it recalled a message leaves the link alive")
    func undone() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let link = try verona.link(file)
        let place = try verona.say("\(link)", verona.romeo)
        _ = verona.refusal { store throws(StoreError) in
            try store.messages.recall(place, by: .operator)
            throw .refused(.notApplicable)
        }
        #expect(try verona.file(link: link) != nil)
        #expect(try verona.file(file.key)?.references == 1)
        #expect(try verona.isSound() == [])
    }

    // MARK: Who sees the message

    @Test("deleted for oneself: unreadable for oneself only")
    func hidden() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let place = try verona.say(self.text(file), verona.romeo)
        let juliet = verona.juliet
        try verona.write { store throws(StoreError) in _ = try store.messages.hide([place], for: juliet) }
        #expect(try verona.readers(of: file) == [verona.escalus, verona.mercutio, verona.romeo])
        #expect(verona.refusalToSay(self.text(file), juliet) == .noSuchFile)
        #expect(try verona.isSound() == [])
    }

    @Test("cleared history cannot be read; a later message with the file can")
    func cleared() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let place = try verona.say(self.text(file), verona.romeo)
        let (id, juliet) = (verona.id, verona.juliet)
        try verona.write { store throws(StoreError) in
            _ = try store.inbox.clearHistory(juliet, in: id, through: place.sequence)
        }
        #expect(try !verona.canRead(file, juliet))
        #expect(try verona.canRead(file, verona.escalus))
        try verona.say(self.text(file), verona.romeo)
        #expect(try verona.canRead(file, juliet))
        #expect(try verona.isSound() == [])
    }

    @Test("who left reads nothing any more, who joins reads what the history shows")
    func membership() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        try verona.say(self.text(file), verona.romeo)
        let (id, juliet, tybalt, romeo) = (verona.id, verona.juliet, verona.tybalt, verona.romeo)
        try verona.write { store throws(StoreError) in
            _ = try store.conversations.removeMembers([juliet, romeo], from: id)
            _ = try store.conversations.addMembers([tybalt], to: id)
        }
        #expect(try verona.readers(of: file) == [verona.escalus, verona.mercutio, tybalt])
        try verona.write { store throws(StoreError) in
            _ = try store.conversations.addListeners([juliet], to: id)
        }
        #expect(try verona.canRead(file, juliet))
        #expect(try verona.isSound() == [])
    }

    @Test("a message for some of the group opens its file to them alone")
    func visibles() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let body = #"{"url":"\#(file.key)","visibles":["mercutio","romeo"]}"#
        try verona.say(body, verona.romeo, flags: [.countsAsUnread, .bodyIsJSONObject])
        #expect(try verona.readers(of: file) == [verona.mercutio, verona.romeo])
        #expect(try verona.isSound() == [])
    }

    @Test("members of a community read the files of its topics", arguments: [1, 70])
    func topics(messages: Int) throws {
        let verona = try Verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let topic = try verona.write { store throws(StoreError) in
            _ = try store.conversations.createChannel(
                .community, ChannelName("town")!, creator: romeo, members: [juliet])
            return try store.conversations.createChannel(.communityTopic, ChannelName("town@news")!, creator: .system)
        }
        let file = try verona.upload(romeo)
        for _ in 0..<messages { #expect(verona.refusalToSay(self.text(file), romeo, to: .id(topic)) == nil) }
        #expect(try verona.readers(of: file) == [romeo, juliet])
        #expect(try verona.isSound() == [])
    }

    @Test("a file that is named very often is read by the same people")
    func often() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let places = try (0..<80).map { _ in try verona.say(self.text(file), verona.romeo) }
        #expect(try verona.readers(of: file) == verona.everyone)
        let juliet = verona.juliet
        try verona.write { store throws(StoreError) in _ = try store.messages.hide(places, for: juliet) }
        #expect(try verona.readers(of: file) == [verona.escalus, verona.mercutio, verona.romeo])
        #expect(try verona.isSound() == [])
    }

    // MARK: Pictures

    @Test("a picture is everybody's while it is one, and its file stays")
    func pictures() throws {
        let verona = try Verona()
        let (one, two) = (try verona.upload(verona.romeo, "one"), try verona.upload(verona.romeo, "two"))
        let romeo = verona.romeo
        let holder = PictureHolder.person(romeo, isSmall: false)
        try verona.write { store throws(StoreError) in
            try store.files.setPicture(of: holder, to: one.key, by: Actor(romeo))
            try store.files.setPicture(of: .person(romeo, isSmall: true), to: one.key, by: Actor(romeo))
        }
        #expect(try verona.canRead(one, verona.tybalt))
        #expect(try verona.file(one.key)?.references == 2)
        try verona.write { store throws(StoreError) in
            try store.files.setPicture(of: holder, to: two.key, by: Actor(romeo))
            try store.files.setPicture(of: .person(romeo, isSmall: true), to: nil, by: Actor(romeo))
        }
        #expect(try verona.readers(of: one) == [romeo])
        #expect(try verona.canRead(two, verona.tybalt))
        #expect(try verona.read { store throws(StoreError) in try store.files.picture(of: holder) }?.key == two.key)
        #expect(try verona.file(one.key)?.references == 0)
        #expect(try verona.isSound() == [])
    }

    @Test("nobody takes a file for a picture that they cannot see")
    func stolenPicture() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let (tybalt, id) = (verona.tybalt, verona.id)
        let unfinished = try verona.begin(tybalt)
        for key in [file.key, unfinished.file, FileKey(random: Verona.randomBytes())] {
            #expect(
                verona.refusal { store throws(StoreError) in
                    try store.files.setPicture(of: .conversation(id, isSmall: false), to: key, by: Actor(tybalt))
                } == .noSuchFile)
        }
        #expect(try verona.readers(of: file) == [verona.romeo])
        #expect(try verona.isSound() == [])
    }

    // MARK: Removing

    @Test("its owner removes what nothing refers to; what is in use only the operator removes")
    func deleted() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let link = try verona.link(file)
        try verona.say("\(file.key) \(link)", verona.romeo)
        let (romeo, juliet) = (Actor(verona.romeo), Actor(verona.juliet))
        let delete: @Sendable (FileKey, Actor) -> ActionRefusal? = { key, actor in
            verona.refusal { store throws(StoreError) in try store.files.deleteFile(key, by: actor) }
        }
        #expect(delete(file.key, juliet) == .noSuchFile)
        #expect(delete(file.key, romeo) == .fileInUse)
        #expect(delete(file.key, .operator) == nil)
        #expect(try verona.file(file.key) == nil)
        #expect(try verona.file(link: link) == nil)
        let other = try verona.upload(verona.romeo)
        #expect(delete(other.key, juliet) == .noSuchFile)
        #expect(delete(other.key, romeo) == nil)
        #expect(delete(other.key, romeo) == .noSuchFile)
        #expect(delete(try verona.begin(verona.romeo).file, romeo) == .fileIncomplete)
        #expect(try verona.totals().files == 0)
        #expect(try verona.isSound() == [])
    }
}
