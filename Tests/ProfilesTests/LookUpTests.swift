import ChatModel
import Store
import TeahouseTesting
import Testing

@testable import Profiles

@Suite("Looking people up")
struct LookUpTests {
    @Test("at once there is the id; watchers are told when the name is known")
    func placeholder() throws {
        let rig = try Rig()
        let first = rig.lookUp("romeo", wait: 0)[0]
        #expect(first.isPlaceholder && !first.isKnown && first.shownName == "romeo")
        rig.changes.wait { $0.subject == .person(UserName("romeo")!) && $0.fields.contains(.name) }
        #expect(rig.profiles.cached(UserName("romeo")!)?.shownName == "Romeo Montague")
        let second = rig.lookUp("romeo", wait: 0)[0]
        #expect(!second.isPlaceholder && second.isKnown && second.shownName == "Romeo Montague")
        #expect(rig.profiles.metrics.tableReads == 1)
    }

    @Test("nobody is asked about who is only looked for in memory")
    func cachedAsksNobody() throws {
        let rig = try Rig()
        #expect(rig.profiles.cached(UserName("romeo")!) == nil)
        rig.settle()
        #expect(rig.profiles.metrics.tableReads == 0)
    }

    @Test("one answer for each name, in their order; who does not exist is unknown and no error")
    func order() throws {
        let rig = try Rig()
        let infos = rig.lookUp("nobody", "romeo", "juliet", "romeo")
        #expect(infos.map(\.name.text) == ["nobody", "romeo", "juliet", "romeo"])
        #expect(infos.map(\.isKnown) == [false, true, true, true])
        #expect(infos.allSatisfy { !$0.isPlaceholder })
        #expect(infos[0].shownName == "nobody")
    }

    @Test("the asker's word goes before the name in the team, that before the chosen one, that before the id")
    func nameOrder() throws {
        let rig = try Rig()
        let (juliet, tybalt, group) = (rig.id("juliet"), rig.id("tybalt"), rig.group)
        #expect(rig.shown("tybalt", by: "juliet", in: group) == "tybalt")
        try rig.write { writing throws(StoreError) in try writing.people.setDisplayName(tybalt, "Tybalt") }
        #expect(rig.shown("tybalt", by: "juliet", in: group) == "Tybalt")
        try rig.write { writing throws(StoreError) in
            try writing.conversations.setNickname(of: tybalt, "Prince of Cats", in: group, by: .operator)
        }
        #expect(rig.shown("tybalt", by: "juliet", in: group) == "Prince of Cats")
        try rig.write { writing throws(StoreError) in
            try writing.friends.make(juliet, tybalt)
            try writing.friends.setRemark(tybalt, of: juliet, "cousin")
        }
        #expect(rig.shown("tybalt", by: "juliet", in: group) == "cousin")
        #expect(rig.shown("tybalt", by: "nurse", in: group) == "Prince of Cats")
        #expect(rig.shown("tybalt", by: "nurse") == "Tybalt")
        // Not in the group: its names are not for him.
        #expect(rig.shown("tybalt", by: "romeo", in: group) == "Tybalt")
        #expect(rig.shown("tybalt", in: group) == "Prince of Cats")
    }

    @Test("everything of a person comes along")
    func fields() throws {
        let rig = try Rig()
        let romeo = rig.id("romeo")
        try rig.write { writing throws(StoreError) in
            try writing.people.setProfile(
                of: romeo,
                ProfilePatch(avatar: "/a/full.jpg", avatarSmall: "/a/small.jpg", attributes: Array(#"{"age":16}"#.utf8))
            )
            try writing.people.setExternalID(romeo, "4711")
        }
        let info = rig.lookUp("romeo")[0]
        #expect(info.externalID == "4711")
        #expect(info.picture == Picture(full: "/a/full.jpg", small: "/a/small.jpg"))
        #expect(info.attributes.map { String(decoding: $0, as: UTF8.self) } == #"{"age":16}"#)
        #expect(info.change > 0)
    }

    @Test("misses of the same three milliseconds share one read")
    func window() throws {
        let rig = try Rig { $0.windowMilliseconds = 3 }
        let (one, two) = (rig.ask(["romeo"]), rig.ask(["juliet", "romeo"]))
        rig.pass(milliseconds: 2)
        rig.settle()
        #expect(rig.profiles.metrics.tableReads == 0)
        rig.pass(milliseconds: 1)
        #expect(one.value[0].isKnown && two.value.allSatisfy { $0.isKnown })
        let metrics = rig.profiles.metrics
        #expect(metrics.tableReads == 1 && metrics.misses == 3 && metrics.coalesced == 1)
    }

    @Test("a full batch does not wait for its window")
    func fullBatch() throws {
        let rig = try Rig {
            $0.windowMilliseconds = 3
            $0.batch = 2
        }
        #expect(rig.lookUp("romeo", "juliet").allSatisfy { $0.isKnown })
        #expect(rig.profiles.metrics.tableReads == 1)
    }

    @Test("an answer is believed for its time, and not longer")
    func expiry() throws {
        let rig = try Rig()
        _ = rig.lookUp("romeo")
        rig.clock.advance(milliseconds: 299_999)
        #expect(rig.profiles.cached(UserName("romeo")!) != nil)
        rig.clock.advance(milliseconds: 1)
        #expect(rig.profiles.cached(UserName("romeo")!) == nil)
        // Out of date, it still stands in for the answer to come.
        let old = rig.lookUp("romeo", wait: 0)[0]
        #expect(old.isPlaceholder && old.shownName == "Romeo Montague")
        #expect(!rig.lookUp("romeo")[0].isPlaceholder)
        let metrics = rig.profiles.metrics
        #expect(metrics.tableReads == 2 && metrics.refreshes == 1)
    }

    @Test("who is unknown stays so for a shorter time, and no longer than until they exist")
    func negative() throws {
        let rig = try Rig()
        #expect(!rig.lookUp("mercutio")[0].isKnown)
        rig.clock.advance(milliseconds: 29_999)
        #expect(rig.profiles.cached(UserName("mercutio")!)?.isKnown == false)
        rig.clock.advance(milliseconds: 1)
        #expect(rig.profiles.cached(UserName("mercutio")!) == nil)
        #expect(!rig.lookUp("mercutio")[0].isKnown)
        try rig.write { writing throws(StoreError) in
            try writing.people.createUser(UserName("mercutio")!, displayName: "Mercutio")
        }
        #expect(rig.shown("mercutio") == "Mercutio")
    }

    @Test("what everybody wrote is seen by who asks next, whatever is asked for beside it")
    func readsItsWrites() throws {
        let rig = try Rig()
        let (romeo, nurse, group) = (rig.id("romeo"), rig.id("nurse"), rig.group)
        for number in 0..<200 {
            // Questions that are under way while the write commits.
            let others = (0..<4).map { _ in rig.ask(["romeo", "juliet"], by: "nurse", in: rig.group) }
            try rig.write { writing throws(StoreError) in
                try writing.people.setDisplayName(romeo, "Romeo \(number)")
                try writing.conversations.setNickname(of: nurse, "nurse \(number)", in: group, by: .operator)
            }
            #expect(rig.shown("romeo") == "Romeo \(number)")
            #expect(rig.shown("nurse", by: "juliet", in: rig.group) == "nurse \(number)")
            for other in others { #expect(other.value.count == 2) }
        }
        #expect(rig.profiles.metrics.flights == 0 && rig.profiles.metrics.waiting == 0)
    }

    @Test("an answer that is on its way is not waited for twice, one that is new is")
    func patience() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let first = rig.ask(["romeo", "juliet"], wait: 50)
        _ = provider.call(0)
        rig.pass(milliseconds: 49)
        rig.settle()
        #expect(!first.isThere)
        rig.pass(milliseconds: 1)
        #expect(first.value.allSatisfy { $0.isPlaceholder })
        // At once: no clock is turned for it.
        #expect(rig.lookUp("romeo", "juliet", wait: 50).allSatisfy { $0.isPlaceholder })
        // Whoever gives it longer gets the rest of that time, and a new question all of its own.
        let patient = rig.ask(["romeo"], wait: 5_000)
        let mixed = rig.ask(["juliet", "tybalt"], wait: 50)
        #expect(provider.call(1).names == [UserName("tybalt")!])
        #expect(!patient.isThere && !mixed.isThere)
        provider.answer(1, prefix: "Sir")
        #expect(mixed.value.map(\.isPlaceholder) == [true, false])
        provider.answer(0, prefix: "Sir")
        #expect(patient.value[0].shownName == "Sir romeo")
        rig.changes.wait { $0.subject == .person(UserName("juliet")!) && $0.fields.contains(.existence) }
        #expect(rig.profiles.metrics.waiting == 0)
    }

    @Test("a question that was outdated meanwhile is waited for again")
    func outdatedPatience() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        _ = rig.ask(["romeo"], wait: 50)
        _ = provider.call(0)
        rig.pass(milliseconds: 60)
        rig.profiles.invalidate(.person(UserName("romeo")!), cause: .request)
        let again = rig.ask(["romeo"], wait: 50)
        provider.answer(0, prefix: "old")
        #expect(!again.isThere)
        _ = provider.call(1)
        provider.answer(1, prefix: "new")
        #expect(again.value[0].shownName == "new romeo")
    }

    @Test("above the look-ups that may wait, the answer is what is there")
    func waitingBound() throws {
        let provider = HandProvider()
        let rig = try Rig(provider) { $0.waitingLookUps = 1 }
        let first = rig.ask(["romeo"])
        let second = rig.lookUp("juliet")[0]
        #expect(second.isPlaceholder)
        provider.answer(0, prefix: "Sir")
        if provider.call(0).names.count == 1 { provider.answer(1, prefix: "Sir") }
        #expect(first.value[0].shownName == "Sir romeo")
        rig.changes.wait { $0.subject == .person(UserName("juliet")!) && $0.fields.contains(.existence) }
    }

    @Test("above the questions that may be under way, placeholders do")
    func flightBound() throws {
        let provider = HandProvider()
        let rig = try Rig(provider) { $0.flights = 2 }
        let first = rig.ask(["romeo", "juliet"])
        #expect(rig.lookUp("tybalt", "nurse").allSatisfy { $0.isPlaceholder })
        provider.answer(0, prefix: "Sir")
        #expect(first.value.map(\.shownName) == ["Sir romeo", "Sir juliet"])
    }

    @Test("the end answers everybody who waits")
    func stop() throws {
        let provider = HandProvider()
        let rig = try Rig(provider)
        let waiting = rig.ask(["romeo"])
        _ = provider.call(0)
        rig.stop()
        #expect(waiting.value[0].isPlaceholder)
        #expect(rig.lookUp("juliet")[0].isPlaceholder)
        // Comes too late, and does no harm.
        provider.answer(0, prefix: "Sir")
        #expect(waiting.count == 1)
    }

    @Test("only who they have to do with, when the policy says so")
    func acquainted() throws {
        let rig = try Rig { $0.visibility = .acquainted }
        let (romeo, juliet) = (rig.id("romeo"), rig.id("juliet"))
        let seen = rig.lookUp("romeo", "juliet", "nurse", "nobody", by: "romeo")
        #expect(seen.map(\.isKnown) == [true, false, false, false])
        #expect(seen.map(\.name.text) == ["romeo", "juliet", "nurse", "nobody"])
        // As somebody who does not exist.
        #expect(seen[1] == ProfileInfo(name: UserName("juliet")!, isKnown: false))
        #expect(rig.lookUp("tybalt", by: "nurse")[0].isKnown)
        try rig.write { writing throws(StoreError) in try writing.friends.make(romeo, juliet) }
        #expect(rig.lookUp("juliet", by: "romeo")[0].isKnown)
        #expect(rig.lookUp("juliet")[0].isKnown)
    }

    @Test("who is in many conversations knows the same people: then theirs are looked through")
    func acquaintedOfMany() throws {
        let rig = try Rig { $0.visibility = .acquainted }
        let (romeo, juliet) = (rig.id("romeo"), rig.id("juliet"))
        try rig.write { writing throws(StoreError) in
            for number in 1...200 {
                _ = try writing.conversations.createChannel(.group, ChannelName("g\(number)")!, creator: romeo)
            }
        }
        #expect(rig.lookUp("romeo", "juliet", by: "romeo").map(\.isKnown) == [true, false])
        try rig.write { writing throws(StoreError) in
            let name = ChannelName("shared")!
            _ = try writing.conversations.createChannel(.group, name, creator: romeo, members: [juliet])
        }
        #expect(rig.lookUp("romeo", "juliet", by: "romeo").map(\.isKnown) == [true, true])
    }

    @Test("in a room the message brings the name along, and nobody is asked")
    func room() throws {
        let rig = try Rig()
        func message(_ body: String, json: Bool = true) -> Message {
            Message(
                conversation: rig.group, sequence: 1, id: MessageID(rawValue: 1), sender: rig.id("romeo"),
                senderName: UserName("romeo")!, sentAtMilliseconds: 0, clientToken: nil,
                content: MessageContent(
                    kind: .text, flags: json ? .bodyIsJSONObject : [], wire: .native, body: Array(body.utf8)))
        }
        func shown(_ message: Message) -> String { rig.profiles.info(senderOf: message, kind: .room).shownName }
        #expect(shown(message(#"{"text":"hi","roomNickname":"masked"}"#)) == "masked")
        #expect(shown(message(#"{"text":"hi","from_name":"guest"}"#)) == "guest")
        #expect(shown(message(#"{"text":"hi"}"#)) == "romeo")
        #expect(shown(message(#"{"roomNickname":"a\u0007b"}"#)) == "romeo")
        #expect(shown(message("roomNickname", json: false)) == "romeo")
        rig.settle()
        #expect(rig.profiles.metrics.tableReads == 0)
        // In a group the same message is asked about.
        #expect(rig.profiles.info(senderOf: message("{}"), kind: .group).isPlaceholder)
        rig.changes.wait { $0.subject == .person(UserName("romeo")!) }
        #expect(rig.profiles.info(senderOf: message("{}"), kind: .group).shownName == "Romeo Montague")
    }
}
