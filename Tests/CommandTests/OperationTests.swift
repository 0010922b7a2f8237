@testable import AdminAPI
import ChatModel
import CommandLineKit
import Testing

@Suite("What an operation says of itself") struct OperationTests {
    private static let (ming, lan, tea) = (UserName("ming")!, UserName("-lan")!, ChannelName("tea")!)

    /// What the samples leave out: first pages, switches that are off, texts that look like options.
    private static let more: [AdminRequest] = [
        .listUsers(after: nil), .listConversations(after: nil), .listSessions(ming, after: nil),
        .addUser(AdminNewUser(name: lan)), .revoke(ming, nil), .setListed(owner: ming, .allowed, other: lan, true),
        .teams(.invite(tea, [ming, lan], from: nil, postscript: "")), .teams(.setNotice(tea, "")),
        .teams(.setNotice(tea, "-5 °C")),
        .teams(.mute(tea, lan, true, minutes: nil)), .endSessions(ids: [], user: ming),
        .send(AdminSend(from: lan, to: .conversation("ming,lan"), text: "--help")),
        .send(AdminSend(from: ming, to: .group(tea), text: "t")),
        .send(AdminSend(from: ming, to: .room(tea), text: "t")),
        .follow(conversation: nil, withSessions: false),
        .follow(conversation: "tea", withSessions: true),
        .files(.verify(nil)), .files(.collect(isDryRun: false)), .transfers(.watch(nil)),
        .profiles(.set(AdminProfileChange(name: ming, displayName: "", attributes: #"{"a":1}"#))),
        .profiles(.invalidate(.team("tea"))), .profiles(.invalidate(.all)),
        .teams(.create(AdminNewTeam(name: tea, form: .normal, members: []))),
        .teams(.create(AdminNewTeam(name: tea, title: "-t", owner: ming, members: [ming]))),
        .teams(.mute(tea, .members)),
        .teams(.mute(tea, .everyone)), .teams(.mute(tea, .none)), .teams(.setBanned(tea, false)),
        .teams(.invite(tea, [ming, lan], from: nil, postscript: "")), .teams(.setNickname(tea, lan, "")),
        .teams(.mute(tea, lan, true, minutes: nil)), .teams(.transfer(tea, to: ming, andLeaves: false)),
        .teams(.announce(tea, title: nil, text: "")), .teams(.announce(tea, title: "-t", text: "-x")),
        .teams(.announcements(tea, before: nil)), .teams(.requests(AdminJoinQuery(onlyWaiting: false))),
        .teams(.answer(7, accept: false, reason: "")),
        .conversationDetails(.list(of: ming, after: nil)), .conversationDetails(.rename("tea", title: nil)),
        .conversationDetails(.setAttributes("tea", patch: #"{"color":"green","size":7,"old":null}"#)),
        .conversationDetails(.look("tea", .around(5), limit: 3)),
        .conversationDetails(.look("tea", .after(0), limit: 20)),
        .conversationDetails(.seeAs("tea", lan, before: nil, limit: 20)),
        .showConversation("-tea"), .conversationDetails(.export("tea", after: 0, as: lan)),
        .search(.messages(AdminSearch("-a b", conversation: "tea", sender: lan))),
        .conversationDetails(.trace("tea", sequence: 7, after: nil)),
        .conversationDetails(.recall("tea", sequence: 7, forGood: false)),
        .people(.endSessions(AdminSessionFilter(device: .web, address: "192.168.3."), isDryRun: true)),
        .people(.endSessions(AdminSessionFilter(user: ming, isEncrypted: false), isDryRun: false)),
        .words(.list(after: nil)), .words(.remove(["--a", "b"])), .words(.flagged(before: nil)),
        .filters(.list(after: nil)), .filters(.add(AdminFilterRule(receiver: ming, action: .drop))),
        .filters(
            .add(
                AdminFilterRule(sender: lan, word: "-x", action: .replace(text: "-", kind: MessageKind(rawValue: 500))))
        ),
        .kinds(
            .set(
                MessageKindEntry(
                    kind: MessageKind(rawValue: 500), name: "card", degrade: "d", typeTitle: "t", summary: ""))),
        .settings(.set("max_input", .everywhere, "-1x")), .settings(.reset("max_input", .everywhere)),
        .settings(.set("max_input", .everywhere, "9", conversation: "tea")),
        .settings(.reset("max_input", .everywhere, conversation: "-tea")),
        .announcements(.list(before: nil)), .announcements(.show(3, .waiting, after: nil)),
        .app(.set(changedApp)), .app(.sign(AdminAppSigning(.restMaster))),
        .app(.sign(AdminAppSigning(.start, client: "-tom", members: ["bob", "jerry"], timestamp: 5))),
        .files(.list(AdminFileQuery(owner: ming, order: .size, onlyOrphans: true, limit: 20))),
        .transfers(.list(lan, withOver: false, limit: 5)),
        .filters(.test(AdminFilterTrial(receiver: ming, sender: lan, text: "-x"))),
        .people(.invitations(before: nil)), .people(.invite(AdminNewInvitation(displayName: "-x", hours: 24))),
        .policy(.set(SignInPolicy.Preset.allCases[1].policy, endingNow: false)),
    ]

    private static var changedApp: AdminAppPatch {
        var patch = AdminAppPatch()
        patch.signIn = "open"
        patch.signsHistory = false
        return patch
    }

    /// Samples that no server would take: `ctl` refuses their values before.
    private static let unfit: Set = ["app.set", "filter.add"]

    @Test("its command line is read as the same request, and so is the one of its inverse")
    func commandLines() throws {
        let samples = AdminRequest.all.filter { !Self.unfit.contains($0.word) }
        let requests = samples + samples.compactMap(\.operation.inverse) + Self.more
        let ear = try Ear()
        try ear.whileListening {
            for request in requests {
                guard let words = request.operation.command else { continue }
                let outcome = runTeahouse(["ctl", "--data", ear.folder] + words, input: ["tea"])
                #expect(ear.last() == request, "\(words): \(outcome.error)")
            }
        }
        for request in Self.more { #expect(request.operation.command != nil, "\(request)") }
    }

    @Test(
        "the words that groups had before teams ask for the same",
        arguments: [
            (["create", "tea", "--title", "t"], .create(AdminNewTeam(name: tea, title: "t", members: []))),
            (["add", "tea", "ming"], .add(tea, [ming])), (["remove", "tea", "ming"], .remove(tea, [ming])),
            (["ban", "tea"], .setBanned(tea, true)), (["unban", "tea"], .setBanned(tea, false)),
            (["mute", "tea"], .mute(tea, .members)), (["unmute", "tea"], .mute(tea, .none)),
            (["mute", "tea", "ming", "--minutes", "5"], .mute(tea, ming, true, minutes: 5)),
            (["unmute", "tea", "ming"], .mute(tea, ming, false, minutes: nil)),
            (["notice", "tea", "n"], .setNotice(tea, "n")),
        ] as [([String], AdminTeamRequest)])
    func formerWords(_ words: [String], _ request: AdminTeamRequest) throws {
        let ear = try Ear()
        try ear.whileListening {
            _ = runTeahouse(["ctl", "--data", ear.folder, "group"] + words)
            #expect(ear.last() == .teams(request))
        }
    }

    @Test("every change can be asked for on a command line, but those that read files")
    func changes() {
        let requests = AdminRequest.all + Self.more
        let typable = Set(requests.filter { $0.operation.command != nil }.map(\.word))
        let changes = Set(AdminRequest.all.filter(\.isChange).map(\.word))
        #expect(
            changes.subtracting(typable) == [
                "user.import", "file.send", "upload.open", "import.begin", "import.finish",
            ])
    }

    @Test(
        "a command line that would ask for something else is none",
        arguments: [
            .teams(.announcements(tea, before: 4)), .teams(.requests(AdminJoinQuery(before: 4))),
            .teams(.remove(tea, [UserName("a,b")!])), .teams(.remove(tea, [])),
            .teams(.setRole(tea, [ming], .owner)), .teams(.set(tea, AdminTeamPatch())),
            .issueToken(ming, DeviceClass("toaster")!, .primary), .revoke(ming, DeviceClass("toaster")!),
            .listUsers(after: 3), .people(.edit(AdminUserEdit(name: ming))), .people(.invitations(before: 3)),
            .listSessions(nil, after: 3), .announcements(.show(3, .all, after: 4)),
            .app(.sign(AdminAppSigning(.start, members: ["a,b"]))),
            .conversationDetails(.look("tea", .since(5), limit: 3)),
            .conversationDetails(.trace("tea", sequence: 7, after: 3)),
        ] as [AdminRequest])
    func noCommand(_ request: AdminRequest) {
        #expect(request.operation.command == nil)
    }

    /// Options that `ctl` alone knows, beside those of the fields.
    private static let ownOptions: [[String]: Set<String>] = [
        ["conversation", "show"]: ["messages"], ["conversation", "export"]: ["to"], ["word", "list"]: ["action"],
        ["word", "flagged"]: ["limit"], ["send"]: ["file"],
    ]

    @Test("every command that an operation defines is in the table, with its places")
    func table() throws {
        let paths = TeahouseTableTests.paths
        for operation in OperationCommand.all {
            let name = (["teahouse", "ctl"] + operation.words).joined(separator: " ")
            let command = try #require(paths.first { TeahouseTableTests.name($0) == name }?.last, "\(name)")
            // Every list has these two; an operation may have a place of that name besides.
            let shared: Set = ["members-file", "limit", "filter"]
            let options = Set(command.options.map(\.name)).subtracting(shared)
            #expect(command.arguments.map(\.name) == operation.places.filter(\.isArgument).map(\.name))
            let own = Self.ownOptions[operation.words] ?? []
            let places = own.union(operation.places.filter { !$0.isArgument }.map(\.name))
            #expect(options == places.subtracting(shared))
        }
    }

    @Test("an inverse takes back to the request, and is a change of the same operation")
    func inverses() {
        for request in AdminRequest.all {
            guard let inverse = request.operation.inverse else { continue }
            #expect(request.isChange && inverse.isChange)
            if let back = inverse.operation.inverse { #expect(back == request) }
        }
    }

    @Test("no two operations have one name, and every sample can be read back")
    func names() throws {
        let words = AdminRequest.all.map(\.word)
        #expect(Set(words).count == words.count)
        // An upload says what the file was in 16 digits.
        for request in AdminRequest.all where request.word != "upload.open" {
            #expect(try AdminRequest.read(request.line(id: 1)).request.get() == request)
        }
    }
}
