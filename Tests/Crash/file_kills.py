"""Kills the server again and again while files go up and down, and asks afterwards whether it kept every byte.

Thirty people upload what compresses and what does not, some of it the same, go on where the server says it is, send
each file in a message, and read files of others, while the server is ended by SIGKILL at random moments. In the end
every file that was acknowledged as complete is there byte for byte, nobody ever read anything else under its name,
`verify` finds nothing, and no file that was not finished was ever served.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import http.client
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import CONFIGURATION, PATIENCE, House, HouseError  # noqa: E402

#: Uploads and downloads without bounds per person, and a folder of any size.
FILES = CONFIGURATION + """
[files]
hour_uploads = 0
day_bytes = 0
stop_free_bytes = 0
stop_free_percent = 0
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
"""

TUS = {"Tus-Resumable": "1.0.0"}


@dataclass(frozen=True)
class Kept:
    """A file that the server said it has."""
    path: str
    owner: str
    size: int
    digest: bytes


@dataclass
class Town:
    house: House
    tokens: dict[str, str]
    kept: list[Kept] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_closing: bool = False

    def complain(self, text: str) -> None:
        with self.lock:
            self.counts["complaints"] += 1
            if len(self.complaints) < 10:
                self.complaints.append(text)

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1


class Cut(Exception):
    """The connection ended before the answer was complete."""


class Person(threading.Thread):
    """One client on a thread: uploads until the town closes, and finishes what it began."""

    def __init__(self, name: str, town: Town, shared: list[bytes], seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self.town, self.shared = town, shared
        self.dice = random.Random(seed)
        self.connection: http.client.HTTPConnection | None = None
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.town.is_closing:
                if self.dice.random() < 0.3 and self.town.kept:
                    self.read(self.dice.choice(self.town.kept))
                else:
                    self.upload(self.content())
        except BaseException as error:  # told by the main thread
            self.failure = error

    def content(self) -> bytes:
        if self.dice.random() < 0.2:
            return self.dice.choice(self.shared)
        size = self.dice.choice([0, 1, 1000, 262143, 262144, 262145, self.dice.randrange(1, 3_000_000)])
        if self.dice.random() < 0.5:
            return self.dice.randbytes(size)
        line = f"{self.name} says {self.dice.random()}: 茶馆里的人们在聊天。\n".encode()
        return (line * (size // len(line) + 1))[:size]

    # MARK: HTTP

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        """One request on a connection that is kept; `Cut` when it ends early."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.town.house.host, self.town.house.port, timeout=PATIENCE)
            self.connection.request(method, path, body or None, {"token": self.town.tokens[self.name], **headers})
            answer = self.connection.getresponse()
            content = answer.read()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content
        except (OSError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            self.town.count("cut requests")
            raise Cut from None

    def patiently(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """`ask`, again until there is an answer that is not about a server that stops."""
        deadline = time.monotonic() + 4 * PATIENCE
        while True:
            try:
                status, fields, content = self.ask(method, path, headers)
                if status != 503:
                    return status, fields, content
            except Cut:
                pass
            if time.monotonic() > deadline:
                raise HouseError(f"{self.name} got no answer to {method} {path}")
            time.sleep(0.02 + self.dice.random() * 0.05)

    # MARK: What people do

    def upload(self, content: bytes) -> None:
        name = base64.b64encode(f"来自{self.name}.bin".encode()).decode()
        # A creation that was cut may have been done: it is another upload, which nobody goes on with.
        status, fields, body = self.patiently(
            "POST", "/api/v1/files",
            {**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": f"filename {name}", "Content-Length": "0"})
        if status in (413, 429):  # uploads that were cut at their creation fill the person's places
            self.town.count("refused uploads")
            time.sleep(0.05)
            return
        if status != 201:
            return self.town.complain(f"creating an upload was answered with {status} {body[:200]!r}")
        place = fields["location"]
        place = "/" + place.split("/", 3)[3] if "://" in place else place
        file = fields.get("teahouse-file")
        offset = 0
        while offset < len(content):
            piece = content[offset:offset + self.dice.randrange(1, 900_000)]
            try:
                status, fields, body = self.ask(
                    "PATCH", place,
                    {**TUS, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}, piece)
                if status == 204:
                    if int(fields["upload-offset"]) != offset + len(piece):
                        self.town.complain(f"{len(piece)} bytes at {offset} led to {fields['upload-offset']}")
                    offset = int(fields["upload-offset"])
                    continue
                if status not in (409, 423, 503):
                    return self.town.complain(f"a piece was answered with {status} {body[:200]!r}")
            except Cut:
                pass
            self.maybe_peek(file)
            status, fields, body = self.patiently("HEAD", place, TUS)
            if status != 200:
                return self.town.complain(f"{place} was lost: {status}")
            told = int(fields["upload-offset"])
            if told > len(content):
                return self.town.complain(f"{place} is at {told} of {len(content)}")
            self.town.count("resumed uploads")
            offset = told
        if file is None:
            return self.town.complain(f"no name of the file came with {place}")
        kept = Kept(f"/api/v1/files/{file}", self.name, len(content), hashlib.sha256(content).digest())
        with self.town.lock:
            self.town.kept.append(kept)
            self.town.counts["files"] += 1
        self.read(kept)

    def maybe_peek(self, file: str | None) -> None:
        """A file that is not complete is nothing to anybody, its owner included."""
        if file is None or self.dice.random() < 0.5:
            return
        try:
            status, _, content = self.ask("GET", f"/api/v1/files/{file}", {})
        except Cut:
            return
        # It may have become complete by the piece whose answer was lost: then it is whole, which `read` checks later.
        if status == 200:
            self.town.count("complete before the answer came")
        elif status not in (404, 409, 503):
            self.town.complain(f"an unfinished file was answered with {status} {content[:100]!r}")

    def read(self, kept: Kept) -> None:
        try:
            status, _, content = self.ask("GET", kept.path, {})
        except Cut:
            return
        if kept.owner != self.name:
            # It is in no message: it is its owner's alone.
            if status not in (404, 503):
                self.town.complain(f"{self.name} may read {kept.path} of {kept.owner}: {status}")
            return
        if status == 503:
            return
        self.town.count("reads")
        if status != 200 or len(content) != kept.size or hashlib.sha256(content).digest() != kept.digest:
            self.town.complain(f"{kept.path} was read as {status} with {len(content)} of {kept.size} bytes")


def run(arguments: argparse.Namespace) -> int:
    dice = random.Random(arguments.seed)
    house = House(arguments.binary, config=FILES)
    house.start()
    names = [f"person{number:02}" for number in range(arguments.people)]
    town = Town(house, house.add_users(names))
    shared = [dice.randbytes(700_000), b"the same again and again " * 40_000]
    people = [Person(name, town, shared, dice.randrange(1 << 32)) for name in names]
    for person in people:
        person.start()
    starts = []
    for _ in range(arguments.kills):
        time.sleep(dice.random() * 2 * arguments.seconds / arguments.kills)  # the moment of the kill is what varies
        house.kill()
        starts.append(house.start())
    town.is_closing = True
    for person in people:
        person.join(8 * PATIENCE)
        if person.failure is not None or person.is_alive():
            town.complain(f"{person.name} did not come to an end: {person.failure!r}")
    for person in people:
        for kept in town.kept:
            if kept.owner == person.name:
                person.read(kept)
    house.stop()
    complaint = house.verify()
    if complaint:
        town.complain(f"teahouse verify: {complaint}")
    print(f"file kills: {len(starts)} kills, ready again after {max(starts) * 1000:.0f} ms at most; "
          + ", ".join(f"{name} {count}" for name, count in sorted(town.counts.items())))
    for example in town.complaints:
        print(f"file kills: {example}")
    clean = not town.complaints and town.counts["files"] > 0 and town.counts["resumed uploads"] > 0
    print(f"file kills: {'every byte is there' if clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    return 0 if clean else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20, help="of load, about, without the restarts")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"file kills: seed {arguments.seed}", flush=True)
    return run(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HouseError as error:
        sys.exit(f"file kills: {error}")
