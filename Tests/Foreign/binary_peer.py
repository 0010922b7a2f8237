"""The binary protocol, versions 2 to 5, over TCP and WebSocket, with a client of its own against a built teahouse."""

from __future__ import annotations

import argparse
import asyncio
import json
import struct
import time

import binary_wire
from binary_wire import (DUP, NO_PERSIST, PING, RECEIPT, RED_DOT, SEND, SYNC_ONCE, TOPIC, BinarySession, connect_packet,
                         frame, public_text)
from house import (AUTH_FAIL, CONFIGURATION, DESKTOP, GROUP, KICKED, NOT_MEMBER, PERSON, SUCCESS, Checks, Closed, House,
                   Session, equal, expect, payload_of, run_checks)

NAMES = ("ann", "bob", "cai", "dee", "eva")
REDELIVERY = 5
PAYLOAD_DECODE_ERROR, CLIENT_KEY_EMPTY, NOT_ALLOWED = 9, 21, 11

checks = Checks()
place: House
tokens: dict[str, str] = {}


def payload(content: str) -> bytes:
    return json.dumps(payload_of(content), ensure_ascii=False).encode()


async def signed_in(user: str, version: int = 5, *, tcp: bool = False, device: str = "") -> BinarySession:
    return await BinarySession.open(place.url, user, tokens[user], version, tcp=tcp, device=device)


async def close(*sessions: BinarySession | Session) -> None:
    for session in sessions:
        await session.close()


@checks.check("a sign-in is answered as each version expects it")
async def connected() -> None:
    for version in (1, 2, 3, 4, 5, 6, 9):
        for tcp in (True, False):
            session = await BinarySession.dial(place.url, version, tcp=tcp)
            answer = await session.sign_in("ann", tokens["ann"])
            equal(answer["reason"], SUCCESS, f"version {version}")
            equal(answer.get("version"), min(version, 5) if version > 3 else None, f"the version for {version}")
            equal("node" in answer, version >= 4, f"the node for version {version}")
            expect(abs(answer["difference"]) < 60_000, answer)
            await session.close()


@checks.check("a wrong token, uid or empty key is answered with its reason and the whole layout, then closed")
async def refused() -> None:
    cases = (("ann", "wrong", None, AUTH_FAIL), ("nobody", "x", None, AUTH_FAIL), ("a@b", "x", None, AUTH_FAIL),
             ("ann", tokens["ann"], "", CLIENT_KEY_EMPTY), ("ann", tokens["ann"], "bm90IGEga2V5", AUTH_FAIL))
    for version in (2, 4, 5):
        for user, token, key, reason in cases:
            session = await BinarySession.dial(place.url, version, tcp=True)
            answer = await session.sign_in(user, token, key=key)
            if key == "bm90IGEga2V5":
                expect(answer["reason"] != SUCCESS, answer)
            else:
                equal(answer["reason"], reason, f"{user}, version {version}")
            await session.until(lambda: session.ended)
            await session.close()


@checks.check("messages cross between every two versions, in any script, with their fields")
async def crossing() -> None:
    for index, (one, other) in enumerate(((2, 5), (3, 4), (4, 2), (5, 3), (5, 5))):
        ann, bob = await signed_in("ann", one, tcp=index % 2 == 0), await signed_in("bob", other)
        await bob.quiet()
        bob.received.clear()
        words = "你好 🍵 " + "x" * index
        setting = RECEIPT | TOPIC
        sent = await ann.send("bob", PERSON, payload(words), f"cross-{time.time_ns()}", setting=setting, expire=60,
                              topic="tea")
        equal((sent.reason, sent.flags), (SUCCESS, RED_DOT), "the acknowledgement")
        # The command that tells of the group may come late.
        while (got := (await bob.next())[0]).sender == "":
            pass
        equal((got.id, got.sequence, got.sender, got.channel, got.kind),
              (sent.id, sent.sequence, "ann", "ann", PERSON), f"{one} to {other}")
        equal(json.loads(got.payload)["content"], words)
        equal((got.flags, got.topic, got.setting), (RED_DOT, "tea", setting))
        equal(got.expire, 60 if one >= 3 and other >= 3 else 0, "expire")
        await close(ann, bob)


@checks.check("several packets in one message, and packets cut at every byte, are the same packets")
async def cutting() -> None:
    ann, bob = await signed_in("ann"), await signed_in("bob", tcp=True)
    prepared = [ann.prepare("bob", PERSON, payload(f"together {number}")) for number in range(5)]
    await ann.write(b"".join(packet for packet, _ in prepared))
    acknowledged = [await future for _, future in prepared]
    equal([answer.sequence for answer in acknowledged],
          list(range(acknowledged[0].sequence, acknowledged[0].sequence + 5)), "the sequences")
    equal([json.loads(got.payload)["content"] for got in await bob.next(5)], [f"together {n}" for n in range(5)])
    packet, future = bob.prepare("ann", PERSON, payload("byte by byte"))
    for byte in packet:
        await bob.write(bytes([byte]))
        await asyncio.sleep(0)
    equal((await future).reason, SUCCESS)
    (got,) = await ann.next()
    equal(json.loads(got.payload)["content"], "byte by byte")
    await close(ann, bob)


@checks.check("a JSON client and binary clients talk in one group")
async def mixed_group() -> None:
    ann, bob, cai = await signed_in("ann", 4, tcp=True), await signed_in("bob", 5), await Session.open(
        place.url, "cai", tokens["cai"])
    for session in (ann, bob, cai):
        await session.quiet()
        session.received.clear()
    await ann.send("tea", GROUP, payload("from binary"))
    (got,), (seen,) = await bob.next(), await cai.next()
    equal((got.channel, got.kind, got.sender), ("tea", GROUP, "ann"))
    equal((seen["channelId"], seen["fromUid"], seen["payload"]), ("tea", "ann", payload_of("from binary")))
    answer = await cai.send("tea", GROUP, payload_of("from json"))
    for session in (ann, bob):
        (got,) = await session.next()
        equal((got.id, json.loads(got.payload)), (int(answer["messageId"]), payload_of("from json")))
    equal(ann.received + bob.received, [], "anything twice, or to its sender")
    await close(ann, bob, cai)


@checks.check("a wrong message key, or a payload nobody can decrypt, is refused and nothing is delivered")
async def forged() -> None:
    ann, bob = await signed_in("ann"), await signed_in("bob")
    await bob.quiet()
    bob.received.clear()
    answer = await ann.send("bob", PERSON, payload("forged"), message_key="0" * 32)
    equal(answer.reason, PAYLOAD_DECODE_ERROR)
    assert ann.keys
    ann._sequence += 1
    sequence, sealed = ann._sequence, b"bm90IGVuY3J5cHRlZCBhdCBhbGw="
    key = ann.keys.sign(sequence, "nobody", "bob", PERSON, sealed)
    future = asyncio.get_running_loop().create_future()
    ann._answers[sequence] = future
    body = (struct.pack(">BI", 0, sequence) + binary_wire.text("nobody") + binary_wire.text("bob") + bytes([PERSON])
            + struct.pack(">I", 0) + binary_wire.text(key) + sealed)
    await ann.write(frame(SEND, RED_DOT, body))
    equal((await future).reason, PAYLOAD_DECODE_ERROR)
    await bob.quiet()
    equal(bob.received, [])
    await close(ann, bob)


@checks.check("a resent message gets the first answer; another body under its number is refused")
async def resent() -> None:
    ann, bob = await signed_in("ann"), await signed_in("bob")
    await bob.quiet()
    bob.received.clear()
    number = f"resent-{time.time_ns()}"
    first = await ann.send("bob", PERSON, payload("once"), number)
    again = await ann.send("bob", PERSON, payload("once"), number, flags=RED_DOT | DUP)
    equal((again.id, again.sequence, again.reason), (first.id, first.sequence, SUCCESS))
    equal((await ann.send("bob", PERSON, payload("other"), number)).reason, NOT_ALLOWED)
    await bob.quiet()
    equal(len(bob.received), 1, "deliveries")
    await close(ann, bob)


@checks.check("what is not acknowledged comes again, marked as a repeat")
async def redelivered() -> None:
    ann, bob = await signed_in("ann"), await signed_in("bob")
    await bob.quiet()
    bob.received.clear()
    bob.acknowledging = False
    sent = await ann.send("bob", PERSON, payload("again"))
    await bob.until(lambda: len(bob.received) >= 2)
    first, second = bob.received[:2]
    equal((first.id, second.id), (sent.id, sent.id))
    equal((first.flags & DUP, second.flags & DUP), (0, DUP), "the repeat mark")
    await close(ann, bob)


@checks.check("transient messages have no sequence, and flags arrive as they were sent")
async def flags() -> None:
    ann, bob = await signed_in("ann"), await signed_in("bob")
    await bob.quiet()
    bob.received.clear()
    sent = await ann.send("bob", PERSON, payload("typing"), flags=NO_PERSIST)
    equal((sent.sequence, sent.reason, sent.flags), (0, SUCCESS, NO_PERSIST))
    once = await ann.send("bob", PERSON, payload("once"), flags=SYNC_ONCE | RED_DOT)
    first, second = await bob.next(2)
    equal((first.flags, first.sequence), (NO_PERSIST, 0))
    equal((second.flags, second.sequence), (SYNC_ONCE | RED_DOT, once.sequence))
    await close(ann, bob)


@checks.check("who is no member is told so; a person cannot send a command")
async def not_allowed() -> None:
    dee = await signed_in("dee")
    equal((await dee.send("tea", GROUP, payload("let me in"))).reason, NOT_MEMBER)
    command = json.dumps({"type": 99, "cmd": "messageRevoke", "param": {}}).encode()
    equal((await dee.send("ann", PERSON, command)).reason, NOT_ALLOWED)
    await dee.close()


@checks.check("a primary device that signs in elsewhere sends the other one away with reason 12")
async def kicked() -> None:
    token = place.token("eva", "desktop", "--level", "primary")
    one = await BinarySession.open(place.url, "eva", token, 4, device="one")
    two = await BinarySession.open(place.url, "eva", token, 5, device="two", tcp=True)
    await one.until(lambda: one.ended)
    equal(one.disconnected and one.disconnected[0], KICKED)
    three = await BinarySession.open(place.url, "eva", token, 5, device="two")
    await two.until(lambda: two.ended)
    equal(two.disconnected, None, "a word to the same device")
    await close(one, two, three)


@checks.check("what is no packet, or comes before the sign-in, ends the connection and nothing else")
async def garbage() -> None:
    bob = await signed_in("bob")
    for data in (bytes([PING << 4]), frame(SEND, 0, b"\0" * 20), b"\x10\xff\xff\xff\xff\x7f", b"\x10\x02\x05\x00",
                 frame(2, 0, b"\0" * 12), bytes([0xF0, 1, 0]), frame(1, 0, b"\x05\x02\xff\xff")):
        for tcp in (True, False):
            session = await BinarySession.dial(place.url, tcp=tcp)
            try:
                await session.write(data)
            except Closed:
                pass
            await session.until(lambda: session.ended)
            await session.close()
    await bob.quiet()
    await bob.close()


@checks.check("a sign-in in pieces, with messages right behind it, is understood")
async def early() -> None:
    session = await BinarySession.dial(place.url, tcp=True)
    packet = connect_packet(5, DESKTOP, "early", "ann", tokens["ann"], public_text(session.private), 0)
    for at in range(0, len(packet), 7):
        await session.write(packet[at:at + 7])
    await session.write(bytes([PING << 4]))
    await session.until(lambda: session.connected and session.pongs == 1)
    equal(session.connected and session.connected["reason"], SUCCESS)
    await session.close()


@checks.check("five hundred connections, each with its own key, get one message")
async def crowd() -> None:
    names = [f"crowd{number}" for number in range(500)]
    found = place.add_users(names)
    place.add_group("crowd", names)
    sessions: list[BinarySession] = []
    for at in range(0, 500, 50):
        sessions += await asyncio.gather(*(
            BinarySession.open(place.url, name, found[name], tcp=number % 2 == 0)
            for number, name in enumerate(names[at:at + 50])))
    answer = await sessions[0].send("crowd", GROUP, payload("to all of you"))
    equal(answer.reason, SUCCESS)
    for session in sessions[1:]:
        (got,) = await session.next()
        equal((got.id, json.loads(got.payload)["content"]), (answer.id, "to all of you"))
        equal(session.dropped, 0, "wrong message keys")
    keys = {session.keys.key for session in sessions if session.keys}
    equal(len(keys), 500, "different keys")
    await asyncio.gather(*(session.close() for session in sessions))


async def main(arguments: argparse.Namespace) -> int:
    global place
    binary_wire.self_test()
    place = House(arguments.binary, config=CONFIGURATION + f"""
        [wukong]
        redelivery_seconds = {REDELIVERY}
        """)
    place.start()
    tokens.update(place.add_users(NAMES))
    place.add_group("tea", ("ann", "bob", "cai"))
    return await checks.finish(place, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
