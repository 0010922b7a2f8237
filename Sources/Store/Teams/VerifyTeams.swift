import ChatModel

// What makes groups teams, what they were told, and who asks to be in them.
extension Verifier {
    func checkTeams() throws(StoreError) {
        try self.noteFindings(
            """
            SELECT c.id FROM conversation c LEFT JOIN team t ON t.conversation_id = c.id
            WHERE (c.kind = \(ConversationKind.group)) <> (t.conversation_id IS NOT NULL)
            """
        ) { "Conversation number \($0) is a group that is no team, or a team that is no group." }
        try self.noteFindings(
            """
            SELECT conversation_id FROM team
            WHERE form NOT BETWEEN 0 AND 1 OR join_mode NOT BETWEEN 0 AND 2 OR be_invited_mode NOT BETWEEN 0 AND 1
                OR update_info_mode NOT BETWEEN 0 AND 1 OR update_attributes_mode NOT BETWEEN 0 AND 1
                OR owner_leaving NOT BETWEEN 0 AND 1 OR member_limit < 2
            """
        ) { "The team with the number \($0) is set to something that no teahouse writes." }
        try self.noteFindings(
            """
            SELECT t.conversation_id FROM team t
            WHERE t.form = \(TeamForm.normal) AND EXISTS (
                SELECT 1 FROM member m WHERE m.conversation_id = t.conversation_id AND m.role = \(MemberRole.manager))
            """
        ) { "The normal team with the number \($0) has a manager." }
        // Two switches for one mode: only one of them may be on.
        try self.noteFindings(
            """
            SELECT id FROM conversation
            WHERE flags & \(ConversationFlags.mutedTwice) = \(ConversationFlags.mutedTwice)
            """
        ) { "Conversation number \($0) says twice who is muted, in two ways." }
        try self.noteFindings(
            """
            SELECT number FROM team_request
            WHERE kind NOT BETWEEN 0 AND 1 OR state NOT BETWEEN 0 AND 4
                OR (kind = \(TeamRequestKind.invite)) <> (inviter_id IS NOT NULL)
                OR (state = \(TeamRequestState.waiting)) <> (answered_at = 0)
                OR (state IN (\(TeamRequestState.waiting), \(TeamRequestState.expired)) AND answered_by IS NOT NULL)
                OR person_id = inviter_id
            """
        ) { "The team request with the number \($0) is none that teahouse writes." }
        try self.noteFindings(
            """
            SELECT r.number FROM team_request r
            JOIN member m ON m.conversation_id = r.conversation_id AND m.user_id = r.person_id
            WHERE r.state = \(TeamRequestState.waiting)
            """
        ) { "The team request with the number \($0) waits for somebody who is a member." }
    }

    private func noteFindings(_ sql: SQLText, _ text: (Int64) -> String) throws(StoreError) {
        for number in try self.connection.query(SQL(sql), read: { row throws(StoreError) in row.int64(0) }) {
            self.notes.add(.team, "\(text(number)) Restore the last backup.")
        }
    }
}
