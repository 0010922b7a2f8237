"""One group, three kinds of client: Ann with LeanCloud's SDK, Bob with WuKongIM's, and Ming on the page in a browser. Each sees the others'
messages, pictures, edits, recalls and names."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import struct
import sys
import time
import urllib.request
import zlib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "Foreign"))

from browser import WAIT, launch, screen, see, settle, sign_in, write
from house import CONFIGURATION, GROUP, SUCCESS, Checks, House, Session, equal, expect
from leancloud_dialects import App, Client, JavaScript, shown, text
from leancloud_schema import name_of
from playwright.async_api import Page, async_playwright

APP_ID = "teahouse-test-app-gzGzoHsz"
checks = Checks()


class Place:
    house: House
    keys: dict[str, str]
    page: Page
    ann: Any
    #: The group as LeanCloud's SDKs name it.
    cid: str
    bob: Session
    ann_token: str
    bob_token: str


def square(red: int, green: int, blue: int) -> bytes:
    """A PNG of 24 by 24 pixels in one colour."""
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + bytes((red, green, blue)) * 24 for _ in range(24))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 24, 24, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def ask(method: str, url: str, body: Any = None, raw: bytes | None = None, **fields: str) -> Any:
    """The answer of one request: its JSON, or its bytes when it is none."""
    if url.startswith("/"):
        url = f"http://{Place.house.host}:{Place.house.port}{url}"
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json", **fields})
    with urllib.request.urlopen(request, timeout=WAIT / 1000) as answer:
        got = answer.read()
    try:
        return json.loads(got)
    except ValueError:
        return got


async def wukong(method: str, path: str, body: Any = None) -> Any:
    """A request of WuKongIM's HTTP API, with Bob's token."""
    return await asyncio.to_thread(ask, method, path, body, token=Place.bob_token)


async def leancloud(method: str, path: str, body: Any = None) -> Any:
    """A request of LeanCloud's HTTP API, signed with the app's key."""
    moment = str(int(time.time() * 1000))
    sign = hashlib.md5((moment + Place.keys["appKey"]).encode()).hexdigest()
    fields = {"X-LC-Id": Place.keys["appId"], "X-LC-Sign": f"{sign},{moment}"}
    return await asyncio.to_thread(lambda: ask(method, f"/1.1/{path}", body, **fields))


# MARK: what each one sees

async def ann_sees(what: str, found: Any) -> Any:
    """Waits for a message of the group that `found` takes."""
    def look() -> Any:
        return next((body for body in Place.ann.received if body.cid == Place.cid and found(body)), None)
    await Place.ann.until(look, what)
    return look()


async def ann_is_told(what: str, found: Any) -> Any:
    """Waits for a change of a message that `found` takes."""
    def look() -> Any:
        return next((part for notice in Place.ann.notices if name_of(notice) == "patch/modify"
                     for part in notice.patchMessage.patches if found(part)), None)
    await Place.ann.until(look, what)
    return look()


async def bob_sees(found: Any) -> dict[str, Any]:
    def look() -> Any:
        return next((message for message in Place.bob.received if found(message)), None)
    await Place.bob.until(look)
    return look()


async def bob_finds(what: str, found: Any) -> dict[str, Any]:
    """Waits until the history of the group, as WuKongIM's apps ask for it, has a message that `found` takes."""
    end = time.monotonic() + WAIT / 1000
    while True:
        page = await wukong("POST", "/v1/message/channel/sync", {
            "channel_id": "tea", "channel_type": GROUP, "start_message_seq": 0, "end_message_seq": 0, "limit": 50, "pull_mode": 0})
        extras = await wukong("POST", "/v1/message/extra/sync", {
            "channel_id": "tea", "channel_type": GROUP, "extra_version": 0, "limit": 100, "source": "b"})
        for message in page["messages"] + extras:
            if found(message):
                return message
        expect(time.monotonic() < end, f"Bob waits for {what}: {page['messages'][-3:]} {extras}")
        await asyncio.sleep(0.2)


def of(message: dict[str, Any]) -> dict[str, Any]:
    payload = message["payload"]
    return payload if isinstance(payload, dict) else {}


async def pictures() -> int:
    """Pictures that the page shows, loaded."""
    return await Place.page.evaluate(
        "[...document.querySelectorAll('.row .picture img')].filter((image) => image.complete && image.naturalWidth === 24).length")


async def until_pictures(count: int) -> None:
    await Place.page.wait_for_function(
        "(count) => [...document.querySelectorAll('.row .picture img')].filter((image) => image.complete && image.naturalWidth === 24).length >= count",
        arg=count)


# MARK: checks

@checks.check("what each of them writes, the two others read, with the writer's name")
async def messages() -> None:
    await Place.ann.send(Place.cid, text("早上好 from Ann"))
    await see(Place.page, "早上好 from Ann")
    equal((await bob_sees(lambda message: of(message).get("content") == "早上好 from Ann"))["fromUid"], "ann", "who said it")
    equal((await Place.bob.send("tea", GROUP, {"type": 1, "content": "Bob is here 你好"}))["reasonCode"], SUCCESS)
    await see(Place.page, "Bob is here 你好")
    said = await ann_sees("Bob's words", lambda body: shown(body.msg) == "Bob is here 你好")
    equal(said.fromPeerId, "bob", "who said it")
    await write(Place.page, "Ming writes on the page")
    said = await ann_sees("Ming's words", lambda body: shown(body.msg) == "Ming writes on the page")
    equal(said.fromPeerId, "ming", "who said it")
    equal((await bob_sees(lambda message: of(message).get("content") == "Ming writes on the page"))["fromUid"], "ming")


@checks.check("each has a name of their own, which the others see, also when it changes")
async def names() -> None:
    for name in ("Ann 安", "Bob 老鲍"):
        await Place.page.locator(".row .author", has_text=name).first.wait_for()
    for name, wanted in (("ann", "Ann 安"), ("ming", "王小明")):
        equal((await wukong("GET", f"/v1/users/{name}"))["name"], wanted, f"the name of {name} for Bob")
    # Ming calls himself something else, on the page.
    await Place.page.click(".side header [aria-haspopup=menu] >> nth=0")
    await Place.page.locator(".menu [role=menuitem]").first.click()
    await Place.page.fill("#display-name", "小明 Ming")
    await Place.page.click("dialog form .primary")
    await Place.page.wait_for_selector("dialog", state="detached")
    equal((await wukong("GET", "/v1/users/ming"))["name"], "小明 Ming", "the new name for Bob")
    found = await asyncio.to_thread(ask, "GET", "/api/v1/profiles/ming", token=Place.ann_token)
    expect("小明 Ming" in json.dumps(found, ensure_ascii=False), f"the new name for Ann: {found}")
    # And Bob calls himself something else, in his app.
    await wukong("PUT", "/v1/user/current", {"name": "Bob 鲍勃"})
    await Place.page.locator(".row .author", has_text="Bob 鲍勃").first.wait_for()


@checks.check("each sends a picture as their SDK does, and the two others open it")
async def pictures_of_all() -> None:
    # LeanCloud: the file first, then a typed message with its address.
    red = square(200, 30, 30)
    token = await leancloud("POST", "fileTokens", {"name": "red.png", "metaData": {"owner": "ann"}})
    await asyncio.to_thread(ask, "PUT", token["upload_url"], None, red, **{"Content-Type": "image/png"})
    await leancloud("POST", "fileCallback", {"token": token["token"], "result": True})
    file = {"objId": token["objectId"], "url": token["url"], "metaData": {"name": "red.png", "format": "png", "width": 24, "height": 24,
                                                                        "size": len(red)}}
    await Place.ann.send(Place.cid, json.dumps({"_lctype": -2, "_lctext": "", "_lcfile": file}))
    await until_pictures(1)
    got = await bob_sees(lambda message: of(message).get("type") == 2 and message["fromUid"] == "ann")
    equal(await asyncio.to_thread(ask, "GET", of(got)["url"]), red, "Ann's picture at Bob's")
    # WuKongIM: the address to upload to, a form, then a picture with the path.
    green = square(30, 160, 60)
    address = await wukong("GET", f"/v1/file/upload?path=/{GROUP}/tea/0123456789abcdef0123456789abcdef.png&type=chat")
    form = (b'--edge\r\nContent-Disposition: form-data; name="file"; filename="green.png"\r\nContent-Type: image/png\r\n\r\n'
            + green + b"\r\n--edge--\r\n")
    path = (await asyncio.to_thread(ask, "POST", address["url"], None, form,
                                    **{"Content-Type": "multipart/form-data; boundary=edge", "token": Place.bob_token}))["path"]
    equal((await Place.bob.send("tea", GROUP, {"type": 2, "url": path, "width": 24, "height": 24}))["reasonCode"], SUCCESS)
    await until_pictures(2)
    got = await ann_sees("Bob's picture", lambda body: json.loads(body.msg).get("_lctype") == -2)
    equal(await asyncio.to_thread(ask, "GET", json.loads(got.msg)["_lcfile"]["url"]), green, "Bob's picture at Ann's")
    # The page: a file that is chosen.
    blue = square(40, 70, 200)
    await Place.page.set_input_files(".composer input[type=file]", [{"name": "blue.png", "mimeType": "image/png", "buffer": blue}])
    await until_pictures(3)
    got = await ann_sees("Ming's picture", lambda body: body.fromPeerId == "ming" and json.loads(body.msg).get("_lctype") == -2)
    equal(await asyncio.to_thread(ask, "GET", json.loads(got.msg)["_lcfile"]["url"]), blue, "Ming's picture at Ann's")
    seen = await bob_sees(lambda message: of(message).get("type") == 2 and message["fromUid"] == "ming")
    equal(await asyncio.to_thread(ask, "GET", of(seen)["url"]), blue, "Ming's picture at Bob's")


@checks.check("each edits what they said, and the two others read the new words")
async def edits() -> None:
    sent = await Place.ann.send(Place.cid, text("teh of Ann"))
    await see(Place.page, "teh of Ann")
    await Place.ann.edit(Place.cid, sent.uid, sent.t, text("tea of Ann"))
    await see(Place.page, "tea of Ann")
    await bob_finds("Ann's edit", lambda message: (message.get("content_edit") or {}).get("content") == "tea of Ann")
    sent = await Place.bob.send("tea", GROUP, {"type": 1, "content": "teh of Bob"})
    await see(Place.page, "teh of Bob")
    await wukong("POST", "/v1/message/edit", {
        "message_id": str(sent["messageId"]), "message_seq": sent["messageSeq"], "channel_id": "tea", "channel_type": GROUP,
        "content_edit": json.dumps({"type": 1, "content": "tea of Bob"})})
    await see(Place.page, "tea of Bob")
    await ann_is_told("Bob's edit", lambda part: not part.recall and shown(part.data) == "tea of Bob")
    await write(Place.page, "teh of Ming")
    await ann_sees("Ming's words", lambda body: shown(body.msg) == "teh of Ming")
    await Place.page.locator(".row .bubble", has_text="teh of Ming").last.click(button="right")
    await Place.page.locator(".menu [role=menuitem]", has_text="编辑").first.click()
    await Place.page.fill(".composer textarea", "tea of Ming")
    await Place.page.press(".composer textarea", "Enter")
    await ann_is_told("Ming's edit", lambda part: not part.recall and shown(part.data) == "tea of Ming")
    await bob_finds("Ming's edit", lambda message: (message.get("content_edit") or {}).get("content") == "tea of Ming")
    equal(await Place.page.locator(".row .text", has_text="teh of").count(), 0, "old words on the page")


@checks.check("each takes back what they said, and the two others no longer have it")
async def recalls() -> None:
    sent = await Place.ann.send(Place.cid, text("oops of Ann"))
    await see(Place.page, "oops of Ann")
    await Place.ann.recall(Place.cid, sent.uid, sent.t)
    await Place.page.locator(".gone-text", has_text="Ann 安").wait_for()
    await bob_finds("Ann's recall", lambda message: message.get("revoke") == 1 and message.get("revoker") == "ann")
    sent = await Place.bob.send("tea", GROUP, {"type": 1, "content": "oops of Bob"})
    await see(Place.page, "oops of Bob")
    await wukong("POST", f"/v1/message/revoke?channel_id=tea&channel_type={GROUP}&message_id={sent['messageId']}")
    await Place.page.locator(".gone-text", has_text="Bob 鲍勃").wait_for()
    await ann_is_told("Bob's recall", lambda part: part.recall and getattr(part, "from") == "bob")
    await write(Place.page, "oops of Ming")
    await ann_sees("Ming's words", lambda body: shown(body.msg) == "oops of Ming")
    await Place.page.locator(".row .bubble", has_text="oops of Ming").last.click(button="right")
    await Place.page.locator(".menu [role=menuitem]", has_text="撤回").first.click()
    await Place.page.click("dialog .button.danger")
    await ann_is_told("Ming's recall", lambda part: part.recall and getattr(part, "from") == "ming")
    await bob_finds("Ming's recall", lambda message: message.get("revoke") == 1 and message.get("revoker") == "ming")
    equal(await Place.page.locator(".row .text", has_text="oops of").count(), 0, "recalled words on the page")


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    config = CONFIGURATION + f'[leancloud]\napp_id = "{APP_ID}"\n'
    house = Place.house = House(options.binary, config=config)
    await house.start_async()
    settle(house, {"ann": "Ann 安", "bob": "Bob 老鲍", "ming": "王小明"})
    house.add_group("tea", ["ming", "ann", "bob"])
    Place.keys = json.loads(house.ctl("app", "keys", "--json"))
    Place.bob_token, Place.ann_token = house.token("bob", "desktop"), house.token("ann", "app")
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        page = Place.page = await screen(browser)
        await sign_in(page, house, "ming")
        await page.locator("a.entry").first.click()
        await page.wait_for_selector(".composer textarea")
        Place.ann = await JavaScript.open(App(house.url, Place.keys["appId"], Place.keys["masterKey"]), "ann")
        Place.cid = next(row["objectId"] for row in await Place.ann.query({"m": "ann"}))
        Place.bob = await Session.open(house.url, "bob", Place.bob_token)
        code = await checks.run(options.only)
        await Place.bob.close()
        await Client.close_all()
        await browser.close()
    house.stop()
    found = house.verify()
    if found:
        print(f"FAIL  verify: {found}", flush=True)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
