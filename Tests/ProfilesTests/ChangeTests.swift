import ChatModel
import Store
import TeahouseTesting
import Testing

@testable import Profiles

@Suite("Changes")
struct ChangeTests {
    /// A write, what it must throw out, and what watchers must hear.
    struct Write: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: @Sendable (Rig) -> ProfileChange
        /// Something of the answer that it changes.
        var body: @Sendable (WriteTransaction, [String: UserID], ConversationID) throws(StoreError) -> Void
    }

    static let romeo = UserName("romeo")!

    static let writes: [Write] = [
        Write(
            testDescription: "display name", expected: { _ in ProfileChange(.person(Self.romeo), .name, .write) },
            body: { writing, ids, _ throws(StoreError) in try writing.people.setDisplayName(ids["romeo"]!, "R.") }),
        Write(
            testDescription: "profile",
            expected: { _ in ProfileChange(.person(Self.romeo), [.name, .picture, .attributes], .write) },
            body: { writing, ids, _ throws(StoreError) in
                try writing.people.setProfile(
                    of: ids["romeo"]!,
                    ProfilePatch(displayName: "R.", avatar: "/r", attributes: Array(#"{"a":1}"#.utf8)))
            }),
        Write(
            testDescription: "picture", expected: { _ in ProfileChange(.person(Self.romeo), .picture, .write) },
            body: { writing, ids, _ throws(StoreError) in
                try writing.people.setProfile(of: ids["romeo"]!, ProfilePatch(avatarSmall: "/small"))
            }),
        Write(
            testDescription: "external id",
            expected: { _ in ProfileChange(.person(Self.romeo), .externalID, .write) },
            body: { writing, ids, _ throws(StoreError) in try writing.people.setExternalID(ids["romeo"]!, "9") }),
        Write(
            testDescription: "disabled", expected: { _ in ProfileChange(.person(Self.romeo), .existence, .write) },
            body: { writing, ids, _ throws(StoreError) in try writing.people.setDisabled(ids["romeo"]!, true) }),
        Write(
            testDescription: "nickname", expected: { ProfileChange(.member(Self.romeo, $0.group), .teamName, .write) },
            body: { writing, ids, group throws(StoreError) in
                try writing.conversations.setNickname(of: ids["romeo"]!, "masked", in: group, by: .operator)
            }),
        Write(
            testDescription: "remark",
            expected: { ProfileChange(.person(Self.romeo), .alias, .write, onlyFor: $0.id("juliet")) },
            body: { writing, ids, _ throws(StoreError) in
                try writing.friends.setRemark(ids["romeo"]!, of: ids["juliet"]!, "love")
            }),
        Write(
            testDescription: "friendship over",
            expected: { ProfileChange(.person(Self.romeo), .alias, .write, onlyFor: $0.id("juliet")) },
            body: { writing, ids, _ throws(StoreError) in
                try writing.friends.remove(ids["romeo"]!, of: ids["juliet"]!)
            }),
        Write(
            testDescription: "left the group", expected: { ProfileChange(.members($0.group), .members, .write) },
            body: { writing, ids, group throws(StoreError) in try writing.conversations.leave(group, ids["romeo"]!) }),
    ]

    @Test("every kind of write is seen by who asks next, and told to watchers", arguments: writes)
    func everyWrite(_ write: Write) throws {
        let rig = try Rig()
        let (ids, group) = (rig.ids, rig.group)
        try rig.write { writing throws(StoreError) in
            try writing.conversations.addMembers([ids["romeo"]!], to: group)
            try writing.conversations.setNickname(of: ids["romeo"]!, "guest", in: group, by: .operator)
            try writing.friends.make(ids["juliet"]!, ids["romeo"]!)
            try writing.friends.setRemark(ids["romeo"]!, of: ids["juliet"]!, "sweet")
        }
        let before = rig.lookUp("romeo", by: "juliet", in: group)[0]
        let again = rig.lookUp("romeo", by: "juliet", in: group)[0]
        #expect(before == again && before.alias == "sweet" && before.teamName == "guest")
        #expect(rig.profiles.metrics.tableReads == 1)
        rig.settle()
        rig.changes.clear()
        try rig.write { writing throws(StoreError) in try write.body(writing, ids, group) }
        let after = rig.lookUp("romeo", by: "juliet", in: group)[0]
        #expect(after != before)
        rig.settle()
        #expect(rig.changes.all.contains(write.expected(rig)))
        #expect(rig.profiles.metrics.lastInvalidatedAtMilliseconds == rig.clock.clock.wallMilliseconds())
    }

    @Test("a write that was refused, or changes nobody's looks, throws nothing out")
    func refused() throws {
        let rig = try Rig()
        _ = rig.lookUp("romeo")
        rig.settle()
        rig.changes.clear()
        let romeo = rig.id("romeo")
        #expect(throws: StoreError.self) {
            try rig.write { writing throws(StoreError) in
                try writing.people.setDisplayName(romeo, "gone again")
                throw .invalid("no")
            }
        }
        try rig.write { writing throws(StoreError) in
            try writing.people.setProfile(of: romeo, ProfilePatch(settings: Array(#"{"dark":true}"#.utf8)))
        }
        rig.settle()
        #expect(rig.changes.all.isEmpty)
        #expect(rig.profiles.cached(Self.romeo)?.shownName == "Romeo Montague")
    }

    @Test("what a conversation shows is for those in it, and follows every write")
    func team() throws {
        let rig = try Rig()
        let (ids, group) = (rig.ids, rig.group)
        let first = rig.team(group, by: "juliet")
        #expect(first.shownName == "House Capulet" && first.memberCount == 3 && first.kind == .group)
        #expect(!rig.team(group, by: "romeo").isKnown && rig.team(group).isKnown)
        #expect(!rig.team(ConversationID(rawValue: 999)).isKnown)
        try rig.write { writing throws(StoreError) in
            var patch = ChannelPatch()
            patch.title = "Capulets"
            patch.logo = "/logo"
            patch.notice = "a feast tonight"
            try writing.conversations.updateInfo(of: group, patch, by: .operator)
            try writing.conversations.addMembers([ids["romeo"]!], to: group)
            var preference = PreferencePatch()
            preference.remark = "home"
            try writing.inbox.setPreference(ids["juliet"]!, in: group, preference)
        }
        let second = rig.team(group, by: "juliet")
        #expect(second.title == "Capulets" && second.picture.full == "/logo" && second.notice == "a feast tonight")
        #expect(second.memberCount == 4 && second.shownName == "home")
        #expect(rig.team(group, by: "romeo").shownName == "Capulets")
        try rig.write { writing throws(StoreError) in try writing.conversations.disband(group, by: .operator) }
        #expect(rig.team(group).flags.contains(.disbanded))
        rig.settle()
        let told = rig.changes.all
        #expect(told.contains(ProfileChange(.team(group), [.name, .picture, .notice], .write)))
        #expect(told.contains(ProfileChange(.members(group), .members, .write)))
        #expect(told.contains(ProfileChange(.team(group), .alias, .write, onlyFor: ids["juliet"]!)))
        #expect(told.contains(ProfileChange(.team(group), .flags, .write)))
    }

    @Test("a conversation is answered at once too, and told later")
    func teamAtOnce() throws {
        let rig = try Rig()
        let first = rig.profiles.info(team: rig.group, by: rig.id("juliet"))
        #expect(first.isPlaceholder && !first.isKnown)
        let group = rig.group
        rig.changes.wait { $0.subject == .team(group) && $0.cause == .answer }
        #expect(rig.team(group, by: "juliet").shownName == "House Capulet")
        #expect(rig.profiles.info(team: group, by: rig.id("juliet")).shownName == "House Capulet")
    }

    @Test("one, a team's people, a team, or all can be thrown out")
    func invalidation() throws {
        let rig = try Rig()
        let names = Rig.names.map { UserName($0)! }
        func fill() {
            _ = rig.ask(Rig.names, by: "juliet", in: rig.group).value
            _ = rig.team(rig.group)
            rig.changes.clear()
        }
        func kept() -> [String] { names.filter { rig.profiles.cached($0) != nil }.map(\.text) }
        fill()
        rig.profiles.invalidate(.person(names[0]), cause: .webhook)
        #expect(kept() == ["juliet", "tybalt", "nurse"])
        rig.changes.wait { $0.subject == .person(names[0]) && $0.cause == .webhook }
        fill()
        rig.profiles.invalidate(.members(rig.group), cause: .request)
        rig.changes.wait { $0.subject == .person(names[3]) && $0.cause == .request }
        #expect(kept() == ["romeo"])
        fill()
        let reads = rig.profiles.metrics.tableReads
        rig.profiles.invalidate(.team(rig.group), cause: .request)
        #expect(kept().count == 4)
        _ = rig.team(rig.group)
        #expect(rig.profiles.metrics.tableReads == reads + 1)
        rig.profiles.invalidate(.all, cause: .request)
        #expect(kept().isEmpty && rig.profiles.metrics.entries == 0 && rig.profiles.metrics.bytes == 0)
        rig.changes.wait { $0 == ProfileChange(.all, [], .request) }
    }

    @Test("watchers hear of whom they named, and of nobody else's own words")
    func watchers() throws {
        let rig = try Rig()
        let (ids, group) = (rig.ids, rig.group)
        let (ofRomeo, ofGroup, juliets, nurses) = (Changes(), Changes(), Changes(), Changes())
        let first = rig.profiles.watch(WatchInterest(persons: [Self.romeo], teams: [])) { ofRomeo.add($0) }
        let second = rig.profiles.watch(WatchInterest(persons: [], teams: [group])) { ofGroup.add($0) }
        _ = rig.profiles.watch(as: ids["juliet"]!) { juliets.add($0) }
        _ = rig.profiles.watch(as: ids["nurse"]!) { nurses.add($0) }
        #expect(rig.profiles.metrics.watchers == 5)
        #expect(rig.profiles.inspect(Self.romeo).watchers == 1)
        try rig.write { writing throws(StoreError) in
            try writing.people.setDisplayName(ids["romeo"]!, "R.")
            try writing.people.setDisplayName(ids["tybalt"]!, "T.")
            try writing.friends.make(ids["juliet"]!, ids["romeo"]!)
            try writing.friends.setRemark(ids["romeo"]!, of: ids["juliet"]!, "love")
            try writing.conversations.setNickname(of: ids["tybalt"]!, "cat", in: group, by: .operator)
        }
        rig.settle()
        let isWrite = { (change: ProfileChange) in change.cause == .write }
        #expect(
            ofRomeo.all.filter(isWrite).map(\.fields) == [.name, .alias])
        #expect(ofGroup.all.filter(isWrite) == [ProfileChange(.member(UserName("tybalt")!, group), .teamName, .write)])
        #expect(juliets.all.filter(isWrite).count == 4)
        #expect(nurses.all.filter(isWrite).map(\.fields) == [.name, .name, .teamName])
        rig.profiles.follow(persons: [UserName("tybalt")!], by: first)
        rig.profiles.unfollow(persons: [Self.romeo], by: first)
        rig.profiles.unwatch(second)
        for changes in [ofRomeo, ofGroup] { changes.clear() }
        try rig.write { writing throws(StoreError) in
            try writing.people.setDisplayName(ids["romeo"]!, "Ro.")
            try writing.people.setDisplayName(ids["tybalt"]!, "Ty.")
            try writing.conversations.setNickname(of: ids["tybalt"]!, "rat catcher", in: group, by: .operator)
        }
        rig.settle()
        #expect(ofRomeo.all.map(\.fields) == [.name, .teamName])
        #expect(ofGroup.all.isEmpty)
        #expect(rig.profiles.inspect(Self.romeo).watchers == 0)
    }

    @Test("a watcher names no more than it may")
    func watchedBound() throws {
        let rig = try Rig { $0.watchedPerWatcher = 2 }
        let id = rig.profiles.watch(WatchInterest(persons: [], teams: [])) { _ in }
        let names = ["romeo", "juliet", "nurse"].map { UserName($0)! }
        #expect(!rig.profiles.follow(persons: names, by: id))
        #expect(names.allSatisfy { rig.profiles.inspect($0).watchers == 0 })
        #expect(rig.profiles.follow(persons: [names[0]], teams: [rig.group], by: id))
        #expect(!rig.profiles.follow(persons: [names[1]], by: id))
        rig.profiles.unwatch(id)
        #expect(!rig.profiles.follow(persons: [names[1]], by: id))
        #expect(rig.profiles.inspect(names[0]).watchers == 0)
    }

    @Test("the operator writes through, and sees what stands in memory")
    func writeThrough() throws {
        let rig = try Rig()
        _ = rig.lookUp("juliet")
        let box = Box<Result<ProfileInfo, StoreError>>()
        rig.profiles.setProfile(
            of: UserName("juliet")!, ProfilePatch(displayName: "Juliet"), externalID: "J-1", then: box.set)
        let info = try box.value.get()
        #expect(info.shownName == "Juliet" && info.externalID == "J-1" && !info.isPlaceholder)
        rig.clock.advance(milliseconds: 1_000)
        let inspection = rig.profiles.inspect(UserName("juliet")!)
        #expect(inspection.info == info && inspection.source == .table)
        #expect(inspection.ageMilliseconds == 1_000 && inspection.leftMilliseconds == 299_000)
        #expect(rig.profiles.inspect(Self.romeo).info == nil)
        let nobody = Box<Result<ProfileInfo, StoreError>>()
        rig.profiles.setProfile(of: UserName("nobody")!, ProfilePatch(displayName: "x"), then: nobody.set)
        #expect(throws: StoreError.notFound("user nobody")) { try nobody.value.get() }
        let taken = Box<Result<ProfileInfo, StoreError>>()
        rig.profiles.setProfile(of: Self.romeo, ProfilePatch(displayName: "x"), externalID: "J-1", then: taken.set)
        #expect(throws: StoreError.self) { try taken.value.get() }
        // All or nothing.
        #expect(rig.shown("romeo") == "Romeo Montague")
        let removed = Box<Result<ProfileInfo, StoreError>>()
        rig.profiles.setProfile(of: UserName("juliet")!, ProfilePatch(), externalID: "", then: removed.set)
        #expect(try removed.value.get().externalID == nil)
    }
}
