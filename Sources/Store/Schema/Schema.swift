/// Today's schema: the tables, indexes and triggers of a new database.
///
/// A change is made in two places: here, and as a further step of `migrations` for the databases that exist. A test
/// compares both. Times are UTC milliseconds where nothing else is said.
enum Schema {
    /// The version a new database has, and the newest this build understands: that of the last step of `migrations`.
    static let version = 35

    static let sql = """
        -- ---- The database itself ----

        -- Numbers of the database: epoch, node_id, created_at, how far numbers are given (see Sequencer), how far
        -- client tokens are indexed (see TokenIndex), the last time that the clock was believed (see ClockGuard).
        -- position: of the last commit, see StorePosition; feed_from: of the newest row that change_feed has forgotten.
        -- completed_until: messages up to this id have a body_hash of what was sent (see message).
        -- log_store: by which the log of the server knows the database; log_run: the last run of the server; log_applied:
        -- position of the newest record that is here; log_segments: how many files of the log there are, 0 when it may be
        -- gone. All 0 but log_store before the first start.
        CREATE TABLE meta (
            key TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What the operator changed at run time.
        CREATE TABLE setting (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Keys that never leave the server.
        CREATE TABLE secret (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What the operator set for conversations. kind, role: of a conversation and in it; -1 for all. value: as
        -- operators write it.
        CREATE TABLE session_setting (
            name TEXT NOT NULL,
            kind INTEGER NOT NULL,
            role INTEGER NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (name, kind, role)
        ) STRICT, WITHOUT ROWID;

        -- The same for one conversation alone.
        CREATE TABLE conversation_setting (
            conversation_id INTEGER NOT NULL REFERENCES conversation(id),
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (conversation_id, name)
        ) STRICT, WITHOUT ROWID;

        -- ---- People ----

        -- is_system: an account of the server or of one of its robots.
        -- attributes, settings: JSON objects; settings are seen by their owner only.
        -- change: of the profile, a number that grows over the whole store.
        -- avatar_small: the address of the small size of what avatar names; NULL for none.
        -- deleted_at: when the account was deleted, UTC milliseconds; its name and its messages stay.
        -- trial: 1 for a person whom a request without a token made in the trial mode.
        -- sort_key: the place of the person's name in lists, see PinyinInitial; of a friend and of a member, that of the
        -- remark and of the nickname, NULL where there is none.
        CREATE TABLE user (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE COLLATE BINARY,
            external_id TEXT UNIQUE COLLATE BINARY,
            display_name TEXT,
            password_hash TEXT,
            role INTEGER NOT NULL DEFAULT 0,
            disabled INTEGER NOT NULL DEFAULT 0,
            send_banned INTEGER NOT NULL DEFAULT 0,
            allowlist_only INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            is_system INTEGER NOT NULL DEFAULT 0,
            attributes TEXT,
            settings TEXT,
            avatar TEXT,
            change INTEGER NOT NULL DEFAULT 0,
            avatar_small TEXT,
            deleted_at INTEGER,
            trial INTEGER NOT NULL DEFAULT 0,
            sort_key TEXT NOT NULL DEFAULT ''
        ) STRICT;
        CREATE INDEX user_in_trial ON user (id) WHERE trial = 1;
        CREATE INDEX user_by_sort_key ON user (sort_key);

        -- Only hashes of a token are kept: who reads the database cannot sign in with it.
        -- bare_hash: of the token alone, under the secret bare_token; NULL for a token of before version 4 that was not
        -- used since.
        CREATE TABLE device_token (
            token_hash BLOB PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES user (id),
            device_class TEXT NOT NULL,
            device_level INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            last_seen_at INTEGER NOT NULL,
            expires_at INTEGER,
            bare_hash BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_token_by_user ON device_token (user_id, device_class);
        CREATE INDEX device_token_by_bare_hash ON device_token (bare_hash) WHERE bare_hash IS NOT NULL;

        -- How often all session tokens of a person were taken back: an older token says a smaller count.
        CREATE TABLE session_revocation (
            user_id INTEGER PRIMARY KEY REFERENCES user (id),
            count INTEGER NOT NULL
        ) STRICT;

        -- list: PersonalList: 0 blocked, 1 allowed.
        CREATE TABLE personal_list (
            owner_id INTEGER NOT NULL REFERENCES user (id),
            list INTEGER NOT NULL,
            other_id INTEGER NOT NULL REFERENCES user (id),
            PRIMARY KEY (owner_id, list, other_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX personal_list_by_other ON personal_list (other_id);

        -- Two rows for each friendship, one in each list. A removed one stays, so that devices learn of it.
        CREATE TABLE friend (
            owner_id INTEGER NOT NULL REFERENCES user (id),
            other_id INTEGER NOT NULL REFERENCES user (id),
            remark TEXT,
            is_removed INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            sort_key TEXT,
            PRIMARY KEY (owner_id, other_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_by_change ON friend (owner_id, change);
        CREATE INDEX friend_by_sort_key ON friend (owner_id, sort_key) WHERE sort_key IS NOT NULL;

        -- state: 0 waiting, 1 accepted, 2 refused, 3 discarded by the one who was asked.
        -- seen: 1 when who was asked has opened the list of requests since this one came.
        CREATE TABLE friend_request (
            asker_id INTEGER NOT NULL REFERENCES user (id),
            other_id INTEGER NOT NULL REFERENCES user (id),
            text TEXT NOT NULL,
            token TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            seen INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (asker_id, other_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_request_by_other ON friend_request (other_id, change);

        -- The device of a person that holds a tag: another one must insist.
        CREATE TABLE tag_holder (
            user_id INTEGER NOT NULL REFERENCES user (id),
            tag TEXT NOT NULL COLLATE BINARY,
            device_id TEXT NOT NULL,
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (user_id, tag)
        ) STRICT, WITHOUT ROWID;

        -- ---- Conversations ----

        -- direct_low, direct_high: the two people of a direct conversation, the smaller id first.
        -- change: a number that grows over the whole store with every message and every change of a conversation.
        -- foreign_id: the object id, which is hard to guess and the same for everybody.
        -- updated_at: when card, members or what they may do changed last.
        -- member_set: the hash of the people for whom it is the only one; NULL for one that may exist beside others.
        -- fields: a JSON object of an app's own fields beside name and attributes.
        -- expires_at: a temporary one is gone then.
        -- trial: 1 for one that a request without a token made in the trial mode.
        -- position: at least that of its newest message and of its newest row in change_feed; 0 for before version 22.
        CREATE TABLE conversation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind INTEGER NOT NULL,
            flags INTEGER NOT NULL DEFAULT 0,
            head INTEGER NOT NULL DEFAULT 0,
            head_countable INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            active_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            creator_id INTEGER NOT NULL REFERENCES user (id),
            member_count INTEGER NOT NULL DEFAULT 0,
            direct_low INTEGER REFERENCES user (id),
            direct_high INTEGER REFERENCES user (id),
            channel TEXT COLLATE BINARY,
            foreign_id TEXT COLLATE BINARY,
            title TEXT,
            attributes TEXT,
            logo TEXT,
            updated_at INTEGER NOT NULL DEFAULT 0,
            member_set BLOB,
            fields TEXT,
            expires_at INTEGER,
            trial INTEGER NOT NULL DEFAULT 0,
            position INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX conversation_in_trial ON conversation (id) WHERE trial = 1;
        CREATE UNIQUE INDEX conversation_by_channel ON conversation (channel, kind) WHERE channel IS NOT NULL;
        CREATE UNIQUE INDEX conversation_by_pair ON conversation (direct_low, direct_high) WHERE direct_low IS NOT NULL;
        CREATE UNIQUE INDEX conversation_by_foreign_id ON conversation (foreign_id) WHERE foreign_id IS NOT NULL;
        CREATE UNIQUE INDEX conversation_by_member_set ON conversation (member_set) WHERE member_set IS NOT NULL;
        CREATE INDEX conversation_by_expiry ON conversation (expires_at) WHERE expires_at IS NOT NULL;
        CREATE INDEX conversation_by_kind ON conversation (kind, active_at);

        -- Restores: floor: the sequence and revision above which everything was from then on, in any conversation; epoch:
        -- of the restored database; at: UTC milliseconds.
        CREATE TABLE sequence_jump (
            floor INTEGER PRIMARY KEY,
            epoch INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;

        -- first, last: sequences of a conversation that no message has, because a restore passed over them.
        CREATE TABLE sequence_gap (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, first)
        ) STRICT, WITHOUT ROWID;

        -- Deleted ones of which messages are left: they go a few at a time, and nobody reaches them.
        CREATE TABLE gone_conversation (
            conversation_id INTEGER PRIMARY KEY
        ) STRICT;

        -- list: 0 denied, 1 allowed (in force when it has an entry).
        CREATE TABLE conversation_list (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            list INTEGER NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id),
            PRIMARY KEY (conversation_id, list, user_id)
        ) STRICT, WITHOUT ROWID;

        -- own_last_sequence, own_last_countable: the newest message the person sent as a member, and its countable; 0
        -- for none. muted_until: may not send before then, UTC milliseconds.
        -- revision: of the conversation, when what others see of the row changed last.
        -- joined_at: 0 for who joined before version 2. inviter_id: who brought the member in; NULL for who came alone.
        -- read_at: when the reading position moved last; read_from: where it was before that, so that every message
        -- above it was read at that time. acked_sequence, acked_at, acked_from: the same of what any device
        -- acknowledged. 0 for never.
        -- read_position, own_position: position (see StorePosition) of the last change of how far the person has read, and
        -- of switches, draft and place in the list.
        CREATE TABLE member (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER NOT NULL REFERENCES user (id),
            role INTEGER NOT NULL DEFAULT 0,
            read_sequence INTEGER NOT NULL,
            read_countable INTEGER NOT NULL,
            own_countable_since_read INTEGER NOT NULL DEFAULT 0,
            joined_sequence INTEGER NOT NULL,
            change INTEGER NOT NULL,
            own_last_sequence INTEGER NOT NULL DEFAULT 0,
            own_last_countable INTEGER NOT NULL DEFAULT 0,
            muted_until INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            joined_at INTEGER NOT NULL DEFAULT 0,
            nickname TEXT,
            inviter_id INTEGER REFERENCES user (id),
            read_at INTEGER NOT NULL DEFAULT 0,
            acked_sequence INTEGER NOT NULL DEFAULT 0,
            acked_at INTEGER NOT NULL DEFAULT 0,
            read_from INTEGER NOT NULL DEFAULT 0,
            acked_from INTEGER NOT NULL DEFAULT 0,
            read_position INTEGER NOT NULL DEFAULT 0,
            own_position INTEGER NOT NULL DEFAULT 0,
            sort_key TEXT,
            PRIMARY KEY (conversation_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX member_by_user ON member (user_id, conversation_id);
        CREATE INDEX member_by_revision ON member (conversation_id, revision);

        -- Who left or was removed, so that devices that were away learn of it.
        CREATE TABLE former_member (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER NOT NULL REFERENCES user (id),
            role INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            left_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX former_member_by_revision ON former_member (conversation_id, revision);

        -- Who gets what is said now without being a member. is_visit: of a room, who came in alone. visit_until: when a
        -- visitor without a session is taken out; NULL for visitors who are here, and for those an app has put there.
        CREATE TABLE listener (
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER NOT NULL REFERENCES user (id),
            added_at INTEGER NOT NULL,
            is_visit INTEGER NOT NULL DEFAULT 0,
            visit_until INTEGER,
            PRIMARY KEY (conversation_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX listener_by_user ON listener (user_id, conversation_id);
        CREATE INDEX listener_by_end ON listener (visit_until) WHERE visit_until IS NOT NULL;

        -- ---- Each person's conversations: unread, positions, what they set ----

        -- One person's view of one conversation; no row means nothing was set.
        -- extra_version: change number of the last change of draft or reading place.
        -- marked_unread, marked_at: a badge set by hand, and the head at that time; an own message after it ends it.
        -- hidden_through: not in the list until there is a later message. cleared_through: history up to it is gone.
        -- settings: a JSON object of further switches. muted: 0 every message alerts, 1 none, 2 those of owner and managers.
        CREATE TABLE preference (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            pinned INTEGER NOT NULL DEFAULT 0,
            muted INTEGER NOT NULL DEFAULT 0,
            saved INTEGER NOT NULL DEFAULT 0,
            browse_to INTEGER NOT NULL DEFAULT 0,
            keep_sequence INTEGER NOT NULL DEFAULT 0,
            keep_offset INTEGER NOT NULL DEFAULT 0,
            extra_version INTEGER NOT NULL DEFAULT 0,
            marked_unread INTEGER NOT NULL DEFAULT 0,
            marked_at INTEGER NOT NULL DEFAULT 0,
            hidden_through INTEGER,
            cleared_through INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            remark TEXT,
            draft TEXT,
            settings TEXT,
            PRIMARY KEY (user_id, conversation_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX preference_by_conversation ON preference (conversation_id);

        -- How far the devices of one class of one person acknowledged receipt. at: when the position moved last, UTC
        -- milliseconds; 0 for before version 20. from_sequence: where it was before that, so that every message above
        -- it arrived at that time.
        CREATE TABLE delivered (
            user_id INTEGER NOT NULL REFERENCES user (id),
            device_class TEXT NOT NULL,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            at INTEGER NOT NULL DEFAULT 0,
            from_sequence INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (user_id, device_class, conversation_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivered_by_conversation ON delivered (conversation_id);

        -- Messages that count as unread, withheld from a person who did not send them.
        CREATE TABLE hidden_count (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (user_id, conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX hidden_count_by_conversation ON hidden_count (conversation_id);

        -- Messages for some only that count as unread, by those who may see them: the heads do not count them.
        CREATE TABLE shown_count (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (user_id, conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX shown_count_by_conversation ON shown_count (conversation_id);

        -- change: a number that grows over the whole store. sequence: NULL for one without a message.
        CREATE TABLE reminder (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            sequence INTEGER,
            publisher_id INTEGER NOT NULL REFERENCES user (id),
            kind INTEGER NOT NULL,
            text TEXT NOT NULL,
            data TEXT,
            locates INTEGER NOT NULL,
            done INTEGER NOT NULL DEFAULT 0,
            change INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT;
        CREATE INDEX reminder_by_user ON reminder (user_id, change);
        CREATE INDEX reminder_by_message ON reminder (conversation_id, sequence) WHERE sequence IS NOT NULL;
        CREATE INDEX reminder_by_conversation ON reminder (conversation_id);

        -- ---- Teams ----

        -- One row for each group. The numbers are those of TeamForm, TeamJoinMode and so on; who may invite and who is
        -- muted are flags of the conversation. member_limit: NULL for as many as the server allows. remove_mode:
        -- TeamRemoveMode.
        CREATE TABLE team (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id),
            form INTEGER NOT NULL,
            join_mode INTEGER NOT NULL,
            be_invited_mode INTEGER NOT NULL,
            update_info_mode INTEGER NOT NULL,
            update_attributes_mode INTEGER NOT NULL,
            owner_leaving INTEGER NOT NULL,
            member_limit INTEGER,
            introduction TEXT,
            remove_mode INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- The newest one of a conversation is shown. An empty body removes what was shown before.
        CREATE TABLE announcement (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            title TEXT,
            body TEXT NOT NULL,
            author_id INTEGER NOT NULL REFERENCES user (id),
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX announcement_by_conversation ON announcement (conversation_id, number);

        -- kind: 0 the person applies, 1 the inviter invites. state: 0 waiting, 1 accepted, 2 refused, 3 withdrawn, 4
        -- expired. answered_by: NULL when nobody answered. position: of its last change, for the feed; 0 for before
        -- version 28.
        CREATE TABLE team_request (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            kind INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            person_id INTEGER NOT NULL REFERENCES user (id),
            inviter_id INTEGER REFERENCES user (id),
            postscript TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            answered_by INTEGER REFERENCES user (id),
            reason TEXT NOT NULL DEFAULT '',
            created_at INTEGER NOT NULL,
            answered_at INTEGER NOT NULL DEFAULT 0,
            position INTEGER NOT NULL DEFAULT 0,
            UNIQUE (conversation_id, person_id, kind)
        ) STRICT;
        CREATE INDEX team_request_by_team ON team_request (conversation_id, number);
        CREATE INDEX team_request_by_person ON team_request (person_id, number);
        CREATE INDEX team_request_waiting ON team_request (created_at) WHERE state = 0;
        CREATE INDEX team_request_by_inviter ON team_request (inviter_id) WHERE inviter_id IS NOT NULL;
        CREATE INDEX team_request_by_position ON team_request (position);

        -- ---- Messages ----

        -- countable: how many messages up to and including this one count as unread.
        -- There is no index on id: within a conversation ids rise with the sequence. foreign_id: of an imported message, its id
        -- at the source.
        -- body_hash: XXH64 of the body as it was stored; of what versions before 20 stored with a kind above 0, of the
        -- body as it was sent, which the server may have completed (meta.completed_until: the ids of these messages).
        -- sent_hash: of the body as it was sent; NULL when that is the stored one. envelope: a JSON object, see
        -- MessageEnvelope.
        CREATE TABLE message (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            id INTEGER NOT NULL,
            sender_id INTEGER NOT NULL,
            sent_at INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            countable INTEGER NOT NULL,
            wire INTEGER NOT NULL,
            expire INTEGER NOT NULL DEFAULT 0,
            body_hash INTEGER NOT NULL,
            client_token BLOB,
            topic TEXT,
            foreign_id TEXT COLLATE BINARY,
            body BLOB NOT NULL,
            envelope TEXT,
            sent_hash INTEGER,
            PRIMARY KEY (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_by_foreign_id ON message (foreign_id) WHERE foreign_id IS NOT NULL;

        -- Client tokens inside the horizon, for spotting a resend: see TokenIndex.
        -- key: a hash of conversation, sender and token. day: of the message, for pruning.
        CREATE TABLE client_token (
            key INTEGER PRIMARY KEY,
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            day INTEGER NOT NULL
        ) STRICT;

        -- What everyone sees of what happened to a message later. withdrawn: 1 recalled, 2 deleted for all, 3 one after
        -- the other. revision: of the conversation, at the last change; the same in the tables below.
        -- edit_count: the number of the newest row in message_edit. reader_count: rows in message_reader.
        -- attributes_revision: of their last change. patched_at: the moment of the last edit or recall, see Sequencer;
        -- no two are the same; 0 for none.
        CREATE TABLE message_extra (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            withdrawn INTEGER NOT NULL DEFAULT 0,
            withdrawn_by INTEGER REFERENCES user (id),
            withdrawn_at INTEGER,
            edit_count INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0,
            reader_count INTEGER NOT NULL DEFAULT 0,
            attributes TEXT,
            attributes_revision INTEGER NOT NULL DEFAULT 0,
            patched_at INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_extra_by_revision ON message_extra (conversation_id, revision);
        CREATE INDEX message_extra_by_patch ON message_extra (conversation_id, patched_at) WHERE patched_at > 0;
        CREATE UNIQUE INDEX message_extra_by_moment ON message_extra (patched_at) WHERE patched_at > 0;

        -- Number 0 is the body as it was sent, moved here when the message was withdrawn; 1 and up are edits.
        -- wire: of the body, when it is another than the message's. body_hash: XXH64 of the body; NULL before version
        -- 20.
        CREATE TABLE message_edit (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            number INTEGER NOT NULL,
            editor_id INTEGER NOT NULL REFERENCES user (id),
            edited_at INTEGER NOT NULL,
            is_json INTEGER NOT NULL,
            body BLOB NOT NULL,
            envelope TEXT,
            wire INTEGER,
            body_hash INTEGER,
            PRIMARY KEY (conversation_id, sequence, number),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;

        -- Who reported a message as read whose sender asked for it.
        CREATE TABLE message_reader (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id),
            read_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sequence, user_id),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;

        -- What one person alone sees: hidden (deleted for oneself), heard (its voice was played).
        CREATE TABLE message_mark (
            user_id INTEGER NOT NULL REFERENCES user (id),
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            hidden INTEGER NOT NULL DEFAULT 0,
            heard INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (user_id, conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_mark_by_revision ON message_mark (user_id, conversation_id, revision);
        CREATE INDEX message_mark_by_message ON message_mark (conversation_id, sequence);

        CREATE TABLE message_reaction (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user (id),
            name TEXT NOT NULL COLLATE BINARY,
            removed INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sequence, user_id, name),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_reaction_by_revision ON message_reaction (conversation_id, revision);

        -- Messages that are pinned or once were.
        CREATE TABLE message_pin (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            pinned INTEGER NOT NULL,
            changed_by INTEGER NOT NULL REFERENCES user (id),
            changed_at INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_pin_by_revision ON message_pin (conversation_id, revision);
        CREATE INDEX message_pinned ON message_pin (conversation_id) WHERE pinned = 1;

        -- Where each strand of a message stands that is written step by step. number: of its last step, counted over
        -- all strands of the message. status: 0 open, 1 closed, 2 failed, 3 cancelled. visibility: 0 everyone, 1 its
        -- sender, 2 restricted. snapshot: JSON text.
        CREATE TABLE message_stream (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            key TEXT NOT NULL COLLATE BINARY,
            status INTEGER NOT NULL,
            number INTEGER NOT NULL,
            event_id TEXT NOT NULL,
            event_type TEXT NOT NULL,
            visibility INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            snapshot BLOB,
            end_reason INTEGER NOT NULL DEFAULT 0,
            error TEXT,
            PRIMARY KEY (conversation_id, sequence, key)
        ) STRICT, WITHOUT ROWID;

        -- ---- Files ----

        -- A content on the disk. state: 0 ready, 1 being removed, 2 damaged. refs: files that have it.
        CREATE TABLE object (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            size INTEGER NOT NULL,
            stored_size INTEGER NOT NULL,
            codec INTEGER NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            refs INTEGER NOT NULL DEFAULT 0,
            checked_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX object_to_check ON object (checked_at) WHERE state = 0;
        CREATE INDEX object_unused ON object (id) WHERE refs = 0;

        -- state: 0 on its way, 1 complete. object_id: NULL until complete. is_held: stays although nothing refers to
        -- it.
        -- refs: rows of file_reference, file_holder and field_file. unreferenced_at: since when there are none; NULL
        -- otherwise.
        -- conversation_id: what it was uploaded for.
        CREATE TABLE file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            foreign_id TEXT UNIQUE,
            object_id INTEGER REFERENCES object (id),
            owner_id INTEGER NOT NULL REFERENCES user (id),
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            size INTEGER NOT NULL,
            metadata TEXT,
            state INTEGER NOT NULL DEFAULT 0,
            is_held INTEGER NOT NULL DEFAULT 0,
            refs INTEGER NOT NULL DEFAULT 0,
            unreferenced_at INTEGER,
            conversation_id INTEGER REFERENCES conversation (id),
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX file_by_owner ON file (owner_id, state, size);
        CREATE INDEX file_by_object ON file (object_id);
        CREATE INDEX file_unreferenced ON file (unreferenced_at) WHERE unreferenced_at IS NOT NULL;
        CREATE INDEX file_by_conversation ON file (conversation_id) WHERE conversation_id IS NOT NULL;

        -- Messages that name a file. link_id: the link they name it by, 0 for its own key.
        CREATE TABLE file_reference (
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            file_id INTEGER NOT NULL REFERENCES file (id),
            link_id INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation_id, sequence, file_id, link_id),
            FOREIGN KEY (conversation_id, sequence) REFERENCES message (conversation_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX file_reference_by_file ON file_reference (file_id);
        CREATE INDEX file_reference_by_link ON file_reference (link_id) WHERE link_id > 0;

        -- Pictures. kind: 1 a person's, 2 the small one of a person, 3 a conversation's, 4 its small one.
        CREATE TABLE file_holder (
            kind INTEGER NOT NULL,
            holder_id INTEGER NOT NULL,
            file_id INTEGER NOT NULL REFERENCES file (id),
            PRIMARY KEY (kind, holder_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX file_holder_by_file ON file_holder (file_id);

        -- kind: 0 to read a file, 1 to upload one. class: of the transfer that an upload link makes. used_at: of a link
        -- to read when a message first named it, of one to upload when it was used.
        CREATE TABLE file_link (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            kind INTEGER NOT NULL,
            class INTEGER NOT NULL DEFAULT 0,
            file_id INTEGER REFERENCES file (id),
            conversation_id INTEGER REFERENCES conversation (id),
            owner_id INTEGER NOT NULL REFERENCES user (id),
            purpose TEXT,
            used_at INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX file_link_by_file ON file_link (file_id);
        CREATE INDEX file_link_unused ON file_link (kind, owner_id) WHERE used_at IS NULL;
        CREATE INDEX file_link_to_upload ON file_link (used_at) WHERE kind = 1;
        CREATE INDEX file_link_by_conversation ON file_link (conversation_id) WHERE conversation_id IS NOT NULL;

        CREATE TABLE transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            direction INTEGER NOT NULL,
            class INTEGER NOT NULL,
            state INTEGER NOT NULL,
            owner_id INTEGER NOT NULL REFERENCES user (id),
            file_key TEXT NOT NULL,
            file_name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            size INTEGER,
            offset INTEGER NOT NULL DEFAULT 0,
            provider TEXT NOT NULL,
            error TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT;
        CREATE INDEX transfer_by_owner ON transfer (owner_id, created_at);
        CREATE INDEX transfer_unfinished ON transfer (owner_id, direction) WHERE state < 3;
        CREATE INDEX transfer_over ON transfer (updated_at) WHERE state >= 3;

        -- ---- Apps: LeanCloud's application, and what it keeps of people, devices and files ----

        -- One row. Keys are sealed with the key in the file app.key of the data folder: who reads the database alone
        -- has none of them. previous_*: counts until the time beside it, UTC milliseconds; NULL for none.
        CREATE TABLE application (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            app_id TEXT NOT NULL,
            app_key BLOB NOT NULL,
            master_key BLOB NOT NULL,
            previous_app_key BLOB,
            previous_app_key_until INTEGER,
            previous_master_key BLOB,
            previous_master_key_until INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;

        -- A person's row in an app: what they sign in with and the app's own fields, a JSON object.
        -- email_verified, phone_verified: 1 where the source of an import had verified it. auth_data: sign-ins by other
        -- services at the source, a JSON object.
        CREATE TABLE app_user (
            user_id INTEGER PRIMARY KEY REFERENCES user (id),
            username TEXT NOT NULL UNIQUE COLLATE BINARY,
            email TEXT UNIQUE COLLATE BINARY,
            phone TEXT UNIQUE COLLATE BINARY,
            fields TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            email_verified INTEGER NOT NULL DEFAULT 0,
            phone_verified INTEGER NOT NULL DEFAULT 0,
            auth_data TEXT
        ) STRICT;

        -- user_id: who signed in on the device last; NULL for nobody. fields: a JSON object.
        CREATE TABLE installation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            object_id TEXT NOT NULL UNIQUE,
            user_id INTEGER REFERENCES user (id),
            device_type TEXT,
            device_token TEXT,
            installation_id TEXT,
            fields TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX installation_by_token ON installation (device_token) WHERE device_token IS NOT NULL;
        CREATE UNIQUE INDEX installation_by_name ON installation (installation_id) WHERE installation_id IS NOT NULL;
        CREATE INDEX installation_by_user ON installation (user_id, updated_at) WHERE user_id IS NOT NULL;
        CREATE INDEX installation_unbound ON installation (updated_at) WHERE user_id IS NULL;

        -- link_id: through which the content comes and is read; NULL for a file elsewhere, whose address is url. import: that
        -- brought it; NULL for one that was made here.
        CREATE TABLE app_file (
            object_id TEXT PRIMARY KEY,
            owner_id INTEGER NOT NULL REFERENCES user (id),
            link_id INTEGER UNIQUE REFERENCES file_link (id) ON DELETE CASCADE,
            url TEXT,
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            metadata TEXT,
            created_at INTEGER NOT NULL,
            import INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX app_file_elsewhere ON app_file (owner_id, created_at) WHERE url IS NOT NULL;

        -- Where files were that came with an import. address: without the scheme; path: without percent encoding; here: the
        -- address that messages have in its place, NULL where theirs stayed.
        CREATE TABLE former_file (
            address TEXT PRIMARY KEY COLLATE BINARY,
            path TEXT NOT NULL COLLATE BINARY,
            object_id TEXT NOT NULL REFERENCES app_file (object_id) ON DELETE CASCADE,
            here TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX former_file_by_path ON former_file (path);
        CREATE INDEX former_file_by_object ON former_file (object_id);

        -- Files that are named in an app's own fields. kind: 1 of a person, 2 of a conversation, 3 files that the import of
        -- this number brought, which their app keeps.
        CREATE TABLE field_file (
            kind INTEGER NOT NULL,
            holder_id INTEGER NOT NULL,
            file_id INTEGER NOT NULL REFERENCES file (id),
            PRIMARY KEY (kind, holder_id, file_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX field_file_by_file ON field_file (file_id);

        -- ---- Events, commands and announcements to people ----

        -- The newest days of what happened, for devices that were away. number: since version 22 the position (see
        -- StorePosition). kind: see EventLog. payload: a JSON object.
        CREATE TABLE conversation_event (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            at INTEGER NOT NULL,
            actor_id INTEGER NOT NULL REFERENCES user (id),
            kind INTEGER NOT NULL,
            payload TEXT NOT NULL
        ) STRICT;
        CREATE INDEX conversation_event_by_conversation ON conversation_event (conversation_id, at);
        CREATE INDEX conversation_event_by_time ON conversation_event (at);

        -- Whom it happened to.
        CREATE TABLE conversation_event_person (
            user_id INTEGER NOT NULL REFERENCES user (id),
            at INTEGER NOT NULL,
            number INTEGER NOT NULL REFERENCES conversation_event (number) ON DELETE CASCADE,
            PRIMARY KEY (user_id, at, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX conversation_event_person_by_number ON conversation_event_person (number);

        -- Where to look for what changed after a position, for clients that come back; new messages have no row: their
        -- ids are positions. user_id: the one person whom it is for; NULL for everybody in the conversation.
        -- kind: FeedKind. sequence, person_id: the message or member that it is about.
        CREATE TABLE change_feed (
            position INTEGER PRIMARY KEY,
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            user_id INTEGER REFERENCES user (id),
            kind INTEGER NOT NULL,
            sequence INTEGER,
            person_id INTEGER REFERENCES user (id)
        ) STRICT;
        CREATE INDEX change_feed_by_conversation ON change_feed (conversation_id, position);
        CREATE INDEX change_feed_by_user ON change_feed (user_id, position) WHERE user_id IS NOT NULL;

        -- The same for changes of people, in no conversation: the newest one of each person and receiver. receiver_id:
        -- the one person whom it is for; NULL for whoever shares a conversation or a friendship with person_id.
        CREATE TABLE person_feed (
            position INTEGER PRIMARY KEY,
            person_id INTEGER NOT NULL REFERENCES user (id),
            receiver_id INTEGER REFERENCES user (id)
        ) STRICT;
        CREATE INDEX person_feed_by_receiver ON person_feed (receiver_id, position);
        CREATE INDEX person_feed_by_person ON person_feed (person_id, receiver_id);

        -- The same for conversations that were deleted, whose rows are gone: for each who was a member then.
        CREATE TABLE gone_feed (
            user_id INTEGER NOT NULL REFERENCES user (id),
            position INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL,
            PRIMARY KEY (user_id, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX gone_feed_by_position ON gone_feed (position);

        -- Commands for clients, kept for those who are away.
        -- conversation_id: whom it is about; audience_id: whose members and listeners see it, which differs for a topic
        -- that has no members of its own; both NULL when it goes to the people in command_receiver.
        -- channel, kind: the conversation as clients are told it.
        CREATE TABLE command (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id INTEGER NOT NULL,
            conversation_id INTEGER REFERENCES conversation (id),
            audience_id INTEGER REFERENCES conversation (id),
            sender_id INTEGER NOT NULL REFERENCES user (id),
            sent_at INTEGER NOT NULL,
            channel TEXT NOT NULL COLLATE BINARY,
            kind INTEGER NOT NULL,
            content_kind INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            wire INTEGER NOT NULL,
            expire INTEGER NOT NULL,
            client_token BLOB,
            topic TEXT,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX command_by_audience ON command (audience_id, sequence) WHERE audience_id IS NOT NULL;
        CREATE INDEX command_by_conversation ON command (conversation_id) WHERE conversation_id IS NOT NULL;

        CREATE TABLE command_receiver (
            user_id INTEGER NOT NULL REFERENCES user (id),
            sequence INTEGER NOT NULL REFERENCES command (sequence) ON DELETE CASCADE,
            PRIMARY KEY (user_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX command_receiver_by_sequence ON command_receiver (sequence);

        -- How far a person has acknowledged commands.
        CREATE TABLE command_position (
            user_id INTEGER PRIMARY KEY REFERENCES user (id),
            sequence INTEGER NOT NULL
        ) STRICT;

        -- What the operator announces to people. sender: the operator's name. through_id: the people up to this number
        -- have it, or are none of those it is for. last_id: the newest person when it was made; later ones do not get
        -- it. sent_at: NULL while it is being sent.
        CREATE TABLE notice (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            body TEXT NOT NULL,
            sender TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            through_id INTEGER NOT NULL DEFAULT 0,
            last_id INTEGER NOT NULL,
            receivers INTEGER NOT NULL DEFAULT 0,
            confirmed INTEGER NOT NULL DEFAULT 0,
            sent_at INTEGER
        ) STRICT;
        CREATE INDEX notice_on_its_way ON notice (number) WHERE sent_at IS NULL;

        -- Whose members a notice is for; none for every person.
        CREATE TABLE notice_team (
            number INTEGER NOT NULL REFERENCES notice (number),
            conversation_id INTEGER NOT NULL REFERENCES conversation (id),
            PRIMARY KEY (number, conversation_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notice_team_by_conversation ON notice_team (conversation_id);

        -- position: of its last change, for the feed; 0 for before version 28.
        CREATE TABLE notice_receiver (
            number INTEGER NOT NULL REFERENCES notice (number),
            user_id INTEGER NOT NULL REFERENCES user (id),
            confirmed_at INTEGER,
            position INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (number, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notice_receiver_by_user ON notice_receiver (user_id, number);
        CREATE INDEX notice_receiver_by_position ON notice_receiver (user_id, position);

        -- ---- Moderation ----

        -- folded: the word as it is compared. action: refuse, mask, flag.
        CREATE TABLE word_rule (
            folded TEXT PRIMARY KEY COLLATE BINARY,
            word TEXT NOT NULL,
            action TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- The newest 10,000. conversation_id: 0 for a transient message to nowhere yet. sequence: 0 for a transient
        -- one.
        CREATE TABLE flagged (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            sender_id INTEGER NOT NULL REFERENCES user (id),
            word TEXT NOT NULL
        ) STRICT;

        -- required, files: names of fields as a JSON array. renderer: a JSON object, or empty.
        CREATE TABLE message_kind (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL COLLATE BINARY UNIQUE,
            version INTEGER NOT NULL,
            required TEXT NOT NULL,
            files TEXT NOT NULL,
            degrade TEXT NOT NULL,
            type_title TEXT NOT NULL,
            summary TEXT NOT NULL,
            digest TEXT NOT NULL,
            disabled INTEGER NOT NULL,
            renderer TEXT NOT NULL DEFAULT ''
        ) STRICT;

        -- receiver_id, sender_id, kind, word: NULL for all. replacement, as_kind: NULL for a rule that drops.
        CREATE TABLE filter_rule (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            receiver_id INTEGER REFERENCES user (id),
            sender_id INTEGER REFERENCES user (id),
            kind INTEGER,
            word TEXT,
            replacement TEXT,
            as_kind INTEGER
        ) STRICT;

        -- ---- Audit and hooks ----

        -- Entries are added and nothing else: neither this server nor a tool that respects the schema rewrites them.
        -- stage: 0 written with the change, 1 written before something that is no change of the database alone.
        -- asked, state_before, state_after: JSON text. hash: see AuditChain.
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            uid INTEGER NOT NULL,
            operator TEXT,
            source TEXT NOT NULL,
            reason TEXT,
            word TEXT NOT NULL,
            subject TEXT COLLATE BINARY,
            stage INTEGER NOT NULL,
            asked TEXT NOT NULL,
            state_before TEXT,
            state_after TEXT,
            hash BLOB NOT NULL
        ) STRICT;
        CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
        CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;

        -- event: 0 a stored message (conversation_id, message_sequence), 1 a body that was worded before.
        -- Written in the transaction of the message, so that a crash loses no event; see HookQueue.
        -- sequence grows while anything waits and begins anew after that: AUTOINCREMENT would cost each message three
        -- microseconds more, and nothing names an event that has gone.
        CREATE TABLE hook_queue (
            sequence INTEGER PRIMARY KEY,
            event INTEGER NOT NULL,
            conversation_id INTEGER,
            message_sequence INTEGER,
            body BLOB,
            created_at INTEGER NOT NULL
        ) STRICT;

        -- Links by which people come in, each good for one. code_hash: BLAKE2b-256 of the code, which is nowhere.
        -- used_by: NULL until somebody came in by it. Kept for a month after its end.
        CREATE TABLE invitation (
            number INTEGER PRIMARY KEY,
            code_hash BLOB NOT NULL UNIQUE,
            inviter_id INTEGER NOT NULL REFERENCES user (id),
            name TEXT,
            display_name TEXT,
            created_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            used_by INTEGER REFERENCES user (id),
            used_at INTEGER
        ) STRICT;

        -- ---- Retention: what went for its age or number, and what may not go ----

        -- sequence, countable: of the newest message that was deleted; every member has read at least as far. messages: how
        -- many were.
        CREATE TABLE purged_history (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id),
            sequence INTEGER NOT NULL,
            countable INTEGER NOT NULL,
            messages INTEGER NOT NULL
        ) STRICT;

        -- Of a person or of a conversation. operator: who asked for it.
        CREATE TABLE legal_hold (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER REFERENCES user (id),
            conversation_id INTEGER REFERENCES conversation (id),
            reason TEXT NOT NULL,
            operator TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            CHECK ((user_id IS NULL) <> (conversation_id IS NULL))
        ) STRICT;
        CREATE INDEX legal_hold_by_user ON legal_hold (user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX legal_hold_by_conversation ON legal_hold (conversation_id) WHERE conversation_id IS NOT NULL;

        -- The run that is under way and has deleted something; it becomes an entry of the audit log. conversation_id: the
        -- last one that is counted.
        CREATE TABLE retention_run (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            begun_at INTEGER NOT NULL,
            conversation_id INTEGER NOT NULL,
            conversations INTEGER NOT NULL,
            messages INTEGER NOT NULL,
            message_bytes INTEGER NOT NULL,
            attachments INTEGER NOT NULL,
            attachment_bytes INTEGER NOT NULL
        ) STRICT;

        -- ---- Imports: what was brought from other servers ----

        -- source: leancloud and the like; origin: the app there. state: 0 under way, 1 whole, 2 taken back, 3 being taken
        -- back. operator: who asked for it. counts: a JSON object.
        CREATE TABLE import (
            number INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            origin TEXT NOT NULL COLLATE BINARY,
            state INTEGER NOT NULL,
            operator TEXT NOT NULL,
            begun_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            counts TEXT NOT NULL
        ) STRICT;

        -- What an import brought of one conversation. is_new: 1 where the import made it. digest: of its row at the source,
        -- NULL where only messages came; revision: of the conversation after the row was taken. first_sequence,
        -- last_sequence: its messages, one after the other; 0 for none, -1 where they do not stand together.
        CREATE TABLE import_conversation (
            conversation_id INTEGER NOT NULL,
            import INTEGER NOT NULL REFERENCES import (number),
            is_new INTEGER NOT NULL,
            digest INTEGER,
            revision INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL DEFAULT 0,
            last_sequence INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (conversation_id, import)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX import_conversation_by_import ON import_conversation (import);

        -- People and devices that an import has made. kind: 0 a person (user.id), 1 a device (installation.id).
        CREATE TABLE import_row (
            kind INTEGER NOT NULL,
            id INTEGER NOT NULL,
            import INTEGER NOT NULL REFERENCES import (number),
            PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX import_row_by_import ON import_row (import, kind);

        -- Object ids by which a conversation is found beside its own: of two that became one.
        CREATE TABLE conversation_alias (
            foreign_id TEXT PRIMARY KEY COLLATE BINARY,
            conversation_id INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX conversation_alias_by_conversation ON conversation_alias (conversation_id);
        """
}
