import APIKit
import ByteCodec
import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import Store

/// Person as a request describes one: the members that are the account's own, and changes of the app's fields.
struct UserEntry: Sendable {
    var patch = AppUserPatch()
    var password: String?
    private let update: ObjectUpdate

    /// - Throws: 400; 252 for a sign-up by another service, which is not served.
    init(_ request: APIRequest) throws(APIFailure) {
        let fields = try request.fields()
        if let auth = fields.member("authData"), auth.object?.isEmpty != true {
            throw APIFailure(400, "signing in by another service is not served here", code: 252)
        }
        self.patch.username = try Self.text("username", fields)
        self.patch.email = try Self.text("email", fields)
        self.patch.phone = try Self.text("mobilePhoneNumber", fields)
        self.password = try fields.optionalText("password")
        if self.patch.username == "" { throw APIFailure(400, "Username is missing or empty", code: 200) }
        if let email = self.patch.email, !email.isEmpty, !Self.isEmail(email) {
            throw APIFailure(400, "The email address was invalid.", code: 125)
        }
        let own = fields.members { !LeanCloudPeople.accountNames.contains($0) }
        do throws(ObjectQueryError) {
            self.update = try ObjectUpdate(.object(own))
        } catch {
            throw .bad(error.reason)
        }
    }

    /// A text, or empty for an operation that removes it.
    private static func text(_ name: String, _ fields: APIFields) throws(APIFailure) -> String? {
        if let operation = fields.member(name)?["__op"]?.string, ["Delete", "Unset"].contains(operation) { return "" }
        return try fields.optionalText(name)
    }

    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !text.contains(" ")
    }

    /// The app's fields after the change, and the values that it gave.
    func fields(of row: JSONValue) throws(APIFailure) -> (row: JSONValue, modified: JSONValue) {
        do throws(ObjectQueryError) {
            return try self.update.apply(to: row)
        } catch {
            throw .bad(error.reason)
        }
    }

    /// Makes the change, and has the profile here follow it.
    func apply(to name: UserName, in store: WriteTransaction) throws(StoreError) -> PeopleRoutes.Changed {
        guard let before = try store.reading.apps.appUser(named: name) else { return .refused(.noSuchPerson) }
        let change: (row: JSONValue, modified: JSONValue)
        let old = UserRow.fields(before)
        do throws(APIFailure) {
            change = try self.fields(of: old)
        } catch {
            return .refused(error)
        }
        if let taken = try store.reading.apps.taken(self.patch, for: before.user) { return .refused(.taken(taken)) }
        let profile = ShownProfile.patch(
            from: old, to: change.row, now: try store.reading.people.profile(of: before.user))
        var patch = self.patch
        patch.fields = change.row.serialized()
        try store.apps.setAppUser(before.user, patch)
        if profile != ProfilePatch() { try store.people.setProfile(of: before.user, profile) }
        guard let after = try store.reading.apps.appUser(before.user) else { return .refused(.noSuchPerson) }
        return .done(after, modified: change.modified)
    }
}
