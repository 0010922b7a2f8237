"""The load that runs under the recorder: eight people, pairs and groups, resends, restarts."""

from __future__ import annotations

import asyncio
import random
import sys
from dataclasses import dataclass, field

from house import GROUP, PERSON, PATIENCE, Closed, House, Session
from ledger import Key, conversation_of, payload_for, request_id, sign_in_id

NAMES = ("ann", "bob", "cai", "dee", "eva", "fei", "gus", "hua")
GROUPS = {"all": NAMES, "few": NAMES[:3]}


@dataclass
class Load:
    """Publishes through one server process after the other, and remembers what it tried."""
    house: House
    dice: random.Random
    tokens: dict[str, str] = field(default_factory=dict)
    attempted: set[Key] = field(default_factory=set)
    _numbers: dict[str, int] = field(default_factory=dict)

    async def run(self, messages: int) -> None:
        """Three lives of the server: a first one, one that is killed, and one that ends in order."""
        house = self.house
        share = messages // 3
        await house.start_async()
        self.tokens = await asyncio.to_thread(house.add_users, NAMES)
        for name, members in GROUPS.items():
            await asyncio.to_thread(house.add_group, name, members)
        await self._publish(share // 2)
        await self._until_log_is_empty()
        await self._publish(share // 2)
        house.stop()
        await house.start_async()
        await self._publish(share, ending=house.kill)
        await house.start_async()
        await self._publish(share)
        await self._until_log_is_empty()
        await self._publish(share // 10)
        house.stop()

    async def _publish(self, messages: int, ending: object = None) -> None:
        """All people publish at once; `ending` ends the server when half of it is said."""
        sessions = {name: await Session.open(self.house.url, name, token, id=sign_in_id(name))
                    for name, token in self.tokens.items()}
        done = 0

        async def person(name: str, dice: random.Random) -> None:
            nonlocal done
            while done < messages:
                burst = [self._one(sessions[name], name, dice) for _ in range(dice.randint(1, 6))]
                done += len(burst)
                if callable(ending) and done * 2 >= messages and self.house.process and \
                        self.house.process.poll() is None:
                    ending()
                await asyncio.gather(*burst)

        people = [person(name, random.Random(self.dice.random())) for name in sessions]
        results = await asyncio.gather(*people, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not (callable(ending) and isinstance(result, Closed)):
                raise result
        for session in sessions.values():
            await session.close()

    async def _one(self, session: Session, name: str, dice: random.Random) -> None:
        kind = dice.choice((PERSON, GROUP))
        if kind == PERSON:
            channel = dice.choice([other for other in NAMES if other != name])
        else:
            channel = dice.choice([group for group, members in GROUPS.items() if name in members])
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        key = Key(conversation_of(name, channel, kind), name, f"{name}-{number}")
        self.attempted.add(key)
        # One in ten is said twice, as after a lost acknowledgement.
        for attempt in range(2 if dice.random() < 0.1 else 1):
            answer = await session.send(channel, kind, payload_for(key), token=key.token,
                                        id=request_id(name, channel, kind, key.token, attempt))
            if answer.get("reasonCode") != 1:
                print(f"{key} was answered with {answer}", file=sys.stderr)
                raise Closed(None)

    async def _until_log_is_empty(self) -> None:
        """Waits for the checkpoint that an idle server makes."""
        log = self.house.data / "teahouse.db-wal"
        async with asyncio.timeout(PATIENCE):
            while log.exists() and log.stat().st_size > 0:
                await asyncio.sleep(0.02)
