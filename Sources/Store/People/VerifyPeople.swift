import ChatModel

// What people keep about themselves and each other.
extension Verifier {
    func checkPeople() throws(StoreError) {
        try self.noteFindings(
            """
            SELECT u.name FROM user u
            WHERE (u.attributes IS NOT NULL AND (NOT json_valid(u.attributes) OR json_type(u.attributes) <> 'object'))
                OR (u.settings IS NOT NULL AND (NOT json_valid(u.settings) OR json_type(u.settings) <> 'object'))
            """
        ) { "The profile or the settings of \($0) are not a JSON object: the person has to enter them again." }
        try self.noteFindings(
            """
            SELECT u.name FROM app_user a JOIN user u ON u.id = a.user_id
            WHERE u.deleted_at IS NOT NULL
                OR (a.fields IS NOT NULL AND (NOT json_valid(a.fields) OR json_type(a.fields) <> 'object'))
            UNION SELECT i.object_id FROM installation i LEFT JOIN user u ON u.id = i.user_id
            WHERE u.deleted_at IS NOT NULL
                OR (i.fields IS NOT NULL AND (NOT json_valid(i.fields) OR json_type(i.fields) <> 'object'))
            """
        ) { "What an app keeps of \($0) is not what teahouse writes. Restore the last backup." }
        try self.noteFindings(
            """
            SELECT o.name || ' and ' || u.name FROM friend f JOIN user o ON o.id = f.owner_id
            JOIN user u ON u.id = f.other_id
            LEFT JOIN friend b ON b.owner_id = f.other_id AND b.other_id = f.owner_id
            WHERE f.owner_id = f.other_id OR b.owner_id IS NULL OR b.is_removed <> f.is_removed
            """
        ) { "The friendship of \($0) stands in one list only: let them become friends again." }
        try self.noteFindings(
            """
            SELECT a.name || ' to ' || o.name FROM friend_request r JOIN user a ON a.id = r.asker_id
            JOIN user o ON o.id = r.other_id
            WHERE r.asker_id = r.other_id OR r.state NOT BETWEEN 0 AND 3
            """
        ) { "The friend request of \($0) is none that teahouse writes. Restore the last backup." }
        try self.noteFindings(
            """
            SELECT u.name FROM user u LEFT JOIN friend f ON f.owner_id = u.id AND f.is_removed = 0
            GROUP BY u.id HAVING count(f.other_id) > 5000
            """
        ) { "\($0) has more than \(PeopleLimits.friends) friends. Keep the folder and report it." }
        try self.noteFindings(
            """
            SELECT u.name FROM device_token t JOIN user u ON u.id = t.user_id
            WHERE t.bare_hash IS NOT NULL AND length(t.bare_hash) <> 32
            """
        ) { "A sign-in token of \($0) cannot be found alone: issue a new one." }
        try self.noteFindings(
            """
            SELECT u.name FROM user u WHERE u.deleted_at IS NOT NULL AND (
                u.disabled = 0 OR u.role <> \(UserRole.member) OR u.is_system <> 0 OR u.password_hash IS NOT NULL
                OR coalesce(u.external_id, u.display_name, u.attributes, u.settings, u.avatar, u.avatar_small) IS NOT NULL
                OR EXISTS (SELECT 1 FROM device_token t WHERE t.user_id = u.id)
                OR EXISTS (SELECT 1 FROM friend f WHERE f.owner_id = u.id AND f.is_removed = 0)
                OR EXISTS (SELECT 1 FROM friend_request r
                    WHERE r.other_id = u.id AND r.state = \(FriendRequestState.waiting))
                OR EXISTS (SELECT 1 FROM personal_list p WHERE p.owner_id = u.id OR p.other_id = u.id)
                OR EXISTS (SELECT 1 FROM listener l WHERE l.user_id = u.id)
                OR EXISTS (SELECT 1 FROM team_request r
                    WHERE r.person_id = u.id AND r.state = \(TeamRequestState.waiting))
                OR EXISTS (SELECT 1 FROM member m JOIN conversation c ON c.id = m.conversation_id
                    WHERE m.user_id = u.id AND c.kind <> \(ConversationKind.direct)))
            """
        ) { "Something of the deleted account \($0) is left: keep the folder and report it." }
        if try self.count("SELECT count(*) FROM secret WHERE name = 'bare_token' AND length(value) = 32") != 1 {
            self.notes.add(.people, "The server's key for tokens is missing. Restore the last backup.")
        }
        try self.checkSortKeys()
        try self.checkApplication()
    }

    /// Places of names in lists, which the server computes from them.
    private func checkSortKeys() throws(StoreError) {
        let found = try self.connection.query(
            """
            SELECT name, coalesce(display_name, name), sort_key FROM user
            UNION ALL SELECT u.name, f.remark, f.sort_key FROM friend f JOIN user u ON u.id = f.other_id
            WHERE coalesce(f.remark, f.sort_key) IS NOT NULL
            UNION ALL SELECT u.name, m.nickname, m.sort_key FROM member m JOIN user u ON u.id = m.user_id
            WHERE coalesce(m.nickname, m.sort_key) IS NOT NULL
            """
        ) { row throws(StoreError) -> String? in
            let (name, shown) = (row.text(0), row.optionalText(1))
            return shown.map { PinyinInitial.sortKey(of: $0, id: name) } == row.optionalText(2) ? nil : name
        }
        for name in found.compactMap({ $0 }) {
            self.notes.add(.people, "\(name) stands in the wrong place of lists: give the same name again.")
        }
    }

    /// The app of LeanCloud clients; whether its keys can be opened is seen at the start.
    private func checkApplication() throws(StoreError) {
        if try self.count("SELECT count(*) FROM secret WHERE name = 'session_token' AND length(value) = 32") != 1 {
            self.notes.add(.people, "The server's key for session tokens is missing. Restore the last backup.")
        }
        try self.noteFindings(
            """
            SELECT a.app_id FROM application a WHERE a.app_id = '' OR length(a.app_key) < 41
                OR length(a.master_key) < 41 OR (a.previous_app_key IS NULL) <> (a.previous_app_key_until IS NULL)
                OR (a.previous_master_key IS NULL) <> (a.previous_master_key_until IS NULL)
            """
        ) { "The keys of the app \($0) are none that teahouse writes. Restore the last backup." }
        try self.noteFindings(
            """
            SELECT coalesce(u.name, r.user_id) FROM session_revocation r LEFT JOIN user u ON u.id = r.user_id
            WHERE u.id IS NULL OR r.count < 1
            """
        ) { "When session tokens of \($0) were taken back is not known. Restore the last backup." }
    }

    private func noteFindings(_ sql: SQLText, _ text: (String) -> String) throws(StoreError) {
        for who in try self.connection.query(SQL(sql), read: { row throws(StoreError) in row.text(0) }) {
            self.notes.add(.people, text(who))
        }
    }
}
