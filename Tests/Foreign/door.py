"""The JSON door in every detail an SDK has been seen to trip over, with plain WebSockets and plain TCP."""

from __future__ import annotations

import argparse
import asyncio
import base64
import fcntl
import json
import socket
import struct
import sys
import termios
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from house import (APP, AUTH_FAIL, BANNED, BLOCKED, CONFIGURATION, DESKTOP, GROUP, KICKED, NOT_ALLOWED, NOT_MEMBER, PATIENCE,
                   PERSON, RATE_LIMIT, SUCCESS, Checks, Closed, House, Session, encoded, equal, expect, payload_of)
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

#: Seconds, as configured below and as built in.
IDLE, SIGN_IN = 30, 10

checks = Checks()
house: House
tokens: dict[str, str] = {}
started_idle: asyncio.Task[tuple[float, Closed]]
started_outside: asyncio.Task[float]

NAMES = ("ann", "bob", "cai", "dee", "eva", "fei")


async def signed_in(user: str, **options: Any) -> Session:
    return await Session.open(house.url, user, tokens[user], **options)


@asynccontextmanager
async def sessions(*users: str) -> AsyncIterator[list[Session]]:
    """Signed-in sessions; what an earlier check left for them is out of the way."""
    opened = [await signed_in(user) for user in users]
    for session in opened:
        await session.quiet()
        session.received.clear()
        session.notifications.clear()
    try:
        yield opened
    finally:
        for session in opened:
            await session.close()


async def refused(session: Session, channel: str, kind: int, reason: int, payload: Any = None) -> None:
    answer = await session.send(channel, kind, payload or payload_of("no"))
    equal(answer.get("reasonCode"), reason, f"the answer {answer}: its reason")


# MARK: signing in

@checks.check("connect answers with reason 1, version, time and node, as the SDKs read them")
async def connect_result() -> None:
    session = await Session.dial(house.url)
    answer = await session.sign_in("ann", tokens["ann"], id="the-id")
    equal(answer["id"], "the-id")
    result = answer["result"]
    equal(result["reasonCode"], SUCCESS)
    for field, kind in {"serverVersion": int, "timeDiff": int, "serverKey": str, "salt": str, "nodeId": int}.items():
        expect(field not in result or type(result[field]) is kind, f"{field} in {result}")
    expect(abs(result.get("timeDiff", 0)) < 60_000, result)
    await session.close()


@checks.check("a wrong token, user or device class is refused with error 2, and the connection closed")
async def wrong_token() -> None:
    cases = (("ann", "wrong", DESKTOP), ("ann", tokens["bob"], DESKTOP), ("nobody", tokens["ann"], DESKTOP),
             ("ann", tokens["ann"], APP))
    for user, token, flag in cases:
        session = await Session.dial(house.url)
        answer = await session.sign_in(user, token, flag=flag)
        equal(answer.get("error", {}).get("code"), AUTH_FAIL, f"for {user}, {flag}: the code of {answer}")
        expect(isinstance(answer["error"].get("message"), str) and "result" not in answer, answer)
        closed = await session.until_closed()
        expect(closed.code not in (1002, 1003, 1007, 1008, 1009, None), closed)


@checks.check("a uid that is empty or holds @ # & is refused")
async def bad_user() -> None:
    for user in ("", "a@b", "a#b", "a&b", "x" * 300):
        session = await Session.dial(house.url)
        answer = await session.sign_in(user, tokens["ann"])
        expect("error" in answer, f"{user!r}: {answer}")
        await session.until_closed()


@checks.check("a connection whose first message is not connect is closed")
async def not_connect_first() -> None:
    for text in ('{"id":"1","method":"ping"}', '{"id":"1","method":"connect","params":[]}', '{"id":', "[]", "hello",
                 '{"jsonrpc":"1.0","id":"1","method":"connect","params":{"uid":"ann","token":"x"}}'):
        session = await Session.dial(house.url)
        try:
            await session.socket.send(text)
        except ConnectionClosed:
            pass
        await session.until_closed()


@checks.check("a connect request with jsonrpc, null members and unknown ones is understood")
async def lenient_connect() -> None:
    session = await Session.dial(house.url)
    request = {"jsonrpc": "2.0", "id": "a b", "method": "connect", "params": {
        "uid": "ann", "token": tokens["ann"], "deviceId": "x", "deviceFlag": DESKTOP, "clientKey": None, "header": None,
        "version": 0, "novelty": {"deep": [1, {"er": None}]}}, "more": True}
    (answer,) = await session.exchange(json.dumps(request), "a b")
    equal(answer["result"]["reasonCode"], SUCCESS)
    await session.close()


@checks.check("the same device again: the older session is closed without a word, and may come back")
async def same_device() -> None:
    older = await signed_in("ann", device="laptop")
    newer = await signed_in("ann", device="laptop")
    closed = await older.until_closed()
    expect(closed.reason is None and closed.code not in (1002, 1003, 1007, 1008, 1009), closed)
    await newer.quiet()
    await newer.close()


@checks.check("two devices of one class: both stay with ordinary tokens")
async def two_devices() -> None:
    first, second = await signed_in("ann", device="one"), await signed_in("ann", device="two")
    await first.quiet()
    await second.quiet()
    await first.close()
    await second.close()


@checks.check("two devices of one class: a primary one takes over with disconnect and reason 12")
async def takeover() -> None:
    token = house.token("ann", "desktop", "--level", "primary")
    older = await signed_in("ann", device="one")
    newer = await Session.open(house.url, "ann", token, device="two")
    closed = await older.until_closed()
    equal(closed.reason, KICKED, "the reason")
    disconnect = next(note for note in older.notifications if note["method"] == "disconnect")
    expect("id" not in disconnect, disconnect)
    await newer.quiet()
    await newer.close()


# MARK: requests and answers

@checks.check("ping answers with an empty result, whatever its params are")
async def ping() -> None:
    async with sessions("ann") as (ann,):
        for params in ({}, None):
            answer = await ann.request("ping", params)
            equal((answer.get("result"), "error" in answer), ({}, False), "the answer")
        (answer,) = await ann.exchange('{"id":"null","method":"ping","params":null}', "null")
        equal(answer["result"], {})


@checks.check("a response has result or error, never both; message ids are decimal strings")
async def response_shape() -> None:
    async with sessions("ann") as (ann,):
        answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "payload": encoded(payload_of("x"))})
        expect(("result" in answer) != ("error" in answer), answer)
        result = answer["result"]
        expect(isinstance(result["messageId"], str) and 0 < int(result["messageId"]) < 1 << 63, result)
        expect(type(result["messageSeq"]) is int and result["messageSeq"] > 0, result)
        equal(result["reasonCode"], SUCCESS)


@checks.check("a recv has a header object, no id, an integer time, and the identity of the send")
async def recv_shape() -> None:
    async with sessions("ann", "bob") as (ann, bob):
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


@checks.check("the flags redDot and syncOnce, setting, topic and expire are carried through")
async def carried() -> None:
    async with sessions("ann", "bob") as (ann, bob):
        await ann.send("bob", PERSON, payload_of("x"), header={"redDot": True, "syncOnce": True},
                       setting={"receipt": True, "topic": True}, topic="tea", expire=3600)
        (got,) = await bob.next()
        equal((got["header"].get("redDot"), got["header"].get("syncOnce")), (True, True), "the header")
        expect(not got["header"].get("noPersist"), got["header"])
        equal(got.get("setting", {}).get("receipt"), True, "the receipt switch")
        equal((got.get("topic"), got.get("expire")), ("tea", 3600), "topic and expire")


@checks.check("noPersist: sequence 0 for both sides, delivered, and not kept")
async def transient() -> None:
    async with sessions("ann", "bob") as (ann, bob):
        before = await ann.send("bob", PERSON, payload_of("before"))
        sent = await ann.send("bob", PERSON, payload_of("typing"), header={"noPersist": True})
        equal((sent["reasonCode"], sent["messageSeq"]), (SUCCESS, 0), "the answer")
        after = await ann.send("bob", PERSON, payload_of("after"))
        equal(after["messageSeq"], before["messageSeq"] + 1, "the next sequence")
        got = await bob.next(3)
        equal([message["messageSeq"] for message in got], [before["messageSeq"], 0, after["messageSeq"]])
        expect(got[1]["header"].get("noPersist") is True, got[1])


@checks.check("a payload may come as base64 or as an object; an object leaves as one, anything else as base64")
async def payloads() -> None:
    async with sessions("ann", "bob") as (ann, bob):
        cases = [(payload_of("as base64"), payload_of("as base64"), True), (payload_of("as object"), payload_of("as object"), False),
                 ({"type": 1, "number": 9007199254740993, "nested": {"茶": [1.5, None, "\u2028"]}},) * 2 + (False,)]
        for payload, wanted, as_text in cases:
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "header": {},
                                                "payload": encoded(payload) if as_text else payload})
            equal(answer.get("result", {}).get("reasonCode"), SUCCESS, f"{payload}: {answer}")
            equal((await bob.next())[0]["payload"], wanted)
        for raw in (b'["an","array"]', b"plain text", bytes(range(256)), b'{"broken":'):
            text = base64.b64encode(raw).decode()
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "payload": text})
            equal(answer.get("result", {}).get("reasonCode"), SUCCESS, f"{raw!r}: {answer}")
            equal((await bob.next())[0]["payload"], text)


@checks.check("a payload that is neither object nor base64 is refused, and the session goes on")
async def bad_payloads() -> None:
    async with sessions("ann") as (ann,):
        for payload in ("not base64!", "YQ=", 17, None, [1]):
            answer = await ann.request("send", {"channelId": "bob", "channelType": PERSON, "payload": payload})
            expect(answer.get("result", {}).get("reasonCode") != SUCCESS, f"{payload!r}: {answer}")
        await ann.quiet()


@checks.check("an unknown method, subscribe, and a send without channel answer with an error object")
async def error_objects() -> None:
    async with sessions("ann") as (ann,):
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


@checks.check("what is not a request leaves an authenticated session open")
async def not_a_request() -> None:
    async with sessions("ann", "bob") as (ann, bob):
        for text in ('{"id":"x"}', '{"method":"recvack"}', '{"method":"recvack","params":{"messageId":"1","messageSeq":1}}',
                     '{"method":"recvack","params":{"header":{},"messageId":"99999999999999999999999","messageSeq":-1}}',
                     '{"method":"no-such-notification","params":{}}', '{"id":"y","result":{}}'):
            await ann.socket.send(text)
        await ann.quiet()
        await bob.send("ann", PERSON, payload_of("still here?"))
        equal((await ann.next())[0]["payload"], payload_of("still here?"))


@checks.check("one of the same clientMsgNo is stored; the second answer is the first")
async def same_token() -> None:
    async with sessions("ann", "bob") as (ann, bob):
        first, second = [await ann.send("bob", PERSON, payload_of("once"), token="same-1") for _ in range(2)]
        equal(second, first, "the second answer")
        both = await asyncio.gather(*(ann.send("bob", PERSON, payload_of("at once"), token="same-2") for _ in range(5)))
        equal(len({answer["messageId"] for answer in both}), 1, "ids of five sends at once")
        await ann.send("bob", PERSON, payload_of("end"))
        equal([message["payload"]["content"] for message in await bob.next(3)], ["once", "at once", "end"])


@checks.check("the same clientMsgNo with another payload is refused")
async def token_conflict() -> None:
    async with sessions("ann") as (ann,):
        await ann.send("bob", PERSON, payload_of("one"), token="conflict-1")
        answer = await ann.send("bob", PERSON, payload_of("another"), token="conflict-1")
        expect(answer.get("reasonCode") != SUCCESS, answer)
        elsewhere = await ann.send("cai", PERSON, payload_of("another"), token="conflict-1")
        equal(elsewhere.get("reasonCode"), SUCCESS, "the same number to someone else: the reason")


@checks.check("to oneself: stored, and the sending session hears nothing back")
async def to_oneself() -> None:
    async with sessions("eva") as (eva,):
        answer = await eva.send("eva", PERSON, payload_of("note to self"))
        equal(answer.get("reasonCode"), SUCCESS)
        await eva.quiet()
        equal(eva.received, [])


@checks.check("what was said while away comes after sign-in, in order, and once")
async def catch_up() -> None:
    async with sessions("ann", "fei") as (ann, fei):
        await fei.close()
        for number in range(50):
            await ann.send("fei", PERSON, payload_of(f"{number}"))
        back = await signed_in("fei")
        equal([message["payload"]["content"] for message in await back.next(50)], [f"{number}" for number in range(50)])
        await back.quiet()
        equal(back.received, [], "more")
        await back.close()
    async with sessions("ann") as (ann,):
        # The mark of an acknowledgement is written soon, not at once: what came may come once more, until it is.
        text = "new"
        while len(await heard_with(ann, "fei", text)) > 1:
            text += "er"


async def heard_with(sender: Session, receiver: str, text: str) -> list[dict[str, Any]]:
    """What a new session gets up to and with a message that is said once it is there."""
    session = await signed_in(receiver)
    await sender.send(receiver, PERSON, payload_of(text))
    await session.until(lambda: any(message["payload"] == payload_of(text) for message in session.received))
    await session.close()
    return session.received


# MARK: frames

@checks.check("several requests in one WebSocket message are answered one by one, in order")
async def several_in_one() -> None:
    async with sessions("ann") as (ann,):
        names = [f"m{number}" for number in range(20)]
        text = " \n".join(json.dumps({"id": name, "method": "ping"}) for name in names)
        equal([answer["id"] for answer in await ann.exchange(text, *names)], names, "the order of the answers")


@checks.check("a request in many WebSocket fragments is one request")
async def fragments() -> None:
    async with sessions("ann", "bob") as (ann, bob):
        request = json.dumps({"id": "f", "method": "send", "params": {
            "channelId": "bob", "channelType": PERSON, "payload": payload_of("茶 in pieces")}}, ensure_ascii=False)
        pieces = [request[at:at + 7] for at in range(0, len(request), 7)]
        (answer,) = await ann.exchange(pieces, "f")
        equal(answer["result"]["reasonCode"], SUCCESS)
        equal((await bob.next())[0]["payload"], payload_of("茶 in pieces"))


@checks.check("answers are text frames, and a compression offer is declined")
async def text_frames() -> None:
    async with connect(house.url, compression="deflate", proxy=None) as raw:
        expect("Sec-WebSocket-Extensions" not in raw.response.headers, raw.response.headers)
        await raw.send(json.dumps({"id": "1", "method": "connect", "params": {
            "uid": "ann", "token": tokens["ann"], "deviceId": "raw", "deviceFlag": DESKTOP}}))
        expect(isinstance(await raw.recv(), str), "a binary answer")


@checks.check("a page of a foreign origin is refused")
async def foreign_origin() -> None:
    try:
        async with connect(house.url, origin="https://evil.example", proxy=None):  # type: ignore[arg-type]
            raise AssertionError("was let in")
    except InvalidStatus as error:
        equal(error.response.status_code, 403)


@checks.check("an unknown Host is refused with 421")
async def foreign_host() -> None:
    reader, writer = await asyncio.open_connection(house.host, house.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    async with asyncio.timeout(PATIENCE):
        line = await reader.readline()
    expect(line.startswith(b"HTTP/1.1 421 "), line)
    writer.close()


# MARK: plain TCP

class Line:
    """The JSON door on plain TCP: objects one after the other."""

    def __init__(self) -> None:
        self._socket = socket.create_connection((house.host, house.port), timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._text = ""

    def write(self, data: bytes) -> None:
        """Writes, and returns when the server's kernel has it."""
        self._socket.sendall(data)
        while struct.unpack("i", fcntl.ioctl(self._socket, termios.TIOCOUTQ, b"\0" * 4))[0]:
            time.sleep(0.0002)

    def answers(self) -> Iterator[dict[str, Any]]:
        decoder = json.JSONDecoder()
        while True:
            try:
                value, end = decoder.raw_decode(self._text.lstrip())
            except json.JSONDecodeError:
                data = self._socket.recv(65536)
                if not data:
                    return
                self._text += data.decode()
                continue
            self._text = self._text.lstrip()[end:]
            yield value

    def close(self) -> None:
        self._socket.close()


def tcp_script(name: str) -> bytes:
    """A sign-in, a ping and a message, as one run of bytes."""
    requests = [
        {"id": "c", "method": "connect", "params": {"uid": "dee", "token": tokens["dee"], "deviceId": "tcp",
                                                    "deviceFlag": DESKTOP}},
        {"id": "p", "method": "ping", "params": {}},
        {"id": "s", "method": "send", "params": {"channelId": "eva", "channelType": PERSON, "clientMsgNo": name,
                                                 "payload": {"type": 1, "content": "茶"}}}]
    return b"\n".join(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() for request in requests)


@checks.check("plain TCP speaks the same JSON, cut at every byte")
async def tcp_cut_everywhere() -> None:
    script = tcp_script("tcp-1")

    def all_cuts() -> None:
        first: dict[str, Any] | None = None
        for cut in range(1, len(script)):
            line = Line()
            line.write(script[:cut])
            line.write(script[cut:])
            got: dict[str, Any] = {}
            for answer in line.answers():
                if "id" in answer:
                    got[answer["id"]] = answer
                if len(got) == 3:
                    break
            equal(list(got), ["c", "p", "s"], f"cut at {cut}: the answers")
            equal(got["p"]["result"], {}, f"cut at {cut}: the pong")
            first = first or got["s"]["result"]
            equal(got["s"]["result"], first, f"cut at {cut}: the same message again")
            line.close()

    await asyncio.to_thread(all_cuts)


@checks.check("plain TCP: byte by byte, with white space between")
async def tcp_slowly() -> None:
    def slowly() -> None:
        line = Line()
        for byte in b" \r\n\t" + tcp_script("tcp-2") + b"\n\n":
            line.write(bytes((byte,)))
        answers = line.answers()
        names = []
        while len(names) < 3:
            answer = next(answers)
            names += [answer["id"]] if "id" in answer else []
        equal(names, ["c", "p", "s"])
        line.close()

    await asyncio.to_thread(slowly)


# MARK: who may say what; the operator's words through ctl

@checks.check("reason 4 while the receiver blocks the sender, and not after")
async def blocked() -> None:
    async with sessions("ann", "cai") as (ann, cai):
        house.ctl("user", "block", "cai", "ann")
        await refused(ann, "cai", PERSON, BLOCKED)
        equal((await cai.send("ann", PERSON, payload_of("but I may")))["reasonCode"], SUCCESS)
        house.ctl("user", "unblock", "cai", "ann")
        equal((await ann.send("cai", PERSON, payload_of("again")))["reasonCode"], SUCCESS)


@checks.check("reason 3 for a group one is not in, and after being removed from it")
async def not_member() -> None:
    async with sessions("ann", "dee") as (ann, dee):
        await refused(dee, "tea", GROUP, NOT_MEMBER)
        house.ctl("group", "add", "tea", "dee")
        equal((await dee.send("tea", GROUP, payload_of("in")))["reasonCode"], SUCCESS)
        house.ctl("group", "remove", "tea", "dee")
        await refused(dee, "tea", GROUP, NOT_MEMBER)
        await ann.send("tea", GROUP, payload_of("without dee"))
        await dee.quiet()
        equal([m for m in dee.received if m["payload"] == payload_of("without dee")], [], "what the removed one got")


@checks.check("reason 13 while someone takes messages from an allow list only")
async def allow_list() -> None:
    async with sessions("ann") as (ann,):
        house.ctl("user", "allow", "cai", "bob")
        house.ctl("user", "allowlist", "cai", "on")
        await refused(ann, "cai", PERSON, NOT_ALLOWED)
        house.ctl("user", "allow", "cai", "ann")
        equal((await ann.send("cai", PERSON, payload_of("allowed")))["reasonCode"], SUCCESS)
        house.ctl("user", "allowlist", "cai", "off")


@checks.check("reason 19 in a banned group, 25 for a silenced sender, and neither after it is lifted")
async def banned() -> None:
    async with sessions("ann") as (ann,):
        house.ctl("group", "ban", "tea")
        await refused(ann, "tea", GROUP, BANNED)
        house.ctl("group", "unban", "tea")
        house.ctl("user", "mute", "ann")
        await refused(ann, "bob", PERSON, 25)
        house.ctl("user", "unmute", "ann")
        equal((await ann.send("tea", GROUP, payload_of("free")))["reasonCode"], SUCCESS)


@checks.check("a disabled user's session ends, and the next sign-in is refused with 19")
async def disabled() -> None:
    session = await signed_in("fei")
    house.ctl("user", "disable", "fei")
    await session.until_closed()
    again = await Session.dial(house.url)
    answer = await again.sign_in("fei", tokens["fei"])
    equal(answer.get("error", {}).get("code"), BANNED, f"the code of {answer}")
    await again.until_closed()
    house.ctl("user", "enable", "fei")
    await (await signed_in("fei")).close()


@checks.check("an unknown person, an unknown group and a kind that is not served are refused")
async def unknown() -> None:
    async with sessions("ann") as (ann,):
        for channel, kind in (("nobody-here", PERSON), ("no-group", GROUP), ("x", 9), ("x", 200), ("a@b", PERSON)):
            answer = await ann.send(channel, kind, payload_of("?"))
            expect(answer.get("reasonCode", 0) not in (SUCCESS,), f"{channel} {kind}: {answer}")


# MARK: limits

@checks.check("a body over the limit is refused and the session goes on; a frame over the limit closes with 1009")
async def oversize() -> None:
    async with sessions("ann") as (ann,):
        answer = await ann.send("bob", PERSON, payload_of("x" * 40_000))
        expect(answer.get("reasonCode") != SUCCESS, answer)
        await ann.quiet()
        try:
            await ann.send("bob", PERSON, payload_of("x" * 300_000))
        except (Closed, ConnectionClosed):
            pass
        equal((await ann.until_closed()).code, 1009, "the close code")


@checks.check("deep nesting, huge numbers and lone surrogates do not bring the house down")
async def hostile_json() -> None:
    for text in ('{"id":"1","method":"ping","params":{"a":' + "[" * 20_000 + "]" * 20_000 + "}}", '{"id":"1","method":"connect","params":' + "[" * 9_999 + "]" * 9_999 + "}",
                 '{"id":"1","method":"send","params":{"channelType":1e999}}', '{"id":"\\ud800","method":"ping"}',
                 '{"id":"1","id":"2","method":"ping"}', '{"id":"1","method":"ping","params":{"x":1' + "0" * 5_000 + "}}"):
        session = await signed_in("ann")
        await session.socket.send(text)
        try:
            await session.quiet()
        except Closed:
            pass
        await session.close()
    async with sessions("ann") as (ann,):
        await ann.quiet()


@checks.check("too many messages are answered with 22, and the session goes on")
async def rate_limit() -> None:
    strict = House(house.binary, config="[limits]\nmessages_per_second_per_user = 1\nmessage_burst_per_user = 5\n")
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


@checks.check(f"a connection that does not sign in within {SIGN_IN} s, or is silent for {IDLE} s, is closed")
async def silent() -> None:
    async with asyncio.timeout(IDLE + PATIENCE):
        seconds, closed = await started_idle
    expect(IDLE - 1 <= seconds, f"closed after {seconds:.1f} s, {closed}")
    expect(closed.code not in (1002, 1003, 1007, 1008, 1009), closed)
    async with asyncio.timeout(PATIENCE):
        seconds = await started_outside
    expect(seconds >= 1, f"closed after {seconds:.1f} s")


async def stay_silent() -> tuple[float, Closed]:
    session = await signed_in("silent")
    begun = time.monotonic()
    await session.socket.wait_closed()
    return time.monotonic() - begun, await session.until_closed()


async def stay_outside() -> float:
    begun = time.monotonic()
    session = await Session.dial(house.url)
    async with asyncio.timeout(SIGN_IN + PATIENCE):
        await session.socket.wait_closed()
    return time.monotonic() - begun


async def main(arguments: argparse.Namespace) -> int:
    global house, started_idle, started_outside
    house = House(arguments.binary, config=CONFIGURATION + f"[sessions]\nidle_seconds_wukong = {IDLE}\n")
    house.start()
    tokens.update(house.add_users((*NAMES, "silent")))
    house.add_group("tea", ("ann", "bob", "cai"))
    started_idle = asyncio.create_task(stay_silent())
    started_outside = asyncio.create_task(stay_outside())
    code = await checks.run(arguments.only)
    equal(house.stop(), 0, "the exit code of the server")
    complaint = house.verify()
    print("ok    teahouse verify finds nothing" if complaint is None else f"FAIL  teahouse verify: {complaint}")
    return code or (1 if complaint else 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--only", help="run the checks whose name contains this")
    sys.exit(asyncio.run(main(parser.parse_args())))
