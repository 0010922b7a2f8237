"""The power-cut proof: what was acknowledged before a cut is there after it, whatever of the rest the disk kept.

Runs a load against a server under the recorder, then cuts the power at many places of the recording. Each image is
opened by the server's own store (`powercut-replay`), verified by it, and read by another SQLite; every message that was
acknowledged or delivered to anyone before the cut must be there, equal, once, in its place.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from disk import Disk, Event, Image, read_log  # noqa: E402
from house import House, HouseError, temporary_folder  # noqa: E402
from ledger import Key, Promise, Row, Verdict, judge, stored_messages  # noqa: E402
from load import Load  # noqa: E402
from opener import Opener, Shelf  # noqa: E402
from wire import SentStream  # noqa: E402

#: Images built at each cut: what was synced, everything, and this many of what lies between.
BETWEEN = 2
#: A wrong server must lose messages in at least this share of the images.
RED_SHARE = 0.10


@dataclass
class Findings:
    """Over all images."""
    images: int = 0
    with_loss: int = 0
    worst_loss: int = 0
    broken: int = 0
    sum: Verdict = field(default_factory=Verdict)

    def add(self, verdict: Verdict, complaint: str | None, place: str) -> None:
        self.images += 1
        if complaint:
            self.broken += 1
            self._tell(f"{place}: {complaint}")
        if verdict.lost:
            self.with_loss += 1
            self.worst_loss = max(self.worst_loss, verdict.lost)
        if not verdict.is_clean:
            self._tell(f"{place}: {'; '.join(verdict.examples)}")
        for name in ("lost", "duplicated", "unexpected", "damaged"):
            setattr(self.sum, name, getattr(self.sum, name) + getattr(verdict, name))
        self.sum.recovered = max(self.sum.recovered, verdict.recovered)

    def _tell(self, text: str) -> None:
        if len(self.sum.examples) < 3:
            self.sum.examples.append(text)

    @property
    def is_clean(self) -> bool:
        return self.sum.is_clean and self.broken == 0


class Replay:
    """Walks through a recording and cuts the power here and there."""

    def __init__(self, events: list[Event], root: Path, attempted: set[Key], opener: Opener, seed: int) -> None:
        self._events, self._root, self._attempted, self._opener = events, root, attempted, opener
        self._dice = random.Random(seed)
        self._shelf = Shelf()
        self._promises: set[Promise] = set()
        self._streams: dict[int, SentStream] = {}
        self.findings = Findings()

    def run(self, cuts: set[int]) -> Disk:
        """Builds and judges the images of these cuts; the disk after the last event."""
        disk = Disk(str(self._root))
        for number, event in enumerate(self._events):
            if event.operation == "A":
                stream = self._streams.setdefault(event.inode, SentStream())
                self._promises.update(stream.feed(event.data))
            else:
                disk.see(event)
            if number in cuts:
                self._judge(disk.only_safe(), f"cut {number}, what was synced")
                self._judge(disk.everything(), f"cut {number}, everything")
                for index in range(BETWEEN):
                    self._judge(disk.some(self._dice), f"cut {number}, something between, {index + 1}")
        self.findings.sum.attempted = len(self._attempted)
        self.findings.sum.acked = len({promise.key for promise in self._promises})
        return disk

    def choose_cuts(self, count: int) -> set[int]:
        """Half of the cuts right after something was sent, half between what was done to the disk; more of one where the
        recording has too little of the other, and all that there are where it is too short."""
        sent = [number for number, event in enumerate(self._events) if event.operation == "A"]
        done = [number for number, event in enumerate(self._events) if event.operation != "A"]
        after_sends = min(max(count // 2, count - len(done)), len(sent))
        between = min(count - after_sends, len(done))
        return {*self._dice.sample(sent, after_sends), *self._dice.sample(done, between)}

    def _judge(self, image: Image, place: str) -> None:
        folder = self._shelf.put(image)
        complaint = self._opener.open(folder).complaint
        rows: list[Row] = []
        try:
            rows = stored_messages(folder)
        except Exception as error:  # an image nobody can read is a finding, not the end of the run
            complaint = complaint or f"cannot be read: {error}"
        self.findings.add(judge(self._attempted, self._promises, rows), complaint, place)


def record(arguments: argparse.Namespace, seed: int) -> tuple[list[Event], House, set[Key]]:
    top = temporary_folder("teahouse-recorded-")
    environment = {"LD_PRELOAD": arguments.recorder, "REC_ROOT": str(top / "data"), "REC_LOG": str(top / "log"),
                   "REC_FAST": "1"}
    house = House(arguments.binary, environment=environment, folder=top,
                  server=arguments.server.split() if arguments.server else None)
    load = Load(house, random.Random(seed))
    asyncio.run(load.run(arguments.messages))
    return list(read_log(top / "log")), house, load.attempted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--opener", required=True, help="powercut-replay")
    parser.add_argument("--recorder", required=True, help="recorder.so")
    parser.add_argument("--server", help="what to run in place of `teahouse serve`")
    parser.add_argument("--messages", type=int, default=900)
    parser.add_argument("--images", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--expect-red", action="store_true", help="succeed only when acknowledged messages are lost")
    arguments = parser.parse_args()
    arguments.recorder = str(Path(arguments.recorder).resolve())

    print(f"power cut: seed {arguments.seed}", flush=True)
    begun = time.monotonic()
    events, house, attempted = record(arguments, arguments.seed)
    kinds = {letter: sum(event.operation == letter for event in events) for letter in "WSDTA"}
    checkpoints = sum(event.operation == "S" and event.path.endswith("/teahouse.db") for event in events)
    written = [event.path for event in events if event.operation == "W"]
    in_log = sum("/log/segment-" in path for path in written)
    in_wal = sum(path.endswith("/teahouse.db-wal") for path in written)
    print(f"power cut: recorded {len(events)} events in {time.monotonic() - begun:.1f} s: {kinds['W']} writes "
          f"({in_log} to the log, {in_wal} to SQLite's), {kinds['S']} syncs, {kinds['D']} of folders, {kinds['T']} truncations, {checkpoints} checkpoints, "
          f"{kinds['A']} sends", flush=True)

    begun = time.monotonic()
    replay = Replay(events, house.data, attempted, Opener(arguments.opener), arguments.seed)
    wanted = -(-arguments.images // (2 + BETWEEN))
    cuts = replay.choose_cuts(wanted)
    if len(cuts) < wanted:
        print(f"power cut: INVALID: the recording has {len(cuts)} different points, and {arguments.images} images need "
              f"{wanted}: record more --messages")
        return 1
    if not arguments.expect_red and not (in_log and in_wal and checkpoints):
        print("power cut: INVALID: the recording must have writes to the log, to the database and a checkpoint")
        return 1
    disk = replay.run(cuts)
    found = replay.findings
    missed = disk.everything().differences(house.data)
    print(f"power cut: {found.images} images in {time.monotonic() - begun:.1f} s: {found.with_loss} with lost messages "
          f"(worst {found.worst_loss}), {found.broken} not opened or not verified")
    print(f"power cut: {found.sum}")
    for example in found.sum.examples:
        print(f"power cut: {example}")
    for difference in missed:
        print(f"power cut: the recorder missed something: {difference}")
    if missed or not found.sum.acked:
        print("power cut: INVALID: the recording is not what happened")
        return 1
    if arguments.expect_red:
        red = found.with_loss >= RED_SHARE * found.images
        print(f"power cut: {'red, as it must be' if red else 'NOT RED: the proof cannot see this fault'}")
        return 0 if red else 1
    print(f"power cut: {'nothing was lost' if found.is_clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    return 0 if found.is_clean else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HouseError as error:
        sys.exit(f"power cut: {error}")
