"""Flips single bits of a stopped server's files and asks `teahouse verify` about each.

Every flip is one of: found by `verify`; harmless, which is proven by reading everything with another SQLite and another gzip
and finding it equal (free bytes, and header fields that mean nothing); or silent, when something is different and nobody
says so. Texts of messages and contents of files may never be silent. Of the rest of the database the silent ones are counted
by table and shown: rows have no checksum of their own. Flips in the write-ahead log are counted: see below. In the log that
messages are acknowledged from every flip is found, but in the last group, which may pass for a torn end.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import GROUP, PATIENCE, House, HouseError, Session, payload_of, temporary_folder  # noqa: E402

NAMES = ("ann", "bob", "cai")
#: Messages that a killed server has in its log alone.
LOGGED = 40
#: Where a flip may never be silent, whatever else is.
GUARDED = {("message", "body"), ("message_extra", "edited_body"), ("message_edit", "body"), ("audit", "*")}


async def fill(house: House, people: dict[str, str]) -> None:
    """Messages, edits and files of every size class."""
    sessions = {name: await Session.open(house.url, name, people[name]) for name in NAMES}
    for number in range(120):
        name = NAMES[number % 3]
        answer = await sessions[name].send("tea", GROUP, payload_of(f"第{number}条 {'茶' * (number * 7 % 400)}"))
        if number % 10 == 0:
            body = {"message_id": answer["messageId"], "message_seq": answer["messageSeq"], "channel_id": "tea",
                    "channel_type": GROUP, "content_edit": json.dumps(payload_of(f"edit {number}"))}
            await asyncio.to_thread(request, house, people[name], "POST", "/v1/message/edit", json.dumps(body).encode())
    dice = random.Random(1)
    for name, content in (("notes.txt", "茶馆 notes\n".encode() * 40_000), ("noise.bin", dice.randbytes(400_000)),
                          ("small.txt", b"tea")):
        await asyncio.to_thread(request, house, people["ann"], "PUT", f"/api/v1/files/{name}", content)
    for session in sessions.values():
        await session.close()


def request(house: House, token: str, method: str, path: str, body: bytes) -> Any:
    call = urllib.request.Request(f"http://{house.host}:{house.port}{path}", method=method, data=body, headers={
        "token": token, "Content-Type": "application/json" if method == "POST" else "application/octet-stream"})
    return urllib.request.urlopen(call, timeout=PATIENCE).read()


def contents(folder: Path) -> dict[str, Any]:
    """Everything a reader can be told: each table's rows by column, and the plain bytes of each file."""
    found: dict[str, Any] = {}
    database = sqlite3.connect(f"file:{folder / 'teahouse.db'}?mode=ro", uri=True)
    try:
        database.text_factory = bytes
        tables = [row[0].decode() for row in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")]
        found["schema"] = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
        for table in tables:
            names = [row[1].decode() for row in database.execute(f'PRAGMA table_info("{table}")')]
            # In any order but one that an index could give: what an index says otherwise is damage, too.
            found[table] = (names, sorted(database.execute(f'SELECT * FROM "{table}" NOT INDEXED'), key=repr))
        found["integrity"] = database.execute("PRAGMA integrity_check").fetchall()
    finally:
        database.close()
    for path in sorted((folder / "files").rglob("*")):
        if path.is_file() and "objects" in path.parts:
            raw = path.read_bytes()
            found[str(path.relative_to(folder))] = gzip.decompress(raw) if path.suffix == ".gz" else raw
    return found


def difference(before: dict[str, Any], folder: Path) -> str | None:
    """What a reader of the folder is told otherwise; `None` when nothing is."""
    try:
        after = contents(folder)
    except (sqlite3.Error, OSError, EOFError, ValueError, gzip.zlib.error) as error:
        return f"unreadable: {error}"
    for key in before.keys() | after.keys():
        if before.get(key) == after.get(key):
            continue
        if key in ("schema", "integrity") or key.startswith("files/"):
            return key
        (names, old), (_, new) = before.get(key, ([], [])), after.get(key, ([], []))
        changed = {names[place] for left, right in zip(old, new) if left != right
                   for place, (a, b) in enumerate(zip(left, right)) if a != b} if len(old) == len(new) else {"*"}
        return f"{key}.{'+'.join(sorted(changed))}"
    return None


class Trial:
    """One folder of a stopped server, and what became of the bits that were flipped in it."""

    def __init__(self, binary: str, folder: Path) -> None:
        self.binary, self.folder = binary, folder
        self.copy = temporary_folder("flips-") / "data"
        self.renew()
        self.before = contents(self.copy)
        self.renew()
        self.counts: Counter[str] = Counter()
        self.silent: Counter[str] = Counter()
        self.bad: list[str] = []

    def renew(self) -> None:
        """The copy is what it was, without what `verify` and readers wrote beside it."""
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.folder, self.copy, ignore=shutil.ignore_patterns("admin.sock"))

    def flip(self, source: Path, dice: random.Random) -> str | None:
        """What differs without `verify` saying so; `None` when it was found or nothing differs."""
        raw = bytearray(source.read_bytes())
        place, bit = dice.randrange(len(raw)), dice.randrange(8)
        raw[place] ^= 1 << bit
        (self.copy / source.relative_to(self.folder)).write_bytes(raw)
        done = subprocess.run([self.binary, "verify", "--data", str(self.copy), "--json"], capture_output=True,
                              text=True, timeout=8 * PATIENCE)
        what = None
        if done.returncode < 0:
            self.bad.append(f"verify died of signal {-done.returncode}: bit {bit} of byte {place} of {source.name}")
        elif done.returncode != 0:
            self.counts["found"] += 1
        else:
            what = difference(self.before, self.copy)
            self.counts["harmless" if what is None else "silent"] += 1
        if what is not None:
            self.silent[what] += 1
        self.renew()
        return what


async def fill_log(house: House, people: dict[str, str]) -> int:
    """Sends messages one by one and kills the server at once: the database has had no time to follow."""
    session = await Session.open(house.url, NAMES[0], people[NAMES[0]])
    for number in range(LOGGED):
        await session.send("tea", GROUP, payload_of(f"logged {number} {'茶' * (number * 7 % 400)}"))
    house.kill()
    return LOGGED


class LogTrial(Trial):
    """The folder of a killed server, and what became of the bits that were flipped in its log."""

    def __init__(self, binary: str, folder: Path) -> None:
        super().__init__(binary, folder)
        report = self.report()
        self.messages, self.logged = report["messages"], report["logged"]
        self.renew()

    def report(self) -> dict[str, Any]:
        done = subprocess.run([self.binary, "verify", "--data", str(self.copy), "--json"], capture_output=True,
                              text=True, timeout=8 * PATIENCE)
        if done.returncode < 0:
            self.bad.append(f"verify died of signal {-done.returncode}")
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"clean": False, "messages": 0, "logged": 0}

    def flip_used(self, source: Path, dice: random.Random) -> None:
        """Flips a bit where records are. Each message has a group of its own: only one may be lost without a word."""
        raw = bytearray(source.read_bytes())
        used = len(raw.rstrip(b"\0"))
        place, bit = dice.randrange(used), dice.randrange(8)
        raw[place] ^= 1 << bit
        (self.copy / source.relative_to(self.folder)).write_bytes(raw)
        report = self.report()
        if not report["clean"]:
            self.counts["found"] += 1
        elif report["messages"] == self.messages:
            self.counts["harmless"] += 1
        elif report["messages"] == self.messages - 1:
            self.counts["torn"] += 1
        else:
            self.bad.append(f"{self.messages - report['messages']} messages are gone without a word: bit {bit} of byte "
                            f"{place} of {source.name}")
        self.renew()


def run(arguments: argparse.Namespace) -> int:
    dice = random.Random(arguments.seed)
    house = House(arguments.binary)
    house.start()
    people = house.add_users(NAMES)
    house.add_group("tea", NAMES)
    asyncio.run(fill(house, people))
    house.stop()
    files = [path for path in sorted(house.data.rglob("*")) if path.is_file() and path.stat().st_size > 0
             and (path.name == "teahouse.db" or "objects" in path.parts)]
    trial = Trial(arguments.binary, house.data)
    for number in range(arguments.flips):
        source = house.data / "teahouse.db" if number % 3 else dice.choice(files)
        what = trial.flip(source, dice)
        table, _, columns = (what or "").partition(".")
        if what and (what.startswith("files/") or any((table, column) in GUARDED for column in columns.split("+"))):
            trial.bad.append(f"{what} is different and nobody says so")
    print(f"flips: {arguments.flips} bits of database and files: "
          + ", ".join(f"{what} {count}" for what, count in sorted(trial.counts.items())))

    # The write-ahead log of a server that was killed: SQLite takes it up to the first frame that is not whole, so that a
    # flipped bit there looks like the end of the log. What is left has to be a state that was.
    house.start()
    asyncio.run(fill(house, people))
    house.kill()
    log = Trial(arguments.binary, house.data)
    wal = house.data / "teahouse.db-wal"
    for _ in range(arguments.flips // 6 if wal.stat().st_size else 0):
        log.flip(wal, dice)
    print(f"flips: {arguments.flips // 6} bits of the log: found {log.counts['found']}, harmless {log.counts['harmless']}, "
          f"taken for the end of the log {log.counts['silent']}")

    # The log of a server that was killed while the database was behind: only its last group may pass for a torn end.
    house.start()
    acknowledged = asyncio.run(fill_log(house, people))
    tail = LogTrial(arguments.binary, house.data)
    segments = [path for path in sorted((house.data / "log").iterdir()) if any(path.read_bytes())]
    for _ in range(arguments.flips // 3 if tail.logged else 0):
        tail.flip_used(dice.choice(segments), dice)
    print(f"flips: {arguments.flips // 3} bits of {tail.logged} records of the log, of {acknowledged} messages: found "
          f"{tail.counts['found']}, harmless {tail.counts['harmless']}, taken for a torn end {tail.counts['torn']}")

    bad = trial.bad + log.bad + tail.bad + ([] if trial.counts["found"] else ["verify found none of them"])
    for what, count in trial.silent.most_common():
        print(f"flips: silent: {what} {count}")
    for line in bad:
        print(f"flips: {line}")
    good = "no word and no byte of a file was silently another"
    print(f"flips: {f'{len(bad)} FAILED, repeat with --seed {arguments.seed}' if bad else good}")
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--flips", type=int, default=90)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"flips: seed {arguments.seed}", flush=True)
    begun = time.monotonic()
    code = run(arguments)
    print(f"flips: {time.monotonic() - begun:.1f} s")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HouseError as error:
        sys.exit(f"flips: {error}")
