"""Lets single calls of the server fail that write to its folder, and asks what became of what it had promised.

A small load (people, messages, edits, a file, an orderly end) runs once undisturbed, which counts its writing calls. Then it
runs again and again with one of them failing, at a place of its own: an I/O error, or no room. Whatever the server does then
(refuse, go on, or end with code 74), it never crashes and never ends with a code that means something else; started again
on a healthy disk it has every acknowledged message once, and `verify` finds nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import json
import random
import shutil
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from websockets.exceptions import WebSocketException  # noqa: E402

from house import GROUP, PATIENCE, Closed, House, HouseError, Session, payload_of, temporary_folder  # noqa: E402
from ledger import Key, Promise, judge, payload_for, stored_messages  # noqa: E402

NAMES = ("ann", "bob")
MESSAGES = 24
#: The disk failed, and the server said so. 78 and 75 would send the operator elsewhere.
DISK_FAILED = 74
GONE = (Closed, OSError, TimeoutError, urllib.error.URLError, WebSocketException, HouseError)


@dataclass
class Outcome:
    """One run of the load."""
    attempted: set[Key] = field(default_factory=set)
    promises: set[Promise] = field(default_factory=set)
    refused: int = 0
    #: `None` while it runs, or when it never came up and said why by its code alone.
    code: int | None = None
    was_ready: bool = False


async def load(house: House, outcome: Outcome, people: dict[str, str]) -> None:
    """Everything a client does; ends early when the server is gone."""
    sessions = {name: await Session.open(house.url, name, people[name]) for name in NAMES}
    for number in range(MESSAGES):
        name = NAMES[number % 2]
        key = Key(("group", "tea"), name, f"{name}-{number}")
        outcome.attempted.add(key)
        answer = await sessions[name].send("tea", GROUP, payload_for(key), token=key.token)
        if answer.get("reasonCode") != 1:
            outcome.refused += 1
            continue
        outcome.promises.add(Promise(key, answer["messageSeq"], int(answer["messageId"])))
        if number % 8 == 7:
            await asyncio.to_thread(request, house, people[name], "POST", "/v1/message/edit", json.dumps({
                "message_id": answer["messageId"], "message_seq": answer["messageSeq"], "channel_id": "tea",
                "channel_type": GROUP, "content_edit": json.dumps(payload_of("edited"))}).encode())
        if number == MESSAGES // 2:
            await asyncio.to_thread(request, house, people[name], "PUT", "/api/v1/files/notes.txt", b"notes " * 60_000)
    for session in sessions.values():
        await session.close()


def request(house: House, token: str, method: str, path: str, body: bytes) -> None:
    """A request that may be refused, or find nobody."""
    call = urllib.request.Request(f"http://{house.host}:{house.port}{path}", method=method, data=body, headers={
        "token": token, "Content-Type": "application/json" if method == "POST" else "text/plain"})
    try:
        urllib.request.urlopen(call, timeout=PATIENCE).read()
    except urllib.error.HTTPError:
        pass


class Trial:
    """Data folders that begin alike, and the load on them."""

    def __init__(self, binary: str, injector: Path) -> None:
        self.binary, self.injector = binary, injector
        self.top = temporary_folder("faults-")
        self.model = self.top / "model"
        house = House(binary, folder=self.made("model"))
        house.start()
        self.people = house.add_users(NAMES)
        house.add_group("tea", NAMES)
        house.stop()

    def made(self, name: str) -> Path:
        folder = self.top / name
        folder.mkdir()
        return folder

    async def run(self, number: int, at: int, code: int, many: int) -> tuple[Outcome, House, list[str]]:
        """One load with the fault; the server has ended when it returns."""
        folder = self.top / f"run{number}"
        shutil.copytree(self.model, folder)
        log = folder / "faults.log"
        house = House(self.binary, folder=folder)
        house.environment = {"LD_PRELOAD": str(self.injector), "FAULT_ROOT": str(house.data), "FAULT_AT": str(at),
                             "FAULT_MANY": str(many), "FAULT_ERRNO": str(code), "FAULT_LOG": str(log)}
        outcome = Outcome()
        try:
            house._launch()
            await asyncio.to_thread(house._await_ready)
            outcome.was_ready = True
            async with asyncio.timeout(2 * PATIENCE):
                await load(house, outcome, self.people)
        except GONE:
            pass
        process = house.process
        assert process
        if outcome.was_ready and process.poll() is None:
            try:
                outcome.code = house.stop()
            except HouseError as error:
                outcome.code = -1
                print(f"faults: {error}")
        else:
            outcome.code = process.wait(timeout=2 * PATIENCE)
        house.environment = {}
        return outcome, house, log.read_text().splitlines() if log.exists() else []


def complaint_about(outcome: Outcome, house: House, code: int) -> str | None:
    """What is wrong with a run, once it has been started again on a healthy disk."""
    if outcome.code not in (0, DISK_FAILED):
        return f"ended with {outcome.code}: {house.log_tail(4)}"
    if not outcome.was_ready and outcome.code == 0:
        return "never became ready and ended with 0"
    try:
        house.start()
        house.stop()
    except HouseError as error:
        return f"does not start again: {error}"
    found = house.verify()
    if found:
        return f"verify: {found}"
    verdict = judge(outcome.attempted, outcome.promises, stored_messages(house.data))
    if verdict.lost or verdict.duplicated or verdict.unexpected:
        return f"{verdict}: {'; '.join(verdict.examples)}"
    return None


async def run(arguments: argparse.Namespace) -> int:
    dice = random.Random(arguments.seed)
    trial = Trial(arguments.binary, arguments.injector)
    outcome, house, lines = await trial.run(0, 0, 0, 1)
    complaint = complaint_about(outcome, house, 0)
    if complaint or outcome.refused or not lines:
        print(f"faults: the undisturbed run: {complaint or 'refused messages, or an injector that saw nothing'}")
        return 1
    calls = int(lines[-1].split()[0])
    trials = [(at, code, many) for code in (errno.EIO, errno.ENOSPC) for many in (1, -1)
              for at in sorted(dice.sample(range(1, calls + 1), min(arguments.faults // 4, calls)))]
    counts: Counter[str] = Counter()
    bad = 0
    for number, (at, code, many) in enumerate(trials, 1):
        outcome, house, lines = await trial.run(number, at, code, many)
        complaint = complaint_about(outcome, house, code)
        name = errno.errorcode[code]
        counts[f"{name}: {'ended with 74' if outcome.code == DISK_FAILED else 'went on'}"] += 1
        counts["faults that were reached"] += any(not line.split()[1].startswith("end") for line in lines)
        if complaint:
            bad += 1
            where = lines[0] if lines else "not reached"
            print(f"faults: {name}, {'once' if many == 1 else 'from there on'} at call {at} ({where}): {complaint}")
        else:
            shutil.rmtree(house.top, ignore_errors=True)
    print(f"faults: {len(trials)} runs over {calls} writing calls; "
          + ", ".join(f"{what} {count}" for what, count in sorted(counts.items())))
    if not counts["faults that were reached"]:
        print("faults: no fault was reached")
        return 1
    print(f"faults: {'every promise was kept' if not bad else f'{bad} FAILED, repeat with --seed {arguments.seed}'}")
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--injector", required=True, type=lambda path: Path(path).resolve(), help="faults.so")
    parser.add_argument("--faults", type=int, default=40, help="runs with a fault")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"faults: seed {arguments.seed}", flush=True)
    begun = time.monotonic()
    code = asyncio.run(run(arguments))
    print(f"faults: {time.monotonic() - begun:.1f} s")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HouseError as error:
        sys.exit(f"faults: {error}")
