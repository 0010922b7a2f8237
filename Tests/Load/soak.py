"""Whether memory and descriptors of a server stay flat while people come and go for an hour, over IPv6.

    soak.py --binary BINARY [--seconds 3600]

Clients sign in, write, read pages and leave; connections that never sign in come and are dropped; uploads break off and are
gone on with; requests are malformed. Descriptors and resident memory are noted all the time: after the first third, in which
caches fill, the median of the last sixth may be above that of the sixth after the first third by 10 % and 8 MiB, and by 8
descriptors. Ends with 1 and a table when it is not so, or when anything is answered otherwise than it should be.
"""
from __future__ import annotations

import argparse
import asyncio
import base64
import http.client
import json
import os
import random
import socket
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Foreign"))

from house import CONFIGURATION, House, Session  # noqa: E402

GROUP = "piazza"
LIMITS = CONFIGURATION + """
[files]
hour_uploads = 0
day_bytes = 0
person_bytes = 0
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
"""


class Soak:
    def __init__(self, house: House, hosts: list[str], people: dict[str, str], seconds: float) -> None:
        self.house, self.hosts, self.people = house, hosts, people
        self.ends = time.monotonic() + seconds
        self.done: dict[str, int] = {}
        self.random = random.Random(7)

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.ends

    def count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    def host(self) -> str:
        return self.random.choice(self.hosts)

    def bare(self, host: str) -> str:
        return host.strip("[]")

    async def visit(self, name: str) -> None:
        """Somebody signs in, writes a little, and leaves: politely, or not."""
        while self.goes_on:
            session = await Session.open(f"ws://{self.host()}:{self.house.port}/", name, self.people[name])
            for _ in range(self.random.randrange(6)):
                await session.send(GROUP, 2, {"type": 1, "content": "tea " * self.random.randrange(1, 200)})
                self.count("messages")
            if self.random.random() < 0.3:
                session.socket.transport.abort()
            await session.close()
            self.count("visits")
            await asyncio.sleep(self.random.random() / 4)

    async def knock(self) -> None:
        """Connections that say nothing, or nonsense, and go."""
        while self.goes_on:
            try:
                reader, writer = await asyncio.open_connection(self.bare(self.host()), self.house.port)
                writer.write(self.random.choice([
                    b"", b"{", b'{"id":"1","method":"connect","params":{"uid":"x","token":"y"}}\n', b"GET / HTTP/1.1\r\n",
                    b"POST /v1/message/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", b"\x16\x03\x01",
                    bytes(self.random.randrange(256) for _ in range(40))]))
                await asyncio.sleep(self.random.random() / 10)
                writer.transport.abort()
            except OSError:
                pass
            self.count("knocks")

    def ask(self, host: str, method: str, path: str, body: bytes, **fields: str) -> http.client.HTTPResponse:
        door = http.client.HTTPConnection(self.bare(host), self.house.port, timeout=30)
        try:
            door.request(method, path, body, fields)
            answer = door.getresponse()
            answer.read()
            return answer
        finally:
            door.close()

    def read(self, name: str) -> None:
        channel = {"channel_id": GROUP, "channel_type": 2}
        for path, more in (("/v1/message/channel/sync", {"limit": 100, "pull_mode": 0, "start_message_seq": 0}),
                           ("/v1/message/search", {"keyword": "tea"}), ("/v1/conversation/sync", {"msg_count": 10})):
            answer = self.ask(self.host(), "POST", path, json.dumps({**channel, **more}).encode(),
                              token=self.people[name])
            if answer.status != 200:
                raise SystemExit(f"{path} was answered with {answer.status}")
            self.count("pages")

    def upload(self, name: str) -> None:
        """A tus upload whose first request breaks off, gone on with by the next."""
        host, token, size = self.host(), self.people[name], 60_000
        # The header is made by hand: http.client cannot break off.
        answer = self.ask(host, "POST", "/api/v1/files", b"", token=token, **{
            "Tus-Resumable": "1.0.0", "Upload-Length": str(size),
            "Upload-Metadata": "filename " + base64.b64encode(b"tea.bin").decode()})
        if answer.status != 201:
            raise SystemExit(f"an upload was answered with {answer.status}")
        place = answer.headers["Location"]
        content = os.urandom(size)
        with socket.create_connection((self.bare(host), self.house.port), timeout=30) as door:
            door.sendall((f"PATCH {place} HTTP/1.1\r\nHost: {host}\r\ntoken: {token}\r\nTus-Resumable: 1.0.0\r\n"
                          f"Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\n"
                          f"Content-Length: {size}\r\n\r\n").encode() + content[:size // 2])
        for _ in range(200):
            fields = {"Tus-Resumable": "1.0.0", "token": token}
            at = int(self.ask(host, "HEAD", place, b"", **fields).headers["Upload-Offset"])
            answer = self.ask(host, "PATCH", place, content[at:], **fields, **{
                "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(at)})
            if answer.status == 204:
                return self.count("uploads")
            if answer.status not in (409, 423):
                raise SystemExit(f"going on with an upload was answered with {answer.status}")
            time.sleep(0.05)
        raise SystemExit("an upload could not be gone on with")

    async def work(self, name: str) -> None:
        while self.goes_on:
            await asyncio.to_thread(self.read, name)
            # Files stay for a day: an hour of them has to have room.
            if self.random.random() < 0.3:
                await asyncio.to_thread(self.upload, name)
            await asyncio.sleep(self.random.random() / 2)

    async def watch(self, notes: list[tuple[float, int, int]]) -> None:
        assert self.house.process is not None
        status, descriptors = (Path(f"/proc/{self.house.process.pid}") / part for part in ("status", "fd"))
        while self.goes_on:
            memory = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
            notes.append((time.monotonic(), int(memory.split()[1]), len(list(descriptors.iterdir()))))
            await asyncio.sleep(0.5)

    async def run(self) -> list[tuple[float, int, int]]:
        notes: list[tuple[float, int, int]] = []
        names = list(self.people)
        async with asyncio.TaskGroup() as tasks:
            for name in names[:12]:
                tasks.create_task(self.visit(name))
            for name in names[12:]:
                tasks.create_task(self.work(name))
            for _ in range(4):
                tasks.create_task(self.knock())
            tasks.create_task(self.watch(notes))
        return notes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=float, default=3_600)
    options = parser.parse_args()
    house = House(options.binary, config=LIMITS)
    house.host = "[::1]"
    hosts = ["[::1]"]
    house.start()
    people = house.add_users(f"guest{number}" for number in range(16))
    house.add_group(GROUP, people)
    soak = Soak(house, hosts, people, options.seconds)
    notes = asyncio.run(soak.run())
    code = house.stop()
    third, sixth = len(notes) // 3, max(1, len(notes) // 6)
    early, late = notes[third:third + sixth], notes[-sixth:]
    memory = [int(statistics.median(note[1] for note in part)) for part in (early, late)]
    descriptors = [int(statistics.median(note[2] for note in part)) for part in (early, late)]
    print(f"{options.seconds:.0f} s: " + ", ".join(f"{count} {what}" for what, count in sorted(soak.done.items())))
    print(f"resident memory {memory[0]} -> {memory[1]} KiB, descriptors {descriptors[0]} -> {descriptors[1]}")
    is_flat = memory[1] <= memory[0] * 1.1 + 8_192 and descriptors[1] <= descriptors[0] + 8
    if not is_flat:
        step = max(1, len(notes) // 40)
        for moment, kibibytes, open_files in notes[::step]:
            print(f"  {moment - notes[0][0]:8.0f} s {kibibytes:9} KiB {open_files:5} descriptors")
    if code != 0:
        print(f"the server ended with {code}:\n{house.log_tail()}")
    damage = house.verify()
    if damage:
        print(damage)
    return 0 if is_flat and code == 0 and not damage else 1


if __name__ == "__main__":
    sys.exit(main())
