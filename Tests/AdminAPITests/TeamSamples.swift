import AdminAPI
import ChatModel

private func ask(_ word: String, _ with: String) -> String { #"{"id":7,"ask":"\#(word)","with":{\#(with)}}"# }
private func answer(_ word: String, _ with: String) -> String { #"{"id":7,"answer":"\#(word)","with":{\#(with)}}"# }

private func samplePatch() -> AdminTeamPatch {
    var patch = AdminTeamPatch()
    patch.title = "V"
    patch.introduction = ""
    patch.memberLimit = 50
    patch.modes.join = .approval
    patch.modes.invite = .everyone
    patch.modes.beInvited = TeamBeInvitedMode.none
    patch.modes.updateInfo = .managers
    patch.modes.updateAttributes = .everyone
    patch.modes.mute = .everyone
    patch.modes.ownerLeaving = .transferFirst
    return patch
}

private let patchJSON =
    #""title":"V","introduction":"","memberLimit":50,"join":"approval","invite":"everyone","beInvited":"none","#
    + #""updateInfo":"managers","updateAttributes":"everyone","mute":"everyone","ownerLeaving":"transfer-first""#

/// Every request about teams, with the line it is on the socket.
let teamRequestVectors: [(AdminRequest, String)] = [
    (.teams(.show(verona)), ask("team.show", #""team":"verona""#)),
    (
        .teams(.create(AdminNewTeam(name: verona, form: .normal, members: [juliet]))),
        ask("team.create", #""name":"verona","form":"normal","members":["朱丽叶"],"settings":{}"#)
    ),
    (
        .teams(
            .create(
                AdminNewTeam(name: verona, form: .advanced, owner: romeo, members: [], settings: samplePatch()))),
        ask(
            "team.create",
            #""name":"verona","form":"advanced","owner":"romeo","members":[],"settings":{\#(patchJSON)}"#)
    ),
    (.teams(.set(verona, samplePatch())), ask("team.set", #""team":"verona","patch":{\#(patchJSON)}"#)),
    (
        .teams(.invite(verona, [juliet], from: romeo, postscript: "来")),
        ask("team.invite", #""team":"verona","people":["朱丽叶"],"from":"romeo","postscript":"来""#)
    ),
    (
        .teams(.invite(verona, [juliet], from: nil, postscript: "")),
        ask("team.invite", #""team":"verona","people":["朱丽叶"],"postscript":"""#)
    ),
    (.teams(.remove(verona, [juliet])), ask("team.remove", #""team":"verona","people":["朱丽叶"]"#)),
    (
        .teams(.setRole(verona, [juliet], .manager)),
        ask("team.role", #""team":"verona","people":["朱丽叶"],"role":"manager""#)
    ),
    (
        .teams(.setNickname(verona, romeo, "R")),
        ask("team.nickname", #""team":"verona","name":"romeo","nickname":"R""#)
    ),
    (
        .teams(.mute(verona, romeo, true, minutes: 10)),
        ask("team.mute", #""team":"verona","name":"romeo","on":true,"minutes":10"#)
    ),
    (
        .teams(.transfer(verona, to: juliet, andLeaves: true)),
        ask("team.transfer", #""team":"verona","name":"朱丽叶","leave":true"#)
    ),
    (.teams(.dismiss(verona)), ask("team.dismiss", #""team":"verona""#)),
    (
        .teams(.announce(verona, title: "T", text: "b")),
        ask("team.announce", #""team":"verona","title":"T","text":"b""#)
    ),
    (.teams(.announcements(verona, before: 4)), ask("team.announcements", #""team":"verona","before":4"#)),
    (
        .teams(.card(AdminCardQuery(team: verona, viewer: romeo, member: juliet, hidden: [.alerts]))),
        ask("team.card", #""team":"verona","viewer":"romeo","member":"朱丽叶","hide":["alerts"]"#)
    ),
    (.teams(.requests(AdminJoinQuery())), ask("request.list", #""onlyWaiting":true"#)),
    (
        .teams(.requests(AdminJoinQuery(team: verona, person: romeo, onlyWaiting: false, before: 9))),
        ask("request.list", #""team":"verona","person":"romeo","onlyWaiting":false,"before":9"#)
    ),
    (
        .teams(.answer(5, accept: false, reason: "满")),
        ask("request.answer", #""request":5,"accept":false,"reason":"满""#)
    ),
    (
        .teams(.apply(verona, romeo, postscript: "")),
        ask("request.apply", #""team":"verona","name":"romeo","postscript":"""#)
    ),
    (.teams(.withdraw(5)), ask("request.withdraw", #""request":5"#)),
]

private let sampleAnnouncement = TeamAnnouncement(
    number: 4, title: "T", body: "b", author: UserID(rawValue: 1), authorName: romeo, createdAtMilliseconds: 6)
private let announcementJSON = #"{"number":4,"title":"T","body":"b","author":"romeo","createdAt":6}"#

private func sampleTeam() -> AdminTeam {
    let conversation = Conversation(
        id: ConversationID(rawValue: 3), kind: .group, channel: verona, flags: [.everyoneMuted],
        creator: .system, memberCount: 2, head: 7, headCountable: 7, revision: 0, createdAtMilliseconds: 1,
        activeAtMilliseconds: 2)
    var settings = TeamSettings.advanced
    settings.memberLimit = 50
    let team = Team(
        conversation: conversation, card: ConversationCard(conversation: conversation.id), settings: settings,
        introduction: "i", announcement: sampleAnnouncement, owner: UserID(rawValue: 1), limit: 50)
    let member = Member(
        user: UserID(rawValue: 1), name: romeo, role: .owner, readSequence: 7, readCountable: 7,
        ownCountableSinceRead: 0, joinedSequence: 0)
    return AdminTeam(
        team, conversation: AdminConversation(conversation, name: "verona"), owner: romeo,
        members: [AdminMember(member, headCountable: 7)], waitingRequests: 2)
}

private let sampleRequest = TeamRequest(
    number: 5, kind: .invite, team: ConversationID(rawValue: 3), teamName: verona, person: UserID(rawValue: 2),
    personName: juliet, inviter: UserID(rawValue: 1), inviterName: romeo, postscript: "来", state: .refused,
    answeredBy: UserID(rawValue: 2), answeredByName: juliet, reason: "忙", createdAtMilliseconds: 8,
    answeredAtMilliseconds: 9)
private let requestJSON =
    #""number":5,"kind":"invite","team":"verona","person":"朱丽叶","inviter":"romeo","postscript":"来","#
    + #""state":"refused","answeredBy":"朱丽叶","reason":"忙","createdAt":8,"answeredAt":9"#

/// Every answer about them.
let teamReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.teams(.team(sampleTeam())))),
        answer(
            "team",
            #""conversation":{"number":3,"kind":"group","name":"verona","banned":false,"disbanded":false,"#
                + #""muted":true,"members":2,"messages":7,"createdAt":1,"activeAt":2},"form":"advanced","#
                + #""modes":{"join":"open","invite":"everyone","beInvited":"approval","updateInfo":"managers","#
                + #""updateAttributes":"managers","mute":"everyone","ownerLeaving":"transfer-first"},"#
                + #""introduction":"i","announcement":\#(announcementJSON),"owner":"romeo","memberLimit":50,"#
                + #""members":[{"name":"romeo","role":"owner","unread":0,"mutedUntil":0}],"waitingRequests":2"#)
    ),
    (
        .answer(
            id: 7,
            .success(.teams(.invited(AdminTeamInvited(added: [romeo], asked: [juliet], refused: []))))),
        answer("team.invited", #""added":["romeo"],"asked":["朱丽叶"],"refused":[]"#)
    ),
    (
        .answer(
            id: 7,
            .success(
                .teams(
                    .card([
                        AdminCardRow(TeamCardRow(.joinMode, 3, .join(.approval), .setMode(.join))),
                        AdminCardRow(TeamCardRow(.name, 2, .text("V"), .setName, .updateInfoMode)),
                    ])))),
        answer(
            "team.card",
            #""rows":[{"row":"joinMode","section":3,"value":"approval","editable":true},"#
                + #"{"row":"name","section":2,"value":"V","editable":false,"refusal":"update-info-mode"}]"#)
    ),
    (
        .answer(id: 7, .success(.teams(.announcements([AdminAnnouncement(sampleAnnouncement)])))),
        answer("team.announcements", #""announcements":[\#(announcementJSON)]"#)
    ),
    (
        .answer(id: 7, .success(.teams(.requests([AdminJoinRequest(sampleRequest)], next: 5)))),
        answer("requests", #""requests":[{\#(requestJSON)}],"next":5"#)
    ),
    (.answer(id: 7, .success(.teams(.request(AdminJoinRequest(sampleRequest))))), answer("request", requestJSON)),
]

/// Requests that break a bound of their form.
let brokenTeamRequests = [
    ask("team.create", #""name":"verona","form":"super","members":[],"settings":{}"#),
    ask("team.set", #""team":"verona","patch":{"join":"never"}"#), ask("team.role", #""team":"verona","people":["a"]"#),
    ask("team.card", #""team":"verona","hide":["nothing"]"#), ask("request.answer", #""request":"5","accept":true"#),
]
