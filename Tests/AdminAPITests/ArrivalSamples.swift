import AdminAPI
import ChatModel

private let sampleArrival = AdminArrival(
    name: romeo, username: "tom", email: "tom@verona.it", phone: "+8613800000000", fields: #"{"nickname":"小明"}"#,
    createdAtMilliseconds: 5, displayName: "小明", avatar: "https://a/b.png", salt: "s4lt", hash: "aGFzaA==")

/// Bringing people from elsewhere, with the line it is on the socket.
let arrivalRequestVectors: [(AdminRequest, String)] = [
    (
        .people(.bring([sampleArrival, AdminArrival(name: juliet, username: "j")], isDryRun: false)),
        #"{"id":7,"ask":"user.bring","with":{"users":[{"name":"romeo","username":"tom","email":"tom@verona.it","#
            + #""phone":"+8613800000000","fields":"{\"nickname\":\"小明\"}","createdAt":5,"displayName":"小明","#
            + #""avatar":"https://a/b.png","salt":"s4lt","hash":"aGFzaA=="},{"name":"朱丽叶","username":"j"}],"#
            + #""dryRun":false}}"#
    ),
    (
        .people(.bring([], isDryRun: true)),
        #"{"id":7,"ask":"user.bring","with":{"users":[],"dryRun":true}}"#
    ),
]

let arrivalReplyVectors: [(AdminReply, String)] = [
    (
        .answer(
            id: 7,
            .success(
                .brought([
                    AdminArrivalResult(name: romeo, username: "tom"),
                    AdminArrivalResult(
                        name: juliet, username: "j", existed: true, changed: false, password: .missing, error: "e"),
                ]))),
        #"{"id":7,"answer":"brought","with":{"users":[{"name":"romeo","username":"tom","existed":false,"#
            + #""changed":true,"password":"set"},{"name":"朱丽叶","username":"j","existed":true,"changed":false,"#
            + #""password":"none","error":"e"}]}}"#
    )
]
