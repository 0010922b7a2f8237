"""How long a sign-in and a page of history take while members of a group do the worst that is allowed at every read route.

    reads.py --binary .build/release/teahouse [--members 20] [--messages 10000] [--samples 300] [--within 50]

Starts a server of its own with the limits as installed, fills a group, measures others' sign-ins (TCP, WuKongIM's JSON
encoding, a token) and pages of history (20 messages, over HTTP) on the idle server, then again while `--members` people
ask, on four HTTP connections and one of LeanCloud's protocol each, for as much as a request may: searches, the longest
pages, lists of conversations, changes, profiles, queries with a regular expression. Prints milliseconds, and ends with 1
when the 99th percentile of sign-ins is more than `--within` above that of the idle server.

The load runs in a process of its own at a lower priority: in life it is on other machines.
"""
from __future__ import annotations

import argparse
import asyncio
import base64
import collections
import json
import os
import socket
import subprocess
import sys
import time
import http.client
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Foreign"))

from house import House  # noqa: E402

GROUP = "piazza"
CONFIGURATION = """
[store]
ballast_bytes = 1048576
[leancloud]
sign_in = "open"
"""


# MARK: the load, in a process of its own

def routes(name: str) -> list[tuple[str, str, Any]]:
    """What one member asks for, each as much as the route gives."""
    channel = {"channel_id": GROUP, "channel_type": 2}
    return [
        ("POST", "/v1/message/search", {**channel, "keyword": "no such word"}),
        ("POST", "/channel/messagesync", {**channel, "login_uid": name, "limit": 10_000, "pull_mode": 1,
                                          "start_message_seq": 1}),
        ("POST", "/v1/message/channel/sync", {**channel, "limit": 1_000, "pull_mode": 0, "start_message_seq": 0}),
        ("POST", "/v1/message/channel/sync", {**channel, "limit": 1_000, "pull_mode": 1, "start_message_seq": 1}),
        ("POST", "/v1/message/extra/sync", {**channel, "extra_version": 0, "limit": 1_000}),
        ("POST", "/v1/conversation/sync", {"version": 0, "last_msg_seqs": "", "msg_count": 100}),
        ("POST", "/conversation/sync", {"uid": name, "version": 0, "msg_count": 200}),
        ("POST", "/v1/message/sync", {"max_message_seq": 0, "limit": 1_000}),
        ("POST", "/messages", {**channel, "login_uid": name, "message_seqs": list(range(1, 1_001))}),
        ("POST", "/api/v1/profiles", {"ids": [f"reader{n}" for n in range(200)]}),
        ("GET", f"/v1/groups/{GROUP}/members?limit=1000", None),
    ]


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str, route: tuple[str, str, Any]
              ) -> tuple[int, int]:
    method, path, body = route
    content = b"" if body is None else json.dumps(body).encode()
    writer.write((f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\ntoken: {token}\r\n"
                  f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n").encode() + content)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    length = left = int(fields.get("content-length", 0))
    while left > 0:
        left -= len(await reader.read(min(left, 1 << 18)))
    return int(head[0].split()[1]), length


async def by_http(port: int, name: str, token: str, first: int, seen: collections.Counter) -> None:
    asked = routes(name)
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            for number in range(first, 1 << 30):
                route = asked[number % len(asked)]
                status, length = await ask(reader, writer, token, route)
                seen[f"{route[0]} {route[1].split('?')[0]} {status}"] += 1
                seen["bytes"] += length
                if status == 429:
                    await asyncio.sleep(0.05)
        except (OSError, asyncio.IncompleteReadError, ValueError):
            seen["connections lost"] += 1
            await asyncio.sleep(0.1)


async def by_leancloud(port: int, app: str, name: str, seen: collections.Counter) -> None:
    from leancloud_schema import GenericCommand, command
    from websockets.asyncio.client import connect

    async with connect(f"ws://127.0.0.1:{port}/", subprotocols=["lc.protobuf2.3"], max_size=None, compression=None,
                       ping_interval=None, proxy=None) as door:
        number = 0

        async def exchange(**fields: Any) -> Any:
            nonlocal number
            number += 1
            await door.send(command(**fields, i=number, appId=app, peerId=name).SerializeToString())
            while True:
                frame = await door.recv()
                seen["bytes"] += len(frame)
                answer = GenericCommand.FromString(frame)
                if answer.HasField("i") and answer.i == number:
                    return answer

        await exchange(cmd="session", op="open", sessionMessage={"ua": "bench"})
        where = json.dumps({"name": GROUP})
        found = await exchange(cmd="conv", op="query", convMessage={"where": {"data": where}, "limit": 10})
        cid = json.loads(found.convMessage.results.data)[0]["objectId"]
        slow = json.dumps({"name": {"$regex": "(p+i*)+z+(a|b|c)*!"}})
        while True:
            for fields in (
                {"cmd": "logs", "logsMessage": {"cid": cid, "limit": 1_000}},
                {"cmd": "conv", "op": "query", "convMessage": {"where": {"data": slow}, "limit": 1_000, "flag": 2}},
            ):
                answer = await exchange(**fields)
                kind = fields["cmd"]
                seen[f"leancloud {kind} {'refused' if answer.HasField('errorMessage') else 'answered'}"] += 1
                if answer.HasField("errorMessage"):
                    await asyncio.sleep(0.1)


async def load(order: dict[str, Any]) -> None:
    seen: collections.Counter = collections.Counter()
    tasks = []
    for name, token in order["members"].items():
        for number in range(4):
            tasks.append(asyncio.create_task(by_http(order["port"], name, token, 3 * number, seen)))
        tasks.append(asyncio.create_task(by_leancloud(order["port"], order["app"], name, seen)))
    print("begun", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        if task.done() and task.exception():
            print(f"a member failed: {task.exception()!r}", file=sys.stderr)
    print(json.dumps(seen))
    sys.stdout.flush()
    os._exit(0)


# MARK: what others notice

def sign_in(port: int, name: str, token: str) -> float:
    begun = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as door:
        door.sendall(json.dumps({"id": "1", "method": "connect", "params": {
            "uid": name, "token": token, "deviceId": "probe", "deviceFlag": 2,
            "clientTimestamp": int(time.time() * 1000)}}).encode() + b"\n")
        answer = b""
        while b"reasonCode" not in answer:
            piece = door.recv(65_536)
            if not piece:
                raise SystemExit(f"a sign-in was not answered: {answer!r}")
            answer += piece
        took = time.perf_counter() - begun
    if b'"reasonCode":1' not in answer.replace(b" ", b""):
        raise SystemExit(f"a sign-in was refused: {answer!r}")
    return took * 1_000


def page(door: http.client.HTTPConnection, token: str) -> float:
    body = json.dumps({"channel_id": GROUP, "channel_type": 2, "limit": 20, "pull_mode": 0, "start_message_seq": 0})
    begun = time.perf_counter()
    door.request("POST", "/v1/message/channel/sync", body, {"token": token, "Content-Type": "application/json"})
    answer = door.getresponse()
    answer.read()
    if answer.status != 200:
        raise SystemExit(f"a page was answered with {answer.status}")
    return (time.perf_counter() - begun) * 1_000


def measure(port: int, people: dict[str, str], samples: int) -> dict[str, list[float]]:
    doors = {name: http.client.HTTPConnection("127.0.0.1", port, timeout=30) for name in people}
    names = list(people)
    figures: dict[str, list[float]] = {"sign-in": [], "page of 20": []}
    for number in range(samples):
        name = names[number % len(names)]
        figures["sign-in"].append(sign_in(port, name, people[name]))
        figures["page of 20"].append(page(doors[name], people[name]))
        time.sleep(0.01)
    return figures


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


# MARK: the server

def fill(house: House, messages: int, manager: str) -> None:
    door = http.client.HTTPConnection("127.0.0.1", house.port, timeout=60)
    for number in range(messages):
        payload = base64.b64encode(json.dumps({"type": 1, "content": f"{number} " + "tea " * 280}).encode()).decode()
        door.request("POST", "/message/send", json.dumps({
            "from_uid": f"reader{number % 20}", "channel_id": GROUP, "channel_type": 2, "payload": payload}),
            {"token": manager, "Content-Type": "application/json"})
        answer = door.getresponse()
        if answer.status != 200:
            raise SystemExit(f"message {number} was answered with {answer.status}: {answer.read()!r}")
        answer.read()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=".build/release/teahouse")
    parser.add_argument("--members", type=int, default=20)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--within", type=float, default=50)
    parser.add_argument("--load", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        os.nice(10)
        asyncio.run(load(json.loads(options.load)))
        return 0
    house = House(options.binary, config=CONFIGURATION)
    house.start()
    names = [f"reader{number}" for number in range(max(20, options.members))]
    tokens = house.add_users([*names, *(f"guest{number}" for number in range(20))])
    house.ctl("group", "create", GROUP, "--title", GROUP, "--members", ",".join(tokens))
    manager = house.ctl("wukong", "token").split()[-1]
    keys = json.loads(house.ctl("app", "keys", "--json"))
    fill(house, options.messages, manager)
    guests = {name: token for name, token in tokens.items() if name.startswith("guest")}
    measure(house.port, guests, 40)  # who has signed in once is found by the token alone
    idle = measure(house.port, guests, options.samples)
    order = {"port": house.port, "app": keys["appId"],
             "members": {name: tokens[name] for name in names[:options.members]}}
    for name, token in order["members"].items():
        sign_in(house.port, name, token)
    child = subprocess.Popen([sys.executable, __file__, "--load", json.dumps(order)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    assert child.stdin and child.stdout and child.stdout.readline() == "begun\n"
    time.sleep(3)
    begun = time.monotonic()
    busy = measure(house.port, guests, options.samples)
    seconds = time.monotonic() - begun
    printed, _ = child.communicate("")
    seen = json.loads(printed.strip().splitlines()[-1])
    print(f"{options.members} members, {options.messages} messages of 1.2 KB, {options.samples} samples, milliseconds")
    print(f"{'':14}{'idle p50':>10}{'p99':>8}{'busy p50':>12}{'p99':>8}{'worst':>8}")
    for what in idle:
        print(f"{what:14}{percentile(idle[what], .5):10.1f}{percentile(idle[what], .99):8.1f}"
              f"{percentile(busy[what], .5):12.1f}{percentile(busy[what], .99):8.1f}{max(busy[what]):8.1f}")
    print(f"the members, in {seconds + 3:.0f} s and {seen.pop('bytes', 0) >> 20} MiB:")
    for what, count in sorted(seen.items()):
        print(f"  {count:7} {what}")
    house.stop()
    excess = percentile(busy["sign-in"], .99) - percentile(idle["sign-in"], .99)
    print(f"sign-in p99 is {excess:.1f} ms above that of the idle server; {options.within:.0f} are allowed")
    return 0 if excess <= options.within else 1


if __name__ == "__main__":
    sys.exit(main())
