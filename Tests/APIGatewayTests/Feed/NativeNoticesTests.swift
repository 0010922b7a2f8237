import ByteCodec
import ChatModel
import Profiles
import Store
import Testing

@testable import APIGateway

struct NativeNoticesTests {
    private let me = UserID(rawValue: 7)
    private let other = UserID(rawValue: 8)
    private let place = ConversationID(rawValue: 12)
    private let cursor = FeedCursor(epoch: 1, position: 35)

    private func notice(
        _ change: FeedChange.Subject, isMine: Bool = true, isMember: Bool = false
    ) -> NativeNotice? {
        NativeNotices.notice(
            of: change, NativeNotices.Facts(isMine: isMine, viewer: self.me, isMember: isMember))
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("each change has its word while the person is in the conversation")
    func words() {
        #expect(self.notice(.message(sequence: 3)) == .message(sequence: 3))
        #expect(self.notice(.changedMessage(sequence: 3)) == .changedMessage(sequence: 3))
        #expect(self.notice(.receipt(sequence: 3)) == .changedMessage(sequence: 3))
        #expect(self.notice(.conversation) == .conversation)
        #expect(self.notice(.own) == .conversation)
        #expect(self.notice(.read) == .read)
        #expect(self.notice(.history) == .gap)
        #expect(self.notice(.gap) == .gap)
        #expect(self.notice(.member(self.other), isMember: true) == .member(self.other))
        #expect(self.notice(.member(self.other)) == .left(self.other))
        #expect(self.notice(.member(self.me), isMember: true) == .joined, "who joined again gets a fresh one")
        for person in [self.other, self.me] {
            #expect(self.notice(.memberState(person), isMember: true) == .member(person))
            #expect(self.notice(.memberState(person)) == nil, "who went since is told by the change that says so")
        }
    }

    @Test("who is out is told that it is gone, and nothing else")
    func gone() {
        for change in [
            FeedChange.Subject.message(sequence: 1), .changedMessage(sequence: 1), .receipt(sequence: 1), .conversation,
            .own, .read, .history, .gap, .member(self.other), .memberState(self.me),
        ] {
            #expect(self.notice(change, isMine: false) == nil, "\(change)")
        }
        #expect(self.notice(.member(self.me), isMine: false) == .gone)
        #expect(self.notice(.ended, isMine: false) == .gone)
    }

    @Test("a person is told of people in no conversation")
    func people() {
        #expect(self.notice(.person(self.other), isMine: false) == .profile(self.other))
        #expect(self.notice(.person(self.me), isMine: false) == .profile(self.me))
        #expect(self.notice(.gapOfPeople, isMine: false) == .gapOfPeople)
        #expect(self.notice(.request(3), isMine: false) == .request(3))
        #expect(self.notice(.announcement(3), isMine: false) == .announcement(3))
        #expect(self.text(NativeNotices.gapOfPeople) == #"{"type":"gap","scope":"people"}"#)
    }

    @Test("frames of people are worded with what the profile service says, in their places")
    func profiles() throws {
        let (romeo, juliet) = (try #require(UserName("romeo")), try #require(UserName("juliet")))
        let result = FeedResult(
            frames: [
                FeedFrame(position: 34, json: [1]), FeedFrame(position: 35, json: [], person: romeo),
                FeedFrame(position: 36, json: [], person: juliet),
            ], through: 40)
        #expect(Set(result.people) == [romeo, juliet])
        let shown = result.showing([ProfileInfo(name: romeo, displayName: "Montague")], epoch: 1) {
            ProfileInfo(name: $0)
        }
        #expect(shown.frames.map(\.position) == [34, 35] && shown.frames[0].json == [1] && shown.through == 40)
        #expect(
            self.text(shown.frames[1].json).hasPrefix(
                #"{"cursor":"1-z","type":"profile","user":{"name":"romeo","displayName":"Montague""#))
    }

    @Test("events are written as the API says")
    func frames() throws {
        let romeo = try #require(UserName("romeo"))
        #expect(self.text(NativeNotices.gapOfAll) == #"{"type":"gap","scope":"all"}"#)
        #expect(
            self.text(NativeNotices.gap(of: self.place))
                == #"{"type":"gap","scope":"conversation","conversation":"12"}"#)
        #expect(
            self.text(NativeNotices.gone(self.place, at: self.cursor))
                == #"{"cursor":"1-z","type":"gone","conversation":"12"}"#)
        #expect(
            self.text(NativeNotices.conversation(Array(#"{"id":"12"}"#.utf8), isNew: true, at: self.cursor))
                == #"{"cursor":"1-z","type":"conversation","conversation":{"id":"12"},"isNew":true}"#)
        let read = NativeNotices.read(self.place, by: romeo, upTo: 5, at: self.cursor)
        #expect(
            self.text(read) == #"{"cursor":"1-z","type":"read","conversation":"12","user":"romeo","sequence":5}"#)
        #expect(
            self.text(NativeNotices.event(read, summary: Array(#"{"id":"12"}"#.utf8))).hasSuffix(
                #""sequence":5,"summary":{"id":"12"}}"#))
        #expect(
            self.text(NativeNotices.member(romeo, nil, in: self.place, at: self.cursor))
                == #"{"cursor":"1-z","type":"member","conversation":"12","user":"romeo","change":"left"}"#)
        #expect(
            self.text(NativeNotices.typing(romeo, in: self.place))
                == #"{"type":"typing","conversation":"12","user":"romeo"}"#)
        #expect(
            self.text(NativeNotices.online(romeo, true)) == #"{"type":"online","user":"romeo","isOnline":true}"#)
    }
}
