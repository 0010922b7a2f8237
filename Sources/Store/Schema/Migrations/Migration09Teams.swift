/// Version 9: what makes a group a team, what teams are told, and who asks to be in one.
let migration09Teams = Migration(
    version: 9,
    sql: """
        -- One row for each group. The numbers are those of TeamForm, TeamJoinMode and so on; who may invite and who is
        -- muted are flags of the conversation.
        -- member_limit: NULL for as many as the server allows.
        CREATE TABLE team (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id),
            form INTEGER NOT NULL,
            join_mode INTEGER NOT NULL,
            be_invited_mode INTEGER NOT NULL,
            update_info_mode INTEGER NOT NULL,
            update_attributes_mode INTEGER NOT NULL,
            owner_leaving INTEGER NOT NULL,
            member_limit INTEGER,
            introduction TEXT
        ) STRICT;
        -- Groups that exist stay what they were.
        INSERT INTO team (conversation_id, form, join_mode, be_invited_mode, update_info_mode, update_attributes_mode,
            owner_leaving)
        SELECT id, 1, 2, 1, 0, 0, 1 FROM conversation WHERE kind = 2;

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
        -- Who wrote the earlier ones is not known.
        INSERT INTO announcement (conversation_id, body, author_id, created_at)
        SELECT id, notice, 0, active_at FROM conversation WHERE notice IS NOT NULL AND notice <> '';
        ALTER TABLE conversation DROP COLUMN notice;

        -- kind: 0 the person applies, 1 the inviter invites. state: 0 waiting, 1 accepted, 2 refused, 3 withdrawn,
        -- 4 expired. answered_by: NULL when nobody answered.
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
            UNIQUE (conversation_id, person_id, kind)
        ) STRICT;
        CREATE INDEX team_request_by_team ON team_request (conversation_id, number);
        CREATE INDEX team_request_by_person ON team_request (person_id, number);
        CREATE INDEX team_request_waiting ON team_request (created_at) WHERE state = 0;

        -- inviter_id: who brought the member in; NULL for who came alone or before this column.
        ALTER TABLE member ADD COLUMN inviter_id INTEGER REFERENCES user (id);
        """)
