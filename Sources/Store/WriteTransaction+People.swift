import ByteCodec
package import ChatModel

// MARK: Profiles

extension WriteTransaction {
    /// Changes what a person says about themselves.
    ///
    /// - Returns: the number of the change.
    /// - Throws: `notFound`; `invalid` for what is no JSON object, or beyond `PeopleLimits`.
    @discardableResult
    package func setProfile(of user: UserID, _ patch: ProfilePatch) throws(StoreError) -> Int64 {
        _ = try self.knownUser(user)
        if let name = patch.displayName {
            try Self.check(name, maximumScalars: PeopleLimits.nameScalars, "a display name")
            try self.setDisplayName(user, name.isEmpty ? nil : name)
        }
        if let avatar = patch.avatar {
            guard avatar.utf8.count <= PeopleLimits.avatarBytes else {
                throw .invalid("the address of an avatar has at most \(PeopleLimits.avatarBytes) bytes")
            }
            let stored = avatar.isEmpty ? nil : avatar
            try self.connection.run("UPDATE user SET avatar = ? WHERE id = ?", stored, user)
        }
        if let change = patch.attributes {
            let before = try self.reading.profile(of: user)?.attributes
            let text = try Self.merged(before, change, "a profile")
            try self.connection.run("UPDATE user SET attributes = ? WHERE id = ?", text, user)
        }
        if let change = patch.settings {
            let text = try Self.merged(try self.reading.settings(of: user), change, "a person's settings")
            try self.connection.run("UPDATE user SET settings = ? WHERE id = ?", text, user)
        }
        let change = self.nextChange()
        try self.connection.run("UPDATE user SET change = ? WHERE id = ?", change, user)
        return change
    }

    static func check(_ text: String, maximumScalars: Int, _ what: String) throws(StoreError) {
        guard text.unicodeScalars.count <= maximumScalars else {
            throw .invalid("\(what) has at most \(maximumScalars) characters")
        }
    }

    private static func merged(_ before: [UInt8]?, _ patch: [UInt8], _ what: String) throws(StoreError) -> String? {
        guard patch.count <= PeopleLimits.profileBytes, let change = try? JSONValue(parsing: patch),
            change.object != nil
        else {
            throw .invalid("\(what) is a JSON object of at most \(PeopleLimits.profileBytes) bytes")
        }
        let start = before.flatMap { try? JSONValue(parsing: $0) } ?? .object([])
        let result = start.merging(patch: change)
        let text = result.serialized()
        guard text.count <= PeopleLimits.profileBytes else {
            throw .invalid("\(what) has at most \(PeopleLimits.profileBytes) bytes: remove something first")
        }
        return result.object?.isEmpty == true ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Makes somebody an account of the server, which may write to everybody, or no longer one.
    ///
    /// - Returns: whether that changed anything.
    /// - Throws: `notFound`; `invalid` for the account that is always one.
    @discardableResult
    package func setSystemAccount(_ user: UserID, _ isSystem: Bool) throws(StoreError) -> Bool {
        let state = try self.knownUser(user)
        guard user != .system else { throw .invalid("the system's own user cannot be changed") }
        guard state.isSystem != isSystem else { return false }
        try self.connection.run(
            "UPDATE user SET is_system = ?, change = ? WHERE id = ?", isSystem, self.nextChange(), user)
        state.isSystem = isSystem
        return true
    }
}
