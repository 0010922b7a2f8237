"""Kills the server again and again under load, and asks afterwards whether it kept every word.

Fifty people talk in pairs and groups, say things twice after a lost connection, type, come and go, while the server is
ended by SIGKILL at random moments. In the end every acknowledged message is stored once, in order; `verify` finds
nothing; and everyone has received every message addressed to them, in the order of the conversation.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import GROUP, PATIENCE, PERSON, Closed, House, HouseError, Session, payload_of  # noqa: E402
from ledger import (Conversation, Key, Promise, Row, conversation_of, judge, payload_for,  # noqa: E402
                    promise_from_delivery, stored_messages)
from loop import run_loop  # noqa: E402

#: Messages on their way per person.
WINDOW = 4


@dataclass
class Town:
    """The people, the groups, and what was promised to anyone."""
    house: House
    tokens: dict[str, str]
    groups: dict[str, list[str]]
    attempted: set[Key] = field(default_factory=set)
    promises: set[Promise] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    is_closing: bool = False

    def complain(self, text: str) -> None:
        self.counts["complaints"] += 1
        if len(self.complaints) < 10:
            self.complaints.append(text)

    def members(self, conversation: Conversation) -> list[str]:
        return self.groups[conversation[1]] if conversation[0] == "group" else list(conversation[1:])


@dataclass(frozen=True)
class Wish:
    """Something a person wants to have said: told until it is acknowledged."""
    channel: str
    kind: int
    key: Key


class Person:
    """One client: connects, talks, is cut off, comes back, and says again what nobody confirmed."""

    def __init__(self, name: str, town: Town, seed: int) -> None:
        self.name, self.town = name, town
        self.dice = random.Random(seed)
        self.channels = [group for group, members in town.groups.items() if name in members]
        self.others = [other for other in town.tokens if other != name]
        self.wishes: list[Wish] = []
        self.received: dict[int, Promise] = {}
        self.answered: dict[Key, Promise] = {}
        self.is_settled = False
        self._number = 0

    async def live(self) -> None:
        """Until the town is closing and everything is confirmed; the last connection stays open."""
        while True:
            try:
                session = await Session.open(self.town.house.url, self.name, self.town.tokens[self.name])
            except Closed:
                self.town.counts["refused connections"] += 1
                await asyncio.sleep(0.02 + self.dice.random() * 0.08)  # a client's own delay before it tries again
                continue
            self.town.counts["sessions"] += 1
            watcher = asyncio.create_task(self._listen(session))
            try:
                if await self._talk(session):
                    self.session, self.watcher = session, watcher
                    self.is_settled = True
                    return
            except Closed:
                pass
            await (session.drop() if self.dice.random() < 0.5 else session.close())
            await watcher

    async def _talk(self, session: Session) -> bool:
        """Says things until the connection ends (`Closed`), or it is time to go (false), or all is said (true)."""
        for _ in range(self.dice.randint(2, 25)):
            if self.town.is_closing and not self.wishes:
                await session.quiet()  # or the connection is one that a kill has ended already
                return True
            if not self.town.is_closing and self.dice.random() < 0.1:
                await self._type(session)
            while not self.town.is_closing and len(self.wishes) < self.dice.randint(1, WINDOW):
                self.wishes.append(self._wish())
            await self.say(session, self.wishes[:])
            await asyncio.sleep(self.dice.random() * 0.03)  # people think
        self.town.counts["goodbyes"] += 1
        return False

    def _wish(self) -> Wish:
        kind = PERSON if self.dice.random() < 0.6 or not self.channels else GROUP
        channel = self.dice.choice(self.others if kind == PERSON else self.channels)
        self._number += 1
        key = Key(conversation_of(self.name, channel, kind), self.name, f"{self.name}-{self._number}")
        self.town.attempted.add(key)
        return Wish(channel, kind, key)

    async def say(self, session: Session, wishes: list[Wish]) -> None:
        """Publishes at once; raises `Closed` when the connection ends before the last answer."""
        results = await asyncio.gather(*(self._publish(session, wish) for wish in wishes), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _publish(self, session: Session, wish: Wish) -> None:
        self.town.counts["publishes"] += 1
        answer = await session.send(wish.channel, wish.kind, payload_for(wish.key), token=wish.key.token)
        if answer.get("reasonCode") != 1:
            self.town.complain(f"{wish.key} was answered with {answer}")
            return
        promise = Promise(wish.key, answer["messageSeq"], int(answer["messageId"]))
        if self.answered.setdefault(wish.key, promise) != promise:
            self.town.complain(f"{wish.key} was answered in two ways: {self.answered[wish.key]} and {promise}")
        self.town.promises.add(promise)
        if wish in self.wishes:
            self.wishes.remove(wish)
        if self.dice.random() < 0.05:  # an acknowledgement that this client behaves as if it had not seen
            self.wishes.append(wish)

    async def _type(self, session: Session) -> None:
        answer = await session.send(self.dice.choice(self.others), PERSON, payload_of("typing"),
                                    header={"noPersist": True})
        self.town.counts["transient"] += 1
        if answer.get("reasonCode") != 1 or answer.get("messageSeq") != 0:
            self.town.complain(f"{self.name} typed and was answered with {answer}")

    async def _listen(self, session: Session) -> None:
        """Takes what arrives; within a connection a conversation only moves forward."""
        heads: dict[Conversation, int] = {}
        while True:
            try:
                await session.until(lambda: session.received or session.closed)
            except TimeoutError:
                continue
            for params in session.received:
                self._take(params, heads)
            session.received.clear()
            if session.closed:
                return

    def _take(self, params: dict[str, Any], heads: dict[Conversation, int]) -> None:
        promise = promise_from_delivery(params, self.name)
        if promise is None:
            self.town.counts["transient received"] += 1
            return
        self.town.counts["received"] += 1
        if self.received.setdefault(promise.id, promise) != promise:
            self.town.complain(f"{self.name} got two messages with one id: {self.received[promise.id]} and {promise}")
        if promise.sequence <= heads.get(promise.key.conversation, 0):
            self.town.complain(f"{self.name} got {promise} after {heads[promise.key.conversation]} on one connection")
        heads[promise.key.conversation] = promise.sequence
        self.town.promises.add(promise)


def settle(names: list[str]) -> dict[str, list[str]]:
    """Ten groups of five to ten, and one of everybody."""
    groups = {f"g{number}": [names[(number * 5 + step) % len(names)] for step in range(5 + number % 6)]
              for number in range(10)}
    return {**groups, "everybody": names}


async def storm(town: Town, people: list[Person], kills: int, seconds: float, dice: random.Random) -> list[float]:
    """The kills; the seconds each restart took."""
    living = [asyncio.create_task(person.live()) for person in people]
    starts: list[float] = []
    for kill in range(kills):
        await asyncio.sleep(dice.random() * 2 * seconds / kills)  # the moment of the kill is what varies
        town.house.kill()
        starts.append(await town.house.start_async())
        failed = [task.exception() for task in living if task.done() and not task.cancelled()]
        if failed:
            raise HouseError(f"a client failed: {failed[0]!r}")
    town.is_closing = True
    async with asyncio.timeout(4 * PATIENCE):
        await asyncio.gather(*living)
    return starts


async def close_conversations(town: Town, people: list[Person]) -> None:
    """One last word in every conversation: deliveries are in order, so who has it has all before it."""
    by_name = {person.name: person for person in people}
    last_words: dict[str, list[Wish]] = {name: [] for name in by_name}
    for conversation in {promise.key.conversation for promise in town.promises}:
        speaker = town.members(conversation)[0]
        kind = GROUP if conversation[0] == "group" else PERSON
        channel = conversation[1] if kind == GROUP else town.members(conversation)[1]
        key = Key(conversation, speaker, f"last-{'-'.join(conversation)}")
        town.attempted.add(key)
        last_words[speaker].append(Wish(channel, kind, key))
    await asyncio.gather(*(person.say(person.session, last_words[person.name]) for person in people))


def addressed_to(town: Town, promises: set[Promise]) -> dict[str, set[int]]:
    ids: dict[str, set[int]] = {name: set() for name in town.tokens}
    for promise in promises:
        for member in set(town.members(promise.key.conversation)) - {promise.key.sender}:
            ids[member].add(promise.id)
    return ids


async def wait_for_deliveries(town: Town, people: list[Person], patience: float) -> None:
    """Until everyone has what they are owed, or nothing has come for `patience` seconds."""
    last, since = -1, time.monotonic()
    while time.monotonic() - since < patience:
        owed = addressed_to(town, town.promises)
        if all(owed[person.name] <= person.received.keys() for person in people):
            return
        if town.counts["received"] != last:
            last, since = town.counts["received"], time.monotonic()
        await asyncio.sleep(0.05)


def judge_deliveries(town: Town, people: list[Person], rows: list[Row]) -> None:
    """Everyone has what is owed, and beyond it at most their own words, which other devices of theirs may have said."""
    owed = addressed_to(town, {row.promise for row in rows})
    own: dict[str, set[int]] = {name: set() for name in town.tokens}
    for row in rows:
        own[row.promise.key.sender].add(row.promise.id)
    for person in people:
        missing = owed[person.name] - person.received.keys()
        foreign = person.received.keys() - owed[person.name] - own[person.name]
        if missing:
            first = next(row.promise for row in rows if row.promise.id in missing)
            town.complain(f"{person.name} never got {len(missing)} messages, such as {first}")
        if foreign:
            town.complain(f"{person.name} got {len(foreign)} messages that are not stored for them, such as "
                          f"{person.received[next(iter(foreign))]}")


async def run(arguments: argparse.Namespace) -> int:
    dice = random.Random(arguments.seed)
    house = House(arguments.binary, server=arguments.server.split() if arguments.server else None)
    house.start()
    names = [f"person{number:02}" for number in range(arguments.people)]
    town = Town(house, house.add_users(names), settle(names))
    for group, members in town.groups.items():
        house.add_group(group, members)
    people = [Person(name, town, dice.randrange(1 << 32)) for name in names]

    starts = await storm(town, people, arguments.kills, arguments.seconds, dice)
    await close_conversations(town, people)
    await wait_for_deliveries(town, people, 1 if arguments.expect_red else PATIENCE)
    house.stop()
    for person in people:
        await person.session.close()
        await person.watcher

    complaint = house.verify()
    if complaint:
        town.complain(f"teahouse verify: {complaint}")
    rows = stored_messages(house.data)
    verdict = judge(town.attempted, town.promises, rows)
    judge_deliveries(town, people, rows)
    print(f"kill loop: {len(starts)} kills, ready again after {max(starts, default=0) * 1000:.0f} ms at most; "
          + ", ".join(f"{name} {count}" for name, count in sorted(town.counts.items())))
    print(f"kill loop: {verdict}")
    for example in [*verdict.examples, *town.complaints][:3 if arguments.expect_red else None]:
        print(f"kill loop: {example}")
    if arguments.expect_red:
        print(f"kill loop: {'red, as it must be' if verdict.lost else 'NOT RED: the proof cannot see this fault'}")
        return 0 if verdict.lost else 1
    if verdict.acked < len(starts):
        print(f"kill loop: INVALID: {verdict.acked} messages were acknowledged between {len(starts)} kills: give it more "
              "--seconds")
        return 1
    clean = verdict.is_clean and not town.counts["complaints"] and verdict.acked > 0
    print(f"kill loop: {'nothing was lost' if clean else 'FAILED, repeat with --seed ' + str(arguments.seed)}")
    return 0 if clean else 1


if __name__ == "__main__":
    run_loop("kill loop", run, __doc__, seconds=25, red="acknowledged messages are lost", people=50)
