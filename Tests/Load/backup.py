"""How fast a backup is, and how much slower messages get for others while it is made.

    backup.py --binary .build/release/teahouse [--messages 50000] [--files 64] [--file-megabytes 8] [--rate 100]

Starts a server of its own and fills it: messages of 500 bytes, and files of random bytes. Then one person sends `--rate`
messages a second and measures each acknowledgement: as long as the backup takes on the idle server, and while `ctl backup`
makes a whole backup, and then a second one, whose contents are links to the first. Prints bytes, seconds, megabytes a second
by phase, and the 50th, 99th and highest of the acknowledgements. The copy of the database is held to the pace of
`backup.bytes_per_second`; `--pace 0` takes the bound away. Ends with 1 when a message was refused or a backup failed.

The verification of a backup is part of it, and of its time. Messages come from this machine: they share its processors and
its disk with the backup, as they do not in life.
"""
from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import CONFIGURATION, GROUP, PATIENCE, House, Session, payload_of, temporary_folder  # noqa: E402

#: Messages that are sent before the answers of the first are waited for, while the server is filled.
AHEAD = 200


async def fill(house: House, people: dict[str, str], arguments: argparse.Namespace) -> None:
    session = await Session.open(house.url, "ann", people["ann"])
    for start in range(0, arguments.messages, AHEAD):
        batch = range(start, min(start + AHEAD, arguments.messages))
        await asyncio.gather(*(session.send("tea", GROUP, payload_of(f"{number} " + "x" * 480)) for number in batch))
    await session.close()
    dice = random.Random(1)
    for number in range(arguments.files):
        await asyncio.to_thread(upload, house, people["ann"], f"{number}.bin", dice.randbytes(arguments.file_megabytes << 20))


def upload(house: House, token: str, name: str, content: bytes) -> None:
    call = urllib.request.Request(
        f"http://{house.host}:{house.port}/api/v1/files/{name}", method="PUT", data=content,
        headers={"token": token, "Content-Type": "application/octet-stream"})
    urllib.request.urlopen(call, timeout=PATIENCE).read()


async def talk(house: House, token: str, rate: float, until: asyncio.Event) -> list[float]:
    """Seconds until each message was acknowledged; they are sent at a steady pace, whatever the answers do."""
    session = await Session.open(house.url, "bob", token)
    waits: list[float] = []

    async def one(number: int) -> None:
        begun = time.monotonic()
        answer = await session.send("tea", GROUP, payload_of(f"during {number}"))
        if "messageId" not in answer:
            sys.exit(f"backup: a message was refused: {answer}")
        waits.append(time.monotonic() - begun)

    begun, tasks = time.monotonic(), []
    while not until.is_set():
        tasks.append(asyncio.create_task(one(len(tasks))))
        await asyncio.sleep(max(0.0, begun + len(tasks) / rate - time.monotonic()))
    await asyncio.gather(*tasks)
    await session.close()
    return waits


def folder_bytes(path: Path) -> int:
    """Bytes of the files below a folder, each once."""
    seen: dict[tuple[int, int], int] = {}
    for file in path.rglob("*"):
        if file.is_file():
            status = file.stat()
            seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())


def shown(waits: list[float]) -> str:
    ordered = sorted(waits)
    place = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000
    return f"{len(ordered)} messages, p50 {place(0.5):.1f} ms, p99 {place(0.99):.1f} ms, highest {ordered[-1] * 1000:.1f} ms"


async def measured(house: House, token: str, arguments: argparse.Namespace, shelf: Path) -> float:
    """Makes a backup while somebody talks; its seconds."""
    until = asyncio.Event()
    talking = asyncio.create_task(talk(house, token, arguments.rate, until))
    before, begun = folder_bytes(shelf), time.monotonic()
    run = await asyncio.to_thread(
        subprocess.run, [house.binary, "ctl", "--data", str(house.data), "backup", str(shelf)], capture_output=True,
        text=True, timeout=3600)
    seconds = time.monotonic() - begun
    until.set()
    waits = await talking
    if run.returncode:
        sys.exit(f"backup: {run.stderr}")
    path = Path(run.stdout.strip())
    whole, written = folder_bytes(path), folder_bytes(shelf) - before
    print(f"backup: {whole >> 20} MiB, {written >> 20} written, in {seconds:.1f} s: "
          f"{whole / seconds / 1e6:.0f} MB/s, verification included")
    print(f"during: {shown(waits)}", flush=True)
    return seconds


async def run(arguments: argparse.Namespace) -> int:
    pace = "" if arguments.pace is None else f"\n[backup]\nbytes_per_second = {arguments.pace}\n"
    house = House(arguments.binary, config=CONFIGURATION + pace)
    await house.start_async()
    people = house.add_users(["ann", "bob"])
    house.add_group("tea", ["ann", "bob"])
    await fill(house, people, arguments)
    shelf = temporary_folder("backups-", arguments.where)
    size = sum(path.stat().st_size for path in house.data.glob("teahouse.db*"))
    print(f"data: {size >> 20} MiB of database, {folder_bytes(house.data / 'files') >> 20} MiB of contents, "
          f"{os.cpu_count()} processors", flush=True)
    for name in ("idle, before", "whole", "second", "idle, after"):
        print(f"--- {name}")
        if not name.startswith("idle"):
            await measured(house, people["bob"], arguments, shelf)
            continue
        until = asyncio.Event()
        talking = asyncio.create_task(talk(house, people["bob"], arguments.rate, until))
        await asyncio.sleep(arguments.idle)
        until.set()
        print(f"idle: {shown(await talking)}", flush=True)
    house.stop()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="teahouse, a release build")
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--file-megabytes", type=int, default=8)
    parser.add_argument("--rate", type=float, default=100, help="messages a second while it is measured")
    parser.add_argument("--idle", type=float, default=20, help="seconds without a backup, before and after")
    parser.add_argument("--pace", type=int, help="backup.bytes_per_second; 0 for no bound")
    parser.add_argument("--where", help="folder for the backups; the one for temporary files when not given")
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
