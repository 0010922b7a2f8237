"""The JSON door: what happens when someone says nothing. Its sessions wait while the other checks run."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from door_place import door, FINAL_CODES, IDLE, REDELIVERY, SIGN_IN
from house import PATIENCE, PERSON, Closed, Session, equal, expect, payload_of

_running: dict[str, asyncio.Task[Any]] = {}


def start() -> None:
    """Begins the silences that the checks below judge."""
    _running["silent"] = asyncio.create_task(stay_silent())
    _running["outside"] = asyncio.create_task(stay_outside())
    _running["forgetful"] = asyncio.create_task(forget_to_acknowledge())


@door.checks.check("a message that is not acknowledged comes again, marked as a repeat")
async def repeated() -> None:
    async with asyncio.timeout(3 * REDELIVERY + PATIENCE):
        first, second = await _running["forgetful"]
    equal((second["messageId"], second["messageSeq"]), (first["messageId"], first["messageSeq"]), "the identity")
    equal((first["header"].get("dup", False), second["header"].get("dup")), (False, True), "the repeat marks")


async def forget_to_acknowledge() -> list[dict[str, Any]]:
    """The first two things a session gets that acknowledges nothing."""
    # On a device of its own: the other checks sign ann in and out meanwhile.
    ann, forgetful = await door.signed_in("ann", device="reminder"), await door.signed_in("forgetful")
    forgetful.acknowledging = False
    await ann.send("forgetful", PERSON, payload_of("did you get this?"))
    await ann.close()
    async with asyncio.timeout(3 * REDELIVERY + PATIENCE):
        while len(forgetful.received) < 2:
            await forgetful.quiet()
            await asyncio.sleep(0.5)
    await forgetful.close()
    return forgetful.received[:2]


@door.checks.check(f"a connection that does not sign in within {SIGN_IN} s, or is silent for {IDLE} s, is closed")
async def silent() -> None:
    async with asyncio.timeout(IDLE + PATIENCE):
        seconds, closed = await _running["silent"]
    expect(IDLE - 1 <= seconds, f"closed after {seconds:.1f} s, {closed}")
    expect(closed.code not in FINAL_CODES, closed)
    async with asyncio.timeout(PATIENCE):
        seconds = await _running["outside"]
    expect(seconds >= 1, f"closed after {seconds:.1f} s")


async def stay_silent() -> tuple[float, Closed]:
    session = await door.signed_in("silent")
    begun = time.monotonic()
    await session.socket.wait_closed()
    return time.monotonic() - begun, await session.until_closed()


async def stay_outside() -> float:
    begun = time.monotonic()
    session = await Session.dial(door.house.url)
    async with asyncio.timeout(SIGN_IN + PATIENCE):
        await session.socket.wait_closed()
    return time.monotonic() - begun
