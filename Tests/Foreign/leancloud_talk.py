"""Messages between the SDKs: every pair, every kind of conversation, offline and in the middle of a burst."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from typing import Any

from house import equal, expect
from leancloud_dialects import NORMAL, ROOM, SDKS, TEMPORARY, CSharp, Java, JavaScript, Swift, shown, text, words
from leancloud_place import Place, fence, people, person, refused, scenario, until_said
from leancloud_schema import name_of

PAIRS = list(itertools.combinations_with_replacement(SDKS, 2))


async def chat(kind: str, conversation_type: int, **options: Any) -> None:
    for one, other in PAIRS:
        a, b = [await sdk.open(Place.app, name) for sdk, name in zip((one, other), people("ann", "bob"))]
        pair = f"{a.SDK} and {b.SDK}, {kind}"
        made = await a.start(b.name, **options)
        cid = made.cid
        if kind == "room":
            await b.join(cid)
        if kind == "unique":
            again = await b.start(a.name, **options)
            equal(again.cid, cid, f"{pair}: the conversation of the same two")
        equal(cid.startswith("_tmp:"), kind == "temporary", f"{pair}: {cid}")
        for speaker, listener in ((a, b), (b, a)):
            acknowledged = [await speaker.send(cid, text(f"茶 {speaker.name} 🍵")),
                            await speaker.send(cid, b"\x00\xff bytes"), await speaker.send(cid, "no JSON at all")]
            await until_said(listener, cid, f"茶 {speaker.name} 🍵", b"\x00\xff bytes", "no JSON at all")
            for answer, body in zip(acknowledged, listener.received):
                equal((body.id, body.timestamp, body.fromPeerId, body.convType),
                      (answer.uid, answer.t, speaker.name, conversation_type), pair)
            equal([len(answer.uid) for answer in acknowledged], [22] * 3, f"{pair}: the lengths of ids")
            listener.received.clear()
        # What one said came to the other once, and never back.
        equal((len(a.arrivals), len(b.arrivals)), (3, 3), f"{pair}: messages over the wire")


@scenario("every two SDKs chat both ways in a unique conversation")
async def unique() -> None:
    await chat("unique", NORMAL, unique=True)


@scenario("every two SDKs chat both ways in a normal conversation")
async def normal() -> None:
    await chat("normal", NORMAL, name="茶 party")


@scenario("every two SDKs chat both ways in a temporary conversation")
async def temporary() -> None:
    await chat("temporary", TEMPORARY, temporary=3600)


@scenario("every two SDKs chat both ways in a chat room")
async def room() -> None:
    await chat("room", ROOM, room=True)


@scenario("a message that is sent twice with one token is one message")
async def tokens() -> None:
    for sdk in SDKS:
        a, b = [await kind.open(Place.app, name) for kind, name in zip((sdk, JavaScript), people("ann", "bob"))]
        cid = (await a.start(b.name)).cid
        first = await a.send(cid, text("once"), dt="token-1")
        second = await a.send(cid, text("once"), dt="token-1")
        equal((second.uid, second.t), (first.uid, first.t), f"{a.SDK}: the second answer")
        await a.send(cid, text("twice"), dt="token-2")
        await until_said(b, cid, "once", "twice")
        equal(len(b.arrivals), 2, f"{a.SDK}: messages over the wire")


@scenario("other devices of the sender get what they send, the sending one does not")
async def own_devices() -> None:
    ann, bob = people("ann", "bob")
    phone, desk = await Swift.open(Place.app, ann), await CSharp.open(Place.app, ann)
    b = await Java.open(Place.app, bob)
    cid = (await phone.start(bob)).cid
    await desk.send(cid, text("from the desk"))
    await until_said(phone, cid, "from the desk")
    equal(phone.received[0].fromPeerId, ann, "the sender")
    await phone.send(cid, text("from the phone"))
    await until_said(desk, cid, "from the phone")
    await until_said(b, cid, "from the desk", "from the phone")
    await fence(b, phone, desk)
    equal((phone.said(cid), desk.said(cid)), (["from the desk"], ["from the phone"]), "what the devices got")


@scenario("two clients on one socket get what is theirs, and are named in everything")
async def shared_socket() -> None:
    for sdk in SDKS:
        ann, bob = people("ann", "bob")
        a = await sdk.open(Place.app, ann)
        b = await sdk.open(Place.app, bob, socket=a.socket)
        cid = (await a.start(bob)).cid
        await a.send(cid, text("on the same socket"))
        await until_said(b, cid, "on the same socket")
        await b.send(cid, text("indeed"))
        await until_said(a, cid, "indeed")
        await b.close()
        await a.send(cid, text("are you there"))
        equal(b.said(cid), ["on the same socket"], f"{sdk.SDK}: what the closed client got")
        await a.beat()


@scenario("frames of base64 carry the same chat")
async def base64_frames() -> None:
    a, b = [await JavaScript.open(Place.app, name, subprotocol=protocol) for name, protocol in
            zip(people("ann", "bob"), ("lc.proto2base64.3", "lc.protobuf2.3"))]
    cid = (await a.start(b.name)).cid
    await a.send(cid, text("in text"))
    await until_said(b, cid, "in text")
    await b.send(cid, b"\x01\x02")
    await until_said(a, cid, b"\x01\x02")
    await a.beat()


@scenario("who was away is told what waits, and reads it in order")
async def offline() -> None:
    for sdk, version in ((sdk, "3") for sdk in SDKS):
        ann, bob = people("ann", "bob")
        a, b = await Java.open(Place.app, ann), await sdk.open(Place.app, bob)
        first, second = (await a.start(bob)).cid, (await a.start(bob, unique=True)).cid
        await b.close()
        sent: dict[str, list[Any]] = {first: [], second: []}
        for number in range(24):
            cid = second if number % 3 else first
            sent[cid].append((await a.send(cid, text(f"{number}"), mentionPids=[bob] if number == 2 else [])).uid)
        await b.reconnect()
        await b.until(lambda: {first, second} <= b.unread.keys(), "unread")
        for cid in (first, second):
            told = b.unread[cid]
            equal((told.unread, told.mid, getattr(told, "from"), told.mentioned, told.convType),
                  (len(sent[cid]), sent[cid][-1], ann, cid == second, NORMAL), f"{sdk.SDK}: what waits")
            pages: list[Any] = []
            while page := await b.logs(cid, 5, **({"t": pages[0].timestamp, "mid": pages[0].msgId} if pages else {})):
                pages[:0] = page
            equal([item.msgId for item in pages], sent[cid], f"{sdk.SDK}: the history, page by page")
            await b.read(cid)
            await b.until(lambda: b.unread[cid].unread == 0, "unread 0")
        b.abort()
        b.unread.clear()
        await b.reconnect()
        await a.send(first, text("late"))
        await b.until(lambda: "late" in b.said(first), "the late message")
        equal([cid for cid, told in b.unread.items() if told.unread], [], f"{sdk.SDK}: what is unread after reading")


@scenario("who was away and asked for no counts gets the messages themselves, in order")
async def backlog() -> None:
    ann, bob = people("ann", "bob")
    a, b = await Swift.open(Place.app, ann), await JavaScript.open(Place.app, bob, subprotocol="lc.protobuf2.1")
    cid = (await a.start(bob)).cid
    await b.close()
    for number in range(12):
        await a.send(cid, text(f"{number}"))
    await b.reconnect()
    await until_said(b, cid, *(f"{number}" for number in range(12)))
    expect(all(body.offline for body in b.received), "a message that waited does not say so")
    await a.send(cid, text("live"))
    await until_said(b, cid, *(f"{number}" for number in range(12)), "live")
    expect(not b.received[-1].offline, "a live message says that it waited")


@scenario("a connection that breaks in the middle of a burst loses nothing and doubles nothing")
async def burst() -> None:
    count = 120
    for sdk in SDKS:
        a, b = [await kind.open(Place.app, name) for kind, name in zip((JavaScript, sdk), people("ann", "bob"))]
        cid = (await a.start(b.name)).cid

        async def talk() -> None:
            for number in range(count):
                await a.send(cid, text(f"{number}"))

        talking = asyncio.create_task(talk())
        for goal in (10, 30):
            await b.until(lambda: len(b.received) >= goal, f"{goal} messages")
            b.abort()
            await b.reconnect()
        await talking
        await a.send(cid, text("end"))
        await b.until(lambda: "end" in b.said(cid), "the end")
        wanted = [f"{number}" for number in range(count)] + ["end"]
        # What came live is in order, between the breaks without gaps; the history has the rest.
        live = b.said(cid)
        equal(len(set(live)), len(live), f"{sdk.SDK}: messages that came live")
        history: list[Any] = []
        after: dict[str, Any] = {}
        while page := await b.logs(cid, 50, direction=2, **after):
            history += page
            after = {"t": page[-1].timestamp, "mid": page[-1].msgId}
        equal([shown(item.data) for item in history], wanted, f"{sdk.SDK}: the history")
        known = {body.id for body in b.received}
        merged = sorted([(body.timestamp, wanted.index(words(body))) for body in b.received]
                        + [(item.timestamp, wanted.index(shown(item.data))) for item in history
                           if item.msgId not in known])
        equal([number for _, number in merged], list(range(count + 1)), f"{sdk.SDK}: what the app shows")


@scenario("unread counts are the same on two devices of one person, and reading on one clears both")
async def two_devices() -> None:
    for sdk in SDKS:
        ann, bob = people("ann", "bob")
        a = await Java.open(Place.app, ann)
        one, two = await sdk.open(Place.app, bob, device="one"), await Swift.open(Place.app, bob, device="two")
        cid = (await a.start(bob)).cid
        for number in range(3):
            await a.send(cid, text(f"{number}"))
        for device in (one, two):
            await until_said(device, cid, "0", "1", "2")
        await one.read(cid, one.received[-1])
        for device in (one, two):
            await device.until(lambda: cid in device.unread and device.unread[cid].unread == 0, "unread 0")
            device.unread.clear()
        await a.send(cid, text("3"))
        await until_said(two, cid, "0", "1", "2", "3")
        two.abort()
        await two.reconnect()
        await two.until(lambda: cid in two.unread, "what is unread")
        equal(two.unread[cid].unread, 1, f"{sdk.SDK}: messages that were delivered and not read")
        # An own message is not unread.
        await one.send(cid, text("mine"))
        await two.until(lambda: "mine" in two.said(cid), "the own message")
        two.abort()
        two.last_unread = None
        await two.reconnect()
        await two.until(lambda: cid in two.unread, "what is unread")
        equal(two.unread[cid].unread, 1, f"{sdk.SDK}: unread after an own message")


@scenario("who asked for receipts is told of delivery, then of reading")
async def receipts() -> None:
    for index, sdk in enumerate(SDKS):
        reader = SDKS[(index + 1) % len(SDKS)]
        a, b = [await kind.open(Place.app, name) for kind, name in zip((sdk, reader), people("ann", "bob"))]
        cid = (await a.start(b.name)).cid
        sent = await a.send(cid, text("received?"), r=True)
        await a.send(cid, text("no matter"))

        def receipts_of(read: bool) -> list[Any]:
            return [notice.rcpMessage for notice in a.notices if name_of(notice) == "rcp"
                    and notice.rcpMessage.HasField("read") == read]

        await a.until(lambda: receipts_of(False), "a delivery receipt")
        delivered = receipts_of(False)[0]
        equal((delivered.id, delivered.cid, getattr(delivered, "from")), (sent.uid, cid, b.name),
              f"{a.SDK} to {b.SDK}: the delivery receipt")
        expect(delivered.t >= sent.t, delivered)
        await until_said(b, cid, "received?", "no matter")
        await b.read(cid, b.received[-1])
        await a.until(lambda: receipts_of(True), "a read receipt")
        seen = receipts_of(True)[0]
        equal((seen.id, seen.cid, getattr(seen, "from"), seen.read), (sent.uid, cid, b.name, True),
              f"{a.SDK} to {b.SDK}: the read receipt")
        (item,) = [item for item in await a.logs(cid) if item.msgId == sent.uid]
        expect(item.ackAt >= sent.t and item.readAt >= sent.t, f"{a.SDK}: {item}")
        answer = await a.conv("max_read", cid)
        expect(answer.maxReadTimestamp >= sent.t, f"{a.SDK}: {answer}")
        equal(len(receipts_of(False)), 1, f"{a.SDK}: delivery receipts")


@scenario("a message is changed and taken back for everybody, wherever they are")
async def patches() -> None:
    for index, sdk in enumerate(SDKS):
        other = SDKS[(index + 2) % len(SDKS)]
        ann, bob, cai = people("ann", "bob", "cai")
        a, b, away = await sdk.open(Place.app, ann), await other.open(Place.app, bob), await Swift.open(Place.app, cai)
        desk = await Java.open(Place.app, ann, device="desk")
        cid = (await a.start(bob, cai)).cid
        first, second = await a.send(cid, text("teh")), await a.send(cid, text("oops"))
        await until_said(b, cid, "teh", "oops")
        await until_said(away, cid, "teh", "oops")
        away.last_patch = second.t
        away.abort()
        answer = await a.edit(cid, first.uid, first.t, text("tea"))
        taken = await a.recall(cid, second.uid, second.t)
        expect(taken.lastPatchTime >= answer.lastPatchTime > 0, f"{taken} after {answer}")

        def changes(client: Any) -> list[Any]:
            # Who comes back in this moment may be told of a change by the look and by the push: for an SDK it is one state.
            told = [part for notice in client.notices if name_of(notice) == "patch/modify"
                    for part in notice.patchMessage.patches]
            return list({(part.mid, part.patchTimestamp): part for part in told}.values())

        await away.reconnect()
        for client in (b, desk, away):
            await client.until(lambda: len(changes(client)) >= 2, "the changes")
            edited, recalled = sorted(changes(client), key=lambda part: part.patchTimestamp)
            equal((edited.cid, edited.mid, edited.timestamp, shown(edited.data), edited.recall),
                  (cid, first.uid, first.t, "tea", False), f"{a.SDK} to {client.SDK}: the edit")
            equal((recalled.mid, recalled.recall, getattr(recalled, "from")), (second.uid, True, ann),
                  f"{a.SDK} to {client.SDK}: the recall")
        equal(changes(a), [], f"{a.SDK}: changes that come back to who made them")
        one, two = await b.logs(cid)
        equal((one.msgId, shown(one.data), one.patchTimestamp > 0), (first.uid, "tea", True), "the edited one")
        equal((two.msgId, json.loads(two.data)["_lctype"]), (second.uid, -127), "the recalled one")
        await refused(4403, b.edit(cid, first.uid, first.t, text("mine")), "another's message")
        await refused(4404, a.recall(cid, "A" * 22, first.t), "a message that is none")


@scenario("the history goes in both directions, from and to any message")
async def history() -> None:
    for sdk in SDKS:
        ann, bob = people("ann", "bob")
        a, stranger = await sdk.open(Place.app, ann), await Java.open(Place.app, person("eve"))
        cid = (await a.start(bob)).cid
        answers = [await a.send(cid, b"\x00\x01" if number == 7 else text(f"{number}")) for number in range(25)]
        await a.send(cid, text("not kept"), transient=True)
        ids = [answer.uid for answer in answers]

        def at(number: int) -> dict[str, Any]:
            return {"t": answers[number].t, "mid": answers[number].uid}

        async def page(limit: int | None, **body: Any) -> list[int]:
            return [ids.index(item.msgId) for item in await a.logs(cid, limit, **body)]

        equal(await page(None), list(range(5, 25)), f"{sdk.SDK}: without a limit")
        equal(await page(10), list(range(15, 25)), f"{sdk.SDK}: the newest")
        equal(await page(10, **at(15)), list(range(5, 15)), f"{sdk.SDK}: older ones")
        equal(await page(10, **at(5)), list(range(5)), f"{sdk.SDK}: the oldest")
        equal(await page(3, **at(15), tIncluded=True), [13, 14, 15], f"{sdk.SDK}: with the first")
        equal(await page(10, direction=2), list(range(10)), f"{sdk.SDK}: from the beginning")
        equal(await page(3, direction=2, **at(9)), [10, 11, 12], f"{sdk.SDK}: forward")
        equal(await page(3, direction=2, **at(9), tIncluded=True), [9, 10, 11], f"{sdk.SDK}: forward, with the first")
        equal(await page(100, **at(20), tt=answers[12].t, tmid=ids[12]), list(range(13, 20)), f"{sdk.SDK}: between")
        equal(await page(100, **at(20), tt=answers[12].t, tmid=ids[12], ttIncluded=True), list(range(12, 20)),
              f"{sdk.SDK}: between, with the last")
        equal(await page(0), [], f"{sdk.SDK}: none")
        equal(await page(100, lctype=-1), [number for number in range(25) if number != 7], f"{sdk.SDK}: of one type")
        (binary,) = [item for item in await a.logs(cid, 100) if item.msgId == ids[7]]
        equal((binary.bin, base64.b64decode(binary.data)), (True, b"\x00\x01"), f"{sdk.SDK}: bytes")
        await refused(4312, stranger.logs(cid), "the history of others")


@scenario("the last will is delivered when a connection breaks, and only then")
async def wills() -> None:
    for sdk in SDKS:
        a, b = [await kind.open(Place.app, name) for kind, name in zip((sdk, JavaScript), people("ann", "bob"))]
        cid = (await a.start(b.name)).cid
        await a.send(cid, text("first will"), will=True)
        answer = await a.send(cid, text("last will"), will=True)
        a.abort()
        await until_said(b, cid, "last will")
        equal(b.received[0].id, answer.uid, f"{sdk.SDK}: the id of the will")
        await a.reconnect()
        await a.send(cid, text("never"), will=True)
        await a.close()
        await a.sign_in()
        await a.send(cid, text("back"))
        await until_said(b, cid, "last will", "back")
        equal([shown(item.data) for item in await b.logs(cid)], ["back"], f"{sdk.SDK}: the history")


@scenario("what cannot be sent is refused with its reason, and the connection goes on")
async def refusals() -> None:
    for sdk in SDKS:
        ann, bob = people("ann", "bob")
        a, b = await sdk.open(Place.app, ann), await Java.open(Place.app, bob)
        cid = (await b.start(person("cai"))).cid
        await refused(4401, a.send(cid, text("let me in")), "a message to a conversation of others")
        await refused(4401, a.send("551260efe4b01608686c3e0f", text("anybody?")), "a message to no conversation")
        mine = (await a.start(bob)).cid
        await refused(4109, a.send(mine, text("x" * 6000)), "a message that is too long")
        await a.send(mine, text("short"))
        await until_said(b, mine, "short")
