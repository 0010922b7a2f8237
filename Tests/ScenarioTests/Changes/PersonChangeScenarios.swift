import ByteCodec
import ChatModel
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

/// A change of Romeo, or between him and somebody else, in no conversation.
enum PersonAct: String, CaseIterable, Sendable {
    case name
    case picture
    /// Asks Tybalt to be friends.
    case request
    /// Agrees to be friends with Tybalt, who has asked.
    case agree
    /// Is friends with Juliet no more.
    case unfriend
    /// Calls Juliet otherwise.
    case remark
    /// Blocks Tybalt.
    case block
    case unblock
    /// Is reminded by the business server.
    case remind
}

/// A way to make a change of a person.
struct PersonWay: CustomTestStringConvertible, Sendable {
    let act: PersonAct
    let origin: Origin

    var testDescription: String { "\(self.act) by \(self.origin)" }

    /// Every way that there is.
    static let all: [PersonWay] = PersonAct.allCases.flatMap { act in
        Self.origins(of: act).map { PersonWay(act: act, origin: $0) }
    }

    private static func origins(of act: PersonAct) -> [Origin] {
        switch act {
        case .name: [.ctl, .app, .native]
        case .remark: [.app, .native]
        case .picture, .request, .agree, .unfriend: [.app]
        case .block, .unblock: [.ctl, .app, .manager]
        case .remind: [.manager]
        }
    }
}

/// Words that everybody is told of a change of a person, by any way it came: the person, a friend, somebody who was shown
/// the person, and a stranger who may be the one it is about.
struct PersonChangeScenarios {
    private typealias Told = ChangeScenarios.Told

    /// Juliet is a friend, the nurse was shown Romeo, Tybalt is neither.
    private static let names = ["romeo", "juliet", "nurse", "tybalt"]

    /// Words that one of them is told.
    private func told(_ way: PersonWay, _ name: String) -> Told {
        switch (way.act, name) {
        case (.name, "romeo"), (.name, "juliet"), (.name, "nurse"): Told(passing: ["channelUpdate"])
        case (.picture, "romeo"), (.picture, "juliet"), (.picture, "nurse"): Told(passing: ["userAvatarUpdate"])
        case (.request, "tybalt"): Told(kept: ["friendRequest"])
        case (.agree, "romeo"), (.agree, "tybalt"): Told(kept: ["friendAccept"])
        case (.unfriend, "romeo"), (.unfriend, "juliet"): Told(kept: ["channelUpdate", "friendDeleted"])
        case (.remark, "romeo"): Told(kept: ["channelUpdate"])
        case (.block, "romeo"), (.unblock, "romeo"):
            way.origin == .app ? Told(kept: ["channelUpdate"]) : Told(passing: ["channelUpdate"])
        case (.remind, "romeo"): Told(passing: ["syncReminders"])
        case (.name, _), (.picture, _), (.request, _), (.agree, _), (.unfriend, _), (.remark, _), (.block, _),
            (.unblock, _), (.remind, _):
            Told()
        }
    }

    // MARK: WuKongIM

    @Test("devices that are online are told once, in both encodings", arguments: PersonWay.all)
    func online(_ way: PersonWay) throws {
        let stage = try ChangeStage()
        let romeo = try self.prepare(stage, way)
        let others = try ["juliet", "tybalt"].map { ($0, try stage.server.connect($0)) }
        let clients = [("romeo", try romeo.connect())] + others
        let nurse = try stage.server.connectBinary("nurse")
        try self.perform(way, stage, romeo)
        for (name, client) in clients {
            let words = try self.words(stage, name, self.told(way, name).online.count) {
                try client.receive().parameters["payload"] ?? .null
            }
            #expect(words == self.told(way, name).online, "\(name)")
        }
        let words = try self.words(stage, "nurse", self.told(way, "nurse").online.count) {
            (try? JSONValue(parsing: try nurse.receive().payload)) ?? .null
        }
        #expect(words == self.told(way, "nurse").online)
    }

    @Test("devices that were away find the commands that matter, and the change itself", arguments: PersonWay.all)
    func away(_ way: PersonWay) throws {
        let stage = try ChangeStage()
        let romeo = try self.prepare(stage, way)
        let apps = [romeo] + (try Self.names.dropFirst().map { try App(stage.server, $0) })
        let known = try stage.server.server.store.readAndWait { store throws(StoreError) in
            try store.commands.newest()
        }
        try self.perform(way, stage, romeo)
        try stage.settle()
        for app in apps {
            let rows = try app.does("POST", "message/sync", #"{"max_message_seq":\#(known),"limit":100}"#).array ?? []
            #expect(
                rows.compactMap { $0["payload"]?["cmd"]?.string }.sorted() == self.told(way, app.name).kept.sorted(),
                "\(app.name)")
        }
        try self.findChange(way.act, romeo, juliet: apps[1], tybalt: apps[3])
    }

    private func findChange(_ act: PersonAct, _ romeo: App, juliet: App, tybalt: App) throws {
        func friends(_ app: App) throws -> [JSONValue] {
            try app.does("GET", "friend/sync?version=0&limit=100").array ?? []
        }
        switch act {
        case .name: #expect(try juliet.does("GET", "users/romeo")["name"]?.string == "Montague")
        case .picture: #expect(try juliet.does("GET", "users/romeo")["is_upload_avatar"]?.integer == 1)
        case .request: #expect(try tybalt.does("GET", "friend/apply").array?.count == 1)
        case .agree: #expect(try friends(tybalt).map { $0["uid"]?.string } == ["romeo"])
        case .unfriend: #expect(try friends(juliet).map { $0["is_deleted"]?.integer } == [1])
        case .remark: #expect(try friends(romeo).map { $0["remark"]?.string } == ["the sun"])
        case .block: #expect(try romeo.does("GET", "user/blacklists").array?.count == 1)
        case .unblock: #expect(try romeo.does("GET", "user/blacklists").array?.isEmpty == true)
        case .remind:
            #expect(try romeo.does("POST", "message/reminder/sync", #"{"version":0}"#).array?.count == 1)
        }
    }

    // MARK: Other clients

    @Test("LeanCloud's clients have no words for it", arguments: PersonWay.all)
    func leanCloud(_ way: PersonWay) throws {
        let stage = try ChangeStage()
        let romeo = try self.prepare(stage, way)
        let juliet = try stage.server.leanCloud("juliet")
        try juliet.settle()
        juliet.forgetWaiting()
        try self.perform(way, stage, romeo)
        try stage.settle()
        try juliet.settle()
        #expect(juliet.waiting.filter { $0.i == nil && ($0.cmd == .conv || $0.cmd == .patch) }.isEmpty)
    }

    @Test("who watches a person over /api/v1/events hears of another name and picture", arguments: PersonWay.all)
    func events(_ way: PersonWay) throws {
        guard way.act == .name || way.act == .picture else { return }
        let stage = try ChangeStage()
        let romeo = try self.prepare(stage, way)
        let tybalt = try Listener.ready(stage.server, "tybalt")
        #expect(try tybalt.ask(#"{"type":"watch","ids":["romeo"]}"#)?["type"]?.string == "watching")
        try self.perform(way, stage, romeo)
        let news = try #require(try tybalt.next())
        #expect(news["type"]?.string == "profile.changed" && news["id"]?.string == "romeo", "\(news)")
        #expect(news["fields"]?.array == [.string(way.act == .name ? "name" : "picture")])
    }

    // MARK: Changing

    func prepare(_ stage: ChangeStage, _ way: PersonWay) throws -> App {
        let server = stage.server
        let (romeo, juliet, tybalt) = (try server.id("romeo"), try server.id("juliet"), try server.id("tybalt"))
        try server.write { store throws(StoreError) in
            try store.friends.make(juliet, romeo)
            if way.act == .agree { _ = try store.friends.ask(romeo, by: tybalt, text: "", token: "key") }
            if way.act == .unblock { try store.people.setListed(owner: romeo, .blocked, tybalt, true) }
        }
        try App(server, "nurse").does("GET", "users/romeo")
        try stage.settle()
        return try App(server, "romeo")
    }

    func perform(_ way: PersonWay, _ stage: ChangeStage, _ romeo: App) throws {
        let server = stage.server
        switch (way.origin, way.act) {
        case (.ctl, .name): self.control(server, "profile", "set", "romeo", "--display-name", "Montague")
        case (.ctl, .block): self.control(server, "user", "block", "romeo", "tybalt")
        case (.ctl, .unblock): self.control(server, "user", "unblock", "romeo", "tybalt")
        case (.app, .name): try romeo.does("PUT", "user/current", #"{"name":"Montague"}"#)
        case (.app, .picture):
            #expect(try server.setPicture("users/romeo", Sample.png(1), token: romeo.token).status == 200)
        case (.app, .request): try romeo.does("POST", "friend/apply", #"{"to_uid":"tybalt"}"#)
        case (.app, .agree): try romeo.does("POST", "friend/sure", #"{"token":"key"}"#)
        case (.app, .unfriend): try romeo.does("DELETE", "friends/juliet")
        case (.app, .remark): try romeo.does("PUT", "friend/remark", #"{"uid":"juliet","remark":"the sun"}"#)
        case (.app, .block): try romeo.does("POST", "user/blacklist/tybalt")
        case (.app, .unblock): try romeo.does("DELETE", "user/blacklist/tybalt")
        case (.native, .name):
            #expect(try server.changeProfile(romeo.token, #"{"display_name":"Montague"}"#).status == 200)
        case (.native, .remark):
            var client = try NativeClient(server)
            client.token = romeo.token
            try client.done("PUT", "/people/juliet/remark", #"{"remark":"the sun"}"#)
        case (.manager, .block): try self.manage(server, "/channel/blacklist_add")
        case (.manager, .unblock): try self.manage(server, "/channel/blacklist_remove")
        case (.manager, .remind):
            let body = #"{"channel_id":"verona","channel_type":2,"reminder_type":2,"text":"x","uids":["romeo"]}"#
            #expect(try server.manage("/reminders/add", body).status == 200)
        case (.ctl, _), (.app, _), (.native, _), (.manager, _), (.leanCloud, _), (.leanCloudREST, _):
            Issue.record("there is no such way")
        }
    }

    private func control(_ server: TestServer, _ words: String...) {
        let run = server.ctl(words)
        #expect(run.code == .done, "\(words): \(run.error)")
    }

    private func manage(_ server: TestServer, _ path: String) throws {
        let answer = try server.manage(path, #"{"channel_id":"romeo","channel_type":1,"uids":["tybalt"]}"#)
        #expect(answer.status == 200, "\(path): \(answer)")
    }

    /// The commands that a device gets, sorted. Who watches a person is looked up on a reader, of which the writer knows
    /// nothing: so many rounds are waited for as it takes until there are enough, and one more, for too many.
    private func words(
        _ stage: ChangeStage, _ name: String, _ count: Int, _ next: () throws -> JSONValue
    ) throws -> [String] {
        var words: [String] = []
        var isEnough = false
        for _ in 0..<1_000 {
            try stage.settle(name)
            words += try self.round(next)
            if isEnough { break }
            isEnough = words.count >= count
        }
        return words.sorted()
    }

    private func round(_ next: () throws -> JSONValue) throws -> [String] {
        var words: [String] = []
        while true {
            let payload = try next()
            guard payload["type"]?.integer == 99, let word = payload["cmd"]?.string else { continue }
            if word == "settled" { return words }
            // Who of the friends is online changes with the test's own connections.
            if word != "onlineStatus" { words.append(word) }
        }
    }
}
