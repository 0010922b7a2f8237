"""The JSON door: who may say what, and how much; the operator speaks through `ctl`."""

from __future__ import annotations

import asyncio

from door_place import door
from house import (AUTH_FAIL, BANNED, BLOCKED, GROUP, KICKED, NOT_ALLOWED, NOT_MEMBER, PERSON, RATE_LIMIT, SUCCESS,
                   Closed, House, Session, equal, expect, payload_of)
from websockets.exceptions import ConnectionClosed


async def refused(session: Session, channel: str, kind: int, reason: int) -> None:
    answer = await session.send(channel, kind, payload_of("no"))
    equal(answer.get("reasonCode"), reason, f"the answer {answer}: its reason")


@door.checks.check("reason 4 while the receiver blocks the sender, and not after")
async def blocked() -> None:
    async with door.sessions("ann", "cai") as (ann, cai):
        door.house.ctl("user", "block", "cai", "ann")
        await refused(ann, "cai", PERSON, BLOCKED)
        equal((await cai.send("ann", PERSON, payload_of("but I may")))["reasonCode"], SUCCESS)
        door.house.ctl("user", "unblock", "cai", "ann")
        equal((await ann.send("cai", PERSON, payload_of("again")))["reasonCode"], SUCCESS)


@door.checks.check("reason 3 for a group one is not in, and after being removed from it")
async def not_member() -> None:
    async with door.sessions("ann", "dee") as (ann, dee):
        await refused(dee, "tea", GROUP, NOT_MEMBER)
        door.house.ctl("group", "add", "tea", "dee")
        equal((await dee.send("tea", GROUP, payload_of("in")))["reasonCode"], SUCCESS)
        door.house.ctl("group", "remove", "tea", "dee")
        await refused(dee, "tea", GROUP, NOT_MEMBER)
        await ann.send("tea", GROUP, payload_of("without dee"))
        await dee.quiet()
        equal([m for m in dee.received if m["payload"] == payload_of("without dee")], [], "what the removed one got")


@door.checks.check("reason 13 while someone takes messages from an allow list only")
async def allow_list() -> None:
    async with door.sessions("ann") as (ann,):
        door.house.ctl("user", "allow", "cai", "bob")
        door.house.ctl("user", "allowlist", "cai", "on")
        await refused(ann, "cai", PERSON, NOT_ALLOWED)
        door.house.ctl("user", "allow", "cai", "ann")
        equal((await ann.send("cai", PERSON, payload_of("allowed")))["reasonCode"], SUCCESS)
        door.house.ctl("user", "allowlist", "cai", "off")


@door.checks.check("reason 19 in a banned group, 25 for a silenced sender, and neither after it is lifted")
async def banned() -> None:
    async with door.sessions("ann") as (ann,):
        door.house.ctl("group", "ban", "tea")
        await refused(ann, "tea", GROUP, BANNED)
        door.house.ctl("group", "unban", "tea")
        door.house.ctl("user", "mute", "ann")
        await refused(ann, "bob", PERSON, 25)
        door.house.ctl("user", "unmute", "ann")
        equal((await ann.send("tea", GROUP, payload_of("free")))["reasonCode"], SUCCESS)


@door.checks.check("a disabled user's session ends, and the next sign-in is refused with 19")
async def disabled() -> None:
    session = await door.signed_in("fei")
    door.house.ctl("user", "disable", "fei")
    await session.until_closed()
    again = await Session.dial(door.house.url)
    answer = await again.sign_in("fei", door.tokens["fei"])
    equal(answer.get("error", {}).get("code"), BANNED, f"the code of {answer}")
    await again.until_closed()
    door.house.ctl("user", "enable", "fei")
    await (await door.signed_in("fei")).close()


@door.checks.check("a session that the operator ends gets reason 12, and may sign in again; a revoked token may not")
async def ended_by_operator() -> None:
    kicked = await door.signed_in("fei")
    door.house.ctl("session", "kick", "--user", "fei")
    equal((await kicked.until_closed()).reason, KICKED, "the reason")
    again = await door.signed_in("fei")
    door.house.ctl("user", "revoke", "fei")
    equal((await again.until_closed()).reason, KICKED, "the reason")
    refused_one = await Session.dial(door.house.url)
    answer = await refused_one.sign_in("fei", door.tokens["fei"])
    equal(answer.get("error", {}).get("code"), AUTH_FAIL, f"the code of {answer}")
    await refused_one.until_closed()
    door.tokens["fei"] = door.house.token("fei", "desktop")


@door.checks.check("an unknown person, an unknown group and a kind that is not served are refused")
async def unknown() -> None:
    async with door.sessions("ann") as (ann,):
        for channel, kind in (("nobody-here", PERSON), ("no-group", GROUP), ("x", 9), ("x", 200), ("a@b", PERSON)):
            answer = await ann.send(channel, kind, payload_of("?"))
            expect(answer.get("reasonCode", 0) not in (SUCCESS,), f"{channel} {kind}: {answer}")


@door.checks.check("a body over the limit is refused and the session goes on; a frame over the limit closes with 1009")
async def oversize() -> None:
    async with door.sessions("ann") as (ann,):
        answer = await ann.send("bob", PERSON, payload_of("x" * 40_000))
        expect(answer.get("reasonCode") != SUCCESS, answer)
        await ann.quiet()
        try:
            await ann.send("bob", PERSON, payload_of("x" * 300_000))
        except (Closed, ConnectionClosed):
            pass
        equal((await ann.until_closed()).code, 1009, "the close code")


@door.checks.check("deep nesting, huge numbers and lone surrogates do not bring the house down")
async def hostile_json() -> None:
    ping = '{"id":"1","method":"ping","params":'
    for text in (ping + '{"a":' + "[" * 20_000 + "]" * 20_000 + "}}", ping + "[" * 9_999 + "]" * 9_999 + "}",
                 ping + '{"x":1e999}}', ping + '{"x":1' + "0" * 5_000 + "}}", '{"id":"\\ud800","method":"ping"}',
                 '{"id":"1","id":"2","method":"ping"}', '{"id":"1","method":"ping","params":{"a":1,"a":2}}'):
        session = await door.signed_in("ann")
        await session.socket.send(text)
        try:
            await session.quiet()
        except Closed:
            pass
        await session.close()
    async with door.sessions("ann") as (ann,):
        await ann.quiet()


@door.checks.check("too many messages are answered with 22, and the session goes on")
async def rate_limit() -> None:
    strict = House(door.house.binary, config="[limits]\nmessages_per_second_per_user = 1\nmessage_burst_per_user = 5\n")
    strict.start()
    try:
        made = strict.add_users(("ann", "bob"))
        ann = await Session.open(strict.url, "ann", made["ann"])
        answers = await asyncio.gather(*(ann.send("bob", PERSON, payload_of("!")) for _ in range(20)))
        reasons = [answer.get("reasonCode") for answer in answers]
        equal(set(reasons), {SUCCESS, RATE_LIMIT}, "the reasons")
        equal(reasons[:5], [SUCCESS] * 5, "the first five")
        await ann.quiet()
        await ann.close()
    finally:
        strict.stop()
