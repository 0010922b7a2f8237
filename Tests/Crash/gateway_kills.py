"""Kills the server again and again while every gateway is at work, and asks afterwards whether it kept every promise.

Messages through WuKongIM's binary protocol, its HTTP API, LeanCloud's realtime protocol and its REST API, and the native
API; edits, recalls and members that come and go, through WuKongIM's apps' API, LeanCloud's patches and the native API, whose
feed of events a client follows from cursor to cursor. Whoever owns a thing changes it alone and
tries again until the server says yes, so that in the end the state of each is known exactly: the last thing that was
acknowledged. A message that may be recognised when it is sent again is there once; one that may not, at most once for each
try, and once for each acknowledgement. (`kill_loop.py` has the JSON encoding, `file_kills.py` the files.)
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import sqlite3
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from websockets.exceptions import WebSocketException  # noqa: E402

from binary_wire import BinarySession  # noqa: E402
from house import CONFIGURATION, GROUP, PATIENCE, Closed, House, HouseError  # noqa: E402
from leancloud_dialects import App, Client, JavaScript, Lost, Refused, Swift, complaints, text  # noqa: E402
from loop import run_loop  # noqa: E402

APP_ID = "teahouse-test-app-gzGzoHsz"
SETTINGS = CONFIGURATION + f"""
[messages]
edit_seconds_direct = -1
edit_seconds_group = -1
recall_seconds_direct = -1
recall_seconds_group = -1
[leancloud]
app_id = "{APP_ID}"
requests_per_minute = 1000000
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
"""
#: What a client sees when the server is gone.
GONE = (Closed, Lost, OSError, TimeoutError, urllib.error.URLError, HouseError, WebSocketException)


@dataclass
class Town:
    """What was promised, by whom, and what the server has to answer in the end."""
    house: House
    tokens: dict[str, str]
    manager: str
    app: App
    #: Texts that were acknowledged, and all that were tried, by how often.
    acknowledged: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    #: Texts of messages that are recognised when they are sent again.
    recognised: set[str] = field(default_factory=set)
    #: Texts of messages that were recalled: their bodies are gone.
    recalled: set[str] = field(default_factory=set)
    #: Message id to the text of its last acknowledged edit; `None` for recalled.
    changed: dict[str, str | None] = field(default_factory=dict)
    #: The same by the ids of the native API, with the text also of a message that was never edited.
    native: dict[str, str | None] = field(default_factory=dict)
    #: Group to the members it has to have.
    members: dict[str, set[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    #: Who followed the feed of the native API.
    follower: Any = None
    complaints: list[str] = field(default_factory=list)
    is_closing: bool = False

    def complain(self, what: str) -> None:
        self.complaints.append(what)

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """The JSON of one request. Raises what is in `GONE` when nobody is there, `HTTPError` for a refusal."""
        request = urllib.request.Request(
            f"http://{self.house.host}:{self.house.port}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                raw = response.read()
        except urllib.error.HTTPError as error:
            if error.code in (503, 507):  # busy or stopping: nothing was done
                raise TimeoutError(f"{error.code}") from None
            raise HouseRefusal(f"{method} {path}: {error.code} {error.read()[:300]!r}") from None
        except (json.JSONDecodeError, ConnectionError) as error:
            raise OSError(str(error)) from None
        if not raw:
            return None
        try:
            return json.loads(raw)
        except ValueError as error:
            raise OSError(f"cut off: {error}") from None  # the kill fell into the answer

    async def request(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        return await asyncio.to_thread(self.ask, method, path, body, headers)


class HouseRefusal(Exception):
    """The server said no where it has no reason to."""


class Worker:
    """One promise-giver: does its thing until the town is closing, again and again through every kill."""

    def __init__(self, name: str, town: Town, seed: int) -> None:
        self.name, self.town, self.dice, self.number = name, town, random.Random(seed), 0

    async def live(self) -> None:
        while not self.town.is_closing:
            try:
                await self.step()
            except (Refused, HouseRefusal) as refusal:
                # Whatever it names was acknowledged before.
                self.town.complain(f"{type(self).__name__} is refused: {refusal}")
            await asyncio.sleep(self.dice.random() * 0.02)
        await self.finish()

    async def step(self) -> None:
        raise NotImplementedError

    async def finish(self) -> None:
        """After the last step, with a server that stays."""

    def next_text(self) -> str:
        self.number += 1
        return f"{self.name}-{self.number} 你好"

    async def until_done(self, attempt: Callable[[], Awaitable[Any]]) -> Any:
        """The answer of an attempt that is repeated until the server gave one."""
        while True:
            try:
                return await attempt()
            except GONE:
                self.town.counts["lost answers"] += 1
                await asyncio.sleep(0.02 + self.dice.random() * 0.08)

    async def until_recalled(self, attempt: Callable[[], Awaitable[Any]], done_before: str) -> None:
        """A recall whose answer was lost may be refused the second time, because it is done."""
        lost = self.town.counts["lost answers"]
        try:
            await self.until_done(attempt)
        except (HouseRefusal, Refused) as refusal:
            if self.town.counts["lost answers"] == lost or done_before not in str(refusal):
                raise

    def headers(self) -> dict[str, str]:
        return {"token": self.town.tokens[self.name]}

    async def send_over_http(self, words: str, group: str) -> tuple[str, int]:
        """Id and sequence of a message in this person's name, sent by the business server's call until it is taken."""
        body = {"header": {"red_dot": 1}, "from_uid": self.name, "channel_id": group, "channel_type": GROUP,
                "client_msg_no": words.split()[0],
                "payload": base64.b64encode(json.dumps({"type": 1, "content": words}).encode()).decode()}

        async def attempt() -> Any:
            self.town.tried[words] += 1
            return await self.town.request("POST", "/message/send", body, {"token": self.town.manager})
        answer = (await self.until_done(attempt))["data"]
        self.town.recognised.add(words)
        self.town.acknowledged[words] += 1
        return str(answer["message_id"]), int(answer.get("message_seq") or 0)


class HTTPSender(Worker):
    async def step(self) -> None:
        await self.send_over_http(self.next_text(), "everybody")
        self.town.counts["messages over HTTP"] += 1


class BinarySender(Worker):
    session: BinarySession | None = None

    async def step(self) -> None:
        words = self.next_text()
        payload = json.dumps({"type": 1, "content": words}).encode()

        async def attempt() -> Any:
            if self.session is None:
                self.session = await BinarySession.open(
                    self.town.house.url, self.name, self.town.tokens[self.name], 5, tcp=self.dice.random() < 0.5)
            self.town.tried[words] += 1
            try:
                async with asyncio.timeout(PATIENCE):
                    return await self.session.send("everybody", GROUP, payload, words.split()[0])
            except GONE:
                session, self.session = self.session, None
                for answer in session._answers.values():
                    answer.cancel()  # nobody waits for these any more
                await session.close()
                raise
        answer = await self.until_done(attempt)
        if answer.reason != 1:
            self.town.complain(f"{words} is answered with {answer}")
            return
        self.town.recognised.add(words)
        self.town.acknowledged[words] += 1
        self.town.counts["binary messages"] += 1

    async def finish(self) -> None:
        if self.session:
            await self.session.close()


class LeanCloudSpeaker(Worker):
    """Sends over the realtime protocol, edits some, recalls some; a message whose answer was lost is not said again."""
    client: Any = None
    cid: str | None = None
    SDK: type[Client] = JavaScript

    async def opened(self) -> Any:
        if self.client is None:
            self.client = await self.SDK.open(self.town.app, self.name)
        if self.cid is None:
            self.cid = (await self.client.start(f"{self.name}-friend")).cid
        return self.client

    def drop(self) -> None:
        if self.client is not None:
            self.client.abort()
            self.client = None

    async def once(self, action: Callable[[Any], Awaitable[Any]]) -> Any:
        """One attempt with a client that is signed in; a lost connection is dropped."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await action(await self.opened())
        except GONE:
            self.drop()
            raise

    async def step(self) -> None:
        words = self.next_text()

        async def say(client: Any) -> Any:
            self.town.tried[words] += 1
            return await client.send(self.cid, text(words))
        try:
            ack = await self.once(say)
        except GONE:
            self.town.counts["lost answers"] += 1
            await asyncio.sleep(0.02 + self.dice.random() * 0.08)
            return
        self.town.acknowledged[words] += 1
        self.town.counts["LeanCloud messages"] += 1
        chance = self.dice.random()
        if chance < 0.2:
            edited = f"{words} edited"
            await self.until_done(lambda: self.once(lambda c: c.edit(self.cid, ack.uid, ack.t, text(edited))))
            self.town.changed[f"lc {self.cid} {ack.uid}"] = edited
            self.town.counts["LeanCloud edits"] += 1
        elif chance < 0.3:
            await self.until_recalled(lambda: self.once(lambda c: c.recall(self.cid, ack.uid, ack.t)), "4404")
            self.town.changed[f"lc {self.cid} {ack.uid}"] = None
            self.town.recalled.add(words)
            self.town.counts["LeanCloud recalls"] += 1

    async def finish(self) -> None:
        """Its history has to show what was acknowledged last."""
        async def page(client: Any) -> Any:
            found, before = {}, {}
            while True:
                rows = await client.logs(self.cid, 1000, **before)
                found |= {row.msgId: row.data for row in rows}
                if len(rows) < 1000:
                    return found
                before = {"t": rows[0].timestamp, "mid": rows[0].msgId}
        rows = await self.until_done(lambda: self.once(page))
        for key, wanted in self.town.changed.items():
            wire, _, place = key.partition(" ")
            cid, _, uid = place.partition(" ")
            if wire != "lc" or cid != self.cid:
                continue
            data = json.loads(rows.get(uid, "{}"))
            if (wanted is None) != (data.get("_lctype") == -127) or (wanted and data.get("_lctext") != wanted):
                self.town.complain(f"{key} has to be {wanted!r} and is {rows.get(uid)!r}")


class SwiftSpeaker(LeanCloudSpeaker):
    SDK = Swift


class RESTSender(Worker):
    """An app's own server: its call knows no number of the sender's, so a lost answer is not repeated."""
    conversation: str | None = None

    async def step(self) -> None:
        master = {"X-LC-Id": self.town.app.id, "X-LC-Key": f"{self.town.app.master_key},master"}
        if self.conversation is None:
            made = await self.until_done(lambda: self.town.request(
                "POST", "/1.2/rtm/conversations", {"name": self.name, "m": [self.name]}, master))
            self.conversation = made["objectId"]
        words = self.next_text()
        self.town.tried[words] += 1
        try:
            await self.town.request("POST", f"/1.2/rtm/conversations/{self.conversation}/messages",
                                    {"from_client": self.name, "message": text(words)}, master)
        except GONE:
            self.town.counts["lost answers"] += 1
            return
        self.town.acknowledged[words] += 1
        self.town.counts["messages over REST"] += 1


class Editor(Worker):
    """Sends a message and changes it, again and again; recalls some."""

    async def step(self) -> None:
        words = self.next_text()
        id, sequence = await self.send_over_http(words, "everybody")
        place = {"message_id": id, "message_seq": sequence, "channel_id": "everybody", "channel_type": GROUP}
        for number in range(self.dice.randint(1, 4)):
            edited = f"{words} edit {number}"
            body = {**place, "content_edit": json.dumps({"type": 1, "content": edited})}
            await self.until_done(lambda: self.town.request("POST", "/v1/message/edit", body, self.headers()))
            self.town.changed[id] = edited
            self.town.counts["edits"] += 1
        if self.dice.random() < 0.3:
            path = f"/v1/message/revoke?channel_id=everybody&channel_type={GROUP}&message_id={id}"
            await self.until_recalled(lambda: self.town.request("POST", path, None, self.headers()), "was recalled")
            self.town.changed[id] = None
            self.town.recalled.add(words)
            self.town.counts["recalls"] += 1


class NativeSpeaker(Worker):
    """Sends through the native API, edits some, recalls some: each request is repeated until it is answered."""
    conversation: str | None = None

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.town.tokens[self.name]}"}

    async def api(self, method: str, path: str, body: Any = None) -> Any:
        return await self.until_done(lambda: self.town.request(method, f"/api/v1{path}", body, self.bearer()))

    async def place(self) -> str:
        if self.conversation is None:
            listed = (await self.api("GET", "/conversations?limit=100"))["items"]
            self.conversation = next(entry["id"] for entry in listed if entry["title"] == "everybody")
        return self.conversation

    async def step(self) -> None:
        place, words = await self.place(), self.next_text()

        async def attempt() -> Any:
            self.town.tried[words] += 1
            return await self.town.request("POST", f"/api/v1/conversations/{place}/messages", {
                "clientToken": words.split()[0], "kind": "text", "text": words}, self.bearer())
        id = (await self.until_done(attempt))["id"]
        self.town.recognised.add(words)
        self.town.acknowledged[words] += 1
        self.town.native[id] = words
        self.town.counts["native messages"] += 1
        for number in range(self.dice.randint(0, 2)):
            await self.api("PATCH", f"/messages/{id}", {"text": f"{words} edit {number}"})
            self.town.native[id] = f"{words} edit {number}"
            self.town.counts["native edits"] += 1
        if self.dice.random() < 0.3:
            self.town.recalled.add(words)
            await self.api("POST", f"/messages/{id}/recall")
            self.town.native[id] = None
            self.town.counts["native recalls"] += 1


class NativeFollower(NativeSpeaker):
    """Knows what the feed of events has told it, whatever the kills cut off, and loads again what a gap says."""

    def __init__(self, name: str, town: Town, seed: int) -> None:
        super().__init__(name, town, seed)
        self.cursor: str | None = None
        self.known: dict[str, str | None] = {}

    def take(self, message: Any) -> None:
        self.known[message["id"]] = None if message["kind"] == "recalled" else message.get("text")

    async def load(self) -> None:
        """The whole history, newest page first. The cursor is from before it, so that nothing falls between."""
        self.cursor = (await self.api("GET", "/events?wait=0"))["cursor"]
        place, query = await self.place(), "limit=100"
        while True:
            page = await self.api("GET", f"/conversations/{place}/messages?{query}")
            for message in page["items"]:
                self.take(message)
            if not page["hasBefore"]:
                break
            query = f"limit=100&before={page['first']}"
        self.town.counts["native loads"] += 1

    async def step(self) -> None:
        if self.cursor is None:
            return await self.load()
        answer = await self.api("GET", f"/events?wait=1&after={self.cursor}")
        self.cursor = answer["cursor"]
        for event in answer["items"]:
            if event["type"] in ("message", "message_changed"):
                self.take(event["message"])
            elif event["type"] == "gap":
                self.cursor = None
        self.town.counts["native events"] += len(answer["items"])

    async def finish(self) -> None:
        self.town.follower = self


class Gatekeeper(Worker):
    """Brings people into a group of its own and sends them away."""

    def __init__(self, name: str, town: Town, seed: int) -> None:
        super().__init__(name, town, seed)
        self.group = f"gate-{name}"

    async def step(self) -> None:
        held = self.town.members.setdefault(self.group, {self.name})
        others = sorted(set(self.town.tokens) - {self.name})
        person = self.dice.choice(others)
        path = "/channel/subscriber_remove" if person in held else "/channel/subscriber_add"
        body = {"channel_id": self.group, "channel_type": GROUP, "subscribers": [person]}
        await self.until_done(lambda: self.town.request("POST", path, body, {"token": self.town.manager}))
        held ^= {person}
        self.town.counts["members moved"] += 1


def judge(town: Town, folder: Path) -> None:
    """Compares what was promised with what another SQLite reads in the folder of a server that has stopped."""
    database = sqlite3.connect(f"file:{folder / 'teahouse.db'}?mode=ro", uri=True)
    stored: Counter[str] = Counter()
    for (token, body) in database.execute("SELECT client_token, body FROM message"):
        for key in ("content", "_lctext"):
            try:
                words = json.loads(body).get(key)
            except (ValueError, AttributeError):
                continue
            if isinstance(words, str):
                # An edit may stand in the row itself; a message is known by its first two words.
                stored[" ".join(words.split()[:2])] += 1
    names = {row[0] for row in database.execute("SELECT name FROM user")}
    database.close()
    lost = [words for words, count in town.acknowledged.items()
            if stored[words] < count and words not in town.recalled]
    if lost:
        town.complain(f"{len(lost)} acknowledged messages are not there, such as {lost[0]!r}")
    for words, count in stored.items():
        if words in town.recognised and count > 1:
            town.complain(f"{words!r} is there {count} times")
        elif words in town.tried and count > town.tried[words]:
            town.complain(f"{words!r} was tried {town.tried[words]} times and is there {count} times")
    if not set(town.tokens) <= names:
        town.complain(f"people are gone: {set(town.tokens) - names}")


async def judge_over_http(town: Town, witness: str) -> None:
    """What an app is told in the end: edits and recalls of the group, and who is in which group."""
    shown: dict[str, Any] = {}
    version = 0
    while True:
        extras = await town.request("POST", "/v1/message/extra/sync", {
            "channel_id": "everybody", "channel_type": GROUP, "extra_version": version, "limit": 100,
            "source": witness}, {"token": town.tokens[witness]})
        if not extras:
            break
        for extra in extras:
            shown[str(extra["message_id_str"])] = extra
        version = max(extra["extra_version"] for extra in extras)
    for id, wanted in town.changed.items():
        if id.startswith("lc "):
            continue
        extra = shown.get(id, {})
        if wanted is None and extra.get("revoke") != 1:
            town.complain(f"message {id} was recalled and is {extra}")
        elif wanted is not None and (extra.get("content_edit") or {}).get("content") != wanted:
            town.complain(f"message {id} has to say {wanted!r} and is {extra}")
    if town.follower:
        while True:
            cursor = town.follower.cursor
            await town.follower.step()
            if town.follower.cursor == cursor is not None:
                break
        for id, wanted in town.native.items():
            message = await town.follower.api("GET", f"/messages/{id}")
            said = None if message["kind"] == "recalled" else message.get("text")
            if said != wanted:
                town.complain(f"message {id} of the native API has to say {wanted!r} and says {said!r}")
            if town.follower.known.get(id, "nothing of it") != wanted:
                town.complain(f"the feed told {town.follower.known.get(id, 'nothing')!r} of {id}, which is {wanted!r}")
    for group, wanted in town.members.items():
        shown_group = json.loads(town.house.ctl("conversation", "show", group, "--json"))
        held = {member["name"] for member in shown_group["members"]}
        if held != wanted:
            town.complain(f"{group} has {sorted(held)}, not {sorted(wanted)}")


KINDS: list[type[Worker]] = [HTTPSender, BinarySender, BinarySender, LeanCloudSpeaker, SwiftSpeaker,
                             RESTSender, Editor, Editor, Gatekeeper, Gatekeeper, NativeSpeaker, NativeSpeaker,
                             NativeFollower]


async def run(arguments: argparse.Namespace) -> int:
    dice = random.Random(arguments.seed)
    house = House(arguments.binary, config=SETTINGS, server=arguments.server.split() if arguments.server else None)
    house.start()
    names = [f"worker{number:02}" for number in range(len(KINDS))]
    tokens = house.add_users(names)
    house.add_group("everybody", names)
    house.ctl("app", "policy", "--sign-in", "open", "--conversations", "off", "--history", "off")
    keys = json.loads(house.ctl("app", "keys", "--json"))
    town = Town(house, tokens, house.ctl("wukong", "token").split()[-1], App(house.url, keys["appId"], keys["masterKey"]))
    workers = [kind(name, town, dice.randrange(1 << 32)) for kind, name in zip(KINDS, names)]
    for worker in workers:
        if isinstance(worker, Gatekeeper):
            house.add_group(worker.group, [worker.name])
    living = [asyncio.create_task(worker.live()) for worker in workers]
    starts: list[float] = []
    for _ in range(arguments.kills):
        await asyncio.sleep(dice.random() * 2 * arguments.seconds / arguments.kills)  # the moment is what varies
        house.kill()
        starts.append(await house.start_async())
        for worker, task in zip(workers, living):
            if task.done() and task.exception():
                raise HouseError(f"{type(worker).__name__} failed: {task.exception()!r}")
    town.is_closing = True
    async with asyncio.timeout(8 * PATIENCE):
        await asyncio.gather(*living)
    await judge_over_http(town, names[0])
    await Client.close_all()
    house.stop()
    judge(town, house.data)
    complaint = house.verify()
    if complaint:
        town.complain(f"teahouse verify: {complaint}")
    for line in complaints[:3]:
        town.complain(f"an SDK complains: {line}")
    print(f"gateway kills: {len(starts)} kills, ready again after {max(starts, default=0) * 1000:.0f} ms at most; "
          + ", ".join(f"{name} {count}" for name, count in sorted(town.counts.items())))
    for example in town.complaints[:10]:
        print(f"gateway kills: {example}")
    kinds = ("messages over HTTP", "binary messages", "LeanCloud messages", "LeanCloud edits", "messages over REST",
             "edits", "members moved", "native messages", "native edits", "native recalls", "native events")
    idle = [kind for kind in kinds if not town.counts[kind]]
    if arguments.expect_red:
        print(f"gateway kills: {'red, as it must be' if town.complaints else 'NOT RED: the proof cannot see this fault'}")
        return 0 if town.complaints else 1
    if idle:
        print(f"gateway kills: nothing was done of: {', '.join(idle)}")
    clean = not town.complaints and not idle
    print(f"gateway kills: {'every promise was kept' if clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    return 0 if clean else 1


if __name__ == "__main__":
    run_loop("gateway kills", run, __doc__, seconds=20, red="a promise is broken")
