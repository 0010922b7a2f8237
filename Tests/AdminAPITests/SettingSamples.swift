import AdminAPI
import ChatModel

private let policy = try! SignInPolicy("*=1 app=2 web=unlimited desktop!web")

/// Every request about settings and the sign-in policy, with the line it is on the socket.
let settingRequestVectors: [(AdminRequest, String)] = [
    (.settings(.list), #"{"id":7,"ask":"setting.list","with":{}}"#),
    (.settings(.show("max_input")), #"{"id":7,"ask":"setting.show","with":{"name":"max_input"}}"#),
    (
        .settings(.set("max_input", SessionScope(.group, .member), "5000")),
        #"{"id":7,"ask":"setting.set","with":"#
            + #"{"name":"max_input","kind":"group","role":"member","value":"5000"}}"#
    ),
    (
        .settings(.set("placeholder.zh-Hans", .everywhere, "请输入消息")),
        #"{"id":7,"ask":"setting.set","with":{"name":"placeholder.zh-Hans","value":"请输入消息"}}"#
    ),
    (
        .settings(.set("receipts", .everywhere, "off", conversation: "verona")),
        #"{"id":7,"ask":"setting.set","with":{"name":"receipts","value":"off","conversation":"verona"}}"#
    ),
    (
        .settings(.reset("receipts", .everywhere, conversation: "verona")),
        #"{"id":7,"ask":"setting.reset","with":{"name":"receipts","conversation":"verona"}}"#
    ),
    (
        .settings(.reset("max_input", SessionScope(nil, .owner))),
        #"{"id":7,"ask":"setting.reset","with":{"name":"max_input","role":"owner"}}"#
    ),
    (
        .settings(.effective(conversation: "verona", user: romeo)),
        #"{"id":7,"ask":"setting.effective","with":{"conversation":"verona","user":"romeo"}}"#
    ),
    (
        .settings(.effective(conversation: "verona", user: nil)),
        #"{"id":7,"ask":"setting.effective","with":{"conversation":"verona"}}"#
    ),
    (.settings(.limits), #"{"id":7,"ask":"setting.limits","with":{}}"#),
    (.policy(.show), #"{"id":7,"ask":"policy.show","with":{}}"#),
    (
        .policy(.preview(policy)),
        #"{"id":7,"ask":"policy.preview","with":{"policy":"*=1 app=2 web=unlimited desktop!web"}}"#
    ),
    (
        .policy(.set(SignInPolicy.Preset.byLevel.policy, endingNow: true)),
        #"{"id":7,"ask":"policy.set","with":{"policy":"*=level","end":true}}"#
    ),
]

private let session = AdminSession(
    id: 3, user: romeo, device: .web, level: .primary, deviceID: "d", protocolName: "wukong-json",
    address: "10.0.0.9:5", isEncrypted: true, openedAtMilliseconds: 5)

private var ofConversations: AdminSetting {
    var setting = AdminSetting(
        name: "receipts", group: .session, form: .flag, bounds: "on or off", builtIn: "on", value: "on",
        origin: "built in", isLive: true, isEnforced: true)
    setting.conversationCount = 101
    setting.conversations = [AdminConversationSetting("verona", "off")]
    return setting
}

/// Every answer about them.
let settingReplyVectors: [(AdminReply, String)] = [
    (
        .answer(id: 7, .success(.settings(.one(ofConversations)))),
        #"{"id":7,"answer":"setting","with":{"name":"receipts","about":"","group":"session","form":"flag","#
            + #""bounds":"on or off","choices":[],"builtIn":"on","value":"on","origin":"built in","live":true,"#
            + #""enforced":true,"overrides":[],"conversationCount":101,"#
            + #""conversations":[{"conversation":"verona","value":"off"}]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .settings(
                    .list([
                        AdminSetting(
                            name: "receipts", group: .session, form: .choice, bounds: "one of off, on",
                            choices: ["off", "on"], builtIn: "on", value: "off", origin: "console", isLive: true,
                            isEnforced: true, overrides: [AdminSettingOverride(SessionScope(.group, .owner), "on")])
                    ])))),
        #"{"id":7,"answer":"settings","with":{"settings":[{"name":"receipts","about":"","group":"session","form":"choice","#
            + #""bounds":"one of off, on","choices":["off","on"],"builtIn":"on","value":"off","origin":"console","#
            + #""live":true,"enforced":true,"overrides":[{"kind":"group","role":"owner","value":"on"}]}]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .settings(
                    .one(
                        AdminSetting(
                            name: "tls.enabled", about: "A", group: .server, form: .flag, bounds: "on or off",
                            builtIn: "on",
                            value: "on", origin: "built in", isLive: false, isEnforced: true))))),
        #"{"id":7,"answer":"setting","with":{"name":"tls.enabled","about":"A","group":"server","form":"flag","#
            + #""bounds":"on or off","choices":[],"builtIn":"on","value":"on","origin":"built in","live":false,"#
            + #""enforced":true,"overrides":[]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .settings(
                    .effective([
                        AdminEffectiveSetting("max_input", "5000", from: .scope(SessionScope(.group, .member))),
                        AdminEffectiveSetting("time_gap", "300", from: .scope(.everywhere)),
                        AdminEffectiveSetting("page_size", "20", from: .builtIn),
                        AdminEffectiveSetting("receipts", "off", from: .conversation),
                    ])))),
        #"{"id":7,"answer":"setting.effective","with":{"settings":["#
            + #"{"name":"max_input","value":"5000","scope":"group/member"},"#
            + #"{"name":"time_gap","value":"300","scope":"*"},{"name":"page_size","value":"20"},"#
            + #"{"name":"receipts","value":"off","scope":"conversation"}]}}"#
    ),
    (
        .answer(
            id: 7,
            .success(
                .settings(
                    .limits([
                        AdminSettingLimit(
                            AdminLimit(
                                name: "connections", unit: "connections", current: 1, peak: 2, maximum: 3, refusals: 4),
                            setting: "limits.connections", isLive: true, advice: "connections")
                    ])))),
        #"{"id":7,"answer":"setting.limits","with":{"limits":[{"name":"connections","unit":"connections","#
            + #""current":1,"peak":2,"maximum":3,"refusals":4,"setting":"limits.connections","live":true,"#
            + #""advice":"connections"}]}}"#
    ),
    (
        .answer(id: 7, .success(.policy(.policy(SignInPolicy.Preset.onePerClass.policy)))),
        #"{"id":7,"answer":"policy","with":{"policy":"*=1","preset":"one-per-class"}}"#
    ),
    (
        .answer(id: 7, .success(.policy(.preview([session], count: 9)))),
        #"{"id":7,"answer":"policy.preview","with":{"sessions":[{"id":3,"user":"romeo","device":"web","#
            + #""level":"primary","deviceID":"d","protocol":"wukong-json","address":"10.0.0.9:5","encrypted":true,"#
            + #""openedAt":5}],"count":9}}"#
    ),
    (
        .answer(id: 7, .success(.policy(.changed(policy, ended: 2)))),
        #"{"id":7,"answer":"policy.changed","with":{"policy":"*=1 app=2 web=unlimited desktop!web","ended":2}}"#
    ),
]
