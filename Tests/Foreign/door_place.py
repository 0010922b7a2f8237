"""The server that all checks of the JSON door share, and the people in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from house import CONFIGURATION, Checks, House, Session

#: Seconds: as configured here, and as built in.
IDLE, REDELIVERY, SIGN_IN = 30, 5, 10

NAMES = ("ann", "bob", "cai", "dee", "eva", "fei", "silent", "forgetful")

#: Close codes after which an SDK never comes back.
FINAL_CODES = (1002, 1003, 1007, 1008, 1009)


class Place:
    """One server, its people's tokens, and the checks."""

    def __init__(self) -> None:
        self.checks = Checks()
        self.tokens: dict[str, str] = {}
        self.house: House

    def start(self, binary: str) -> None:
        """Starts the server with everybody in it; ann, bob and cai are members of the group `tea`."""
        self.house = House(binary, config=CONFIGURATION + f"""
            [sessions]
            idle_seconds_wukong = {IDLE}
            [wukong]
            redelivery_seconds = {REDELIVERY}
            """)
        self.house.start()
        self.tokens.update(self.house.add_users(NAMES))
        self.house.add_group("tea", ("ann", "bob", "cai"))

    async def signed_in(self, user: str, *, device: str = "") -> Session:
        return await Session.open(self.house.url, user, self.tokens[user], device=device)

    @asynccontextmanager
    async def sessions(self, *users: str) -> AsyncIterator[list[Session]]:
        """Signed-in sessions; what was sent before they pass over."""
        opened = [await self.signed_in(user) for user in users]
        for session in opened:
            session.pass_over_former()
        try:
            yield opened
        finally:
            for session in opened:
                await session.close()


door = Place()
