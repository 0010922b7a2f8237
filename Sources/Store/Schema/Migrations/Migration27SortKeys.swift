import ChatModel

/// Version 27: places of names in lists, see `PinyinInitial`.
let migration27SortKeys = Migration(
    version: 27,
    sql: """
        ALTER TABLE user ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
        CREATE INDEX user_by_sort_key ON user (sort_key);
        ALTER TABLE friend ADD COLUMN sort_key TEXT;
        CREATE INDEX friend_by_sort_key ON friend (owner_id, sort_key) WHERE sort_key IS NOT NULL;
        ALTER TABLE member ADD COLUMN sort_key TEXT;
        """,
    fill: { connection throws(StoreError) in
        let people = try connection.query("SELECT id, coalesce(display_name, name), name FROM user") {
            row throws(StoreError) in (row.userID(0), PinyinInitial.sortKey(of: row.text(1), id: row.text(2)))
        }
        for (user, key) in people { try connection.run("UPDATE user SET sort_key = ? WHERE id = ?", key, user) }
        let friends = try connection.query(
            """
            SELECT f.owner_id, f.other_id, f.remark, u.name FROM friend f JOIN user u ON u.id = f.other_id
            WHERE f.remark IS NOT NULL
            """
        ) { row throws(StoreError) in
            (row.userID(0), row.userID(1), PinyinInitial.sortKey(of: row.text(2), id: row.text(3)))
        }
        for (owner, other, key) in friends {
            try connection.run("UPDATE friend SET sort_key = ? WHERE owner_id = ? AND other_id = ?", key, owner, other)
        }
        let members = try connection.query(
            """
            SELECT m.conversation_id, m.user_id, m.nickname, u.name FROM member m JOIN user u ON u.id = m.user_id
            WHERE m.nickname IS NOT NULL
            """
        ) { row throws(StoreError) in
            (row.conversationID(0), row.userID(1), PinyinInitial.sortKey(of: row.text(2), id: row.text(3)))
        }
        for (id, user, key) in members {
            try connection.run(
                "UPDATE member SET sort_key = ? WHERE conversation_id = ? AND user_id = ?", key, id, user)
        }
    })
