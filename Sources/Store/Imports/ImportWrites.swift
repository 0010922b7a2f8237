package import ChatModel

extension WriteTransaction {
    /// Changes that bring what another server kept.
    package var imports: ImportWrites { ImportWrites(transaction: self) }
}

/// Changes that bring what another server kept. Nobody is told of single ones: neither hooks nor devices, no count of unread
/// messages rises, and no rule of sending is asked. Valid as long as its transaction.
package struct ImportWrites {
    let transaction: WriteTransaction
    var connection: Connection { self.transaction.connection }
    var memory: WriterMemory { self.transaction.memory }

    // MARK: The import as a whole

    /// Begins an import, or goes on with the one of this source that is under way.
    ///
    /// - Parameters:
    ///   - source: kind of server, as `leancloud`.
    ///   - origin: app there.
    ///   - note: kept in the audit log when it begins; who asked is noted from it.
    package func begin(
        _ source: String, origin: String, auditing note: AuditNote?
    ) throws(StoreError) -> ImportRecord {
        if let known = try self.transaction.reading.imports.underWay(source, origin) { return known }
        if let undoing = try self.transaction.reading.imports.undoing() {
            throw .invalid("import \(undoing) is being taken back: finish that first")
        }
        let now = self.transaction.wallMilliseconds
        try self.connection.run(
            """
            INSERT INTO import (number, source, origin, state, operator, begun_at, changed_at, counts)
            VALUES ((SELECT coalesce(max(number), 0) + 1 FROM import), ?, ?, ?, ?, ?, ?, '{}')
            """, source, origin, ImportRecord.State.underWay.rawValue,
            note.map { $0.actor.name ?? "uid \($0.actor.uid)" } ?? "", now, now)
        if let note { try self.transaction.audit.noteAsked(note) }
        guard let made = try self.transaction.reading.imports.underWay(source, origin) else {
            throw Row.damaged("table of imports")
        }
        return made
    }

    /// Ends an import: from here on it is one entry of the audit log with what was counted, and every device that was
    /// away, or is here, fetches its lists anew.
    ///
    /// - Parameter counts: JSON text of an object.
    /// - Throws: `notFound` for one that is not under way.
    package func finish(_ number: Int64, counts: String, auditing note: AuditNote?) throws(StoreError) {
        _ = try self.underWay(number)
        try self.connection.run(
            "UPDATE import SET state = ?, counts = ?, changed_at = ? WHERE number = ?",
            ImportRecord.State.whole.rawValue, counts, self.transaction.wallMilliseconds, number)
        if let note { try self.transaction.audit.noteDone(note, after: counts) }
        try self.makeDevicesBeginAnew()
    }

    /// Makes every cursor of before this commit one that the log of changes does not reach back to.
    func makeDevicesBeginAnew() throws(StoreError) {
        // At most the position of this commit, which is given last.
        let position = self.transaction.nextMessageID().rawValue
        try self.connection.run("UPDATE meta SET value = max(value, ?) WHERE key = 'feed_from'", position)
    }

    func underWay(_ number: Int64) throws(StoreError) -> ImportRecord {
        guard let found = try self.transaction.reading.imports.one(number), found.state == .underWay else {
            throw .notFound("an import of number \(number) that is under way")
        }
        return found
    }

    // MARK: Conversations

    /// Brings a conversation, or brings up to its source what was imported before and has not changed here since.
    ///
    /// - Throws: `notFound` for an import that is not under way.
    package func addConversation(
        _ row: ImportedConversation, to number: Int64
    ) throws(StoreError) -> ImportedConversationOutcome {
        _ = try self.underWay(number)
        let people = try self.people(row.members, of: number)
        let creator =
            try row.creator.flatMap { (name) throws(StoreError) in try self.person(name, of: number) } ?? .system
        if case .channel(.direct, _) = row.form, people.count != Set(row.members).count {
            return .refused("the account of one of its two people was deleted, or is the server's own")
        }
        let place = try self.place(of: row, people)
        guard let known = place.known else {
            if case .channel(.direct, _) = row.form, place.pair == nil {
                return .refused("a direct conversation has one or two people")
            }
            guard let made = try self.make(row, place, people, creator) else {
                return .refused("another conversation has its name")
            }
            try self.setFlags(of: made, as: row)
            try self.keepFiles(of: made.id, row)
            try self.note(made, row, of: number, isNew: true)
            return .made
        }
        guard let earlier = try self.lastRow(of: known.id) else {
            let renamed = row.objectID == nil || row.objectID == known.objectID ? nil : row.objectID
            if row.objectID == known.objectID, try self.hasAll(of: row, people, known) { return .unchanged }
            return try self.join(known, row, people, renamed: renamed, to: number)
        }
        if earlier.digest == row.digest { return .unchanged }
        guard earlier.revision == known.revision else { return .kept }
        try self.update(known, row, people)
        try self.setFlags(of: known, as: row)
        try self.keepFiles(of: known.id, row)
        try self.note(known, row, of: number, isNew: false)
        return .updated
    }

    /// Files that a conversation names in its attributes and fields belong to its members.
    private func keepFiles(of id: ConversationID, _ row: ImportedConversation) throws(StoreError) {
        guard row.attributes != nil || row.fields != nil else { return }
        try self.transaction.apps.keepFiles(of: id, by: .application)
    }

    /// Where a conversation is to be.
    private struct Place {
        var known: ConversationState?
        var pair: DirectPair?
        var key: ChannelKey?
        var memberSet: [UInt8]?
    }

    private func place(of row: ImportedConversation, _ people: [UserID]) throws(StoreError) -> Place {
        var place = Place()
        if let objectID = row.objectID { place.known = try self.memory.conversation(objectID) }
        let name = row.objectID.flatMap { ChannelName($0.text) }
        switch row.form {
        case .group: place.key = name.map { ChannelKey(kind: .group, name: $0) }
        case .room: place.key = name.map { ChannelKey(kind: .room, name: $0) }
        case .service: place.key = name.map { ChannelKey(kind: .service, name: $0) }
        case .channel(.direct, _): try self.lookUp(people, &place)
        case .channel(let kind, let channel):
            place.key = (channel ?? name).map { ChannelKey(kind: kind, name: $0) }
            if place.known == nil, let key = place.key { place.known = try self.memory.conversation(key) }
        case .unique:
            place.key = name.map { ChannelKey(kind: .group, name: $0) }
            guard place.known == nil else { return place }
            if people.count == 2 {
                try self.lookUp(people, &place)
                // Two of the same people: the second one is a group.
                if let known = place.known, try self.lastRow(of: known.id) != nil {
                    place.known = nil
                    place.pair = nil
                }
            } else {
                let set = try MemberSet.key(of: try self.transaction.names(people))
                let isTaken = try self.connection.first("SELECT 1 FROM conversation WHERE member_set = ?", set) {
                    row throws(StoreError) in row.int64(0)
                }
                if isTaken == nil, !people.isEmpty { place.memberSet = set }
            }
        }
        return place
    }

    private func lookUp(_ people: [UserID], _ place: inout Place) throws(StoreError) {
        guard (1...2).contains(people.count), let first = people.first, let last = people.last else { return }
        let pair = DirectPair(first, last)
        place.pair = pair
        if place.known == nil { place.known = try self.memory.conversation(pair) }
    }

    private func make(
        _ row: ImportedConversation, _ place: Place, _ people: [UserID], _ creator: UserID
    ) throws(StoreError) -> ConversationState? {
        let kind: ConversationKind = place.pair != nil ? .direct : place.key?.kind ?? .group
        let objectID = row.objectID ?? ObjectID(atMilliseconds: row.createdAtMilliseconds)
        let channel = place.pair == nil ? place.key?.name ?? ChannelName(objectID.text) : nil
        if let channel, try self.memory.conversation(ChannelKey(kind: kind, name: channel)) != nil { return nil }
        let members = kind == .room ? [] : people
        let change = self.transaction.nextChange()
        let activeAt = row.lastMessageAtMilliseconds ?? row.createdAtMilliseconds
        try self.connection.run(
            """
            INSERT INTO conversation (kind, channel, title, attributes, fields, creator_id, member_count, change,
                active_at, created_at, direct_low, direct_high, foreign_id, updated_at, member_set,
                revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, kind.rawValue, channel, row.title, row.attributes, row.fields, creator, members.count, change,
            activeAt,
            row.createdAtMilliseconds, place.pair?.low, place.pair?.high, objectID, row.updatedAtMilliseconds,
            place.memberSet, self.memory.sequenceFloor)
        let made = ConversationState(
            id: ConversationID(rawValue: self.connection.lastInsertedID), kind: kind, objectID: objectID,
            channel: channel, pair: place.pair, creator: creator, revision: self.memory.sequenceFloor,
            activeAt: activeAt,
            updatedAt: row.updatedAtMilliseconds)
        if kind == .group {
            try self.connection.insertTeam(made.id, .unguarded)
            made.settings = .unguarded
        }
        self.memory.remember(made)
        try self.add(members, to: made, row, creator: creator, change: change)
        self.transaction.noteProfile(.team(made.id, .existence))
        return made
    }

    private func add(
        _ people: [UserID], to conversation: ConversationState, _ row: ImportedConversation, creator: UserID,
        change: Int64
    ) throws(StoreError) {
        for person in people where conversation.roles[person] == nil {
            let role = try self.role(of: person, in: conversation.kind, row, creator: creator)
            try self.connection.insertMember(
                person, role, into: conversation, change: change, at: row.createdAtMilliseconds)
            self.memory.add(person, role, to: conversation)
        }
        for name in row.silencedBy {
            guard let person = try self.memory.user(named: name)?.id, conversation.roles[person] != nil else {
                continue
            }
            try self.connection.run(
                """
                INSERT INTO preference (user_id, conversation_id, muted, change) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET muted = excluded.muted, change = excluded.change
                """, person, conversation.id, TeamAlerts.none.stored, self.transaction.nextChange())
        }
    }

    private func role(
        of person: UserID, in kind: ConversationKind, _ row: ImportedConversation, creator: UserID
    ) throws(StoreError) -> MemberRole {
        switch kind {
        case .direct, .room, .service: return .member
        case .group, .temporary, .customerService, .community, .communityTopic, .data, .visitors, .agent, .agentGroup:
            let name = row.roles.isEmpty ? nil : try self.memory.user(person)?.name
            let said = name.flatMap { row.roles[$0] }
            return said ?? (person == creator ? .owner : .member)
        }
    }

    /// True where a conversation that people have made here lacks nothing of a row.
    private func hasAll(
        of row: ImportedConversation, _ people: [UserID], _ known: ConversationState
    ) throws(StoreError) -> Bool {
        let hasMembers = known.kind == .room || known.kind == .direct || people.allSatisfy { known.roles[$0] != nil }
        guard hasMembers else { return false }
        let sql: StaticString = """
            SELECT (title IS NOT NULL OR ?2 IS NULL) AND (attributes IS NOT NULL OR ?3 IS NULL)
                AND (fields IS NOT NULL OR ?4 IS NULL) AND created_at <= ?5
            FROM conversation WHERE id = ?1
            """
        return try self.connection.first(
            sql, known.id, row.title, row.attributes, row.fields, row.createdAtMilliseconds
        ) { row throws(StoreError) in row.int64(0) != 0 } ?? false
    }

    /// A conversation that people have made here: what it has stays, what it lacks is added.
    private func join(
        _ known: ConversationState, _ row: ImportedConversation, _ people: [UserID], renamed objectID: ObjectID?,
        to number: Int64
    ) throws(StoreError) -> ImportedConversationOutcome {
        let change = self.transaction.nextChange()
        let activeAt = known.head == 0 ? row.lastMessageAtMilliseconds ?? known.activeAt : known.activeAt
        try self.connection.run(
            """
            UPDATE conversation SET title = coalesce(title, ?), attributes = coalesce(attributes, ?),
                fields = coalesce(fields, ?), created_at = min(created_at, ?), active_at = ?, change = ? WHERE id = ?
            """, row.title, row.attributes, row.fields, row.createdAtMilliseconds, activeAt, change, known.id)
        known.activeAt = activeAt
        var current = known
        if let objectID {
            // Apps that were installed know it by the name of the source; who tried it here finds it by both.
            try self.connection.run(
                "INSERT OR REPLACE INTO conversation_alias (foreign_id, conversation_id) VALUES (?, ?)", known.objectID,
                known.id)
            try self.connection.run("UPDATE conversation SET foreign_id = ? WHERE id = ?", objectID, known.id)
            self.memory.forget(known)
            guard let loaded = try self.memory.conversation(known.id) else { throw .notFound("the conversation") }
            current = loaded
        }
        try self.bringMembers(people, into: current, row, isWhole: false)
        try self.keepFiles(of: current.id, row)
        self.transaction.noteProfile(.team(current.id, .existence))
        try self.note(current, row, of: number, isNew: false)
        return .joined
    }

    /// A conversation that was imported and stands as it was: it follows its source.
    private func update(
        _ known: ConversationState, _ row: ImportedConversation, _ people: [UserID]
    ) throws(StoreError) {
        try self.connection.run(
            """
            UPDATE conversation SET title = ?, attributes = ?, fields = ?, updated_at = max(updated_at, ?), change = ?
            WHERE id = ?
            """, row.title, row.attributes, row.fields, row.updatedAtMilliseconds, self.transaction.nextChange(),
            known.id)
        known.updatedAt = max(known.updatedAt, row.updatedAtMilliseconds)
        try self.bringMembers(people, into: known, row, isWhole: row.membersAreWhole)
        self.transaction.noteProfile(.team(known.id, .existence))
    }

    /// - Parameter isWhole: who is not among the people leaves.
    private func bringMembers(
        _ people: [UserID], into conversation: ConversationState, _ row: ImportedConversation, isWhole: Bool
    ) throws(StoreError) {
        guard conversation.kind != .room, conversation.kind != .direct else { return }
        let stay = Set(people)
        // Who subscribes to a service stands in no row of it.
        let leave = isWhole && conversation.kind != .service
        let gone = leave ? Set(conversation.roles.keys.filter { !stay.contains($0) }) : []
        let isChanged = !gone.isEmpty || people.contains { conversation.roles[$0] == nil }
        guard isChanged else { return }
        let change = self.transaction.nextChange()
        conversation.revision += 1
        try self.add(people, to: conversation, row, creator: conversation.creator, change: change)
        for person in gone.sorted() {
            try self.connection.run(
                """
                INSERT INTO former_member (conversation_id, user_id, role, revision, left_at)
                SELECT conversation_id, user_id, role, ?, ? FROM member WHERE conversation_id = ? AND user_id = ?
                ON CONFLICT DO UPDATE SET role = excluded.role, revision = excluded.revision,
                    left_at = excluded.left_at
                """, conversation.revision, self.transaction.wallMilliseconds, conversation.id, person)
            for table in Self.ofMembers { try self.connection.run(table, conversation.id, person) }
        }
        if !gone.isEmpty { self.memory.remove(gone, from: conversation) }
        // Who came back is not one of those who left.
        for person in people {
            try self.connection.run(
                "DELETE FROM former_member WHERE conversation_id = ? AND user_id = ?", conversation.id, person)
        }
        try self.connection.run(
            "UPDATE conversation SET revision = ?, change = ?, member_count = ? WHERE id = ?", conversation.revision,
            change, conversation.roles.count, conversation.id)
        try self.transaction.apps.forgetMemberSet(of: conversation.id)
    }

    /// Adds subscribers to a service that was imported.
    ///
    /// - Returns: how many are new; `nil` when there is no such service.
    package func addSubscribers(
        _ names: [UserName], to objectID: ObjectID, of number: Int64
    ) throws(StoreError) -> Int64? {
        _ = try self.underWay(number)
        guard let service = try self.memory.conversation(objectID), service.kind == .service else { return nil }
        return try self.add(names, to: service, of: number)
    }

    /// Adds people to a conversation, and takes nobody out of it.
    ///
    /// - Returns: how many are new.
    func add(
        _ names: [UserName], to conversation: ConversationState, of number: Int64
    ) throws(StoreError) -> Int64 {
        let new = try self.people(names, of: number).filter { conversation.roles[$0] == nil }
        guard !new.isEmpty else { return 0 }
        let before = conversation.revision
        let change = self.transaction.nextChange()
        conversation.revision += 1
        for person in new {
            try self.connection.insertMember(
                person, .member, into: conversation, change: change, at: self.transaction.wallMilliseconds)
            self.memory.add(person, .member, to: conversation)
        }
        try self.connection.run(
            "UPDATE conversation SET revision = ?, change = ?, member_count = ? WHERE id = ?", conversation.revision,
            change, conversation.roles.count, conversation.id)
        try self.noteOwnRevision(of: conversation, before: before)
        return Int64(new.count)
    }

    /// Gives a member of a group that was imported the role they had.
    ///
    /// - Returns: whether that is new; `nil` for a group, or a member of it, that is not here.
    package func setRole(
        _ role: MemberRole, of name: UserName, in objectID: ObjectID, of number: Int64
    ) throws(StoreError) -> Bool? {
        _ = try self.underWay(number)
        guard let group = try self.memory.conversation(objectID), group.kind == .group,
            let person = try self.memory.user(named: name)?.id, let current = group.roles[person]
        else { return nil }
        guard current != role, current != .owner, let earlier = try self.lastRow(of: group.id),
            earlier.revision == group.revision
        else { return false }
        let before = group.revision
        let change = self.transaction.nextChange()
        group.revision += 1
        try self.connection.run(
            "UPDATE member SET role = ?, change = ?, revision = ? WHERE conversation_id = ? AND user_id = ?",
            role.rawValue, change, group.revision, group.id, person)
        self.memory.setRole(person, role, in: group)
        try self.connection.run(
            "UPDATE conversation SET revision = ?, change = ? WHERE id = ?", group.revision, change, group.id)
        try self.noteOwnRevision(of: group, before: before)
        return true
    }

    static let ofMembers: [StaticString] = [
        "DELETE FROM hidden_count WHERE conversation_id = ? AND user_id = ?",
        "DELETE FROM shown_count WHERE conversation_id = ? AND user_id = ?",
        "DELETE FROM preference WHERE conversation_id = ? AND user_id = ?",
        "DELETE FROM delivered WHERE conversation_id = ? AND user_id = ?",
        "DELETE FROM member WHERE conversation_id = ? AND user_id = ?",
    ]

    // MARK: What an import has brought

    /// Notes what an import itself has changed, which is no change of people.
    func noteOwnRevision(of conversation: ConversationState, before: Int64) throws(StoreError) {
        try self.connection.run(
            "UPDATE import_conversation SET revision = ? WHERE conversation_id = ? AND revision = ?",
            conversation.revision, conversation.id, before)
    }

    private func note(
        _ conversation: ConversationState, _ row: ImportedConversation, of number: Int64, isNew: Bool
    ) throws(StoreError) {
        try self.connection.run(
            """
            INSERT INTO import_conversation (conversation_id, import, is_new, digest, revision) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET digest = excluded.digest, revision = excluded.revision
            """, conversation.id, number, isNew, row.digest, conversation.revision)
    }

    /// Row of a conversation that was imported last, and the revision after it; `nil` for one that never was.
    private func lastRow(of id: ConversationID) throws(StoreError) -> (digest: Int64, revision: Int64)? {
        try self.connection.first(
            """
            SELECT digest, revision FROM import_conversation
            WHERE conversation_id = ? AND digest IS NOT NULL ORDER BY import DESC LIMIT 1
            """, id
        ) { row throws(StoreError) in (row.int64(0), row.int64(1)) }
    }

    // MARK: People

    /// The people of these names, each once, made when they are missing; without accounts that were deleted.
    func people(_ names: [UserName], of number: Int64) throws(StoreError) -> [UserID] {
        var people: [UserID] = []
        for name in names {
            guard let person = try self.person(name, of: number), person != .system else { continue }
            people.append(person)
        }
        return WriteTransaction.withoutRepeats(people)
    }

    /// The person of this name, made when missing; `nil` for an account that was deleted.
    func person(_ name: UserName, of number: Int64) throws(StoreError) -> UserID? {
        if let known = try self.memory.user(named: name) { return known.isDeleted ? nil : known.id }
        let made = try self.transaction.people.createUser(name)
        try self.note(made.rawValue, as: .person, of: number)
        return made
    }

    /// Notes that an import has made a person.
    package func notePerson(_ name: UserName, of number: Int64) throws(StoreError) {
        guard let user = try self.memory.user(named: name) else { return }
        try self.note(user.id.rawValue, as: .person, of: number)
    }

    /// Notes a row that an import has made.
    func note(_ id: Int64, as kind: ImportedRowKind, of number: Int64) throws(StoreError) {
        try self.connection.run(
            "INSERT OR REPLACE INTO import_row (kind, id, import) VALUES (?, ?, ?)", kind.rawValue, id, number)
    }
}
