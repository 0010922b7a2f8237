"""How long a sign-in and a page of history take while members of a group do the worst that is allowed at every read route.

    reads.py --binary .build/release/teahouse [--members 20] [--messages 10000] [--samples 300] [--within 50]
             [--only http,feed,leancloud,rest]

Starts a server of its own with the limits as installed, fills a group and many small ones, measures others' sign-ins
(TCP, WuKongIM's JSON encoding, a token) and pages of history (20 messages, over HTTP) on the idle server, then again while
`--members` people ask for as much as a request may: on four HTTP connections each for searches, the longest pages, lists of
conversations, changes, profiles, every reading request that the description of the native API names, and its feed as a
long-poll from far behind; on one WebSocket for the feed from far behind, again and again; on one connection each of
LeanCloud's protocol and its REST API for queries with a regular expression. Prints milliseconds, and ends with 1 when the
99th percentile of sign-ins is more than `--within` above that of the idle server, and when a request was refused for
another reason than that there are too many: one that is not answered measures nothing.

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
import urllib.parse
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

def routes(name: str, order: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """What one member asks for, each as much as the route gives."""
    channel = {"channel_id": GROUP, "channel_type": 2}
    channels = [{"channel_id": group, "channel_type": 2} for group in order["groups"]]
    return [
        ("POST", "/v1/message/search", {**channel, "keyword": "no such word"}),
        ("POST", "/v1/search/global", {"keyword": "tea", "limit": 100}),
        ("POST", "/v1/search/global", {"keyword": "no such word", "limit": 100}),
        ("GET", "/v1/user/search?keyword=reader1", None),
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
        ("GET", f"/v1/groups/{GROUP}/membersync?version=0&limit=1000", None),
        ("GET", "/v1/group/my", None),
        ("GET", "/v1/friend/sync?version=0&limit=1000", None),
        ("GET", "/v1/user/online", None),
        ("POST", "/v1/message/reminder/sync", {"version": 0, "limit": 1_000}),
        ("POST", "/v1/reaction/sync", {**channel, "seq": 0, "limit": 1_000}),
        ("POST", "/v1/message/pinned/sync", {**channel, "version": 0, "limit": 1_000}),
        ("POST", "/v1/conversation/extra/sync", {"version": 0}),
        ("POST", "/conversation/channels", {"uid": name}),
        ("POST", "/conversation/syncByChannels", {"uid": name, "msg_count": 200, "channels": channels}),
        ("POST", "/conversation/syncMessages", {"uid": name, "msg_count": 200, "channels": channels}),
        *(("GET", path, None) for path in order["native"]),
    ]


#: What stands in the query of a native request where the description has a field of this name.
WORST = {"limit": ["100"], "query": ["", "no such name"], "q": ["tea", "no such word"],
         "sections": ["people,teams,friends,lists"]}
#: Refused to members.
ADMINISTRATORS = {"/invitations"}
#: One field of these at a time.
PLACES = {"before": ["9000000"], "after": ["1"], "around": ["5000"]}


def native_routes(description: dict[str, Any], values: dict[str, str], feed: str) -> tuple[list[str], list[str]]:
    """The paths of all reading requests of the native API, each with as much as its fields allow, and those whose places
    cannot be filled."""
    paths, left = [f"/api/v1/events?wait=0&after={feed}", f"/api/v1/avatars/{values['person']}"], []
    for pattern, methods in description["paths"].items():
        if "get" not in methods:
            continue
        fields = methods["get"].get("parameters", [])
        if pattern in ADMINISTRATORS or any(field["in"] == "path" and field["name"] not in values for field in fields):
            left.append(pattern)
            continue
        path = "/api/v1" + pattern
        for field in fields:
            path = path.replace("{%s}" % field["name"], values[field["name"]]) if field["in"] == "path" else path
        names = [field["name"] for field in fields if field["in"] == "query"]
        needed = {field["name"] for field in fields if field.get("required")}
        variants = [[]]
        for name in names:
            if name in WORST:
                worst = [value or "a" if name in needed else value for value in WORST[name]]
                variants = [[*variant, (name, value)] for variant in variants for value in worst]
        places = [[*variant, (name, value)] for variant in variants for name in names for value in PLACES.get(name, [])]
        for variant in places or variants:
            query = urllib.parse.urlencode([(name, value) for name, value in variant if value])
            paths.append(path + ("?" + query if query else ""))
    return paths, left


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str, route: tuple[str, str, Any]
              ) -> tuple[int, int]:
    method, path, body = route
    content = b"" if body is None else json.dumps(body).encode()
    credential = f"Authorization: Bearer {token}" if path.startswith("/api/") else f"token: {token}"
    writer.write((f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{credential}\r\n"
                  f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n").encode() + content)
    return await answer_of(reader)


async def answer_of(reader: asyncio.StreamReader) -> tuple[int, int]:
    """Status and length of the next answer, whose body is thrown away."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    length = left = int(fields.get("content-length", 0))
    while left > 0:
        left -= len(await reader.read(min(left, 1 << 18)))
    return int(head[0].split()[1]), length


async def by_http(
    port: int, asked: list[tuple[str, str, Any]], token: str, first: int, seen: collections.Counter
) -> None:
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            for number in range(first, 1 << 30):
                route = asked[number % len(asked)]
                status, length = await ask(reader, writer, token, route)
                seen[f"{route[0]} {route[1].split('?')[0]} {status}"] += 1
                seen["bytes"] += length
                if status in (429, 503):
                    await asyncio.sleep(0.05)
        except (OSError, asyncio.IncompleteReadError, ValueError):
            seen["connections lost"] += 1
            await asyncio.sleep(0.1)


async def by_feed(port: int, token: str, cursor: str, seen: collections.Counter) -> None:
    """Comes back to the feed from far behind, is told what was missed and asks after many people, again and again."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    watched = json.dumps({"watch": [f"crowd{number}" for number in range(500)]})
    while True:
        try:
            async with connect(f"ws://127.0.0.1:{port}/api/v1/events", subprotocols=["teahouse.v2"], max_size=None,
                               compression=None, ping_interval=None, proxy=None) as door:
                await door.send(json.dumps({"token": token, "after": cursor}))
                await door.recv()
                for _ in range(20):
                    await door.send(watched)
                try:
                    while True:
                        frame = await asyncio.wait_for(door.recv(), 1)
                        seen["bytes"] += len(frame)
                        seen["feed frames"] += 1
                except TimeoutError:
                    seen["feed caught up"] += 1
        except (OSError, ConnectionClosed):
            seen["feed lost"] += 1
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


async def by_rest(port: int, app: str, key: str, token: str, seen: collections.Counter) -> None:
    """Asks LeanCloud's REST API for people by an expression that fits nobody."""
    where = urllib.parse.quote(json.dumps({"username": {"$regex": "(c+r*)+z+(a|b|c)*!"}}))
    head = (f"GET /1.1/users?limit=1000&count=1&where={where} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-LC-Id: {app}\r\n"
            f"X-LC-Key: {key}\r\nX-LC-Session: {token}\r\n\r\n").encode()
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            while True:
                writer.write(head)
                status, length = await answer_of(reader)
                seen[f"GET /1.1/users {status}"] += 1
                seen["bytes"] += length
                if status in (429, 503):
                    await asyncio.sleep(0.05)
        except (OSError, asyncio.IncompleteReadError, ValueError):
            seen["connections lost"] += 1
            await asyncio.sleep(0.1)


def failed(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception():
        print(f"a member failed: {task.exception()!r}", file=sys.stderr)


async def load(order: dict[str, Any]) -> None:
    seen: collections.Counter = collections.Counter()
    port = order["port"]
    tasks = []
    for name, token in order["members"].items():
        asked = routes(name, order)
        first = [number * len(asked) // 4 for number in range(4)]
        ways = {"http": [by_http(port, asked, token, number, seen) for number in first],
                "leancloud": [by_leancloud(port, order["app"], name, seen)],
                "rest": [by_rest(port, order["app"], order["key"], token, seen)],
                "feed": [by_feed(port, token, order["cursor"], seen)]}
        for way, asking in ways.items():
            for coroutine in asking:
                if way in order["ways"]:
                    tasks.append(asyncio.create_task(coroutine))
                else:
                    coroutine.close()
    for task in tasks:
        task.add_done_callback(failed)
    print("begun", flush=True)
    await asyncio.to_thread(sys.stdin.read)
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

def ask_native(house: House, token: str, path: str) -> Any:
    door = http.client.HTTPConnection("127.0.0.1", house.port, timeout=60)
    door.request("GET", f"/api/v1{path}", headers={"Authorization": f"Bearer {token}"})
    answer = door.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path} was answered with {answer.status}: {content!r}")
    return json.loads(content)


def fill(house: House, group: str, messages: int, text: str, manager: str) -> None:
    door = http.client.HTTPConnection("127.0.0.1", house.port, timeout=60)
    for number in range(messages):
        payload = base64.b64encode(json.dumps({"type": 1, "content": f"{number} {text}"}).encode()).decode()
        door.request("POST", "/message/send", json.dumps({
            "from_uid": f"reader{number % 20}", "channel_id": group, "channel_type": 2, "payload": payload}),
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
    parser.add_argument("--groups", type=int, default=40, help="small groups, of 90 messages each")
    parser.add_argument("--people", type=int, default=5_000, help="people who only stand in lists")
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--within", type=float, default=50)
    parser.add_argument("--only", default="http,feed,leancloud,rest", help="ways to ask, to find the worst")
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
    crowd = [f"crowd{number}" for number in range(options.people)]
    house.add_users(crowd)
    house.ctl("group", "create", GROUP, "--title", GROUP, "--members", ",".join([*tokens, *crowd[:400]]))
    groups = [f"corner{number}" for number in range(options.groups)]
    for group in groups:
        house.ctl("group", "create", group, "--title", group, "--members", ",".join(names))
    manager = house.ctl("wukong", "token").split()[-1]
    keys = json.loads(house.ctl("app", "keys", "--json"))
    fill(house, GROUP, options.messages, "tea " * 280, manager)
    # From here on the feed is behind: by less than would make it a gap.
    cursor = ask_native(house, tokens[names[0]], "/events?wait=0")["cursor"]
    for group in groups:
        fill(house, group, 90, "tea in the corner", manager)
    guests = {name: token for name, token in tokens.items() if name.startswith("guest")}
    measure(house.port, guests, 40)  # who has signed in once is found by the token alone
    idle = measure(house.port, guests, options.samples)
    listed = ask_native(house, tokens[names[0]], "/conversations?limit=100")["items"]
    place = next(entry for entry in listed if entry["title"] == GROUP)
    native, left = native_routes(ask_native(house, tokens[names[0]], "/openapi.json"), {
        "conversation": place["id"], "message": f"{place['id']}-{place['headSequence']}", "person": names[1]}, cursor)
    order = {"port": house.port, "app": keys["appId"], "key": keys["appKey"], "groups": groups, "cursor": cursor,
             "native": native, "ways": options.only.split(","),
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
    for pattern in left:
        print(f"  not asked: {pattern}")
    house.stop()
    wrong = [what for what in seen if what[-3:] in ("400", "401", "403", "404", "405", "500", "501")]
    for what in wrong:
        print(f"refused, so that it measures nothing: {what}")
    excess = percentile(busy["sign-in"], .99) - percentile(idle["sign-in"], .99)
    print(f"sign-in p99 is {excess:.1f} ms above that of the idle server; {options.within:.0f} are allowed")
    return 0 if excess <= options.within and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
