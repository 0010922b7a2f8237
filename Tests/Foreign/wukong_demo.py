"""WuKongIM's open demo page against the trial mode: the requests it makes, in its order, and what it must not reach.

Source: WuKongIM 2.2.5, demo/chatdemo/src: view/Login.vue (`/user/token`), view/Chat.vue (`/route`, the connection),
components/Conversation/index.vue (`/conversation/sync`, `clearUnread`), services/APIClient.ts (`joinChannel`,
`syncMessages`; the header field `token` only when there is one, which the page never has).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

import binary_wire
from binary_wire import BinarySession, connect_packet, public_text
from house import GROUP, PERSON, SUCCESS, WEB, Checks, House, equal, expect, payload_of, run_checks

checks = Checks()
place: House
PAGE = "http://127.0.0.1:5172"
CONFIGURATION = f"""
[server]
origins = ["{PAGE}"]
[store]
ballast_bytes = 1048576
[wukong]
trial = true
"""


def ask(method: str, path: str, body: Any = None, fields: dict[str, str] | None = None) -> tuple[int, Any, Any]:
    """One request of the page: axios sends JSON, the browser adds Origin."""
    request = urllib.request.Request(f"http://{place.host}:{place.port}{path}", method=method,
                                     data=None if body is None else json.dumps(body).encode())
    request.add_header("Accept", "application/json, text/plain, */*")
    request.add_header("Origin", PAGE)
    if body is not None:
        request.add_header("Content-Type", "application/json")
    for name, value in (fields or {}).items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            status, content, headers = response.status, response.read(), response.headers
    except urllib.error.HTTPError as error:
        status, content, headers = error.code, error.read(), error.headers
    return status, json.loads(content) if content else None, headers


async def page(method: str, path: str, body: Any = None) -> Any:
    status, answer, headers = await asyncio.to_thread(ask, method, path, body)
    expect(status == 200, f"{method} {path} is answered with {status} {answer}")
    equal(headers["Access-Control-Allow-Origin"], PAGE, "what lets the page read the answer")
    return answer


async def sign_in(user: str, password: str) -> BinarySession:
    """Login.vue, then Chat.vue as far as the connection."""
    status, _, headers = await asyncio.to_thread(
        ask, "OPTIONS", "/user/token", None,
        {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"})
    expect(status in (200, 204) and "POST" in headers["Access-Control-Allow-Methods"], f"the preflight: {status}")
    await page("POST", "/user/token", {"uid": user, "token": password, "device_flag": WEB, "device_level": 0})
    route = await page("GET", f"/route?uid={user}")
    equal(route["wss_addr"], "", "the page prefers it, and no browser knows our certificate")
    session = await BinarySession.dial(route["ws_addr"] + "/", 5)
    await session.write(connect_packet(5, WEB, uuid.uuid4().hex + "W", user, password, public_text(session.private),
                                       int(time.time() * 1000)))
    await session.until(lambda: session.connected or session.ended)
    equal((session.connected or {}).get("reason"), SUCCESS, f"the sign-in of {user}")
    await page("POST", "/conversation/sync", {"uid": user, "msg_count": 1})
    return session


async def messages(user: str, channel: str, kind: int) -> list[Any]:
    answer = await page("POST", "/channel/messagesync", {
        "login_uid": user, "channel_id": channel, "channel_type": kind, "start_message_seq": 0, "end_message_seq": 0,
        "pull_mode": 1, "limit": 30})
    return answer["messages"]


@checks.check("two people of the page talk to each other and in a group, and read it again")
async def talk() -> None:
    ming, lan = await sign_in("ming", "1"), await sign_in("lan", "2")
    equal((await ming.send("lan", PERSON, json.dumps(payload_of("hi")).encode())).reason, SUCCESS)
    equal((await lan.next())[0].sender, "ming")
    equal(len(await messages("lan", "ming", PERSON)), 1)
    for user in ("ming", "lan"):
        await page("POST", "/channel/subscriber_add",
                   {"channel_id": "tea", "channel_type": GROUP, "subscribers": [user]})
    equal((await lan.send("tea", GROUP, json.dumps(payload_of("in the group")).encode())).reason, SUCCESS)
    (got,) = [message for message in await messages("ming", "tea", GROUP)]
    equal(got["from_uid"], "lan")
    await page("POST", "/conversations/clearUnread",
               {"uid": "ming", "channel_id": "tea", "channel_type": GROUP, "unread": 0})
    await ming.close()
    await lan.close()


@checks.check("a real person's account is refused in words that the page shows")
async def refused() -> None:
    place.add_users({"romeo": "web"})
    status, answer, _ = await asyncio.to_thread(
        ask, "POST", "/user/token", {"uid": "romeo", "token": "1", "device_flag": WEB, "device_level": 0})
    equal(status, 400, "the only status whose text the page shows")
    expect("not made by the trial mode" in answer["msg"], answer)
    status, _, _ = await asyncio.to_thread(ask, "POST", "/conversation/sync", {"uid": "romeo", "msg_count": 1})
    equal(status, 403)


async def main(arguments: argparse.Namespace) -> int:
    global place
    binary_wire.self_test()
    place = House(arguments.binary, config=CONFIGURATION)
    place.start()
    return await checks.finish(place, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
