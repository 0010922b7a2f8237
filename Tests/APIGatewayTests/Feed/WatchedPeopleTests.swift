import ChatModel
import Testing

@testable import APIGateway

private let romeo = UserName("romeo")!
private let juliet = UserName("juliet")!
private let nurse = UserName("nurse")!

struct WatchedPeopleTests {
    /// A client that follows romeo, who is online, and juliet, of whom nothing has been told.
    private static func watching() -> WatchedPeople {
        var watched = WatchedPeople()
        let change = watched.watch([romeo, juliet])
        #expect(change == WatchedPeople.Change(dropped: [], known: [:], asked: [romeo, juliet]))
        let isTold = watched.change(romeo, true)
        #expect(isTold)
        return watched
    }

    @Test("who was told is said again, who was not is asked for anew, the others are dropped")
    func watch() {
        var watched = Self.watching()
        let change = watched.watch([romeo, nurse])
        #expect(change == WatchedPeople.Change(dropped: [juliet], known: [romeo: true], asked: [nurse]))
        #expect(watched.names == [romeo, nurse])
        let again = watched.watch([romeo, nurse])
        #expect(again == WatchedPeople.Change(dropped: [nurse], known: [romeo: true], asked: [nurse]))
        let none = watched.watch([])
        #expect(none == WatchedPeople.Change(dropped: [romeo, nurse], known: [:], asked: []))
    }

    @Test("a state is told once, and of nobody who is not followed")
    func change() {
        var watched = Self.watching()
        let told = [
            watched.change(romeo, true), watched.change(romeo, false), watched.change(romeo, false),
            watched.change(juliet, false), watched.change(nurse, true),
        ]
        #expect(told == [false, true, false, true, false])
        #expect(watched.names == [romeo, juliet])
    }

    @Test("what could not be told is asked for when the client watches again")
    func forgotten() {
        var watched = Self.watching()
        watched.forget(romeo)
        let change = watched.watch([romeo])
        #expect(change == WatchedPeople.Change(dropped: [romeo, juliet], known: [:], asked: [romeo]))
    }

    @Test("ten new people cost a request, and a hundred who are known")
    func requests() {
        let names = Set((0..<250).map { UserName("u\($0)")! })
        var watched = WatchedPeople()
        #expect(watched.requests(for: []) == 0)
        #expect(watched.requests(for: Set(names.prefix(9))) == 0)
        #expect(watched.requests(for: names) == 25)
        _ = watched.watch(names)
        #expect(watched.requests(for: names) == 25, "none of them was told")
        for name in names { _ = watched.change(name, false) }
        #expect(watched.requests(for: names) == 2)
        #expect(watched.requests(for: names.union((0..<10).map { UserName("v\($0)")! })) == 3)
    }

    @Test("at the end nobody is followed")
    func end() {
        var watched = Self.watching()
        let dropped = watched.end()
        #expect(dropped == [romeo, juliet] && watched.names.isEmpty)
        let isTold = watched.change(romeo, false)
        #expect(!isTold)
    }
}
