"""The JSON door: requests, answers, deliveries, and what was missed."""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

from door_place import door
from house import PERSON, SUCCESS, Session, encoded, equal, expect, payload_of


@door.checks.check("ping answers with an empty result, whatever its params are")
async def ping() -> None:
    async with door.sessions("ann") as (ann,):
        for params in ({}, None):
            answer = await ann.request("ping", params)
            equal((answer.get("result"), "error" in answer), ({}, False), "the answer")
        (answer,) = await ann.exchange('{"id":"null","method":"ping","params":null}', "null")
        equal(answer["result"], {})


@door.checks.check("a response has result or error, never both; message ids are decimal strings")
async def response_shape() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON,
                                            "payload": encoded(payload_of("x"))})
        expect(("result" in answer) != ("error" in answer), answer)
        result = answer["result"]
        expect(isinstance(result["messageId"], str) and 0 < int(result["messageId"]) < 1 << 63, result)
        expect(type(result["messageSeq"]) is int and result["messageSeq"] > 0, result)
        equal(result["reasonCode"], SUCCESS)
        await bob.next()  # so that it is not sent after a later sign-in


@door.checks.check("a recv has a header object, no id, an integer time, and the identity of the send")
async def recv_shape() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        sent = await ann.send("bob", PERSON, payload_of("plain"), header={}, token="shape-1")
        (got,) = await bob.next()
        note = next(note for note in bob.notifications if note["method"] == "recv")
        expect("id" not in note, note)
        expect(isinstance(got.get("header"), dict), got)
        expect(not any(got["header"].values()), got["header"])
        equal((got["messageId"], got["messageSeq"]), (sent["messageId"], sent["messageSeq"]), "the identity")
        expect(type(got["timestamp"]) is int and abs(got["timestamp"] - time.time()) < 60, got)
        equal((got["channelId"], got["channelType"], got["fromUid"]), ("ann", PERSON, "ann"), "the address")
        equal(got["clientMsgNo"], "shape-1")


@door.checks.check("the flags redDot and syncOnce, setting, topic and expire are carried through")
async def carried() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        await ann.send("bob", PERSON, payload_of("x"), header={"redDot": True, "syncOnce": True},
                       setting={"receipt": True, "topic": True}, topic="tea", expire=3600)
        (got,) = await bob.next()
        equal((got["header"].get("redDot"), got["header"].get("syncOnce")), (True, True), "the header")
        expect(not got["header"].get("noPersist"), got["header"])
        equal(got.get("setting", {}).get("receipt"), True, "the receipt switch")
        equal((got.get("topic"), got.get("expire")), ("tea", 3600), "topic and expire")


@door.checks.check("noPersist: sequence 0 for both sides, delivered, and not kept")
async def transient() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        before = await ann.send("bob", PERSON, payload_of("before"))
        sent = await ann.send("bob", PERSON, payload_of("typing"), header={"noPersist": True})
        equal((sent["reasonCode"], sent["messageSeq"]), (SUCCESS, 0), "the answer")
        after = await ann.send("bob", PERSON, payload_of("after"))
        equal(after["messageSeq"], before["messageSeq"] + 1, "the next sequence")
        got = await bob.next(3)
        equal([message["messageSeq"] for message in got], [before["messageSeq"], 0, after["messageSeq"]])
        expect(got[1]["header"].get("noPersist") is True, got[1])


@door.checks.check("a payload may come as base64 or as an object; an object leaves as one, anything else as base64")
async def payloads() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        hard = {"type": 1, "number": 9007199254740993, "nested": {"茶": [1.5, None, "\u2028"]}}
        for payload, as_text in ((payload_of("as base64"), True), (payload_of("as object"), False), (hard, False)):
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "header": {},
                                                "payload": encoded(payload) if as_text else payload})
            equal(answer.get("result", {}).get("reasonCode"), SUCCESS, f"{payload}: {answer}")
            equal((await bob.next())[0]["payload"], payload)
        for raw in (b'["an","array"]', b"plain text", bytes(range(256))):
            text = base64.b64encode(raw).decode()
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "payload": text})
            equal(answer.get("result", {}).get("reasonCode"), SUCCESS, f"{raw!r}: {answer}")
            equal((await bob.next())[0]["payload"], text)
        # What begins as an object and is not exactly one is read by each app in its own way.
        for raw in (b'{"broken":', b'{"type":1,"type":2}', b'{"type":1}x'):
            text = base64.b64encode(raw).decode()
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "payload": text})
            equal(answer.get("result", {}).get("reasonCode"), 9, f"{raw!r}: {answer}")


@door.checks.check("a payload that is neither object nor base64 is refused, and the session goes on")
async def bad_payloads() -> None:
    async with door.sessions("ann") as (ann,):
        for payload in ("not base64!", "YQ=", 17, None, [1]):
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "payload": payload})
            expect(answer.get("result", {}).get("reasonCode") != SUCCESS, f"{payload!r}: {answer}")
        await ann.quiet()


@door.checks.check("an unknown method, subscribe, and a send without channel answer with an error object")
async def error_objects() -> None:
    async with door.sessions("ann") as (ann,):
        cases: list[tuple[str, Any]] = [
            ("no-such-method", {}), ("subscribe", {"subNo": "1", "channelId": "x", "channelType": 2}),
            ("send", {}), ("send", None), ("send", []), ("send", {"channelId": "bob"}), ("connect", {"uid": 1})]
        for method, params in cases:
            answer = await ann.request(method, params)
            error = answer.get("error")
            expect(isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str),
                   f"{method} {params}: {answer}")
            expect("result" not in answer, answer)
        await ann.quiet()


@door.checks.check("what is not a request leaves an authenticated session open")
async def not_a_request() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        for text in ('{"id":"x"}', '{"method":"recvack"}',
                     '{"method":"recvack","params":{"messageId":"1","messageSeq":1}}',
                     '{"method":"recvack","params":{"header":{},"messageId":"99999999999999999999","messageSeq":-1}}',
                     '{"method":"no-such-notification","params":{}}', '{"id":"y","result":{}}'):
            await ann.socket.send(text)
        await ann.quiet()
        await bob.send("ann", PERSON, payload_of("still here?"))
        equal((await ann.next())[0]["payload"], payload_of("still here?"))


@door.checks.check("one of the same clientMsgNo is stored; the second answer is the first")
async def same_token() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        first, second = [await ann.send("bob", PERSON, payload_of("once"), token="same-1") for _ in range(2)]
        equal(second, first, "the second answer")
        both = await asyncio.gather(*(ann.send("bob", PERSON, payload_of("at once"), token="same-2") for _ in range(5)))
        equal(len({answer["messageId"] for answer in both}), 1, "ids of five sends at once")
        await ann.send("bob", PERSON, payload_of("end"))
        # How far a device has got is stored once a second: what bob's last session knew may come again.
        said: list[str] = []
        while "end" not in said:
            said.append((await bob.next())[0]["payload"]["content"])
        equal(said[-3:], ["once", "at once", "end"])


@door.checks.check("the same clientMsgNo with another payload is refused")
async def token_conflict() -> None:
    async with door.sessions("ann") as (ann,):
        await ann.send("bob", PERSON, payload_of("one"), token="conflict-1")
        answer = await ann.send("bob", PERSON, payload_of("another"), token="conflict-1")
        expect(answer.get("reasonCode") != SUCCESS, answer)
        elsewhere = await ann.send("cai", PERSON, payload_of("another"), token="conflict-1")
        equal(elsewhere.get("reasonCode"), SUCCESS, "the same number to someone else: the reason")


@door.checks.check("to oneself: stored, and the sending session hears nothing back")
async def to_oneself() -> None:
    async with door.sessions("eva") as (eva,):
        answer = await eva.send("eva", PERSON, payload_of("note to self"))
        equal(answer.get("reasonCode"), SUCCESS)
        await eva.quiet()
        equal(eva.received, [])


@door.checks.check("what was said while away comes after sign-in, in order, and once")
async def catch_up() -> None:
    async with door.sessions("ann", "fei") as (ann, fei):
        await fei.close()
        for number in range(50):
            await ann.send("fei", PERSON, payload_of(f"{number}"))
        back = await door.signed_in("fei")
        equal([message["payload"]["content"] for message in await back.next(50)], [f"{number}" for number in range(50)])
        await back.quiet()
        equal(back.received, [], "more")
        await back.close()
    async with door.sessions("ann") as (ann,):
        # The mark of an acknowledgement is written soon, not at once: what came may come once more, until it is.
        text = "new"
        while len(await heard_with(ann, "fei", text)) > 1:
            text += "er"
            await asyncio.sleep(0.2)


async def heard_with(sender: Session, receiver: str, text: str) -> list[dict[str, Any]]:
    """What a new session gets up to and with a message that is said once it is there."""
    session = await door.signed_in(receiver)
    await sender.send(receiver, PERSON, payload_of(text))
    await session.until(lambda: any(message["payload"] == payload_of(text) for message in session.received))
    await session.close()
    return session.received
