import AdminAPI
import ChatModel

private let sampleAnnouncement = Announcement(
    number: 3, title: "维护", body: "a\nb", sender: "ming", teams: [verona], createdAtMilliseconds: 5,
    sentAtMilliseconds: 6, receivers: 2, confirmed: 1)
private let noticeJSON =
    #""number":3,"title":"维护","text":"a\nb","teams":["verona"],"sender":"ming","createdAt":5,"sentAt":6,"#
    + #""receivers":2,"confirmed":1"#

private var deletedUser: User {
    User(
        id: UserID(rawValue: 1), name: juliet, isDisabled: true, createdAtMilliseconds: 4, deletedAtMilliseconds: 5)
}

private let sampleDetails = AdminPersonDetails(
    name: romeo, deletedAtMilliseconds: 9, friendCount: 1,
    friends: [AdminFriend(name: juliet, remark: "J", sinceMilliseconds: 2)],
    recent: [
        AdminRecentConversation(
            conversation: "verona", kind: .group, unread: 3, badge: 2, isPinned: true, activeAtMilliseconds: 4)
    ], teamCount: 1, teams: [AdminMembership(team: verona, title: "V", role: .manager)],
    files: AdminFileUse(count: 1, bytes: 17, quotaBytes: 100),
    tokens: [
        AdminIssuedToken(
            token: AdminToken(device: .web, level: .primary, lastSeenAtMilliseconds: 5, expiresAtMilliseconds: nil),
            issuedAtMilliseconds: 4)
    ],
    ends: [
        AdminSessionEnd(
            user: romeo, device: .app, deviceID: "d", address: "127.0.0.1:9", openedAtMilliseconds: 1,
            endedAtMilliseconds: 2, reason: "kicked")
    ],
    devices: [
        AdminInstallation(
            objectID: "0123456789abcdef01234567", deviceType: "ios", installationID: "i", tokenHint: "t…",
            createdAtMilliseconds: 1, updatedAtMilliseconds: 2)
    ])

/// Every request about a whole person and about announcements once, with the line it is on the socket.
let peopleRequestVectors: [(AdminRequest, String)] = [
    (.people(.details(romeo)), #"{"id":7,"ask":"user.details","with":{"name":"romeo"}}"#),
    (.people(.delete(juliet)), #"{"id":7,"ask":"user.delete","with":{"name":"朱丽叶"}}"#),
    (
        .announcements(.send(AdminNewAnnouncement(title: "维护", text: "a\nb", teams: [verona]))),
        #"{"id":7,"ask":"notice.send","with":{"title":"维护","text":"a\nb","teams":["verona"]}}"#
    ),
    (
        .announcements(.send(AdminNewAnnouncement(text: "t"))),
        #"{"id":7,"ask":"notice.send","with":{"title":"","text":"t","teams":[]}}"#
    ),
    (.announcements(.list(before: nil)), #"{"id":7,"ask":"notice.list","with":{}}"#),
    (.announcements(.list(before: 3)), #"{"id":7,"ask":"notice.list","with":{"before":3}}"#),
    (
        .announcements(.show(3, .all, after: nil)),
        #"{"id":7,"ask":"notice.show","with":{"number":3,"people":"all"}}"#
    ),
    (
        .announcements(.show(3, .waiting, after: 9)),
        #"{"id":7,"ask":"notice.show","with":{"number":3,"people":"waiting","after":9}}"#
    ),
]

let peopleReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.users([AdminUser(deletedUser)], next: nil))),
        #"{"id":7,"answer":"users","with":{"users":[{"name":"朱丽叶","role":"member","disabled":true,"#
            + #""sendBanned":false,"password":false,"createdAt":4,"deletedAt":5}]}}"#
    ),
    (
        .answer(id: 7, .success(.details(sampleDetails))),
        #"{"id":7,"answer":"details","with":{"name":"romeo","deletedAt":9,"friendCount":1,"#
            + #""friends":[{"name":"朱丽叶","remark":"J","since":2}],"#
            + #""recent":[{"conversation":"verona","kind":"group","unread":3,"badge":2,"pinned":true,"activeAt":4}],"#
            + #""teamCount":1,"teams":[{"team":"verona","title":"V","role":"manager"}],"#
            + #""files":{"count":1,"bytes":17,"quota":100},"#
            + #""tokens":[{"device":"web","level":"primary","lastSeenAt":5,"issuedAt":4}],"#
            + #""ends":[{"user":"romeo","device":"app","deviceID":"d","address":"127.0.0.1:9","openedAt":1,"#
            + #""endedAt":2,"reason":"kicked"}],"devices":[{"objectId":"0123456789abcdef01234567","type":"ios","#
            + #""installationId":"i","tokenHint":"t…","createdAt":1,"updatedAt":2}]}}"#
    ),
    (
        .answer(id: 7, .success(.announcements(.list([sampleAnnouncement], next: 3)))),
        #"{"id":7,"answer":"notices","with":{"notices":[{\#(noticeJSON)}],"next":3}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .announcements(
                    .one(
                        sampleAnnouncement,
                        people: [
                            AdminAnnouncementReceiver(name: romeo, confirmedAtMilliseconds: 8),
                            AdminAnnouncementReceiver(name: juliet),
                        ], next: 4)))),
        #"{"id":7,"answer":"notice","with":{"notice":{\#(noticeJSON)},"#
            + #""people":[{"name":"romeo","confirmedAt":8},{"name":"朱丽叶"}],"next":4}}"#
    ),
]
