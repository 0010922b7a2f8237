"""Forged commands: whatever a JavaScript app would read as content type 99 is refused at every door a person can send at.

The referee is Python's `json`, which like `JSON.parse` takes the last of two equal keys, compares numbers by value and
passes over what is deeper than our reader goes. Spellings are drawn at random, the same ones in every run; those that
are taken must be, for the referee, exactly what the receiver gets.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import urllib.error
import urllib.request
from typing import Any

from binary_wire import BinarySession
from house import APP, PERSON, SUCCESS, WEB, Checks, House, Session, equal, expect, run_checks

CONFIGURATION = """
[limits]
messages_per_second_per_user = 1000000
message_burst_per_user = 1000000
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
[store]
ballast_bytes = 1048576
"""
PAYLOAD_DECODE_ERROR, NOT_ALLOWED = 9, 11
SPELLINGS = 250

checks = Checks()
place: House
tokens: dict[str, str] = {}


class Writer:
    """Draws payloads near a command: right, wrong in one place, and disguised."""

    NUMBERS = ("99", "99.0", "9.9e1", "990e-1", "0.99E2", "99.00000000000000000001", "9900e-2", "1", "98", "100", "2",
               "-99", "99.5", "4294967395", "1e400", "0", "99e0")
    KEYS = ("type", "t\\u0079pe", "\\u0074\\u0079\\u0070\\u0065", "typ\\u0065", "Type", "type ", "content", "cmd")
    BEFORE = ("", " ", "\n\t", "\ufeff", "/**/", "// x\n", "#\n", "\0", "x", "[")
    AFTER = ("", " ", "\n", "}", ",", " x", "\0", "]")

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def value(self) -> str:
        draw = self.draw
        return draw.choice((draw.choice(self.NUMBERS), draw.choice(self.NUMBERS), f'"{draw.choice(self.NUMBERS)}"',
                            "true", "null", "[99]", '{"type":99}', '"tea"', '"\\ud83c"', '"\\ud83c\\udf75"', "NaN",
                            "[" * draw.choice((3, 40)) + "]" * 3))

    def member(self) -> str:
        key = self.draw.choice(self.KEYS)
        value = self.draw.choice(self.NUMBERS) if self.draw.random() < 0.5 else self.value()
        return f'"{key}":{value}'

    def payload(self) -> bytes:
        draw = self.draw
        members = [self.member() for _ in range(draw.randint(1, 3))]
        text = "{" + ",".join(members) + ("," if draw.random() < 0.05 else "") + "}"
        if draw.random() < 0.25:
            text = draw.choice(self.BEFORE) + text
        if draw.random() < 0.2:
            text += draw.choice(self.AFTER)
        data = text.encode("utf-8", "surrogatepass")
        match draw.random():
            case chance if chance < 0.03: data = text.encode("utf-16", "surrogatepass")
            case chance if chance < 0.06: data = data.replace(b"tea", b"\xff\xfe")
        return data


def read_as_app(payload: bytes) -> Any:
    """What an app makes of a payload: the JS SDK, or a more patient reader. `None` for what is no object."""
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        try:
            value = json.loads(payload.decode(encoding))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None


def is_command(payload: bytes) -> bool:
    value = read_as_app(payload)
    if value is None:
        return False
    kind = value.get("type")
    return not isinstance(kind, bool) and isinstance(kind, (int, float)) and kind == 99


def ask(path: str, body: Any) -> int:
    request = urllib.request.Request(
        f"http://{place.host}:{place.port}{path}", method="POST", data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "token": tokens["ann-web"]})
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


@checks.check("the referee knows a command")
async def referee() -> None:
    for text in ('{"type":99}', '{"type":1,"type":99}', '{"type":99.0}', '{"typ\\u0065":9.9e1}', '\ufeff{"type":99}'):
        expect(is_command(text.encode()), text)
    for text in ('{"type":98}', '{"type":99,"type":1}', '["type",99]', "tea", '{"a":{"type":99}}'):
        expect(not is_command(text.encode()), text)


@checks.check("what the referee reads as a command passes no door, and what passes arrives as it was")
async def spellings() -> None:
    writer = Writer(99)
    payloads = [writer.payload() for _ in range(SPELLINGS)]
    commands = sum(is_command(payload) for payload in payloads)
    expect(commands > SPELLINGS // 10, f"only {commands} commands were drawn")
    ann = await BinarySession.open(place.url, "ann", tokens["ann-app"], 5, flag=APP)
    bob = await BinarySession.open(place.url, "bob", tokens["bob-app"], 5, flag=APP)
    page = await Session.open(place.url, "ann", tokens["ann-web"], flag=WEB)
    # Edited in another conversation: what bob hears is what was sent.
    original = int((await page.send("cai", PERSON, {"type": 1, "content": "tea"}))["messageId"])
    await bob.quiet()
    bob.received.clear()
    taken = 0
    for payload in payloads:
        binary = (await ann.send("bob", PERSON, payload)).reason
        answer = await page.request("send", {"channelId": "bob", "channelType": PERSON, "payload": base64.b64encode(payload).decode()})
        through = await asyncio.to_thread(ask, "/message/send", {
            "from_uid": "ann", "channel_id": "bob", "channel_type": PERSON, "payload": base64.b64encode(payload).decode()})
        edited = await asyncio.to_thread(ask, "/v1/message/edit", {
            "message_id": str(original), "message_seq": 1, "channel_id": "cai", "channel_type": PERSON,
            "content_edit": payload.decode("utf-8", "replace")})
        doors = (binary == SUCCESS, answer["result"]["reasonCode"] == SUCCESS, through == 200)
        equal(len(set(doors)), 1, f"the doors disagree about {payload!r}: {doors}")
        if is_command(payload):
            expect(not any(doors), f"a command passed: {payload!r} {doors}")
            expect(binary in (PAYLOAD_DECODE_ERROR, NOT_ALLOWED), f"reason {binary} for {payload!r}")
        if is_command(payload.decode("utf-8", "replace").encode()):
            expect(edited in (400, 403), f"a command became an edit: {payload!r} {edited}")
        if doors[0]:
            taken += 1
            for got in await bob.next(3):
                equal(got.payload, payload)
    expect(taken > SPELLINGS // 10, f"only {taken} payloads were taken")
    await ann.close()
    await bob.close()
    await page.close()


async def main(arguments: argparse.Namespace) -> int:
    global place
    place = House(arguments.binary, config=CONFIGURATION)
    place.start()
    place.add_users(("ann", "bob", "cai"))
    for name, device in (("ann", "app"), ("ann", "web"), ("bob", "app")):
        tokens[f"{name}-{device}"] = place.token(name, device)
    return await checks.finish(place, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
