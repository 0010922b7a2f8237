import AdminAPI
import ChatModel

/// Every request about invitations once, with the line it is on the socket.
let invitationRequestVectors: [(AdminRequest, String)] = [
    (
        .people(.invite(AdminNewInvitation(name: romeo, displayName: "R", hours: 5, address: "https://a.lan"))),
        #"{"id":7,"ask":"invitation.add","with":{"name":"romeo","displayName":"R","hours":5,"address":"https://a.lan"}}"#
    ),
    (.people(.invite(AdminNewInvitation())), #"{"id":7,"ask":"invitation.add","with":{"hours":72}}"#),
    (.people(.invitations(before: nil)), #"{"id":7,"ask":"invitation.list","with":{}}"#),
    (.people(.invitations(before: 4)), #"{"id":7,"ask":"invitation.list","with":{"before":4}}"#),
    (.people(.withdrawInvitation(3)), #"{"id":7,"ask":"invitation.remove","with":{"number":3}}"#),
]

let invitationReplyVectors: [(AdminReply, String)] = [
    (
        .answer(
            id: 7,
            .success(
                .invited(
                    AdminIssuedInvitation(
                        number: 3, link: "http://a:1/join/b", isHereOnly: false, endsAtMilliseconds: 9)))),
        #"{"id":7,"answer":"invited","with":{"number":3,"link":"http://a:1/join/b","hereOnly":false,"endsAt":9}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .invitations(
                    [
                        AdminInvitation(
                            number: 3, inviter: juliet, name: romeo, displayName: nil, createdAtMilliseconds: 8,
                            endsAtMilliseconds: 9)
                    ], next: 3))),
        #"{"id":7,"answer":"invitations","with":{"invitations":[{"number":3,"inviter":"朱丽叶","name":"romeo","#
            + #""createdAt":8,"endsAt":9}],"next":3}}"#
    ),
]
