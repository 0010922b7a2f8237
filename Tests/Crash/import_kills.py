"""Kills a pull from LeanCloud and the import of what it saved, again and again: the result is the same as without.

A stand-in of LeanCloud gives out its classes, history and files. One pull and one import are left alone. Others are ended by SIGKILL
at random moments and run again until they end by themselves: the folder is then the same byte for byte, and the database has
the same rows in every table, but for the columns that hold the moment of an import (`MOMENTS`) and keys made by chance (`SEEN`).
`verify` finds nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import temporary_folder  # noqa: E402
from leancloud_source import APP_ID, MASTER_KEY, Dataset, Source  # noqa: E402

# Columns that differ between two imports of one folder, each with its reason.
MOMENTS = {
    "user": {"created_at", "change"},  # people who are made now
    "app_user": {"updated_at"},
    "device_token": {"created_at", "last_seen_at", "bare_hash"},  # bare_hash: under a key that each database makes
    "conversation": {"change", "position"},  # numbers that grow with the clock
    "member": {"change", "read_position", "own_position", "joined_at"},  # subscribers join now: no row says since when
    "preference": {"change"},
    "message_extra": {"patched_at", "withdrawn_at"},  # of those that have no time at their source
}
# Rows by what they lead to: keys are made by chance, and an upload that a kill ended, or a file to which the kill left no
# reference, keeps its row until it is collected.
SEEN = {
    "file": "SELECT o.hash, f.owner_id, f.name, f.media_type, f.size, f.metadata, f.is_held, f.refs, f.unreferenced_at,"
            " f.conversation_id FROM file f JOIN object o ON o.id = f.object_id WHERE f.state = 1"
            " AND (f.refs > 0 OR f.unreferenced_at IS NULL)",
    "object": "SELECT o.hash, o.provider, o.size, o.stored_size, o.codec, o.state,"
              " (SELECT count(*) FROM file f WHERE f.object_id = o.id AND f.refs > 0) FROM object o",
    "file_link": "SELECT l.kind, l.class, o.hash, f.name, l.conversation_id, l.owner_id, l.purpose, l.used_at"
                 " FROM file_link l LEFT JOIN file f ON f.id = l.file_id LEFT JOIN object o ON o.id = f.object_id",
    "transfer": "SELECT t.direction, t.class, t.owner_id, o.hash, t.file_name, t.media_type, t.size, t.offset, t.provider,"
                " t.error, t.expires_at FROM transfer t JOIN file f ON f.key = t.file_key"
                " JOIN object o ON o.id = f.object_id WHERE t.state = 3 AND f.refs > 0",
    "field_file": "SELECT r.kind, r.holder_id, o.hash, f.name FROM field_file r JOIN file f ON f.id = r.file_id"
                  " JOIN object o ON o.id = f.object_id",
    "app_file": "SELECT a.object_id, a.owner_id, o.hash, f.name, a.url, a.name, a.media_type, a.metadata, a.created_at"
                " FROM app_file a LEFT JOIN file_link l ON l.id = a.link_id LEFT JOIN file f ON f.id = l.file_id"
                " LEFT JOIN object o ON o.id = f.object_id",
}
# Tables of the database itself, of the journal of this run, and of what devices have to fetch.
LEFT_OUT = {
    "meta": "the database's own numbers and times", "secret": "keys that each database makes",
    "import": "when it was asked for, and how often: each run that ends is one",
    "import_conversation": "which of these runs has brought it", "import_row": "which of these runs has brought it",
    "audit": "when it was asked for", "change_feed": "positions of commits", "person_feed": "positions of commits",
    "file_reference": "when files were first named", "application": "keys that each database makes",
}


def dump(path: Path) -> dict[str, str]:
    """A hash of the rows of every table, in an order of their own."""
    database = sqlite3.connect(f"file:{path}/teahouse.db?mode=ro", uri=True)
    database.text_factory = bytes
    hashes = {}
    try:
        tables = [row[0].decode() for row in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")]
        for table in tables:
            if table in LEFT_OUT:
                continue
            columns = [row[1].decode() for row in database.execute(f'PRAGMA table_info("{table}")')]
            kept = ", ".join(f'"{name}"' for name in columns if name not in MOMENTS.get(table, set()))
            total = hashlib.sha256()
            for row in sorted(repr(row) for row in database.execute(SEEN.get(table, f'SELECT {kept} FROM "{table}"'))):
                total.update(row.encode())
            hashes[table] = total.hexdigest()
    finally:
        database.close()
    return hashes


def contents(into: Path) -> dict[str, str]:
    """Everything that was saved, by its hash; the state of the pull and the report of a run are no part of it."""
    return {str(path.relative_to(into)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(into.rglob("*"))
            if path.is_file() and ".pull" not in path.parts and path.name != "report.json"}


class Proof:
    def __init__(self, binary: str, kills: int, dice: random.Random) -> None:
        self.binary = binary
        self.kills = kills
        self.dice = dice
        self.top = temporary_folder("import-kills-")
        self.complaints: list[str] = []
        self.key_file = self.top / "master.key"
        self.key_file.write_text(MASTER_KEY)
        self.key_file.chmod(0o600)

    def complain(self, what: str) -> None:
        self.complaints.append(what)
        print(f"import kills: {what}")

    def whole(self, words: list[str]) -> float:
        """Runs a command to its end; how long that took. Rows that cannot come end an import with 1."""
        began = time.monotonic()
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 1):
            self.complain(f"{' '.join(words[:2])} ended with {done.returncode}: {done.stderr[-500:]}")
        return time.monotonic() - began

    def killed(self, words: list[str], seconds: float, made: Path) -> int:
        """Kills a command at random moments of the time that it takes; how often it was still running.

        One that ended before its kill is begun again from nothing, with less time."""
        hits = 0
        for _ in range(4 * self.kills):
            process = subprocess.Popen([self.binary, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.dice.random() * seconds)  # the moment of the kill is what varies
            if process.poll() is None:
                hits += 1
                process.send_signal(signal.SIGKILL)
            else:
                seconds *= 0.7
                shutil.rmtree(made, ignore_errors=True)
            process.wait()
            if hits == self.kills:
                break
        return hits

    def pull(self, source: Source, into: Path) -> list[str]:
        return ["leancloud", "pull", "--from", source.url, "--app-id", APP_ID, "--into", str(into),
                "--key-file", str(self.key_file), "--rate", "1000"]

    def bring(self, saved: Path, data: Path) -> list[str]:
        return ["import", "leancloud", str(saved), "--data", str(data)]

    def compare(self, what: str, one: dict[str, str], other: dict[str, str]) -> None:
        different = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        if different:
            self.complain(f"{what}: {', '.join(different[:10])} differ")

    def run(self, messages: int) -> None:
        source = Source(Dataset(messages=messages), page=100)
        try:
            seconds = self.whole(self.pull(source, self.top / "saved"))
            hits = self.killed(self.pull(source, self.top / "torn"), seconds, self.top / "torn")
            self.whole(self.pull(source, self.top / "torn"))
        finally:
            source.stop()
        self.compare("the folder", contents(self.top / "saved"), contents(self.top / "torn"))
        took = self.whole(self.bring(self.top / "saved", self.top / "calm"))
        struck = self.killed(self.bring(self.top / "saved", self.top / "struck"), took, self.top / "struck")
        self.whole(self.bring(self.top / "saved", self.top / "struck"))
        self.compare("the database", dump(self.top / "calm"), dump(self.top / "struck"))
        for name in ("calm", "struck"):
            done = subprocess.run([self.binary, "verify", "--data", str(self.top / name)], capture_output=True, text=True)
            if done.returncode != 0:
                self.complain(f"verify of {name}: {done.stdout[-500:]} {done.stderr[-500:]}")
        if min(hits, struck) < self.kills:
            self.complain(f"{hits} kills met the pull and {struck} the import: that proves nothing")
        print(f"import kills: {hits} met the pull ({seconds:.1f} s), {struck} the import ({took:.1f} s)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--messages", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    proof = Proof(arguments.binary, arguments.kills, random.Random(arguments.seed))
    proof.run(arguments.messages)
    clean = not proof.complaints
    print(f"import kills: {'the same as without' if clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    if clean:
        shutil.rmtree(proof.top, ignore_errors=True)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
