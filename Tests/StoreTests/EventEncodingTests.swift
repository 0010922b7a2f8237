import ChatModel
import Testing

@testable import Store

@Suite("Encoding of logged events")
struct EventEncodingTests {
    private static let (romeo, juliet) = (UserName("romeo")!, UserName("juliet")!)

    private static let changes: [ChangeEvent.Change] = [
        .created([romeo, juliet]), .created([romeo], asTeam: true), .joined([romeo]), .joined([romeo], as: .joined),
        .joined([romeo, juliet], as: .applicationAccepted), .joined([romeo], as: .invitationAccepted(by: nil)),
        .joined([romeo], as: .invitationAccepted(by: UserID(rawValue: 7))), .left([romeo]), .left([romeo], as: .left),
        .card(modified: Array(#"{"name":"Verona"}"#.utf8), asked: nil),
        .card(modified: Array(#"{"name":"Verona"}"#.utf8), asked: Array(#"{"name":{"__op":"Delete"}}"#.utf8)),
        .role(romeo, .manager), .role(romeo, .member, was: .owner), .muted([romeo]), .unmuted([romeo]),
        .blocked([romeo]), .unblocked([romeo]),
        .receipt(
            MessageReceipt(
                message: MessageID(rawValue: 9), sequence: 3, receiver: romeo, isRead: true, atMilliseconds: 77)),
    ]

    @Test("a change that is written is read again, and bears the version", arguments: changes)
    func golden(_ change: ChangeEvent.Change) throws {
        let row = try #require(EventEncoding(change))
        #expect(row.payload.hasPrefix(#"{"v":1,"#) && change.isLogged)
        #expect(try EventEncoding.change(ofKind: row.kind, row.payload, at: 77) == change)
    }

    @Test(
        "what devices catch up with in another way has no row",
        arguments: [
            .read(upTo: 1, unread: 0), .annotated(.pins), .nickname(romeo), .settings([.picture]), .own(.hidden),
            .person(.reminders),
        ] as [ChangeEvent.Change])
    func elsewhere(_ change: ChangeEvent.Change) { #expect(EventEncoding(change) == nil && !change.isLogged) }

    @Test(
        "rows of the first builds, which have no version, are read",
        arguments: [
            (1, #"{"m":["romeo"],"team":true}"#, .created([romeo], asTeam: true)),
            (2, #"{"m":["romeo"]}"#, .joined([romeo])),
            (
                2, #"{"m":["romeo"],"as":"invitation","by":7}"#,
                .joined([romeo], as: .invitationAccepted(by: UserID(rawValue: 7)))
            ),
            (3, #"{"m":["romeo"]}"#, .left([romeo])), (3, #"{"m":["romeo"],"as":"left"}"#, .left([romeo], as: .left)),
            (4, #"{"modified":{"name":"x"}}"#, .card(modified: Array(#"{"name":"x"}"#.utf8), asked: nil)),
            (5, #"{"m":"romeo","role":1}"#, .role(romeo, MemberRole(rawValue: 1)!)),
            (6, #"{"m":["romeo"]}"#, .muted([romeo])),
            (
                10, #"{"id":9,"sequence":3,"m":"romeo","read":true}"#,
                .receipt(
                    MessageReceipt(
                        message: MessageID(rawValue: 9), sequence: 3, receiver: romeo, isRead: true, atMilliseconds: 5))
            ),
        ] as [(Int64, String, ChangeEvent.Change)])
    func former(_ kind: Int64, _ payload: String, _ change: ChangeEvent.Change) throws {
        #expect(try EventEncoding.change(ofKind: kind, payload, at: 5) == change)
    }

    @Test(
        "a row of another version, of no kind, or damaged is refused, each with its reason",
        arguments: [
            (2, #"{"v":2,"m":["romeo"]}"#, .unknownVersion(2)), (77, #"{"v":2}"#, .unknownVersion(2)),
            (77, #"{"v":1}"#, .unknownKind(77)), (0, "{}", .unknownKind(0)), (2, "{", .damaged(field: "payload")),
            (2, "[]", .damaged(field: "payload")), (2, "", .damaged(field: "payload")),
            (2, #"{"v":"1","m":["romeo"]}"#, .damaged(field: "v")), (2, #"{"v":1}"#, .damaged(field: "m")),
            (2, #"{"m":[1]}"#, .damaged(field: "m")), (2, #"{"m":["romeo"],"as":"fell"}"#, .damaged(field: "as")),
            (3, #"{"m":["romeo"],"as":1}"#, .damaged(field: "as")), (4, "{}", .damaged(field: "modified")),
            (5, #"{"m":"romeo","role":99}"#, .damaged(field: "role")), (5, #"{"role":1}"#, .damaged(field: "m")),
            (10, #"{"id":9,"sequence":3,"m":"romeo"}"#, .damaged(field: "read")),
        ] as [(Int64, String, EventRowFault)])
    func faults(_ kind: Int64, _ payload: String, _ fault: EventRowFault) {
        #expect(throws: fault) { try EventEncoding.change(ofKind: kind, payload, at: 0) }
    }

    @Test("who asks for what was missed is told which row cannot be read; the rest of the store goes on")
    func reading() throws {
        let verona = try Verona()
        let (id, tybalt, juliet) = (verona.id, verona.tybalt, verona.juliet)
        let number = try verona.write { store throws(StoreError) in
            try store.conversations.addMembers([tybalt], to: id)
            try store.connection.run(
                "UPDATE conversation_event SET payload = ? WHERE number = (SELECT max(number) FROM conversation_event)",
                #"{"v":2,"m":["tybalt"]}"#)
            return try store.connection.first("SELECT max(number) FROM conversation_event") { row throws(StoreError) in
                row.int64(0)
            } ?? 0
        }
        #expect(throws: StoreError.unreadableEvent(number: number, .unknownVersion(2))) {
            try verona.read { store throws(StoreError) in try store.feed.events(for: juliet, after: 0) }
        }
        #expect(try verona.say("still here", verona.romeo).sequence > 0)
    }
}
