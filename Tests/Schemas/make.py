#!/usr/bin/env python3
"""Makes a small database of each schema that ever landed, as SQL text: Tests/Schemas/schema-NN.sql.gz.

    make.py             those that are missing
    make.py --all       all of them anew
    make.py --print NN  the text of one, on standard output

The tables of a number come from the history of git: of the last commit whose Schema.swift had that number. Before
number 20 Schema.swift had the first schema alone, and a new database got every step of the migrations: for those numbers
the steps are taken from the last commit of that time. The newest number comes from the files as they are.

The rows are ROWS below, the same for all numbers: of each row the columns that the schema has, of each table those
that it has. A table that is in neither ROWS nor EMPTY, or a column that must have a value and has none, is an error: who
adds a table adds rows for it here. LandedSchemaTests upgrades each database and looks at it as `teahouse verify` does.

Run it after a schema has landed, before the next one does.
"""
import gzip
import hashlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCHEMA = ["Sources/Store/Schema/Schema.swift", "Sources/Store/Schema.swift"]
# Had number 29 for itself on a branch, and got 30 when it was merged.
NEVER_LANDED = {"3a056760"}
# Still said 33, with the tables of the step to 34.
MISNUMBERED = {"04fe208f": 34}
# Was in numbers 31 and 32 for some commits of one afternoon and was taken out of both: nothing ever wrote to it.
LEFT_OUT = ["import_file"]
# The last commit at which Schema.swift had the first schema alone is the one before this.
WRITTEN_WHOLE = "73a6eaa3"
# From here on the number of Schema.swift counts.
FIRST_WHOLE = 20

DAY = 86_400_000
NOW = 1_795_000_000_000  # November 2026


def xxh64(data, seed=0):
    """XXH64 as a signed number. Source: xxHash, doc/xxhash_spec.md."""
    mask = (1 << 64) - 1
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
    turn = lambda value, bits: ((value << bits) | (value >> (64 - bits))) & mask
    assert len(data) < 32, "the rows have short bodies"
    value = (seed + p5 + len(data)) & mask
    while len(data) >= 8:
        lane = int.from_bytes(data[:8], "little")
        value ^= (turn((lane * p2) & mask, 31) * p1) & mask
        value = (turn(value, 27) * p1 + p4) & mask
        data = data[8:]
    if len(data) >= 4:
        value ^= (int.from_bytes(data[:4], "little") * p1) & mask
        value = (turn(value, 23) * p2 + p3) & mask
        data = data[4:]
    for byte in data:
        value ^= (byte * p5) & mask
        value = (turn(value, 11) * p1) & mask
    value ^= value >> 33
    value = (value * p2) & mask
    value ^= value >> 29
    value = (value * p3) & mask
    value ^= value >> 32
    return value - (1 << 64) if value >> 63 else value


def message(conversation, sequence, identifier, sender, body, countable, **more):
    body = body.encode()
    return dict(conversation_id=conversation, sequence=sequence, id=identifier, sender_id=sender, sent_at=NOW + identifier,
                kind=-1, flags=2, countable=countable, wire=0, body=body, body_hash=more.pop("stored", xxh64(body)), **more)


def member(conversation, user, role, read, own_last, **more):
    return dict(conversation_id=conversation, user_id=user, role=role, read_sequence=read, read_countable=read,
                own_countable_since_read=1 if own_last > read else 0, joined_sequence=0, change=20,
                own_last_sequence=own_last, own_last_countable=own_last, joined_at=NOW, **more)


def audit_row(number, before, word, subject):
    fields = [before.hex(), str(number), str(NOW + number), "0", "root", "ctl", None, word, subject, "1", "{}", None, None]
    text = "".join("-," if field is None else f"{len(field.encode())}:{field}," for field in fields)
    row = dict(number=number, at=NOW + number, uid=0, operator="root", source="ctl", word=word, subject=subject, stage=1,
               asked="{}", hash=hashlib.sha256(text.encode()).digest())
    return row


AUDIT = [audit_row(1, bytes(32), "user.add", "romeo")]
AUDIT.append(audit_row(2, AUDIT[0]["hash"], "user.add", "juliet"))
CONTENT = b"a letter"

# People: 1 romeo, 2 juliet, 3 nurse. Conversations: 1 the group verona with 4 messages, 2 the direct one of romeo and juliet
# with 2, 3 a room. Message 2 of verona was recalled, 3 edited; the nurse was in verona and left.
ROWS = {
    "meta": [dict(key=key, value=value) for key, value in [
        ("epoch", 7), ("node_id", 0), ("created_at", NOW), ("token_seed", 3), ("clock_believed", NOW),
        ("ids_until", 1_000), ("changes_until", 1_000)]],
    "user": [
        dict(id=0, name="____system", role=1, created_at=NOW, sort_key="#____system/____system"),
        dict(id=1, name="romeo", role=1, created_at=NOW, change=1, sort_key="Rromeo/romeo"),
        dict(id=2, name="juliet", display_name="Juliet", created_at=NOW, change=2, external_id="j-2", sort_key="Jjuliet/juliet"),
        dict(id=3, name="nurse", created_at=NOW, change=3, sort_key="Nnurse/nurse"),
    ],
    "setting": [dict(key="app.plain_passwords", value="never")],
    "device_token": [dict(token_hash=bytes(range(32)), user_id=1, device_class="phone", device_level=1, created_at=NOW,
                          last_seen_at=NOW)],
    "session_revocation": [dict(user_id=2, count=1)],
    "personal_list": [dict(owner_id=1, list=0, other_id=3)],
    "friend": [dict(owner_id=1, other_id=2, change=4, created_at=NOW), dict(owner_id=2, other_id=1, change=5, created_at=NOW)],
    "friend_request": [dict(asker_id=1, other_id=2, text="hello", token="t", state=1, change=6, created_at=NOW)],
    "conversation": [
        dict(id=1, kind=2, flags=0, head=4, head_countable=4, revision=6, change=20, active_at=NOW + 104, created_at=NOW,
             creator_id=1, member_count=2, channel="verona", title="Verona", foreign_id="5f0000000000000000000001",
             position=104),
        dict(id=2, kind=1, flags=0, head=2, head_countable=2, revision=1, change=21, active_at=NOW + 202, created_at=NOW,
             creator_id=1, member_count=2, direct_low=1, direct_high=2, foreign_id="5f0000000000000000000002", position=202),
        dict(id=3, kind=3, flags=0, head=0, head_countable=0, revision=1, change=22, active_at=NOW, created_at=NOW,
             creator_id=1, channel="ball", foreign_id="5f0000000000000000000003"),
    ],
    "gone_conversation": [dict(conversation_id=9)],
    "conversation_list": [dict(conversation_id=1, list=0, user_id=3)],
    "member": [member(1, 1, 2, 4, 4), member(1, 2, 0, 2, 3), member(2, 1, 0, 2, 1), member(2, 2, 0, 2, 2)],
    "former_member": [dict(conversation_id=1, user_id=3, role=0, revision=5, left_at=NOW)],
    "listener": [dict(conversation_id=3, user_id=1, added_at=NOW)],
    "preference": [dict(user_id=1, conversation_id=1, pinned=1, change=7)],
    "delivered": [dict(user_id=2, device_class="phone", conversation_id=1, sequence=3, at=NOW)],
    "reminder": [dict(id=1, user_id=1, conversation_id=1, sequence=3, publisher_id=2, kind=1, text="@romeo", locates=1,
                      change=8, created_at=NOW)],
    "team": [dict(conversation_id=1, form=0, join_mode=0, be_invited_mode=0, update_info_mode=0, update_attributes_mode=0,
                  owner_leaving=0)],
    "announcement": [dict(number=1, conversation_id=1, title="News", body="A feast", author_id=1, created_at=NOW)],
    "team_request": [dict(number=1, kind=0, conversation_id=1, person_id=3, postscript="please", state=0, created_at=NOW)],
    "message": [
        message(1, 1, 101, 1, "one", 1), message(1, 2, 102, 2, "", 2, stored=xxh64(b"two")) | dict(flags=66),
        message(1, 3, 103, 2, "Three", 3), message(1, 4, 104, 1, "four", 4),
        message(2, 1, 201, 1, "soft", 1), message(2, 2, 202, 2, "what light", 2),
    ],
    "message_extra": [
        dict(conversation_id=1, sequence=1, revision=3, reader_count=1, pinned=1),
        dict(conversation_id=1, sequence=2, revision=4, withdrawn=1, withdrawn_by=2, withdrawn_at=NOW + 110),
        dict(conversation_id=1, sequence=3, revision=2, edit_count=1),
    ],
    "message_edit": [
        dict(conversation_id=1, sequence=2, number=0, editor_id=2, edited_at=NOW + 110, is_json=0, body=b"two"),
        dict(conversation_id=1, sequence=3, number=1, editor_id=2, edited_at=NOW + 109, is_json=0, body=b"THREE",
             body_hash=xxh64(b"THREE")),
    ],
    "message_reader": [dict(conversation_id=1, sequence=1, user_id=2, read_at=NOW + 105)],
    "message_mark": [dict(user_id=2, conversation_id=1, sequence=1, revision=3, hidden=1, heard=0)],
    "message_reaction": [dict(conversation_id=1, sequence=1, user_id=2, name="👍", removed=0, revision=3, changed_at=NOW)],
    "message_pin": [dict(conversation_id=1, sequence=1, pinned=1, changed_by=1, changed_at=NOW, revision=3)],
    "object": [dict(id=1, hash=hashlib.sha256(CONTENT).digest(), provider="files", size=len(CONTENT),
                    stored_size=len(CONTENT), codec=0, state=0, refs=1, checked_at=NOW, created_at=NOW)],
    "file": [dict(id=1, key="th-f" + "a" * 26, object_id=1, owner_id=1, name="letter.txt", media_type="text/plain",
                  size=len(CONTENT), state=1, refs=0, unreferenced_at=NOW, created_at=NOW)],
    "command": [dict(sequence=1, id=301, sender_id=1, sent_at=NOW, channel="x", kind=1, content_kind=-1,
                     flags=0, wire=0, expire=0, body=b"typing")],
    "command_receiver": [dict(user_id=2, sequence=1)],
    "command_position": [dict(user_id=1, sequence=1)],
    "notice": [dict(number=1, title="Hello", body="Welcome", sender="operator", created_at=NOW, last_id=3, through_id=3,
                    receivers=1, confirmed=0, sent_at=NOW)],
    "notice_receiver": [dict(number=1, user_id=2)],
    "flagged": [dict(number=1, at=NOW, conversation_id=1, sequence=3, sender_id=2, word="poison")],
    "word_rule": [dict(folded="poison", word="poison", action="flag")],
    "audit": AUDIT,
    "hook_queue": [dict(sequence=1, event=1, conversation_id=1, message_sequence=4, created_at=NOW)],
    "invitation": [dict(number=1, code_hash=bytes(32), inviter_id=1, created_at=NOW, ends_at=NOW + DAY)],
    "import": [dict(number=1, source="leancloud", origin="app", state=1, operator="root", begun_at=NOW, changed_at=NOW,
                    counts="{}")],
    "import_conversation": [dict(conversation_id=1, **{"import": 1}, is_new=0, revision=6)],
    "conversation_alias": [dict(foreign_id="5e0000000000000000000001", conversation_id=1)],
    "sequence_jump": [],
    "legal_hold": [dict(number=1, conversation_id=1, reason="court", operator="root", created_at=NOW)],
}

# Tables whose rows say nothing by themselves: made and thrown away by the server, or only with others that are not here.
EMPTY = {
    "secret", "session_setting", "conversation_setting", "tag_holder", "sequence_gap", "hidden_count", "shown_count",
    "client_token", "message_stream", "file_reference", "file_holder", "file_link", "transfer", "application", "app_user",
    "installation", "app_file", "field_file", "conversation_event", "conversation_event_person", "change_feed", "person_feed",
    "gone_feed", "notice_team", "message_kind", "filter_rule", "purged_history", "retention_run", "former_file", "import_row",
}

# Numbers in `meta` that a new database of a schema has.
META = [(20, "moments_until", NOW * 1), (22, "position", 301), (22, "feed_from", 0), (30, "log_store", 77),
        (30, "log_run", 1), (30, "log_applied", 0), (30, "log_segments", 0)]


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)


def schema_sql(source):
    return re.search(r'static let sql = """\n(.*?)\n        """', source, re.S).group(1)


def numbered():
    """The last commit whose Schema.swift had each number, and its text; the newest from the files as they are."""
    found = {}
    for commit in git("log", "--format=%H", "--reverse", f"{WRITTEN_WHOLE}^..HEAD", "--", *SCHEMA).stdout.split():
        if commit[:8] in NEVER_LANDED:
            continue
        for path in SCHEMA:
            source = git("show", f"{commit}:{path}").stdout
            number = re.search(r"static let version = (\d+)", source)
            if number and int(number.group(1)) >= FIRST_WHOLE:
                found[MISNUMBERED.get(commit[:8], int(number.group(1)))] = schema_sql(source)
    source = (ROOT / SCHEMA[0]).read_text()
    found[int(re.search(r"static let version = (\d+)", source).group(1))] = schema_sql(source)
    return found


def stepped():
    """Schemas of before number 20: the first one and the steps."""
    parent = f"{WRITTEN_WHOLE}^"
    sources = [git("show", f"{parent}:{name}").stdout
               for name in git("ls-tree", "--name-only", parent, "Sources/Store/Schema/").stdout.split()]
    steps = []
    for number, kind, name in re.findall(r"Migration\(version: (\d+), sql: (\w+)\.(\w+)\)", "\n".join(sources)):
        literals = [re.search(rf'static let {name} = """\n(.*?)\n *"""', source, re.S) for source in sources
                    if re.search(rf"(enum|extension) {kind} {{", source)]
        sql, = [found.group(1) for found in literals if found]
        steps.append((int(number), sql))
    found = {}
    for number in sorted({number for number, _ in steps if number < FIRST_WHOLE}):
        found[number] = "\n".join(sql for step, sql in steps if step <= number)
    return found


def plain(sql):
    """Without comments and indentation; a line continued with a backslash in Swift is one line."""
    sql = re.sub(r"\\\n\s*", "", sql)
    lines = [re.sub(r"\s*--.*$", "", line).strip() for line in sql.splitlines()]
    return "\n".join(line for line in lines if line)


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value))


def database(number, schema):
    """The text of one database, tried in SQLite."""
    text = [f"PRAGMA user_version = {number};", plain(schema).rstrip(";") + ";"]
    text += [f"DROP TABLE {name};" for name in LEFT_OUT if f"CREATE TABLE {name} " in schema]
    tried = sqlite3.connect(":memory:")
    tried.executescript("\n".join(text))
    tables = [name for (name,) in tried.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")]
    for table in tables:
        if table not in ROWS and table not in EMPTY:
            sys.exit(f"schema {number}: there are no rows for the table {table}: add some to ROWS in {__file__}")
        columns = {row[1]: row for row in tried.execute(f'PRAGMA table_info("{table}")')}
        rows = list(ROWS.get(table, []))
        if table == "meta":
            rows += [dict(key=key, value=value) for since, key, value in META if number >= since]
        if table == "message" and "message_extra" not in tables:
            # Nobody could recall a message yet.
            rows = [row | dict(flags=2, body=b"two") if row["flags"] != 2 else row for row in rows]
        if table == "secret":
            wanted = ["bare_token"] + (["session_token"] if number >= 15 else [])
            text.append("DELETE FROM secret;")
            rows = [dict(name=name, value=hashlib.sha256(name.encode()).digest()) for name in wanted]
        for row in rows:
            known = {key: value for key, value in row.items() if key in columns}
            lacking = [name for name, column in columns.items()
                       if column[3] and column[4] is None and not column[5] and name not in known]
            if lacking:
                sys.exit(f"schema {number}: {table} needs {', '.join(lacking)}: add them to ROWS in {__file__}")
            names = ", ".join(f'"{name}"' for name in known)
            verb = "INSERT OR REPLACE" if table == "meta" else "INSERT"
            text.append(f'{verb} INTO "{table}" ({names}) VALUES ({", ".join(map(literal, known.values()))});')
    whole = "\n".join(text) + "\n"
    check = sqlite3.connect(":memory:")
    check.executescript(whole)
    broken = check.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        sys.exit(f"schema {number}: rows point to nothing: {broken}")
    return whole


def main():
    every = stepped() | numbered()
    if "--print" in sys.argv:
        number = int(sys.argv[-1])
        return print(database(number, every[number]), end="")
    for number, schema in sorted(every.items()):
        path = HERE / f"schema-{number:02}.sql.gz"
        if path.exists() and "--all" not in sys.argv:
            continue
        path.write_bytes(gzip.compress(database(number, schema).encode(), mtime=0))
        print(path.relative_to(ROOT), path.stat().st_size)


if __name__ == "__main__":
    main()
