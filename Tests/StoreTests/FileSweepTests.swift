import ChatModel
import Testing

@testable import Store

@Suite("What nothing refers to")
struct FileSweepTests {
    private static let day: Int64 = 24 * 3_600

    @Test("goes after a day, its content with it; the content only when no other file has it")
    func swept() throws {
        let verona = try Verona()
        let (one, two) = (try verona.upload(verona.romeo, "same"), try verona.upload(verona.juliet, "same"))
        let other = try verona.upload(verona.romeo, "other")
        #expect(try verona.object("same")?.references == 2)
        verona.advance(seconds: Self.day)
        #expect(try verona.sweep() == [])
        try verona.say("\(two.key)", verona.juliet)
        verona.advance(seconds: 1)
        #expect(try verona.sweep() == [Verona.object("other")])
        #expect(try verona.file(one.key) == nil)
        #expect(try verona.file(other.key) == nil)
        #expect(try verona.file(two.key) != nil)
        #expect(try verona.object("same")?.references == 1)
        #expect(try verona.object("other")?.state == .going)
        // Named again until it is gone: after a crash in between too.
        #expect(try verona.sweep() == [Verona.object("other")])
        try verona.write { store throws(StoreError) in try store.files.objectGone(Verona.object("other").hash) }
        #expect(try verona.object("other") == nil)
        #expect(try verona.sweep() == [])
        #expect(try verona.isSound() == [])
    }

    @Test("has its day from when the last message with it was recalled")
    func recalled() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let place = try verona.say("\(file.key)", verona.romeo)
        verona.advance(seconds: 10 * Self.day)
        #expect(try verona.sweep() == [])
        try verona.write { store throws(StoreError) in _ = try store.messages.recall(place, by: .operator) }
        verona.advance(seconds: Self.day)
        #expect(try verona.sweep() == [])
        #expect(try verona.file(file.key) != nil)
        verona.advance(seconds: 1)
        #expect(try verona.sweep().count == 1)
        #expect(try verona.isSound() == [])
    }

    @Test("stays while it is held, and has another day after that")
    func held() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        try verona.write { store throws(StoreError) in try store.files.holdFile(file.key, true) }
        verona.advance(seconds: 10 * Self.day)
        #expect(try verona.sweep() == [])
        try verona.write { store throws(StoreError) in try store.files.holdFile(file.key, false) }
        #expect(try verona.sweep() == [])
        verona.advance(seconds: Self.day + 1)
        #expect(try verona.sweep().count == 1)
        #expect(try verona.isSound() == [])
    }

    @Test("pictures and unfinished files stay")
    func inUse() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let (id, romeo) = (verona.id, verona.romeo)
        try verona.write { store throws(StoreError) in
            try store.files.setPicture(of: .conversation(id, isSmall: true), to: file.key, by: Actor(romeo))
        }
        let unfinished = try verona.begin(verona.juliet)
        verona.advance(seconds: 10 * Self.day)
        #expect(try verona.sweep() == [])
        #expect(try verona.file(file.key) != nil)
        #expect(try verona.file(unfinished.file) != nil)
        #expect(try verona.isSound() == [])
    }

    @Test("a content that comes again while it is being removed is there")
    func back() throws {
        let verona = try Verona()
        try verona.upload(verona.romeo)
        verona.advance(seconds: Self.day + 1)
        #expect(try verona.sweep().count == 1)
        let again = try verona.upload(verona.juliet)
        #expect(try verona.object("letter")?.state == .ready)
        // Too late: it belongs to somebody again.
        try verona.write { store throws(StoreError) in try store.files.objectGone(Verona.object("letter").hash) }
        #expect(try verona.file(again.key)?.object == Verona.object("letter"))
        #expect(try verona.sweep() == [])
        #expect(try verona.isSound() == [])
    }

    @Test("a limited sweep goes on where it ended")
    func limited() throws {
        let verona = try Verona()
        for number in 0..<5 { try verona.upload(verona.romeo, "\(number)") }
        verona.advance(seconds: Self.day + 1)
        var gone: Set<ContentHash> = []
        for _ in 0..<3 {
            let objects = try verona.sweep(2)
            #expect(objects.count <= 2)
            gone.formUnion(objects.map(\.hash))
            try verona.write { store throws(StoreError) in
                for object in objects { try store.files.objectGone(object.hash) }
            }
        }
        #expect(gone.count == 5)
        #expect(try verona.totals() == FileTotals())
        #expect(try verona.isSound() == [])
    }

    @Test("a link that no message has got ends after a day; one that a message has does not")
    func links() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let (used, unused) = (try verona.link(file), try verona.link(file))
        try verona.say("\(used)", verona.romeo)
        verona.advance(seconds: Self.day - 1)
        _ = try verona.sweep()
        #expect(try verona.file(link: unused) != nil)
        verona.advance(seconds: 2)
        _ = try verona.sweep()
        #expect(try verona.file(link: unused) == nil)
        #expect(try verona.file(link: used) != nil)
        #expect(try verona.isSound() == [])
    }

    @Test("a damaged content is said to be, until it is found whole or comes again")
    func damaged() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        let hash = Verona.object("letter").hash
        try verona.write { store throws(StoreError) in try store.files.objectDamaged(hash) }
        #expect(try verona.file(file.key)?.isDamaged == true)
        #expect(try verona.totals().damagedObjects == 1)
        var query = FileQuery()
        query.onlyDamaged = true
        let damaged = query
        #expect(try verona.read { store throws(StoreError) in try store.files.files(damaged) }.map(\.key) == [file.key])
        try verona.write { store throws(StoreError) in try store.files.objectChecked(hash) }
        #expect(try verona.file(file.key)?.isDamaged == false)
        try verona.write { store throws(StoreError) in try store.files.objectDamaged(hash) }
        try verona.upload(verona.juliet)
        #expect(try verona.file(file.key)?.isDamaged == false)
        #expect(try verona.isSound() == [])
    }

    @Test("contents are checked in the order in which they were last")
    func checks() throws {
        let verona = try Verona()
        for name in ["a", "b", "c"] {
            try verona.upload(verona.romeo, name)
            verona.advance(seconds: 1)
        }
        try verona.write { store throws(StoreError) in try store.files.objectChecked(Verona.object("a").hash) }
        let now = verona.fixture.clock.clock.wallMilliseconds()
        let next = try verona.read { store throws(StoreError) in
            try store.files.objectsToCheck(before: now + 1, limit: 10)
        }
        #expect(next == [Verona.object("b"), Verona.object("c"), Verona.object("a")])
        #expect(
            try verona.read { store throws(StoreError) in try store.files.objectsToCheck(before: now, limit: 1) } == [
                next[0]
            ]
        )
        #expect(try verona.isSound() == [])
    }
}
