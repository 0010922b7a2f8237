"""The unmodified LeanEngine of PyPI's `leancloud` as the cloud functions of an app, called by a built teahouse.

An app's functions are Python here; nothing about them or the package is changed: they know the app by what the platform
put into their environment, and let nobody else call them.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import hmac
import json
import os
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from house import Checks, House, equal, temporary_folder
from leancloud_dialects import App, Client, JavaScript, Refused, Swift, text

# A script beside this one has the package's name.
sys.path.pop(0)

checks = Checks()


class Place:
    house: House
    app: App
    keys: dict[str, str]
    #: What was called, with what.
    calls: list[tuple[str, dict[str, Any]]] = []


class Silent(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def functions() -> Any:
    """The app's own, as its programmers wrote them: those that it needs, of the fourteen that there are."""
    import leancloud

    leancloud.init(os.environ["LEANCLOUD_APP_ID"], app_key=os.environ["LEANCLOUD_APP_KEY"],
                   master_key=os.environ["LEANCLOUD_APP_MASTER_KEY"])
    engine = leancloud.Engine()

    @engine.define
    def _messageReceived(**params: Any) -> dict[str, Any]:
        Place.calls.append(("_messageReceived", params))
        words = json.loads(params["content"])["_lctext"]
        if "casino" in words:
            return {"drop": True, "code": 9007, "detail": "advertisement"}
        return {"content": text(words.replace("tea", "coffee"))} if "tea" in words else {}

    @engine.define
    def _conversationAdd(initBy: str, members: list[str], convId: str) -> dict[str, Any]:
        Place.calls.append(("_conversationAdd", {"initBy": initBy, "members": members, "convId": convId}))
        return {"reject": "eve" in members, "code": 9890}

    @engine.define
    def sign(clientId: str) -> dict[str, Any]:
        """As LeanCloud's guide has it: the app signs in a function."""
        moment, nonce = int(time.time() * 1000), secrets.token_hex(6)
        words = f"{os.environ['LEANCLOUD_APP_ID']}:{clientId}::{moment}:{nonce}"
        digits = hmac.new(os.environ["LEANCLOUD_APP_MASTER_KEY"].encode(), words.encode(), hashlib.sha1).hexdigest()
        return {"timestamp": moment, "nonce": nonce, "signature": digits}

    @engine.define
    def who() -> dict[str, Any]:
        user = engine.current.user
        return {"id": user.id if user else None, "session": engine.current.session_token}

    @engine.define
    def fail() -> None:
        raise leancloud.LeanEngineError(7001, "no more tea")

    return engine


def run(name: str, parameters: Any = None, session: str | None = None, form: str = "functions") -> tuple[int, Any]:
    """As the JavaScript SDK calls a function."""
    moment = str(int(time.time() * 1000))
    sign = hashlib.md5((moment + Place.keys["appKey"]).encode()).hexdigest()
    headers = {"X-LC-Id": Place.keys["appId"], "X-LC-Sign": f"{sign},{moment}", "X-LC-Prod": "1",
               "Content-Type": "application/json;charset=UTF-8"}
    if session:
        headers["X-LC-Session"] = session
    address = Place.house.url.replace("ws://", "http://") + f"1.1/{form}/{name}"
    request = urllib.request.Request(address, json.dumps(parameters or {}).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@checks.check("clients call the app's functions, and sign in with what one of them signs")
async def called() -> None:
    status, answer = await asyncio.to_thread(run, "sign", {"clientId": "signed"})
    equal(status, 200, answer)
    signed = answer["result"]
    session = {"t": signed["timestamp"], "n": signed["nonce"], "s": signed["signature"]}
    await JavaScript.open(Place.app, "signed", session=session)
    equal(await asyncio.to_thread(run, "sign", {"clientId": "x"}, form="call") is not None, True)


@checks.check("a function knows whose session calls it, and its errors reach the client")
async def known() -> None:
    token = Place.house.ctl("user", "token", "ann", "--device", "app").split()[-1]
    equal(await asyncio.to_thread(run, "who"), (200, {"result": {"id": None, "session": None}}))
    status, answer = await asyncio.to_thread(run, "who", None, token)
    equal((status, answer["result"]["session"]), (200, token), answer)
    equal(answer["result"]["id"], "ann", answer)
    equal(await asyncio.to_thread(run, "who", None, "made-up"), (401, {"code": 211, "error": "Could not find user."}))
    status, answer = await asyncio.to_thread(run, "fail")
    equal((status, answer["code"]), (400, 7001), answer)
    status, answer = await asyncio.to_thread(run, "absent")
    equal((status, answer["code"]), (404, 404), answer)  # The engine's own words, passed on.


@checks.check("no client calls a hook")
async def hooks_are_ours() -> None:
    before = len(Place.calls)
    status, answer = await asyncio.to_thread(run, "_messageReceived", {"content": "{}"})
    equal((status, answer["code"], len(Place.calls)), (401, 401, before), answer)


@checks.check("messages are changed and dropped as the app's function says, and the number reaches the sender")
async def messages() -> None:
    tom, jerry = await JavaScript.open(Place.app, "tom"), await Swift.open(Place.app, "jerry")
    cid = (await tom.start("jerry", "ann")).cid
    await tom.send(cid, text("a cup of tea"))
    await jerry.until(lambda: jerry.received, "the message")
    equal(json.loads(jerry.received[0].msg)["_lctext"], "a cup of coffee")
    try:
        await tom.send(cid, text("casino"))
    except Refused as refused:
        ack = refused.answer.ackMessage
        equal((refused.code, ack.appCode, ack.appMsg), (4402, 9007, "advertisement"))
    else:
        raise AssertionError("an advertisement was taken")
    name, params = Place.calls[0]
    equal((name, params["fromPeer"], params["convId"], sorted(params["toPeers"])),
          ("_messageReceived", "tom", cid, ["ann", "jerry"]))
    equal((params["bin"], params["transient"], params["sourceIP"]), (False, False, "127.0.0.1"))


@checks.check("functions that the app does not have hold up none of those that it has")
async def absent() -> None:
    tom = await Swift.open(Place.app, "tommy")
    cid = (await tom.start("jerry", "ann")).cid
    for number in range(8):
        await tom.update(cid, name=f"talk {number}")
        await tom.send(cid, text(f"words {number}"))
    asked = [params for name, params in Place.calls if name == "_messageReceived" and params["convId"] == cid]
    equal(len(asked), 8)
    await tom.add(cid, "bob")
    try:
        await tom.add(cid, "eve")
    except Refused as refused:
        equal((refused.code, refused.answer.errorMessage.appCode), (4305, 9890))
    else:
        raise AssertionError("eve was added")
    equal([params["members"] for name, params in Place.calls if name == "_conversationAdd"], [["bob"], ["eve"]])


@checks.check("nothing is wrong in the folder afterwards")
async def verified() -> None:
    await Client.close_all()
    equal(Place.house.stop(), 0, "exit code")
    equal(Place.house.verify(), None, "verify")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the teahouse to test")
    parser.add_argument("--only", help="checks whose names have this in them")
    arguments = parser.parse_args()
    engine: list[Callable[..., Any]] = []
    server: WSGIServer = make_server("127.0.0.1", 0, lambda *asked: engine[0](*asked), handler_class=Silent)
    key = secrets.token_hex(16)
    file = temporary_folder("teahouse-test-") / "hook.key"
    file.touch(mode=0o600)
    file.write_text(key)
    Place.house = House(arguments.binary, config=f"""
[leancloud]
enabled = true
hooks_url = "http://127.0.0.1:{server.server_port}"
hooks_key_file = "{file}"
[store]
ballast_bytes = 1048576
""")
    Place.house.start()
    keys = json.loads(Place.house.ctl("app", "keys", "--json"))
    Place.keys = keys
    Place.house.ctl("user", "add", "ann")
    Place.app = App(Place.house.url, keys["appId"], keys["masterKey"])
    # As the platform does it; read when the package is imported.
    os.environ.update(LEANCLOUD_APP_ID=keys["appId"], LEANCLOUD_APP_KEY=keys["appKey"],
                      LEANCLOUD_APP_MASTER_KEY=keys["masterKey"], LEANCLOUD_APP_HOOK_KEY=key,
                      LEANCLOUD_API_SERVER=Place.house.url.replace("ws://", "http://").rstrip("/"))
    engine.append(functions())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return asyncio.run(checks.run(arguments.only))


if __name__ == "__main__":
    sys.exit(main())
