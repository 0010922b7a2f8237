import Accounts
import AdminAPI
import AdminService
import ChatModel
import Glibc
import Localization
import Store
import Testing
import Transfers

@Suite("Refusals by their numbers") struct RefusalTests {
    /// Sentences with a value in each place.
    private static let sentences: [(number: Int64, text: String, values: [String])] = {
        let texts = Texts(embedded: .english)
        return RefusalCatalogue.numbers.compactMap { number in
            let key = "refusal.\(number)"
            guard texts(key) != key else { return nil }
            let values = (1...3).map { String($0) }.filter { texts(key, [$0: "#"]) != texts(key) }
            let filled = texts(key, Dictionary(uniqueKeysWithValues: values.map { ($0, "7\($0)") }))
            return (number, filled, values.map { "7\($0)" })
        }
    }()

    @Test("each sentence is found with its own number and its values")
    func roundTrip() {
        #expect(Self.sentences.count > 120)
        for sentence in Self.sentences {
            let reason = RefusalCatalogue.reason(of: sentence.text)
            #expect(reason == AdminError.Reason(number: sentence.number, values: sentence.values), "\(sentence.text)")
        }
        #expect(RefusalCatalogue.reason(of: "nobody says this") == nil)
        #expect(RefusalCatalogue.reason(of: "") == nil)
        #expect(
            RefusalCatalogue.reason(of: "message 7 of a of b does not exist")
                == AdminError.Reason(number: 208, values: ["7", "a of b"]))
    }

    @Test("every sentence says something else in Chinese, with the same values")
    func chinese() {
        let texts = Texts(embedded: .chinese)
        for sentence in Self.sentences {
            let error = AdminError(.refused, sentence.text, reason: RefusalCatalogue.reason(of: sentence.text))
            let worded = error.worded { texts($0, $1) }
            #expect(worded.message != sentence.text && worded.code == .refused)
            for value in sentence.values { #expect(worded.message.contains(value), "\(sentence.number)") }
        }
    }

    @Test("every refusal of an action, of an account, of a password and of a transfer has a number")
    func known() {
        let actions: [ActionRefusal] = [
            .noSuchConversation, .noSuchMessage, .noSuchUser, .notMember, .notAuthor, .notManager, .notOwner,
            .windowOver(seconds: 5), .mayNotSend, .switchedOff, .alreadyGone, .notApplicable, .ownMessage,
            .tooMany(limit: 5), .changedMeanwhile, .disbanded, .joiningClosed, .alreadyMember, .ownerMustTransfer,
            .noSuchRequest, .requestOver, .noSuchFile, .fileIncomplete, .transferOver, .fileInUse,
            .fileTooLong(limitBytes: 5), .quotaReached(limitBytes: 5), .tooManyUploads(limit: 5),
            .uploadsTooFast(limit: 5), .underHold,
        ]
        let ming = UserName("ming")!
        let accounts: [AccountsError] = [
            .store(.busy), .store(.full), .store(.unavailable), .store(.fatal("x")), .noSuchUser(ming),
            .userExists(ming),
            .badToken, .busy, .systemUser, .invitation(.ended), .invitation(.otherName(ming)),
            .invitation(.notAdministrator), .password(.tooShort(minimum: 8)), .password(.tooLong),
            .password(.tooCommon),
            .password(.sameAsName), .password(.controlCharacter),
        ]
        let transfers: [TransferError] = [
            .notFound, .busy, .overloaded, .tooLong(limit: 5), .cancelled, .full, .damaged, .stopping,
        ]
        let sentences = actions.map(\.description) + accounts.map(\.description) + transfers.map(\.description)
        for sentence in sentences { #expect(RefusalCatalogue.reason(of: sentence) != nil, "\(sentence)") }
    }

    @Test("every sentence that the service refuses with has a number")
    func sources() throws {
        let folder = String(#filePath.prefix(#filePath.count - "Tests/AdminServiceTests/RefusalTests.swift".count))
        let files = try #require(Self.names(in: folder + "Sources/AdminService"))
        #expect(files.count > 20)
        var found = 0
        for file in files {
            for line in try #require(Self.text(of: folder + "Sources/AdminService/" + file)).split(separator: "\n") {
                guard let sentence = Self.refusal(in: Array(line)) else { continue }
                found += 1
                #expect(RefusalCatalogue.reason(of: sentence) != nil, "\(file): \(sentence)")
            }
        }
        #expect(found > 40)
    }

    @Test("a refusal goes over the socket with its number, and names the rule that says no")
    func overTheSocket() throws {
        let fixture = try Fixture()
        defer { withExtendedLifetime(fixture) {} }
        let client = try fixture.client()
        let (ming, chat) = (UserName("ming")!, ChannelName("chat")!)
        _ = try client.ask(.addUser(AdminNewUser(name: ming)))
        #expect(client.refusal(of: .addUser(AdminNewUser(name: ming)))?.reason?.number == 102)
        #expect(
            client.refusal(of: .setDisabled(UserName("nobody")!, true))?.reason
                == AdminError.Reason(number: 101, values: ["nobody"]))
        _ = try client.ask(.teams(.create(AdminNewTeam(name: chat, form: .normal, owner: ming, members: []))))
        var patch = AdminTeamPatch()
        patch.modes.join = .approval
        let refusal = try #require(client.refusal(of: .teams(.set(chat, patch))))
        #expect(refusal.reason?.number == 233 && refusal.code == .refused)
        #expect(refusal.message.contains("make an advanced group"))
        #expect(client.refusal(of: .teams(.announce(chat, title: nil, text: "x")))?.reason?.number == 231)
    }

    /// The sentence of an `AdminError(.code, "sentence")` on one line, with 7 in its places; `nil` for none, and for the
    /// name of a setting with its bounds, which is in the words of the setting.
    private static func refusal(in line: [Character]) -> String? {
        let start = Array("AdminError(.")
        guard line.count > start.count,
            let at = (0..<line.count - start.count).first(where: { line[$0...].starts(with: start) }),
            let open = line[at...].firstIndex(of: "\""), !line[at..<open].contains(")")
        else { return nil }
        var (sentence, place, depth) = ("", open + 1, 0)
        while place < line.count {
            let character = line[place]
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if character == "\\", place + 1 < line.count, line[place + 1] == "(" {
                depth = 1
                sentence += "7"
                place += 1
            } else if character == "\"" {
                return sentence == "7: 7" ? nil : sentence
            } else {
                sentence.append(character)
            }
            place += 1
        }
        return nil
    }

    private static func names(in folder: String) -> [String]? {
        guard let open = opendir(folder) else { return nil }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".swift") { names.append(name) }
        }
        return names
    }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
