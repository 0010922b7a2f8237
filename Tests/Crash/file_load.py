"""People who upload and read files, and who notice when the server does not keep what it said.

Everybody uploads in all the ways there are what compresses and what does not, some of it the same, goes on where the
server says it is, gives some of it up, deletes some of it, reads again what they have, and tries what is not theirs.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from house import CONFIGURATION, PATIENCE, House, HouseError

#: Uploads and downloads without bounds per person, and a disk of any size.
FILES = CONFIGURATION + """
[files]
hour_uploads = 0
day_bytes = 0
open_uploads = 1000
stop_free_bytes = 0
stop_free_percent = 0
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
"""

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = {**TUS, "Content-Type": "application/offset+octet-stream"}

#: Status, header fields by lowercase name, body.
Answer = tuple[int, dict[str, str], bytes]


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


@dataclass(frozen=True)
class Kept:
    """A file that the server said it has."""
    path: str
    owner: str
    size: int
    digest: bytes


@dataclass
class Town:
    """What all people share."""
    house: House
    tokens: dict[str, str]
    #: Most bytes of one file.
    largest: int
    shared: list[bytes]
    kept: list[Kept] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    #: Whose and what every file is whose name the server gave out, and those that were given up or deleted.
    meant: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    #: Where the upload of a file goes on.
    places: dict[str, str] = field(default_factory=dict)
    given_up: set[str] = field(default_factory=set)
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

    def __init__(self, name: str, town: Town, seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self.town = town
        self.dice = random.Random(seed)
        #: What asks and what sends go over different connections.
        self.connections: dict[bool, http.client.HTTPConnection] = {}
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
        finally:
            self.hang_up()

    def content(self) -> bytes:
        if self.dice.random() < 0.2:
            return self.dice.choice(self.town.shared)
        sizes = [0, 1, 1000, 262143, 262144, 262145, self.dice.randrange(1, self.town.largest)]
        size = min(self.dice.choice(sizes), self.town.largest)
        if self.dice.random() < 0.5:
            return self.dice.randbytes(size)
        line = f"{self.name} says {self.dice.random()}: 茶馆里的人们在聊天。\n".encode()
        return (line * (size // len(line) + 1))[:size]

    # MARK: HTTP

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> Answer:
        """One request on a connection that is kept; `Cut` when it ends early."""
        asks = method in ("GET", "HEAD")
        try:
            connection = self.connections.get(asks)
            if connection is None:
                house = self.town.house
                connection = http.client.HTTPConnection(house.host, house.port, timeout=PATIENCE)
                self.connections[asks] = connection
            connection.request(method, path, body, {"token": self.town.tokens[self.name], **headers})
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content
        except (OSError, http.client.HTTPException):
            self.hang_up(asks)
            self.town.count("cut requests")
            raise Cut from None

    def hang_up(self, *lanes: bool) -> None:
        for lane in lanes or (True, False):
            connection = self.connections.pop(lane, None)
            if connection is not None:
                connection.close()

    def patiently(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> Answer:
        """`ask`, again until there is an answer that is not about a server that stops."""
        deadline = time.monotonic() + 4 * PATIENCE
        while True:
            try:
                status, fields, content = self.ask(method, path, headers, body)
                if status != 503:
                    return status, fields, content
            except Cut:
                pass
            if time.monotonic() > deadline:
                raise HouseError(f"{self.name} got no answer to {method} {path}")
            time.sleep(0.02 + self.dice.random() * 0.05)

    # MARK: What people do

    def upload(self, content: bytes) -> None:
        chance = self.dice.random()
        if chance < 0.15:
            return self.put(content)
        if chance < 0.25:
            return self.form(content)
        name = base64.b64encode(f"来自{self.name}.bin".encode()).decode()
        # A creation that was cut may have been done: it is another upload, which nobody goes on with.
        status, fields, body = self.patiently(
            "POST", "/api/v1/files", {**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": f"filename {name}"})
        if status != 201 or "teahouse-file" not in fields:
            return self.town.complain(f"creating an upload was answered with {status} {body[:200]!r}")
        place = fields["location"]
        place = "/" + place.split("/", 3)[3] if "://" in place else place
        file = fields["teahouse-file"]
        self.mean(file, content)
        with self.town.lock:
            self.town.places[file] = place
        gives_up_at = self.dice.randrange(len(content)) if len(content) > 1 and self.dice.random() < 0.1 else None
        offset = 0
        while offset < len(content):
            if gives_up_at is not None and offset >= gives_up_at:
                return self.give_up(file, place)
            piece = content[offset:offset + self.dice.randrange(1, self.town.largest * 3 // 10)]
            try:
                status, fields, body = self.ask("PATCH", place, {**BYTES, "Upload-Offset": str(offset)}, piece)
                if status == 204:
                    if int(fields["upload-offset"]) != offset + len(piece):
                        self.town.complain(f"{len(piece)} bytes at {offset} led to {fields['upload-offset']}")
                    offset = int(fields["upload-offset"])
                    continue
                if status not in (409, 423, 503):
                    return self.town.complain(f"a piece was answered with {status} {body[:200]!r}")
            except Cut:
                pass
            self.maybe_peek(file, content)
            status, fields, body = self.patiently("HEAD", place, TUS)
            if status != 200:
                return self.town.complain(f"{place} was lost: {status}")
            told = int(fields["upload-offset"])
            if not offset <= told <= len(content):
                return self.town.complain(f"{place} is at {told} of {len(content)}, after {offset} were acknowledged")
            self.town.count("resumed uploads")
            offset = told
        self.keep(file, content)

    def put(self, content: bytes) -> None:
        """The whole file as the body."""
        self.whole("PUT", "/api/v1/files/whole.bin", {"Content-Type": "application/octet-stream"}, content, content)

    def form(self, content: bytes) -> None:
        edge = f"edge-{self.dice.getrandbits(128):032x}"
        head = f"--{edge}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n".encode()
        body = head + content + f"\r\n--{edge}--\r\n".encode()
        self.whole("POST", "/api/v1/files", {"Content-Type": f"multipart/form-data; boundary={edge}"}, body, content)

    def whole(self, method: str, path: str, headers: dict[str, str], body: bytes, content: bytes) -> None:
        # One that was cut may be there: nobody knows its name.
        try:
            status, fields, answer = self.ask(method, path, headers, body)
        except Cut:
            return
        if status == 503:
            return
        if status != 201 or "teahouse-file" not in fields:
            return self.town.complain(f"{method} of {len(content)} bytes was answered with {status} {answer[:200]!r}")
        self.mean(fields["teahouse-file"], content)
        self.keep(fields["teahouse-file"], content)

    def mean(self, file: str, content: bytes) -> None:
        with self.town.lock:
            self.town.meant[file] = (self.name, content)

    def keep(self, file: str, content: bytes) -> None:
        kept = Kept(f"/api/v1/files/{file}", self.name, len(content), digest(content))
        if self.dice.random() < 0.1:
            return self.delete(file, kept)
        with self.town.lock:
            self.town.kept.append(kept)
            self.town.counts["files"] += 1
        self.read(kept)

    def give_up(self, file: str, place: str) -> None:
        with self.town.lock:
            self.town.given_up.add(file)
        status, _, body = self.patiently("DELETE", place, TUS)
        if status not in (204, 410):  # 410: a DELETE whose answer was lost
            self.town.complain(f"giving an upload up was answered with {status} {body[:200]!r}")
        status, _, _ = self.patiently("HEAD", place, TUS)
        if status != 410:
            self.town.complain(f"an upload that was given up is still {status}")
        self.town.count("given up")

    def delete(self, file: str, kept: Kept) -> None:
        with self.town.lock:
            self.town.given_up.add(file)
        status, _, body = self.patiently("DELETE", kept.path, {})
        if status not in (204, 404):  # 404: a DELETE whose answer was lost
            self.town.complain(f"deleting a file was answered with {status} {body[:200]!r}")
        status, _, _ = self.patiently("GET", kept.path, {})
        if status != 404:
            self.town.complain(f"a file that was deleted is still {status}")
        self.town.count("deleted")

    def maybe_peek(self, file: str, content: bytes) -> None:
        """A file that is not complete is nothing to anybody, its owner included."""
        if self.dice.random() < 0.5:
            return
        try:
            status, _, read = self.ask("GET", f"/api/v1/files/{file}", {})
        except Cut:
            return
        if status == 200:  # it became complete by the piece whose answer was lost
            self.town.count("complete before the answer came")
            if read != content:
                self.town.complain(f"{file} was read with {len(read)} of {len(content)} bytes before it was finished")
        elif status not in (404, 409, 503):
            self.town.complain(f"an unfinished file was answered with {status} {read[:100]!r}")

    def read(self, kept: Kept) -> None:
        try:
            status, _, content = self.ask("GET", kept.path, {})
        except Cut:
            return
        if status != 503:
            self.judge(kept, status, content)

    def read_at_last(self, kept: Kept) -> None:
        """`read` that does not take no for an answer."""
        status, _, content = self.patiently("GET", kept.path, {})
        self.judge(kept, status, content)

    def judge(self, kept: Kept, status: int, content: bytes) -> None:
        if kept.owner != self.name:
            # It is in no message: it is its owner's alone.
            if status != 404:
                self.town.complain(f"{self.name} may read {kept.path} of {kept.owner}: {status}")
            return
        self.town.count("reads")
        if status != 200 or len(content) != kept.size or digest(content) != kept.digest:
            self.town.complain(f"{kept.path} was read as {status} with {len(content)} of {kept.size} bytes")
