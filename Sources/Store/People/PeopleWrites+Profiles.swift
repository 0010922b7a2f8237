import ByteCodec
package import ChatModel

// MARK: Profiles

extension PeopleWrites {
    /// Changes what a person says about themselves.
    ///
    /// - Returns: the number of the change.
    /// - Throws: `notFound`; `invalid` for what is no JSON object, or beyond `PeopleLimits`.
    @discardableResult
    package func setProfile(of user: UserID, _ patch: ProfilePatch) throws(StoreError) -> Int64 {
        let state = try self.transaction.knownUser(user)
        var fields: ProfileFields = []
        if let name = patch.displayName {
            try WriteTransaction.check(name, maximumScalars: PeopleLimits.nameScalars, "a display name")
            let shown = name.isEmpty ? nil : name
            try self.transaction.connection.run(
                "UPDATE user SET display_name = ?, sort_key = ? WHERE id = ?", shown,
                state.name.sortKey(shownAs: shown),
                user)
            fields.insert(.name)
        }
        if patch.avatar != nil || patch.avatarSmall != nil {
            try self.setAvatar(patch, of: user)
            fields.insert(.picture)
        }
        if let change = patch.attributes {
            let before = try self.transaction.reading.people.profile(of: user)?.attributes
            let text = try Self.merged(before, change, "a profile")
            try self.transaction.connection.run("UPDATE user SET attributes = ? WHERE id = ?", text, user)
            fields.insert(.attributes)
        }
        if let change = patch.settings {
            let text = try Self.merged(
                try self.transaction.reading.people.settings(of: user), change, "a person's settings")
            try self.transaction.connection.run("UPDATE user SET settings = ? WHERE id = ?", text, user)
        }
        let change = self.transaction.nextChange()
        try self.transaction.connection.run("UPDATE user SET change = ? WHERE id = ?", change, user)
        if !fields.isEmpty { try self.transaction.noteShown(state, fields) }
        return change
    }

    private func setAvatar(_ patch: ProfilePatch, of user: UserID) throws(StoreError) {
        for address in [patch.avatar, patch.avatarSmall] {
            guard address.map({ $0.utf8.count <= PeopleLimits.avatarBytes }) ?? true else {
                throw .invalid("the address of an avatar has at most \(PeopleLimits.avatarBytes) bytes")
            }
        }
        if let avatar = patch.avatar {
            try self.transaction.connection.run(
                "UPDATE user SET avatar = ?, avatar_small = NULL WHERE id = ?", avatar.isEmpty ? nil : avatar, user)
            try self.letGoOfPicture(.person(user, isSmall: false), unlessAt: avatar)
            try self.letGoOfPicture(.person(user, isSmall: true), unlessAt: patch.avatarSmall ?? "")
        }
        if let small = patch.avatarSmall {
            try self.transaction.connection.run(
                "UPDATE user SET avatar_small = ? WHERE id = ?", small.isEmpty ? nil : small, user)
            try self.letGoOfPicture(.person(user, isSmall: true), unlessAt: small)
        }
    }

    /// A file that is shown no more goes with its address: otherwise it is kept, and everybody's, for ever.
    func letGoOfPicture(_ holder: PictureHolder, unlessAt address: String) throws(StoreError) {
        guard let file = try self.transaction.reading.files.picture(of: holder), !address.hasSuffix(file.key.text)
        else { return }
        try self.transaction.files.setPicture(of: holder, to: nil, by: .operator)
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
        let state = try self.transaction.knownUser(user)
        guard user != .system else { throw .invalid("the system's own user cannot be changed") }
        guard state.isSystem != isSystem else { return false }
        try self.transaction.connection.run(
            "UPDATE user SET is_system = ?, change = ? WHERE id = ?", isSystem, self.transaction.nextChange(), user)
        state.isSystem = isSystem
        return true
    }
}
