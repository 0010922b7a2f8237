"""A WuKongIM app from its first start to its daily life, with a phone and a desktop: accounts, friends, a group, history,
edits, recalls, receipts, reactions, reminders; and its business server with the manager's token and webhooks.

The phone is away while things change, and catches up by version as the SDKs do.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import hmac
import http.server
import json
import threading
import urllib.error
import urllib.request
from typing import Any

from binary_wire import RECEIPT, RED_DOT, BinarySession
from house import APP, CONFIGURATION, DESKTOP, GROUP, PERSON, SUCCESS, Checks, House, Session, equal, expect, run_checks

SECRET = "a-secret-of-at-least-thirty-two-bytes!"
checks = Checks()


class Receiver:
    """The business server's end of the webhooks: keeps what it is told, and checks the signature."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []
        self.forged = 0
        self.changed = threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                parts = dict(part.split("=", 1) for part in self.headers["X-Teahouse-Signature"].split(","))
                wanted = hmac.new(SECRET.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
                with outer.changed:
                    if not hmac.compare_digest(wanted, parts["v1"]):
                        outer.forged += 1
                    outer.events.append((self.path.split("event=")[1], json.loads(body)))
                    outer.changed.notify_all()
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def until(self, condition: Any, seconds: float = 15) -> None:
        with self.changed:
            expect(self.changed.wait_for(lambda: condition(self.events), seconds), f"of {self.events}")


class Place:
    house: House
    receiver: Receiver
    manager: str
    tokens: dict[str, str] = {}


def ask(method: str, path: str, token: str | None, body: Any = None) -> tuple[int, Any]:
    """Status and JSON of one request."""
    request = urllib.request.Request(
        f"http://{Place.house.host}:{Place.house.port}{path}", method=method,
        data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    if token is not None:
        request.add_header("token", token)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            raw = response.read()
            return response.status, json.loads(raw) if raw else None
    except urllib.error.HTTPError as error:
        raw = error.read()
        return error.code, json.loads(raw) if raw else None


async def done(method: str, path: str, token: str | None, body: Any = None) -> Any:
    """The JSON of a request that has to succeed."""
    status, answer = await asyncio.to_thread(ask, method, path, token, body)
    expect(status == 200, f"{method} {path} is answered with {status} {answer}")
    return answer


async def refused(method: str, path: str, token: str | None, body: Any = None) -> int:
    """The status of a request that has to fail, with a reason in words."""
    status, answer = await asyncio.to_thread(ask, method, path, token, body)
    expect(status >= 400 and isinstance(answer.get("msg"), str) and answer["msg"], f"{path}: {status} {answer}")
    return status


async def account(name: str, display: str) -> str:
    """Registers somebody; their token for a phone."""
    answer = await done("POST", "/v1/user/usernameregister", None,
                        {"username": name, "name": display, "password": f"{name} drinks green tea", "flag": APP})
    equal((answer["uid"], answer["name"]), (name, display))
    return answer["token"]


async def signed_in(name: str, device: int, version: int = 4, *, tcp: bool = True) -> BinarySession:
    return await BinarySession.open(Place.house.url, name, Place.tokens[f"{name}-{device}"], version, flag=device,
                                    device=f"{name}-{device}", tcp=tcp)


def text(content: str, **more: Any) -> bytes:
    return json.dumps({"type": 1, "content": content, **more}, ensure_ascii=False).encode()


async def command(session: BinarySession, name: str) -> dict[str, Any]:
    """The parameters of the next command `name`; other messages before it are passed over."""
    while True:
        (got,) = await session.next()
        payload = json.loads(got.payload)
        if payload["type"] == 99 and payload["cmd"] == name:
            return payload.get("param") or {}


@checks.check("people register, sign in with password on a second device, and get told where to connect")
async def accounts() -> None:
    for name, display in (("lan", "阿兰"), ("ming", "小明"), ("zhao", "老赵")):
        Place.tokens[f"{name}-{APP}"] = await account(name, display)
        answer = await done("POST", "/v1/user/login", None, {
            "username": name, "password": f"{name} drinks green tea", "flag": DESKTOP,
            "device": {"device_id": "d1", "device_name": "desk", "device_model": "linux"}})
        Place.tokens[f"{name}-{DESKTOP}"] = answer["token"]
    lan = Place.tokens[f"lan-{APP}"]
    await refused("POST", "/v1/user/login", None, {"username": "lan", "password": "wrong", "flag": APP})
    await refused("POST", "/v1/user/usernameregister", None, {"username": "lan", "name": "x", "password": "x" * 20})
    equal(await refused("POST", "/v1/conversation/sync", None, {}), 401, "without a token:")
    equal(await refused("POST", "/v1/conversation/sync", "forged", {}), 401, "with a wrong one:")
    address = await done("GET", "/v1/users/lan/im", lan)
    equal(address["tcp_addr"], f"{Place.house.host}:{Place.house.port}")
    expect(address["ws_addr"].startswith("ws://"), address)


@checks.check("friends ask, accept, and find each other by name")
async def friends() -> None:
    lan, ming = Place.tokens[f"lan-{APP}"], Place.tokens[f"ming-{APP}"]
    phone = await signed_in("ming", APP)
    await done("POST", "/v1/friend/apply", lan, {"to_uid": "ming", "remark": "我是阿兰"})
    param = await command(phone, "friendRequest")
    equal((param["apply_uid"], param["apply_name"]), ("lan", "阿兰"))
    await done("POST", "/v1/friend/sure", ming, {"token": param["token"]})
    for token, other in ((lan, "ming"), (ming, "lan")):
        found = await done("GET", "/v1/friend/sync?version=0&limit=100", token)
        expect(any(friend["uid"] == other for friend in found), found)
    card = await done("GET", "/v1/users/ming", lan)
    equal((card["name"], card["follow"]), ("小明", 1))
    equal((await done("GET", f"/v1/channels/ming/{PERSON}", lan))["name"], "小明")
    await phone.close()


@checks.check("what happens while the phone is away is there when it comes back, version by version")
async def away() -> None:
    lan, ming, zhao = (Place.tokens[f"{name}-{DESKTOP}"] for name in ("lan", "ming", "zhao"))
    group = (await done("POST", "/v1/group/create", lan, {"name": "茶馆", "members": ["ming", "zhao"]}))["group_no"]
    phone = Place.tokens[f"ming-{APP}"]
    before = await done("POST", "/v1/conversation/sync", phone, {"version": 0, "last_msg_seqs": "", "msg_count": 20,
                                                               "device_uuid": "p"})
    desk, other = await signed_in("lan", DESKTOP), await signed_in("zhao", DESKTOP, 5, tcp=False)
    ids = []
    for content, more in (("第一条", {}), ("second", {}), ("to be recalled", {}),
                          ("@ming look", {"mention": {"all": 0, "uids": ["ming"]}})):
        answer = await desk.send(group, GROUP, text(content, **more), setting=RECEIPT)
        equal(answer.reason, SUCCESS)
        ids.append((str(answer.id), answer.sequence))
    await done("POST", "/v1/reactions", zhao, {"message_id": ids[0][0], "channel_id": group, "channel_type": GROUP,
                                              "emoji": "👍"})
    await done("POST", "/v1/message/edit", lan, {
        "message_id": ids[1][0], "message_seq": ids[1][1], "channel_id": group, "channel_type": GROUP,
        "content_edit": json.dumps({"type": 1, "content": "edited"})})
    await done("POST", f"/v1/message/revoke?channel_id={group}&channel_type={GROUP}&message_id={ids[2][0]}", lan)
    await done("POST", "/v1/message/readed", zhao, {"channel_id": group, "channel_type": GROUP,
                                                   "message_ids": [ids[0][0]]})

    # The phone is back.
    conversations = (await done("POST", "/v1/conversation/sync", phone, {
        "version": max((c["version"] for c in before["conversations"]), default=0), "last_msg_seqs": "",
        "msg_count": 20, "device_uuid": "p"}))["conversations"]
    (mine,) = [c for c in conversations if c["channel_id"] == group]
    expect(mine["unread"] >= 4, mine["unread"])
    page = await done("POST", "/v1/message/channel/sync", phone, {
        "channel_id": group, "channel_type": GROUP, "start_message_seq": 0, "end_message_seq": 0, "limit": 50,
        "pull_mode": 0})
    by_id = {str(message["message_idstr"]): message for message in page["messages"]}
    equal(by_id[ids[0][0]]["payload"]["content"], "第一条")
    expect(any(r["emoji"] == "👍" and r["uid"] == "zhao" for r in by_id[ids[0][0]]["reactions"]), by_id[ids[0][0]])
    equal(by_id[ids[2][0]]["revoke"], 1)
    expect("to be recalled" not in json.dumps(page), "the recalled text")
    extras = await done("POST", "/v1/message/extra/sync", phone, {
        "channel_id": group, "channel_type": GROUP, "extra_version": 0, "limit": 100, "source": "p"})
    by_extra = {extra["message_id_str"]: extra for extra in extras}
    equal(by_extra[ids[1][0]]["content_edit"]["content"], "edited")
    equal(by_extra[ids[2][0]]["revoke"], 1)
    equal(by_extra[ids[0][0]]["readed_count"], 1)
    latest = max(extra["extra_version"] for extra in extras)
    equal(await done("POST", "/v1/message/extra/sync", phone, {
        "channel_id": group, "channel_type": GROUP, "extra_version": latest, "limit": 100, "source": "p"}), [],
        "a second sync")
    reactions = await done("POST", "/v1/reaction/sync", phone, {"channel_id": group, "channel_type": GROUP, "seq": 0,
                                                              "limit": 100})
    equal([(r["uid"], r["emoji"], r["is_deleted"]) for r in reactions], [("zhao", "👍", 0)])
    reminders = await done("POST", "/v1/message/reminder/sync", phone, {"version": 0, "limit": 100, "channel_ids": []})
    (reminder,) = [r for r in reminders if r["channel_id"] == group and r["done"] == 0]
    equal((reminder["reminder_type"], reminder["message_seq"]), (1, ids[3][1]))
    await done("POST", "/v1/message/reminder/done", phone, [reminder["id"]])
    again = await done("POST", "/v1/message/reminder/sync", phone, {"version": reminder["version"], "limit": 100})
    equal([r["done"] for r in again if r["id"] == reminder["id"]], [1])
    await done("PUT", "/v1/coversation/clearUnread", phone, {"channel_id": group, "channel_type": GROUP, "unread": 0,
                                                            "message_seq": ids[3][1]})
    after = (await done("POST", "/v1/conversation/sync", phone, {"version": 0, "last_msg_seqs": "", "msg_count": 1,
                                                               "device_uuid": "p"}))["conversations"]
    equal([c["unread"] for c in after if c["channel_id"] == group], [0])
    await desk.close()
    await other.close()


@checks.check("nobody reads, reacts, edits or recalls where they have no right")
async def forged() -> None:
    lan, zhao = Place.tokens[f"lan-{DESKTOP}"], Place.tokens[f"zhao-{DESKTOP}"]
    group = (await done("POST", "/v1/group/create", lan, {"name": "zwei", "members": ["ming"]}))["group_no"]
    desk = await signed_in("lan", DESKTOP)
    sent = await desk.send(group, GROUP, text("private"), setting=RECEIPT)
    place = {"channel_id": group, "channel_type": GROUP, "message_id": str(sent.id), "message_seq": sent.sequence}
    for method, path, body in (
            ("POST", "/v1/reactions", {**place, "emoji": "👍"}),
            ("POST", "/v1/message/readed", {**place, "message_ids": [str(sent.id)]}),
            ("POST", "/v1/message/edit", {**place, "content_edit": json.dumps({"type": 1, "content": "x"})}),
            ("POST", f"/v1/message/revoke?channel_id={group}&channel_type={GROUP}&message_id={sent.id}", None),
            ("PUT", f"/v1/groups/{group}", {"name": "mine"}),
            ("DELETE", f"/v1/groups/{group}/disband", None)):
        await refused(method, path, zhao, body)
    page = await done("POST", "/v1/message/channel/sync", zhao, {**place, "limit": 10})
    equal(page["messages"], [], "the history of a group one is not in")
    equal(await done("POST", "/v1/message/extra/sync", zhao, {**place, "extra_version": 0, "limit": 10}), [])
    ming = Place.tokens[f"ming-{DESKTOP}"]
    await refused("POST", "/v1/message/edit", ming, {**place, "content_edit": json.dumps({"type": 1, "content": "x"})})
    await refused("POST", f"/v1/message/revoke?channel_id={group}&channel_type={GROUP}&message_id={sent.id}", ming)
    await refused("PUT", f"/v1/groups/{group}", ming, {"name": "mine"})
    await desk.close()


@checks.check("a device that is there hears at once what the others do")
async def nudges() -> None:
    lan = Place.tokens[f"lan-{DESKTOP}"]
    desk, phone, other = (await signed_in("lan", DESKTOP), await signed_in("lan", APP),
                          await signed_in("ming", DESKTOP, 5, tcp=False))
    sent = await desk.send("ming", PERSON, text("一起喝茶？"), setting=RECEIPT)
    (got,) = await phone.next()
    equal((got.channel, got.sender, got.flags & RED_DOT), ("ming", "lan", 0), "the sender's other device")
    await done("POST", "/v1/message/typing", lan, {"channel_id": "ming", "channel_type": PERSON})
    param = await command(other, "typing")
    equal(param["from_uid"], "lan")
    await done("POST", "/v1/message/readed", Place.tokens[f"ming-{DESKTOP}"], {
        "channel_id": "lan", "channel_type": PERSON, "message_ids": [str(sent.id)]})
    param = await command(desk, "syncMessageExtra")
    extras = await done("POST", "/v1/message/extra/sync", lan, {
        "channel_id": "ming", "channel_type": PERSON, "extra_version": 0, "limit": 10, "source": "d"})
    equal([(e["message_id_str"], e["readed_count"]) for e in extras], [(str(sent.id), 1)])
    await done("POST", f"/v1/message/revoke?channel_id=ming&channel_type={PERSON}&message_id={sent.id}", lan)
    param = await command(other, "messageRevoke")
    equal(str(param["message_id"]), str(sent.id))
    for session in (desk, phone, other):
        await session.close()


@checks.check("a business server with the manager's token makes people and channels, sends, and reads")
async def manager() -> None:
    token = Place.manager
    await done("POST", "/user/token", token, {"uid": "robot", "token": "robot-token", "device_flag": APP,
                                              "device_level": 1})
    await done("POST", "/channel", token, {"channel_id": "news", "channel_type": GROUP,
                                           "subscribers": ["robot", "lan", "ming"]})
    robot = await BinarySession.open(Place.house.url, "robot", "robot-token", 4, flag=APP, tcp=True)
    json_client = await Session.open(Place.house.url, "ming", Place.tokens[f"ming-{DESKTOP}"])
    await json_client.quiet()
    json_client.received.clear()
    payload = base64.b64encode(text("头条")).decode()
    sent = (await done("POST", "/message/send", token, {
        "header": {"no_persist": 0, "red_dot": 1, "sync_once": 0}, "from_uid": "lan", "channel_id": "news",
        "channel_type": GROUP, "payload": payload}))["data"]
    # The command that tells of the new channel may reach the device first.
    while (got := (await robot.next())[0]).id != int(sent["message_id"]):
        equal((got.sender, got.channel), ("", "news"))
    equal((got.sender, got.channel), ("lan", "news"))
    # What was missed before the sign-in comes too, and may come behind a ping.
    while (seen := (await json_client.next())[0])["messageId"] != str(sent["message_id"]):
        pass
    equal(seen["payload"], {"type": 1, "content": "头条"})
    page = await done("POST", "/channel/messagesync", "robot-token", {
        "login_uid": "robot", "channel_id": "news", "channel_type": GROUP, "start_message_seq": 0,
        "end_message_seq": 0, "limit": 10, "pull_mode": 1})
    equal([(m["message_idstr"], m["payload"]) for m in page["messages"]], [(str(got.id), payload)])
    synced = await done("POST", "/conversation/sync", "robot-token", {"uid": "robot", "version": 0, "msg_count": 5})
    equal([(c["channel_id"], c["unread"]) for c in synced], [("news", 1)])
    await done("POST", "/conversations/clearUnread", "robot-token", {
        "uid": "robot", "channel_id": "news", "channel_type": GROUP, "message_seq": got.sequence})
    online = await done("POST", "/user/onlinestatus", token, ["robot", "nobody"])
    equal([(o["uid"], o["online"]) for o in online], [("robot", 1)])
    equal(await refused("POST", "/conversation/sync", "robot-token", {"uid": "lan", "version": 0}), 403)
    equal(await refused("POST", "/channel", "robot-token", {"channel_id": "mine", "channel_type": GROUP}), 401)
    equal(await refused("GET", "/tags", token), 404)
    await done("POST", "/user/device_quit", token, {"uid": "robot", "device_flag": -1})
    await robot.until(lambda: robot.ended)
    await robot.close()
    await json_client.close()


@checks.check("webhooks tell of every stored message, of who was away, and of who comes and goes; all are signed")
async def webhooks() -> None:
    receiver = Place.receiver
    desk = await signed_in("lan", DESKTOP)
    sent = await desk.send("zhao", PERSON, text("are you there?"))
    await asyncio.to_thread(receiver.until, lambda events: any(
        name == "msg.notify" and any(m["message_idstr"] == str(sent.id) for m in body) for name, body in events))
    await asyncio.to_thread(receiver.until, lambda events: any(
        name == "msg.offline" and body["message_idstr"] == str(sent.id) and body["to_uids"] == ["zhao"]
        for name, body in events))
    await desk.close()
    await asyncio.to_thread(receiver.until, lambda events: any(
        name == "user.onlinestatus" and any(line.startswith(f"lan-{DESKTOP}-0-") for line in body)
        for name, body in events))
    equal(receiver.forged, 0, "wrong signatures")


async def main(arguments: argparse.Namespace) -> int:
    Place.receiver = Receiver()
    Place.house = House(arguments.binary, config=CONFIGURATION)
    secret = Place.house.top / "hook-secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    Place.house.config.write_text(CONFIGURATION + f"""
        [wukong]
        registration = "open"
        [hooks]
        url = "http://127.0.0.1:{Place.receiver.port}/hooks"
        secret_file = "{secret}"
        """)
    Place.house.start()
    Place.manager = Place.house.ctl("wukong", "token").split()[-1]
    return await checks.finish(Place.house, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
