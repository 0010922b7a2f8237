"""The power-cut proof of files: what was acknowledged of an upload before a cut is there after it, and nothing else is.

Records people who upload (see `file_load.py`) against a server that is also killed now and then, then cuts the power at
many places of the recording. Each image is opened by the server's own store (`powercut-replay`), verified by it, and read
by another SQLite and another gzip: every file that was told to be complete must be there byte for byte, every upload must
go on where it was told to be or later, and nothing may stand under a name that is not whole. Some images are started as a
server, which must give out all of it and let every upload come to its end.
"""

from __future__ import annotations

import argparse
import bisect
import hashlib
import http.client
import random
import re
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from disk import Disk, Event, Image, read_log  # noqa: E402
from file_load import BYTES, FILES, TUS, Person, Town, digest  # noqa: E402
from house import PATIENCE, House, HouseError, temporary_folder  # noqa: E402
from opener import Opened, Opener, Shelf  # noqa: E402

#: Images built at each cut: what was synced, everything, and this many of what lies between.
BETWEEN = 2
#: A wrong server must lose something in at least this share of the images.
RED_SHARE = 0.10
#: Most bytes of one file: enough for pieces that are kept, few enough for many images.
LARGEST = 600_000
#: Bytes of the recording after a start that count as soon.
SOON_BYTES = 400_000
GZIP = ".gz"


# MARK: what was promised

@dataclass(frozen=True)
class Promise:
    """What an answer said of a file."""
    file: str
    #: Bytes of the upload that are kept; `None` when the file is complete.
    offset: int | None


_LINE = re.compile(rb"^([^:]+):[ \t]*(.*)$")


def promise_in(sent: bytes) -> Promise | None:
    """What is promised by bytes that were sent at once: nobody asks before the answer to the last question, so that
    every answer begins such bytes."""
    first, *lines = sent.partition(b"\r\n\r\n")[0].split(b"\r\n")
    if not first.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201", b"HTTP/1.1 204")):
        return None
    fields = {match[1].lower(): match[2].decode() for line in lines if (match := _LINE.match(line))}
    file = fields.get(b"teahouse-file")
    if file is None:
        return None
    if b"upload-expires" not in fields:  # what is complete does not expire
        return Promise(file, None)
    # To be asked how far an upload is promises nothing: it may be going on at that moment.
    return None if first.startswith(b"HTTP/1.1 200") else Promise(file, int(fields[b"upload-offset"]))


class Promises:
    """All that was promised so far."""

    def __init__(self) -> None:
        self.complete: set[str] = set()
        self.offsets: dict[str, int] = {}

    def see(self, event: Event) -> None:
        promise = promise_in(event.data)
        if promise is None:
            return
        if promise.offset is None:
            self.complete.add(promise.file)
        else:
            self.offsets[promise.file] = max(promise.offset, self.offsets.get(promise.file, 0))

    def kept(self, town: Town) -> tuple[set[str], dict[str, int]]:
        """Files that must be complete, and uploads that must be so far, without those that were given up later."""
        complete = self.complete - town.given_up
        going = {file: offset for file, offset in self.offsets.items()
                 if file not in self.complete and file not in town.given_up}
        return complete, going


# MARK: what is there

def plain(stored: bytes, is_compressed: bool) -> bytes | None:
    """The content of an object's file; `None` when it is not one whole stream of gzip."""
    if not is_compressed:
        return stored
    inflater = zlib.decompressobj(31)
    try:
        content = inflater.decompress(stored)
    except zlib.error:
        return None
    return content if inflater.eof and not inflater.unused_data else None


class Reader:
    """Reads what a folder holds without the server's help."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, bool], bytes | None] = {}

    def objects(self, folder: Path) -> Iterator[tuple[str, str, bytes | None]]:
        """Name, hash by name and hash by content of every object's file."""
        for path in (folder / "files" / "objects").glob("*/*/*"):
            if path.suffix != ".idx":
                yield path.name, path.name.removesuffix(GZIP), self._digest(path.read_bytes(), path.suffix == GZIP)

    def _digest(self, stored: bytes, is_compressed: bool) -> bytes | None:
        key = (hashlib.sha1(stored).digest(), is_compressed)
        if key not in self._known:
            content = plain(stored, is_compressed)
            self._known[key] = None if content is None else digest(content)
        return self._known[key]

    @staticmethod
    def files(folder: Path) -> dict[str, tuple[int, str]]:
        """Size and object's file of every complete file by its name."""
        database = sqlite3.connect(f"file:{folder / 'teahouse.db'}?mode=ro", uri=True)
        try:
            rows = database.execute(
                "SELECT f.key, f.size, lower(hex(o.hash)) || CASE o.codec WHEN 1 THEN ? ELSE '' END "
                "FROM file f JOIN object o ON o.id = f.object_id WHERE f.state = 1", (GZIP,))
            return {file: (size, name) for file, size, name in rows}
        finally:
            database.close()


# MARK: judging

@dataclass
class Findings:
    """Over all images."""
    images: int = 0
    with_loss: int = 0
    broken: int = 0
    lost: int = 0
    behind: int = 0
    wrong: int = 0
    torn: int = 0
    #: Files and uploads of all images that were as promised.
    held: int = 0
    served: int = 0
    finished: int = 0
    examples: list[str] = field(default_factory=list)

    def tell(self, text: str) -> None:
        if len(self.examples) < 5:
            self.examples.append(text)

    @property
    def is_clean(self) -> bool:
        return self.with_loss == self.broken == self.lost == self.behind == self.wrong == self.torn == 0

    def __str__(self) -> str:
        names = ("lost", "behind", "wrong", "torn", "held", "served", "finished")
        return "  ".join(f"{name} {getattr(self, name)}" for name in names)


class Replay:
    """Walks through a recording and cuts the power here and there."""

    def __init__(self, events: list[Event], starts: list[int], town: Town, arguments: argparse.Namespace) -> None:
        self._events, self._starts, self._town, self._binary = events, starts, town, arguments.binary
        self._root = town.house.data
        self._dice = random.Random(arguments.seed)
        self._opener, self._shelf, self._reader = Opener(arguments.opener), Shelf(), Reader()
        self.promises = Promises()
        self.findings = Findings()

    def run(self, images: int, starts: int) -> Disk:
        """Builds and judges the images and starts some; the disk after the last event."""
        disk = Disk(str(self._root))
        cuts = self._choose_cuts(-(-images // (2 + BETWEEN)))
        started = set(self._dice.sample(sorted(cuts), min(starts, len(cuts))))
        for number, event in enumerate(self._events):
            if event.operation == "A":
                self.promises.see(event)
            else:
                disk.see(event)
            if number in cuts:
                lives = self._dice.randrange(2 + BETWEEN) if number in started else -1
                self._judge(disk.only_safe(), f"cut {number}, what was synced", lives == 0)
                self._judge(disk.everything(), f"cut {number}, everything", lives == 1)
                for index in range(BETWEEN):
                    self._judge(disk.some(self._dice), f"cut {number}, something between, {index + 1}",
                                lives == 2 + index)
        return disk

    def _choose_cuts(self, count: int) -> set[int]:
        """A third of the cuts right after something was sent, a third between what was done to the disk, and a third
        soon after a start: what a killed server wrote and did not sync is on no disk yet, and the next one reads it."""
        sent = [number for number, event in enumerate(self._events) if event.operation == "A"]
        done = [number for number, event in enumerate(self._events) if event.operation != "A"]
        begun = [number for number in done if self._follows_a_start(self._events[number])]
        third = count // 3
        return {*self._dice.sample(sent, min(third, len(sent))), *self._dice.sample(begun, min(third, len(begun))),
                *self._dice.sample(done, min(count - 2 * third, len(done)))}

    def _follows_a_start(self, event: Event) -> bool:
        start = bisect.bisect_right(self._starts, event.position)
        return start > 0 and event.position - self._starts[start - 1] < SOON_BYTES

    def _judge(self, image: Image, place: str, starts: bool) -> None:
        folder = self._shelf.put(image)
        found = self.findings
        found.images += 1
        opened = self._opener.open(folder)
        if opened.complaint:
            found.broken += 1
            found.tell(f"{place}: {opened.complaint}")
        try:
            before = found.lost + found.behind + found.wrong + found.torn
            self._compare(folder, opened, place)
            if found.lost + found.behind + found.wrong + found.torn > before:
                found.with_loss += 1
            elif starts and not opened.complaint:
                self._start(place)
        except (sqlite3.Error, OSError, HouseError) as error:  # an image nobody can read is a finding, not the end
            if not opened.complaint:
                found.broken += 1
                found.tell(f"{place}: {error}")

    def _compare(self, folder: Path, opened: Opened, place: str) -> None:
        found = self.findings
        complete, going = self.promises.kept(self._town)
        contents: dict[str, bytes] = {}
        for name, hexadecimal, hashed in self._reader.objects(folder):
            if hashed is None or hashed.hex() != hexadecimal:
                found.torn += 1
                found.tell(f"{place}: the content {name} is not what its name says")
            else:
                contents[name] = hashed
        files = self._reader.files(folder)
        for file, (size, name) in files.items():
            meant = self._town.meant.get(file)
            # The person who sent a whole file and got no answer knows no name.
            if name not in contents or (meant and (size, contents[name]) != (len(meant[1]), digest(meant[1]))):
                found.wrong += 1
                found.tell(f"{place}: {file} has the content {name}, which is missing, torn or another file's")
        for file in complete - files.keys():
            found.lost += 1
            found.tell(f"{place}: the file {file} is lost")
        for file, offset in going.items():
            there = opened.uploads.get(file, -1)
            if file not in files and there < offset and not opened.complaint:
                found.behind += 1
                found.tell(f"{place}: {offset} bytes of {file} were acknowledged, {there} are there")
        found.held += len(complete & files.keys()) + len(going)

    # MARK: a server on an image

    def _start(self, place: str) -> None:
        """Starts the server there, reads what was promised and brings every upload to its end."""
        complete, going = self.promises.kept(self._town)
        house = House(self._binary, folder=self._shelf.top, config=FILES)
        house.start()
        try:
            line = http.client.HTTPConnection(house.host, house.port, timeout=PATIENCE)
            for file in sorted(complete & self._town.meant.keys()):
                self._read(line, file, place)
                self.findings.served += 1
            for file, offset in sorted(going.items()):
                if file in self._town.meant and file in self._town.places:
                    self._finish(line, file, offset, place)
                    self._read(line, file, place)
                    self.findings.finished += 1
            line.close()
        finally:
            house.stop()
        complaint = house.verify()
        if complaint:
            self.findings.broken += 1
            self.findings.tell(f"{place}, started: {complaint}")

    def _ask(self, line: http.client.HTTPConnection, method: str, path: str, owner: str,
             headers: dict[str, str], body: bytes | None = None) -> tuple[http.client.HTTPResponse, bytes]:
        line.request(method, path, body, {"token": self._town.tokens[owner], **headers})
        answer = line.getresponse()
        return answer, answer.read()

    def _read(self, line: http.client.HTTPConnection, file: str, place: str) -> None:
        owner, content = self._town.meant[file]
        answer, read = self._ask(line, "GET", f"/api/v1/files/{file}", owner, {})
        if answer.status != 200 or read != content:
            self.findings.wrong += 1
            self.findings.tell(f"{place}, started: {file} is read as {answer.status} with {len(read)} bytes")

    def _finish(self, line: http.client.HTTPConnection, file: str, offset: int, place: str) -> None:
        (owner, content), path = self._town.meant[file], self._town.places[file]
        answer, _ = self._ask(line, "HEAD", path, owner, TUS)
        told = int(answer.headers.get("Upload-Offset", -1))
        if answer.status != 200 or told < offset:
            self.findings.behind += 1
            self.findings.tell(f"{place}, started: {file} is at {told}, {offset} were acknowledged")
        elif told < len(content):
            answer, body = self._ask(line, "PATCH", path, owner, {**BYTES, "Upload-Offset": str(told)}, content[told:])
            if answer.status != 204:
                self.findings.broken += 1
                self.findings.tell(f"{place}, started: {file} was not finished: {answer.status} {body[:200]!r}")


# MARK: recording

def record(arguments: argparse.Namespace) -> tuple[list[Event], list[int], Town]:
    """Lets people upload, kills the server between two records now and then, and returns what happened, and where in the
    recording the server was started again."""
    dice = random.Random(arguments.seed)
    top = temporary_folder("teahouse-recorded-")
    environment = {"LD_PRELOAD": arguments.recorder, "REC_ROOT": str(top / "data"), "REC_LOG": str(top / "log"),
                   "REC_FAST": "1"}
    house = House(arguments.binary, environment=environment, folder=top, config=FILES,
                  server=arguments.server.split() if arguments.server else None)
    house.start()
    names = [f"person{number}" for number in range(arguments.people)]
    shared = [dice.randbytes(150_000), b"the same again and again " * 12_000]
    town = Town(house, house.add_users(names), LARGEST, shared)
    house.stop()
    kills = arguments.kills
    starts: list[int] = []
    people = [Person(name, town, dice.randrange(1 << 32)) for name in names]

    def start() -> None:
        nonlocal kills
        # A start that ends before the server is ready is one of the moments that count.
        while True:
            house.environment.pop("REC_KILL_AFTER", None)
            starts.append((top / "log").stat().st_size)
            if kills > 0:
                kills -= 1
                house.environment["REC_KILL_AFTER"] = str(dice.choice([dice.randrange(60), dice.randrange(2000)]))
            try:
                house.start()
                return
            except HouseError:
                if "REC_KILL_AFTER" not in house.environment:
                    raise

    start()
    for person in people:
        person.start()
    deadline = time.monotonic() + 8 * PATIENCE
    collected = 0
    while any(person.is_alive() for person in people):
        assert house.process is not None
        if house.process.poll() is not None:
            house.kill()
            start()
        town.is_closing = len(town.kept) >= arguments.files or time.monotonic() > deadline
        if len(town.kept) >= collected + 10:  # what was deleted is swept away, and uploaded again
            collected = len(town.kept)
            try:
                house.ctl("file", "gc")
            except HouseError:
                pass  # killed
        time.sleep(0.005)
    for person in people:
        if person.failure is not None:
            raise HouseError(f"{person.name} did not come to an end: {person.failure!r}")
    house.environment.pop("REC_KILL_AFTER", None)
    if house.process is not None and house.process.poll() is not None:
        house.kill()
        house.start()
    house.stop()
    return list(read_log(top / "log")), starts, town


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--opener", required=True, help="powercut-replay")
    parser.add_argument("--recorder", required=True, help="recorder.so")
    parser.add_argument("--server", help="what to run in place of `teahouse serve`")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--files", type=int, default=60, help="that are kept in the end, about")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--images", type=int, default=400)
    parser.add_argument("--starts", type=int, default=10, help="images that are started as a server")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--expect-red", action="store_true", help="succeed only when what was acknowledged is lost")
    arguments = parser.parse_args()
    arguments.recorder = str(Path(arguments.recorder).resolve())

    print(f"file power cut: seed {arguments.seed}", flush=True)
    begun = time.monotonic()
    events, starts, town = record(arguments)
    kinds = {letter: sum(event.operation == letter for event in events) for letter in "WSDLRUA"}
    print(f"file power cut: recorded {len(events)} events in {time.monotonic() - begun:.1f} s: {kinds['W']} writes, "
          f"{kinds['S']} syncs, {kinds['D']} of folders, {kinds['L']} links, {kinds['R']} moves, {kinds['U']} removals, "
          f"{kinds['A']} sends; " + ", ".join(f"{name} {count}" for name, count in sorted(town.counts.items())), flush=True)

    begun = time.monotonic()
    replay = Replay(events, starts, town, arguments)
    disk = replay.run(arguments.images, arguments.starts)
    found = replay.findings
    missed = disk.everything().differences(town.house.data)
    print(f"file power cut: {found.images} images in {time.monotonic() - begun:.1f} s: {found.with_loss} with loss, "
          f"{found.broken} not opened or not verified")
    print(f"file power cut: {found}")
    for example in [*town.complaints, *found.examples]:
        print(f"file power cut: {example}")
    for difference in missed:
        print(f"file power cut: the recorder missed something: {difference}")
    everything = {kept.path.rpartition("/")[2] for kept in town.kept}
    unpromised = everything - replay.promises.complete
    if missed or unpromised or not everything or not replay.promises.offsets:
        print(f"file power cut: INVALID: the recording is not what happened: {len(unpromised)} answers were not seen")
        return 1
    if arguments.expect_red:
        red = found.with_loss >= RED_SHARE * found.images
        print(f"file power cut: {'red, as it must be' if red else 'NOT RED: the proof cannot see this fault'}")
        return 0 if red else 1
    clean = found.is_clean and not town.complaints and (found.finished > 0 or arguments.starts == 0)
    print(f"file power cut: {'nothing was lost' if clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    return 0 if clean else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HouseError as error:
        sys.exit(f"file power cut: {error}")
