"""The JSON door: signing in, and who gives way to whom."""

from __future__ import annotations

import json

from door_place import door, FINAL_CODES
from house import APP, AUTH_FAIL, DESKTOP, KICKED, SUCCESS, Session, equal, expect
from websockets.exceptions import ConnectionClosed


@door.checks.check("connect answers with reason 1, version, time and node, as the SDKs read them")
async def connect_result() -> None:
    session = await Session.dial(door.house.url)
    answer = await session.sign_in("ann", door.tokens["ann"], id="the-id")
    equal(answer["id"], "the-id")
    result = answer["result"]
    equal(result["reasonCode"], SUCCESS)
    for field, kind in {"serverVersion": int, "timeDiff": int, "serverKey": str, "salt": str, "nodeId": int}.items():
        expect(field not in result or type(result[field]) is kind, f"{field} in {result}")
    expect(abs(result.get("timeDiff", 0)) < 60_000, result)
    await session.close()


@door.checks.check("a wrong token, user or device class is refused with error 2, and the connection closed")
async def wrong_token() -> None:
    cases = (("ann", "wrong", DESKTOP), ("ann", door.tokens["bob"], DESKTOP), ("nobody", door.tokens["ann"], DESKTOP),
             ("ann", door.tokens["ann"], APP))
    for user, token, flag in cases:
        session = await Session.dial(door.house.url)
        answer = await session.sign_in(user, token, flag=flag)
        equal(answer.get("error", {}).get("code"), AUTH_FAIL, f"for {user}, {flag}: the code of {answer}")
        expect(isinstance(answer["error"].get("message"), str) and "result" not in answer, answer)
        closed = await session.until_closed()
        expect(closed.code not in (*FINAL_CODES, None), closed)


@door.checks.check("a uid that is empty or holds @ # & is refused")
async def bad_user() -> None:
    for user in ("", "a@b", "a#b", "a&b", "x" * 300):
        session = await Session.dial(door.house.url)
        answer = await session.sign_in(user, door.tokens["ann"])
        expect("error" in answer, f"{user!r}: {answer}")
        await session.until_closed()


@door.checks.check("a connection whose first message is not connect is closed")
async def not_connect_first() -> None:
    for text in ('{"id":"1","method":"ping"}', '{"id":"1","method":"connect","params":[]}', '{"id":', "[]", "hello",
                 '{"jsonrpc":"1.0","id":"1","method":"connect","params":{"uid":"ann","token":"x"}}'):
        session = await Session.dial(door.house.url)
        try:
            await session.socket.send(text)
        except ConnectionClosed:
            pass
        await session.until_closed()


@door.checks.check("a connect request with jsonrpc, null members and unknown ones is understood")
async def lenient_connect() -> None:
    session = await Session.dial(door.house.url)
    request = {"jsonrpc": "2.0", "id": "a b", "method": "connect", "params": {
        "uid": "ann", "token": door.tokens["ann"], "deviceId": "x", "deviceFlag": DESKTOP, "clientKey": None,
        "header": None, "version": 0, "novelty": {"deep": [1, {"er": None}]}}, "more": True}
    (answer,) = await session.exchange(json.dumps(request), "a b")
    equal(answer["result"]["reasonCode"], SUCCESS)
    await session.close()


@door.checks.check("the same device again: the older session is closed without a word, and may come back")
async def same_device() -> None:
    older = await door.signed_in("ann", device="laptop")
    newer = await door.signed_in("ann", device="laptop")
    closed = await older.until_closed()
    expect(closed.reason is None and closed.code not in FINAL_CODES, closed)
    await newer.quiet()
    await newer.close()


@door.checks.check("two devices of one class: both stay with ordinary tokens")
async def two_devices() -> None:
    first, second = await door.signed_in("ann", device="one"), await door.signed_in("ann", device="two")
    await first.quiet()
    await second.quiet()
    await first.close()
    await second.close()


@door.checks.check("two devices of one class: a primary one takes over with disconnect and reason 12")
async def takeover() -> None:
    token = door.house.token("ann", "desktop", "--level", "primary")
    older = await door.signed_in("ann", device="one")
    newer = await Session.open(door.house.url, "ann", token, device="two")
    closed = await older.until_closed()
    equal(closed.reason, KICKED, "the reason")
    disconnect = next(note for note in older.notifications if note["method"] == "disconnect")
    expect("id" not in disconnect, disconnect)
    await newer.quiet()
    await newer.close()
