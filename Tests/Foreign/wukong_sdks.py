"""What each WuKongIM SDK really sends, untidy defaults included, one check per SDK.

Every value below was read in the SDK's public source; the file is named where it is used. The table of all calls is
`docs/protocols/wukongim-sdks.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import struct
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

import binary_wire
from binary_wire import RECVACK, RED_DOT, BinarySession, connect_packet, frame, public_text, send_packet
from house import (APP, DESKTOP, GROUP, PERSON, SUCCESS, WEB, Checks, House, Session, equal, expect, payload_of,
                   run_checks)

checks = Checks()
place: House
tokens: dict[str, str] = {}
APP_PAGE = "http://app.example.com"
CONFIGURATION = f"""
[server]
origins = ["{APP_PAGE}"]
[store]
ballast_bytes = 1048576
"""


def hex32() -> str:
    return uuid.uuid4().hex


def ask(method: str, path: str, user: str, body: Any = None, *, raw: bytes | None = None,
        fields: dict[str, str] | None = None, with_token: bool = True) -> tuple[int, Any, Any]:
    """Status, JSON or bytes, and header fields of one request."""
    address = path if path.startswith("http") else f"http://{place.host}:{place.port}{path}"
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, method=method, data=data)
    if body is not None:
        request.add_header("Content-Type", "application/json;charset=utf-8")
    for name, value in (fields or {}).items():
        request.add_header(name, value)
    if with_token:
        request.add_header("token", tokens[user])
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            content, status, headers = response.read(), response.status, response.headers
    except urllib.error.HTTPError as error:
        content, status, headers = error.read(), error.code, error.headers
    try:
        return status, json.loads(content), headers
    except ValueError:
        return status, content, headers


async def done(method: str, path: str, user: str, body: Any = None) -> Any:
    status, answer, _ = await asyncio.to_thread(ask, method, path, user, body)
    expect(status == 200, f"{method} {path} is answered with {status} {answer}")
    return answer


async def binary(user: str, version: int, flag: int, device: str, timestamp: int, *, tcp: bool) -> BinarySession:
    """Signs in with exactly these fields."""
    session = await BinarySession.dial(place.url, version, tcp=tcp)
    await session.write(connect_packet(version, flag, device, user, tokens[user], public_text(session.private),
                                       timestamp))
    await session.until(lambda: session.connected or session.ended)
    equal((session.connected or {}).get("reason"), SUCCESS, f"the sign-in of {user}")
    return session


def milliseconds() -> int:
    return int(time.time() * 1000)


async def group_of(*people: str) -> str:
    name = "g" + hex32()[:8]
    await asyncio.to_thread(place.add_group, name, people)
    return name


@checks.check("JS: five packets in one message, all that had no answer at once after a reconnect, pages as its apps ask")
async def javascript() -> None:
    group = await group_of("js", "ling")
    # connect_manager.ts: a new device id for every connection, 32 hex and W; flag 1, version 5.
    session = await binary("js", 5, WEB, hex32() + "W", milliseconds(), tcp=False)
    # chat_manager.ts: redDot, setting 0, number `HEX_0_3`, at most five packets in one WebSocket message.
    made = [session.prepare(group, GROUP, json.dumps(payload_of(f"m{at}")).encode(), f"{hex32()}_0_3")
            for at in range(5)]
    await session.write(b"".join(packet for packet, _ in made))
    for _, answer in made:
        equal((await answer).reason, SUCCESS)
    # flushSendingQueue: one packet a message, no pause, sorted as text; with the keys of the new session.
    await session.close()
    session = await binary("js", 5, WEB, hex32() + "W", milliseconds(), tcp=False)
    queue = [session.prepare(group, GROUP, json.dumps(payload_of(f"q{at}")).encode(), f"{hex32()}_0_3")
             for at in range(300)]
    for packet, _ in sorted(queue, key=lambda made: str(queue.index(made))):
        await session.write(packet)
    reasons = {(await answer).reason for _, answer in queue}
    equal(reasons, {SUCCESS}, "a refusal is final for the person who wrote")
    # TangSengDaoDaoWeb conversation.ts, module.ts: no version, no last_msg_seqs; the newest page by 0, 0, up.
    answer = await done("POST", "/v1/conversation/sync", "js", {"msg_count": 1})
    expect(any(found["channel_id"] == group for found in answer["conversations"]), answer)
    page = await done("POST", "/v1/message/channel/sync", "js", {
        "limit": 30, "channel_id": group, "channel_type": GROUP, "start_message_seq": 0, "end_message_seq": 0,
        "pull_mode": 1})
    equal([message["message_seq"] for message in page["messages"]], list(range(276, 306)), "the newest page")
    last = page["messages"][-1]
    await done("PUT", "/v1/coversation/clearUnread", "js",
               {"channel_id": group, "channel_type": GROUP, "unread": 0})
    await done("POST", "/v1/message/readed", "js",
               {"channel_id": group, "channel_type": GROUP, "message_ids": [last["message_idstr"]]})
    await done("POST", "/v1/conversation/extra/sync", "js", {"version": 0})
    await done("POST", "/v1/message/reminder/sync", "js", {"version": 0, "limit": 100, "channel_ids": [group]})
    await done("POST", "/v1/message/extra/sync", "js",
               {"channel_id": group, "channel_type": GROUP, "extra_version": 0, "limit": 100})
    await done("GET", f"/v1/groups/{group}/membersync?version=0&limit=10000", "js")
    # A POST without a body and without its type, all in the query.
    await done("POST", f"/v1/message/revoke?channel_id={group}&channel_type={GROUP}"
                       f"&message_id={last['message_idstr']}&client_msg_no={last['client_msg_no']}", "js")
    await session.close()


@checks.check("JS: an upload as the web app makes it, and the picture on the app's page")
async def javascript_upload() -> None:
    group = await group_of("js", "ling")
    # task.ts: the path has 32 characters and the extension; the form goes without the token.
    address = await done("GET", f"/v1/file/upload?path=/{GROUP}/{group}/{hex32()}.png&type=chat", "js")
    edge, picture = hex32(), b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    form = (f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="blob.png"\r\n'
            f"Content-Type: image/png\r\n\r\n").encode() + picture + f"\r\n--{edge}--\r\n".encode()
    status, answer, _ = await asyncio.to_thread(
        ask, "POST", address["url"], "js", raw=form, with_token=False,
        fields={"Content-Type": f"multipart/form-data; boundary={edge}", "Origin": APP_PAGE})
    equal(status, 200, f"the upload: {answer}")
    session = await binary("js", 5, WEB, hex32() + "W", milliseconds(), tcp=False)
    content = {"width": 1, "height": 1, "url": answer["path"], "type": 2}
    equal((await session.send(group, GROUP, json.dumps(content).encode(), f"{hex32()}_0_3")).reason, SUCCESS)
    # getImageURL: what begins with http is taken as it is. <img>: no token, no Origin, the page in Referer.
    for page, wanted in ((APP_PAGE + "/", "cross-origin"), ("http://elsewhere.example.com/", "same-origin")):
        status, shown, headers = await asyncio.to_thread(
            ask, "GET", answer["path"], "js", with_token=False, fields={"Referer": page})
        equal((status, shown), (200, picture), "the picture")
        equal(headers["Cross-Origin-Resource-Policy"], wanted, f"for {page}")
    await session.close()


@checks.check("iOS: version 4 over TCP, the same number again after ten seconds, the edit as a JSON text")
async def ios() -> None:
    # WKConnectionManager.m: flag 0, 32 hex and `ios`, kept; WKOptions.m: version 4.
    device = hex32().upper() + "ios"
    session = await binary("ios", 4, APP, device, milliseconds(), tcp=True)
    number = hex32()
    content = json.dumps({"type": 1, "content": "你好", "from_name": "ios", "mention": {"all": 0}}).encode()
    first = await session.send("ling", PERSON, content, number)
    again = await session.send("ling", PERSON, content, number)  # WKRetryManager.m: no dup flag
    equal((again.id, again.reason), (first.id, SUCCESS), "the message that came twice")
    edited = {"type": 1, "content": "早", "from_name": "ios"}
    await done("POST", "/v1/message/edit", "ios", {
        "message_id": str(first.id), "message_seq": first.sequence, "channel_id": "ling", "channel_type": PERSON,
        "content_edit": json.dumps(edited)})
    page = await done("POST", "/v1/message/channel/sync", "ios", {
        "device_uuid": device, "channel_id": "ling", "channel_type": PERSON, "start_message_seq": 0,
        "end_message_seq": 0, "limit": 50, "pull_mode": 0})
    equal(page["messages"][-1]["message_extra"]["content_edit"], edited)
    answer = await done("POST", "/v1/conversation/sync", "ios", {
        "version": 0, "last_msg_seqs": "", "msg_count": 30, "device_uuid": device})
    expect(answer["conversations"], answer)
    await done("POST", "/v1/conversation/syncack", "ios", {"cmd_version": 0, "device_uuid": device})
    await session.close()


@checks.check("Android: version 4 over TCP, flags repeated in RECVACK, unread with a number")
async def android() -> None:
    session = await binary("android", 4, APP, hex32() + "ad", milliseconds(), tcp=True)
    ling = await binary("ling", 5, WEB, hex32() + "W", milliseconds(), tcp=False)
    await session.quiet()
    session.received.clear()
    # WKProto.java: JSONObject.toString escapes `/`, has no blanks, and `all` is a number.
    content = b'{"content":"http:\\/\\/ling","mention":{"all":1,"uids":["ling"]},"type":1}'
    sent = await session.send("ling", PERSON, content, hex32() + "1")
    equal(sent.reason, SUCCESS)
    back = await ling.send("android", PERSON, json.dumps(payload_of("back")).encode(), f"{hex32()}_0_3")
    (got,) = await session.next()
    equal((got.id, got.flags), (back.id, RED_DOT))
    await done("PUT", "/v1/coversation/clearUnread", "android", {
        "channel_id": "ling", "channel_type": PERSON, "unread": 0, "message_seq": got.sequence})
    answer = await done("GET", "/v1/users/android/im", "android")
    equal(answer["tcp_addr"], f"{place.host}:{place.port}")
    await session.close()
    await ling.close()


@checks.check("Flutter: a RECVACK without flags, numbers that end in 5, everything at once after a reconnect")
async def flutter() -> None:
    session = await binary("flutter", 4, APP, str(uuid.uuid4()), milliseconds(), tcp=True)
    ling = await binary("ling", 5, WEB, hex32() + "W", milliseconds(), tcp=False)
    session.acknowledging = False
    await session.quiet()
    session.received.clear()
    await ling.send("flutter", PERSON, json.dumps(payload_of("tea")).encode(), f"{hex32()}_0_3")
    (got,) = await session.next()
    await session.write(frame(RECVACK, 0, struct.pack(">qI", got.id, got.sequence)))  # connect_manager.dart
    made = [session.prepare("ling", PERSON, json.dumps({"content": f"f{at}", "type": 1}).encode(), hex32() + "5")
            for at in range(120)]
    await session.write(b"".join(packet for packet, _ in made))  # _resendMsg
    equal({(await answer).reason for _, answer in made}, {SUCCESS})
    answer = await done("GET", "/route", "flutter")
    equal((answer["tcp_addr"], answer["wss_addr"]), (f"{place.host}:{place.port}", ""), "what was asked for in clear")
    await session.close()
    await ling.close()


@checks.check("Go: seconds for milliseconds, no flags at all, bytes that are no JSON")
async def golang() -> None:
    session = await binary("go", 5, APP, hex32(), int(time.time()), tcp=True)  # client.go: time.Now().Unix()
    ling = await binary("ling", 5, WEB, hex32() + "W", milliseconds(), tcp=False)
    await ling.quiet()
    ling.received.clear()
    sent = await session.send("ling", PERSON, b"hello", hex32(), flags=0)
    equal((sent.reason, sent.flags), (SUCCESS, 0))
    (got,) = await ling.next()
    equal((got.payload, got.flags), (b"hello", 0))
    await session.close()
    await ling.close()


@checks.check("Easy JS: the object as payload, absent members, id behind params; 50 requests at once")
async def easy_javascript() -> None:
    session = await Session.dial(place.url)
    request = {"method": "connect", "params": {
        "uid": "easy", "token": tokens["easy"], "deviceId": f"web_{hex32()[:8]}_{milliseconds()}", "deviceFlag": WEB,
        "clientTimestamp": milliseconds()}, "id": str(uuid.uuid4())}
    (answer,) = await session.exchange(json.dumps(request), request["id"])
    equal(answer["result"]["reasonCode"], SUCCESS, "the sign-in")
    ids = [str(uuid.uuid4()) for _ in range(50)]
    for id in ids:
        # index.ts: JSON.stringify leaves `topic` and `setting` out when they are undefined.
        await session.socket.send(json.dumps({"method": "send", "params": {
            "clientMsgNo": str(uuid.uuid4()), "channelId": "ling", "channelType": PERSON,
            "payload": {"type": "text", "content": "Hello!"}, "header": {"redDot": True}}, "id": id}))
    last = str(uuid.uuid4())
    (answer,) = await session.exchange(json.dumps({"method": "ping", "params": {}, "id": last}), last)
    equal(answer["result"], {})
    await session.close()


@checks.check("Easy Python: base64, id first, no jsonrpc; what cannot be read is answered")
async def easy_python() -> None:
    session = await Session.open(place.url, "python", tokens["python"], device="python_" + hex32(), flag=DESKTOP,
                                 id=str(uuid.uuid4()))
    answer = await session.send("ling", PERSON, payload_of("hi"), token=str(uuid.uuid4()), header={"redDot": True})
    equal(answer["reasonCode"], SUCCESS)
    id = str(uuid.uuid4())
    (answer,) = await session.exchange(
        f'{{"id":"{id}","method":"send","params":{{"channelId":"ling","channelId":"js","channelType":1}}}}', id)
    expect("error" in answer, f"a request with a key twice: {answer}")
    await session.close()


async def main(arguments: argparse.Namespace) -> int:
    global place
    binary_wire.self_test()
    place = House(arguments.binary, config=CONFIGURATION)
    place.start()
    people = {"js": "web", "ling": "web", "ios": "app", "android": "app", "flutter": "app", "go": "app",
              "easy": "web", "python": "desktop"}
    place.add_users(people)
    for name, device in people.items():
        tokens[name] = place.token(name, device)
    return await checks.finish(place, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
