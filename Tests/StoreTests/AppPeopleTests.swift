import ChatModel
import Testing

@testable import Store

@Suite("What apps keep of people, devices and files")
struct AppPeopleTests {
    private let verona: Verona

    init() throws { self.verona = try Verona() }

    private func set(_ user: UserID, _ patch: AppUserPatch) throws {
        try self.verona.write { store throws(StoreError) in try store.apps.setAppUser(user, patch) }
    }

    private func user(_ login: AppLogin) throws -> UserID? {
        try self.verona.read { store throws(StoreError) in try store.apps.appUser(by: login)?.user }
    }

    @Test("somebody is found by username, email and phone, or by their name while they have no username")
    func logins() throws {
        let romeo = self.verona.romeo
        #expect(try self.user(.username("romeo")) == romeo)
        try self.set(romeo, AppUserPatch(username: "montague", email: "r@verona.it", phone: "+39055"))
        #expect(try self.user(.username("montague")) == romeo)
        #expect(try self.user(.username("romeo")) == nil)
        #expect(try self.user(.email("r@verona.it")) == romeo && self.user(.phone("+39055")) == romeo)
        try self.set(romeo, AppUserPatch(email: ""))
        #expect(try self.user(.email("r@verona.it")) == nil && self.user(.phone("+39055")) == romeo)
        #expect(try self.verona.fixture.verified().findings == [])
    }

    @Test("what somebody has, nobody else gets, nor a name of somebody")
    func taken() throws {
        let (romeo, juliet) = (self.verona.romeo, self.verona.juliet)
        try self.set(romeo, AppUserPatch(username: "montague", email: "r@verona.it"))
        let finding = { (patch: AppUserPatch) throws in
            try self.verona.read { store throws(StoreError) in try store.apps.taken(patch, for: juliet) }
        }
        #expect(try finding(AppUserPatch(username: "montague")) == .username("montague"))
        #expect(try finding(AppUserPatch(username: "romeo")) == .username("romeo"))
        #expect(try finding(AppUserPatch(username: "tybalt")) == .username("tybalt"))
        #expect(try finding(AppUserPatch(username: "capulet", email: "r@verona.it")) == .email("r@verona.it"))
        #expect(try finding(AppUserPatch(username: "capulet", email: "j@verona.it")) == nil)
        #expect(throws: StoreError.self) { try self.set(juliet, AppUserPatch(email: "r@verona.it")) }
    }

    @Test("a deleted account takes its row and its devices with it, and the username is free")
    func deleted() throws {
        let romeo = self.verona.romeo
        try self.set(romeo, AppUserPatch(username: "montague", fields: Array(#"{"a":1}"#.utf8)))
        try self.verona.write { store throws(StoreError) in
            _ = try store.apps.register(InstallationPatch(deviceType: "ios", deviceToken: "t"))
            try store.apps.bindInstallation("t", to: romeo)
            _ = try store.people.deleteUser(romeo)
        }
        #expect(try self.user(.username("montague")) == nil)
        let device = try self.verona.read { store throws(StoreError) in try store.apps.installation(device: "t") }
        #expect(device != nil && device?.person == nil)
        try self.set(self.verona.juliet, AppUserPatch(username: "montague"))
        #expect(try self.verona.fixture.verified().findings == [])
    }

    @Test("two rows of one device become one")
    func oneDevice() throws {
        let count = try self.verona.write { store throws(StoreError) in
            _ = try store.apps.register(InstallationPatch(deviceType: "ios", deviceToken: "t"))
            let named = try store.apps.register(InstallationPatch(deviceType: "ios", installationID: "i"))
            _ = try store.apps.change(named.objectID, InstallationPatch(deviceToken: "t"))
            return try store.connection.first("SELECT count(*) FROM installation") { row throws(StoreError) in
                row.int64(0)
            }
        }
        #expect(count == 1)
    }

    @Test("places for uploads and addresses elsewhere stay within their bounds")
    func bounds() throws {
        let romeo = self.verona.romeo
        let counts = try self.verona.write { store throws(StoreError) in
            for number in 0..<AppLimits.openUploadsOfPerson + 5 {
                try store.apps.makeAppFile(
                    AppFile(
                        objectID: ObjectID("f\(number)")!, owner: romeo,
                        place: .link(FileLinkKey(random: Verona.randomBytes()), isComplete: false), name: "a",
                        mediaType: "", metadata: nil))
            }
            return try store.connection.first("SELECT count(*) FROM app_file") { row throws(StoreError) in
                row.int64(0)
            }
        }
        #expect(counts == AppLimits.openUploadsOfPerson)
        #expect(throws: StoreError.self) {
            try self.verona.write { store throws(StoreError) in
                try store.apps.makeAppFile(
                    AppFile(
                        objectID: ObjectID("g")!, owner: romeo, place: .address(""), name: "", mediaType: "",
                        metadata: nil))
            }
        }
        #expect(try self.verona.fixture.verified().findings == [])
    }

    @Test("the link of an app's file gives its content while a message or somebody's fields name it")
    func linkOfAppFile() throws {
        let (romeo, juliet) = (self.verona.romeo, self.verona.juliet)
        let key = FileLinkKey(random: Verona.randomBytes())
        try self.verona.write { store throws(StoreError) in
            try store.apps.makeAppFile(
                AppFile(
                    objectID: ObjectID("f")!, owner: .system, place: .link(key, isComplete: false), name: "a",
                    mediaType: "", metadata: nil))
        }
        #expect(self.verona.refusalToSay("\(key)", juliet) == .fileIncomplete)
        let file = try self.verona.upload(.system)
        try self.verona.write { store throws(StoreError) in
            _ = try store.files.useUploadLink(key)
            try store.apps.completeAppFile(key, with: file.key)
        }
        let place = try self.verona.say("\(key)", juliet)
        #expect(try self.verona.file(link: key)?.id == file.id)
        try self.set(romeo, AppUserPatch(fields: Array(#"{"avatar":"\#(key)"}"#.utf8)))
        try self.verona.write { store throws(StoreError) in _ = try store.messages.recall(place, by: Actor(juliet)) }
        #expect(try self.verona.file(link: key)?.id == file.id)
        try self.set(romeo, AppUserPatch(fields: Array("{}".utf8)))
        #expect(try self.verona.file(link: key) == nil)
        #expect(try self.verona.fixture.verified().findings == [])
    }
}
