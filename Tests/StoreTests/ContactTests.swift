import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("People to choose from")
struct ContactTests {
    private static func page(
        _ fixture: Fixture, _ source: ChoosablePeople = .everybody, for asker: UserID, after: String = "", limit: Int,
        matching text: String? = nil
    ) throws -> (people: [ChoosablePerson], next: String?) {
        try fixture.store.readAndWait { store throws(StoreError) in
            try store.people.choosable(
                source, for: asker, after: after, limit: limit,
                matching: text.map { text in { ($0.displayName ?? "").contains(text) } })
        }
    }

    private static func all(
        _ fixture: Fixture, _ source: ChoosablePeople = .everybody, for asker: UserID, limit: Int = 2,
        betweenPages: () throws -> Void = {}
    ) throws -> [String] {
        var found: [String] = []
        var after: String? = ""
        while let place = after {
            let page = try Self.page(fixture, source, for: asker, after: place, limit: limit)
            found += page.people.map(\.name.text)
            after = page.next
            if after != nil { try betweenPages() }
        }
        return found
    }

    private static func name(_ fixture: Fixture, _ user: UserID, _ name: String) throws {
        try fixture.store.writeAndWait { store throws(StoreError) in try store.people.setDisplayName(user, name) }
    }

    @Test("come by the pinyin of their names among Latin ones, under the name that the asker gives them")
    func order() throws {
        let fixture = try Fixture()
        let wang = try fixture.user("wang")
        for (name, shown) in [("a1", "张小明"), ("a2", "Bob"), ("a3", "阿红"), ("a4", "9号"), ("a5", "carl")] {
            try Self.name(fixture, try fixture.user(name), shown)
        }
        #expect(try Self.all(fixture, for: wang) == ["a4", "a3", "a2", "a5", "wang", "a1"])
        let friend = UserID(rawValue: wang.rawValue + 2)
        try fixture.store.writeAndWait { store throws(StoreError) in
            _ = try store.friends.make(wang, friend)
            try store.friends.setRemark(friend, of: wang, "赵")
        }
        #expect(try Self.all(fixture, for: wang) == ["a4", "a3", "a5", "wang", "a2", "a1"])
        #expect(try Self.all(fixture, for: friend) == ["a4", "a3", "a2", "a5", "wang", "a1"])
        #expect(try Self.all(fixture, .friends, for: wang) == ["a2"])
        #expect(try Self.all(fixture, .acquainted, for: wang) == ["wang", "a2"])
        let people = try Self.page(fixture, for: wang, limit: 10).people
        #expect(people.map(\.ownName) == [nil, nil, nil, nil, "赵", nil])
    }

    @Test("members come under their nicknames, listed people once for each list")
    func members() throws {
        let fixture = try Fixture()
        let (ann, bob, cat) = (try fixture.user("ann"), try fixture.user("bob"), try fixture.user("cat"))
        let verona = try fixture.group("verona", owner: ann, [bob, cat])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.setNickname(of: bob, "周", in: verona, by: Actor(bob))
            for list in PersonalList.allCases { _ = try store.people.setListed(owner: ann, list, cat, true) }
        }
        #expect(try Self.all(fixture, .members(verona), for: ann, limit: 1) == ["ann", "cat", "bob"])
        #expect(try Self.all(fixture, .lists, for: ann, limit: 1) == ["cat", "cat"])
    }

    @Test("pages join without a gap and without a double while others are renamed")
    func renamed() throws {
        let fixture = try Fixture()
        let wang = try fixture.user("wang")
        var people: [UserID] = []
        for number in 0..<40 {
            people.append(try fixture.user("p\(number)"))
            try Self.name(fixture, people[number], ["赵", "b", "李", "Z", "阿"][number % 5] + "\(number)")
        }
        // Those with an even number keep their names.
        let steady = Set((0..<20).map { "p\($0 * 2)" } + ["wang"])
        var turn = 0
        let found = try Self.all(fixture, for: wang, limit: 3) {
            for step in 0..<4 {
                let number = (turn * 4 + step) % 20 * 2 + 1
                try Self.name(fixture, people[number], ["张", "a", "陈", "#"][(turn + step) % 4] + "\(turn)")
            }
            turn += 1
        }
        let kept = found.filter(steady.contains)
        #expect(kept.count == steady.count && Set(kept) == steady)
        #expect(kept == (try Self.all(fixture, for: wang, limit: 1_000)).filter(steady.contains))
        #expect(turn > 5)
    }

    @Test("a search goes through everybody, page by page, and ends")
    func search() throws {
        let fixture = try Fixture()
        let wang = try fixture.user("wang")
        try fixture.store.writeAndWait { store throws(StoreError) in
            for number in 0..<2_500 {
                let name = UserName("p\(number)") ?? systemUserName
                try store.people.createUser(name, displayName: "\(number) " + (number % 500 == 7 ? "rare" : "usual"))
            }
        }
        let first = try Self.page(fixture, for: wang, limit: 3, matching: "rare")
        let second = try Self.page(fixture, for: wang, after: try #require(first.next), limit: 3, matching: "rare")
        #expect(first.people.count == 3 && second.people.count == 2 && second.next == nil)
        #expect(Set((first.people + second.people).map(\.name)).count == 5)
        #expect(try Self.page(fixture, for: wang, limit: 3, matching: "nobody").next == nil)
    }

    @Test("their places follow every change of a name, which verify holds")
    func places() throws {
        let fixture = try Fixture()
        let (ann, bob, cat) = (try fixture.user("ann"), try fixture.user("bob"), try fixture.user("cat"))
        let verona = try fixture.group("verona", owner: ann, [bob])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setProfile(of: ann, ProfilePatch(displayName: "安"))
            _ = try store.friends.make(ann, bob)
            _ = try store.friends.make(ann, cat)
            try store.friends.setRemark(bob, of: ann, "鲍勃")
            try store.friends.setRemark(ann, of: bob, "安娜")
            try store.friends.setRemark(cat, of: ann, "猫")
            try store.conversations.setNickname(of: bob, "波", in: verona, by: Actor(bob))
        }
        #expect(try fixture.verify(try fixture.copied()).findings == [])
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.people.setProfile(of: ann, ProfilePatch(displayName: ""))
            try store.friends.remove(cat, of: ann)
            try store.conversations.setNickname(of: bob, nil, in: verona, by: Actor(bob))
            _ = try store.people.deleteUser(bob)
        }
        #expect(try fixture.verify(try fixture.copied()).findings == [])
        fixture.store.close()
        try Connection(path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "OFF"))
            .script("UPDATE user SET sort_key = 'Z' WHERE name = 'cat'")
        #expect(try fixture.verified().findings.map(\.kind) == [.people])
    }

    @Test("a database from before gets their places")
    func migrated() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 26)
        try connection.script(
            """
            INSERT INTO user (id, name, display_name, created_at) VALUES (1, 'ann', NULL, 1), (2, 'bob', '张三', 1);
            INSERT INTO friend (owner_id, other_id, remark, change, created_at)
            VALUES (1, 2, '老三', 1, 1), (2, 1, NULL, 1, 1);
            INSERT INTO conversation (id, kind, head, head_countable, change, active_at, created_at, creator_id, channel)
            VALUES (1, 2, 0, 0, 5, 9, 1, 1, 'verona');
            INSERT INTO member (conversation_id, user_id, nickname, read_sequence, read_countable, joined_sequence, change)
            VALUES (1, 1, NULL, 0, 0, 0, 1), (1, 2, '王', 0, 0, 0, 1);
            """)
        try connection.migrate(clock: 1, epoch: 2)
        let keys = try connection.query(
            """
            SELECT sort_key FROM user WHERE id > 0 UNION ALL SELECT coalesce(sort_key, '-') FROM friend
            UNION ALL SELECT coalesce(sort_key, '-') FROM member
            """
        ) { row throws(StoreError) in row.text(0) }
        #expect(keys == ["Aann/ann", "Zzs/bob", "Lls/bob", "-", "-", "Ww/bob"])
    }
}
