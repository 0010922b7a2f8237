"""What a page shows of content, in a browser: search and the way back, settings of conversations, kinds of apps, long histories,
voice, and what a browser keeps.

A server of its own, with two people whose messages are written over the API, so that each check is short. A script error and a violation
of the page's policy are failures, whatever check they come in.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "Foreign"))

import page as people_page
from house import CONFIGURATION, Checks, House, HouseError, equal, expect
from page import PASSWORD, is_well, launch, picture, screen, screens, see, sign_in, troubles, write
from playwright.async_api import async_playwright

PEOPLE = {"ming": "王小明", "hua": "李华"}
#: A picture of one pixel.
LOGO = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

checks = Checks()
house: House
tokens: dict[str, str] = {}
group = ""


def ask(name: str | None, method: str, path: str, body: Any = None) -> Any:
    """One request of the API as a person, as a program of theirs would make it."""
    headers = {"Content-Type": "application/json"}
    if name:
        headers["Authorization"] = f"Bearer {tokens[name]}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{house.host}:{house.port}/api/v1/{path}", data=data, headers=headers,
                                     method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        raise HouseError(f"{method} {path}: {error.code} {error.read()[:300]!r}") from error
    return json.loads(text) if text else None


def say(name: str, conversation: str, text: str) -> Any:
    body = {"clientToken": f"{name}-{abs(hash((conversation, text))):x}"[:60], "kind": "text", "text": text}
    return ask(name, "POST", f"conversations/{conversation}/messages", body)


def ctl(*arguments: str, text: str | None = None) -> str:
    """`ctl` on the running server; what it says."""
    return subprocess.run([house.binary, "ctl", "--data", str(house.data), *arguments], input=text, text=True, check=True,
                          capture_output=True).stdout


async def open_group(name: str) -> None:
    await screens[name].goto(f"http://{house.host}:{house.port}/#/c/{group}")
    await screens[name].wait_for_selector(".composer textarea")


@checks.check("two people sign in; a group has a history of 300 messages")
async def begin() -> None:
    global group
    setup = (house.data / "setup-token").read_text().split()[0]
    ask(None, "POST", "setup", {"token": setup, "name": "lady", "password": PASSWORD})
    for name, display in PEOPLE.items():
        ctl("user", "add", name, "--display-name", display, "--password-stdin", text=PASSWORD)
        tokens[name] = ask(None, "POST", "sessions", {"name": name, "password": PASSWORD, "device": "app"})["token"]
    body = {"kind": "group", "title": "设计讨论组", "members": ["hua"], "clientToken": "the group"}
    group = ask("ming", "POST", "conversations", body)["id"]
    texts = [f"第{number}条消息 n{number}z" if number != 40 else "蓝色的设计稿在这里，请大家看看" for number in range(300)]
    # Many at once share a commit; the last one comes last.
    for first in range(0, 299, 23):
        await asyncio.gather(*(asyncio.to_thread(say, ("ming", "hua")[number % 2], group, texts[number])
                               for number in range(first, first + 23)))
    say("hua", group, texts[299])
    await sign_in(await screen("ming", 1280, 800, "zh-CN", "light"), "ming")
    await sign_in(await screen("hua", 390, 844, "en-US", "dark"), "hua")


@checks.check("search: words are found and marked, a hit leads to the message in its history, and one comes back")
async def search() -> None:
    ming = screens["ming"]
    await open_group("ming")
    # It opens where the unread ones begin.
    await ming.click(".jump:not(.return)")
    await see(ming, "n299z")
    await ming.keyboard.press("Control+k")
    await ming.keyboard.type("设计")
    hit = ming.locator("a.hit", has_text="蓝色的设计稿")
    await hit.wait_for()
    equal(await hit.locator("mark").all_text_contents(), ["设计"], "what is marked")
    expect(await ming.locator(".found a.entry:not(.hit)", has_text="设计讨论组").count() == 1, "the chat is not found by its title")
    await is_well(ming)
    await picture(ming, "search")
    await ming.keyboard.press("ArrowDown")
    await ming.keyboard.press("ArrowDown")
    await ming.keyboard.press("Enter")
    await ming.locator(".row.target", has_text="蓝色的设计稿").wait_for()
    expect(await ming.locator(".row .text", has_text="n299z").count() == 0, "the newest message is shown beside an old one")
    await ming.locator(".row .text", has_text="n39z").wait_for()
    await ming.click(".return")
    await see(ming, "n299z")
    await ming.wait_for_selector(".return", state="hidden")
    await ming.focus(".seek input")
    await ming.keyboard.press("Escape")
    await ming.wait_for_selector(".found", state="hidden")


@checks.check("search in one chat, by sender, kind and time; nothing found is said")
async def filters() -> None:
    hua = screens["hua"]
    await open_group("hua")
    await hua.click(".chat > header [aria-label='Search this chat']")
    await hua.wait_for_selector(".found .filters [aria-pressed=true]")
    await hua.fill(".seek input", "n17z")
    await hua.locator("a.hit mark", has_text="n17z").first.wait_for()
    await is_well(hua)
    await picture(hua, "search-phone")
    await hua.locator(".filters .chip", has_text="Kind").click()
    await hua.locator(".menu [role=menuitem]", has_text="Pictures").click()
    await hua.locator(".found .empty").wait_for()
    await hua.locator(".filters .chip", has_text="Pictures").click()
    await hua.locator("a.hit").first.wait_for()
    await hua.locator(".filters .chip", has_text="Time").click()
    await hua.locator(".menu [role=menuitem]", has_text="Today").click()
    await hua.locator("a.hit").first.wait_for()
    await hua.locator(".filters .chip", has_text="From").first.click()
    await hua.fill("dialog input[type=search]", "ming")
    await hua.locator("dialog .entry", has_text="王小明").click()
    await hua.locator(".filters .chip", has_text="From 王小明").wait_for()
    # An odd number is of hua.
    await hua.locator(".found .empty").wait_for()
    await hua.fill(".seek input", "n18z")
    await hua.locator("a.hit").first.click()
    await hua.locator(".row.target", has_text="n18z").wait_for()


@checks.check("settings of the operator hold on screen: length, placeholder, buttons, avatars, density")
async def settings() -> None:
    ming = screens["ming"]
    for name, value in {"max_input": "10", "placeholder.zh-Hans": "请汇报进度", "input_buttons": "more,text", "menu_hidden": "card",
                        "show_avatar": "off", "layout": "compact", "receipts": "off"}.items():
        ctl("setting", "set", name, value)
    await ming.reload()
    await ming.wait_for_selector(".row .bubble")
    area = ming.locator(".composer textarea")
    equal(await area.get_attribute("placeholder"), "请汇报进度", "the placeholder")
    buttons = await ming.locator(".box > *").evaluate_all("all => all.map((each) => each.getAttribute('aria-label'))")
    equal(buttons, ["更多", "消息", "发送"], "what is beside the text")
    await area.fill("一二三四五六七八九十一")
    await ming.locator(".over", has_text="超出 1 字").wait_for()
    expect(await ming.locator(".tool.go").is_disabled(), "a text that is too long can be sent")
    await area.fill("")
    equal(await ming.locator(".row .avatar").count(), 0, "avatars beside messages")
    expect(await ming.locator(".chat.compact").count() == 1, "the layout is not compact")
    equal(await ming.locator(".row .meta .read").count(), 0, "ticks of readers")
    await ming.click(".composer [aria-label='更多']")
    texts = await ming.locator(".menu [role=menuitem]").all_text_contents()
    expect("位置" in texts and "名片" not in texts, texts)
    await ming.keyboard.press("Escape")
    await is_well(ming)
    await picture(ming, "settings-compact")
    for name in ("max_input", "placeholder.zh-Hans", "input_buttons", "menu_hidden", "show_avatar", "layout", "receipts"):
        ctl("setting", "reset", name)
    await ming.reload()
    await ming.wait_for_selector(".row .avatar")


@checks.check("a setting of one conversation holds on the screen at once, without a reload, and nowhere else")
async def one_conversation() -> None:
    ming = screens["ming"]
    await open_group("ming")
    area = ming.locator(".composer textarea")
    ctl("setting", "set", "--conversation", f"id:{group}", "max_input", "6")
    ctl("setting", "set", "--conversation", f"id:{group}", "placeholder.zh-Hans", "六个字以内")
    await ming.locator(".composer textarea[placeholder='六个字以内']").wait_for()
    await area.fill("一二三四五六七")
    await ming.locator(".over", has_text="超出 1 字").wait_for()
    other = ask("ming", "POST", "conversations", {"kind": "direct", "with": "hua"})["id"]
    equal(ask("ming", "GET", f"conversations/{other}/configuration")["configuration"].get("max_input"), 0, "the length in another conversation")
    for name in ("max_input", "placeholder.zh-Hans"):
        ctl("setting", "reset", "--conversation", f"id:{group}", name)
    await ming.locator(".composer textarea[placeholder='六个字以内']").wait_for(state="detached")
    await ming.locator(".over").wait_for(state="hidden")
    await area.fill("")


@checks.check("voice is recorded, sent, marked until it was played, and played")
async def voice() -> None:
    ming, hua = screens["ming"], screens["hua"]
    await open_group("hua")
    await hua.click(".composer [aria-label='Record a voice message']")
    await hua.wait_for_selector(".recording .waves i:nth-child(12)")
    await is_well(hua)
    await picture(hua, "recording")
    await hua.click(".recording .go")
    await hua.locator(".row.mine .file", has_text="Voice").wait_for()
    await ming.locator(".row .file.fresh").click()
    await ming.wait_for_selector(".row .player audio")
    for _ in range(200):
        if await ming.evaluate("document.querySelector('.player audio').currentTime > 0.2"):
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError("the voice message does not play")
    await ming.reload()
    await ming.locator(".row .file", has_text="语音").wait_for()
    equal(await ming.locator(".row .file.fresh").count(), 0, "marks at what was played")


@checks.check("settings of the operator: own avatars, kinds that may be sent, colour, shape and logo of the whole page")
async def looks() -> None:
    ming = screens["ming"]
    await open_group("ming")
    await write(ming, "of whom is the picture beside this")
    await ming.locator(".row.mine", has_text="of whom is the picture").last.wait_for()
    equal(await ming.locator(".row.mine .avatar").count(), 0, "own avatars before the setting")
    before = await ming.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')")
    request = urllib.request.Request(f"http://{house.host}:{house.port}/api/v1/files/logo.png", method="PUT", data=LOGO, headers={
        "Authorization": f"Bearer {tokens['ming']}", "Content-Type": "image/png"})
    with urllib.request.urlopen(request) as answer:
        logo = json.loads(answer.read())["id"]
    chosen = {"avatar_of": "all", "allowed_kinds": "text,file", "theme.accent": "#8a2be2", "theme.avatar_shape": "square", "theme.logo": logo}
    for name, value in chosen.items():
        ctl("setting", "set", name, value)
    await ming.reload()
    await ming.locator(".row.mine .avatar").first.wait_for()
    shape = await ming.locator(".row.mine .avatar").first.evaluate("each => getComputedStyle(each).borderRadius")
    equal(shape, "4px", "the corners of an avatar")
    await ming.locator(".logo img").wait_for()
    equal(await ming.locator(".logo img").evaluate("image => image.decode().then(() => image.naturalWidth)"), 1, "the logo's width")
    accent = await ming.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')")
    expect(accent != before, f"the accent is still {accent}")
    equal(await ming.locator(".composer [aria-label='录制语音']").count(), 0, "a button for voice, which may not be sent")
    await ming.click(".composer [aria-label='更多']")
    equal(await ming.locator(".menu [role=menuitem]").all_text_contents(), ["文件"], "what may be sent")
    await ming.keyboard.press("Escape")
    await is_well(ming)
    await picture(ming, "theme")
    for name in chosen:
        ctl("setting", "reset", name)
    await ming.reload()
    await ming.wait_for_selector(".row .avatar")
    equal(await ming.locator(".row.mine .avatar").count(), 0, "own avatars after the setting")


@checks.check("a message of an app's kind is drawn by its renderer, as text; one without shows what its kind says")
async def kinds() -> None:
    ming = screens["ming"]
    renderer = {"title": "name", "fields": [{"label": "数量", "path": "order.count"}], "link": "order.page"}
    ctl("kind", "set", "500", "--name", "order", "--type-title", "订单", "--summary", "订单", "--degrade", "[订单]",
        "--renderer", json.dumps(renderer))
    ctl("kind", "set", "501", "--name", "gift", "--type-title", "礼物", "--summary", "礼物", "--degrade", "[礼物]")
    body = {"type": 500, "name": "<b>龙井</b>", "order": {"count": 12, "page": "https://tea.example/12"}}
    manager = ctl("wukong", "token").split()[-1]
    for content in (body, {**body, "order": {"count": 13, "page": "javascript:alert(1)"}}, {"type": 501, "amount": 8}):
        data = {"from_uid": "hua", "channel_id": "ming", "channel_type": 1,
                "payload": base64.b64encode(json.dumps(content).encode()).decode()}
        request = urllib.request.Request(f"http://{house.host}:{house.port}/message/send", data=json.dumps(data).encode(),
                                         headers={"token": manager, "Content-Type": "application/json"})
        urllib.request.urlopen(request).close()
    await ming.evaluate("location.hash = '#/'")
    await ming.locator("a.entry", has_text="李华").first.click()
    boxes = ming.locator(".row .card-box")
    await boxes.filter(has_text="12").locator("strong", has_text="<b>龙井</b>").wait_for()
    equal(await boxes.filter(has_text="12").locator("dt").all_text_contents(), ["数量"], "labels of the fields")
    link = boxes.filter(has_text="12").locator("a")
    equal([await link.get_attribute("href"), await link.get_attribute("rel")],
          ["https://tea.example/12", "noopener noreferrer nofollow"], "the link")
    await boxes.filter(has_text="13").locator("strong").wait_for()
    equal(await boxes.filter(has_text="13").locator("a").count(), 0, "a link that is no address of the web")
    await boxes.filter(has_text="[礼物]").wait_for()
    await is_well(ming)
    await picture(ming, "kinds")
    await open_group("ming")


@checks.check("a picture opens whole, with its buttons, and closes; what the server says itself has a name that people can read")
async def lightbox() -> None:
    ming = screens["ming"]
    await open_group("ming")
    request = urllib.request.Request(f"http://{house.host}:{house.port}/api/v1/files/tea.png", method="PUT", data=LOGO, headers={
        "Authorization": f"Bearer {tokens['hua']}", "Content-Type": "image/png"})
    with urllib.request.urlopen(request) as answer:
        file = json.loads(answer.read())["id"]
    ask("hua", "POST", f"conversations/{group}/messages", {"clientToken": "tea", "kind": "picture", "attachment": {"file": file}})
    await ming.locator(".row .picture img").last.wait_for()
    await ming.locator(".row .picture").last.click()
    await ming.locator("dialog.light img").wait_for()
    equal(await ming.locator("dialog.light img").evaluate("image => image.decode().then(() => image.naturalWidth)"), 1, "the picture's width")
    await is_well(ming)
    await ming.keyboard.press("Escape")
    await ming.wait_for_selector("dialog", state="detached")
    ctl("notice", "send", "茶已备好", "--title", "通知")
    await ming.locator("a.entry .title", has_text="系统通知").wait_for()
    equal(await ming.locator("a.entry", has_text="____system").count(), 0, "names of accounts")
    await ming.click(".bar.notice .button")
    await ming.wait_for_selector(".bar.notice", state="detached")


@checks.check("voice messages that follow one that is played play by themselves, where that was set")
async def auto_play() -> None:
    ming, hua = screens["ming"], screens["hua"]
    ctl("setting", "set", "auto_play", "on")
    await open_group("hua")
    before = await hua.locator(".row.mine .file", has_text="Voice").count()
    for number in range(2):
        await hua.click(".composer [aria-label='Record a voice message']")
        await hua.wait_for_selector(".recording .waves i:nth-child(12)")
        await hua.click(".recording .go")
        await hua.locator(".row.mine .file", has_text="Voice").nth(before + number).wait_for()
    await ming.reload()
    await ming.locator(".row .file.fresh").nth(1).wait_for()
    await ming.locator(".row .file.fresh").first.click()
    await ming.locator(".row .player audio").nth(1).wait_for()
    equal(await ming.locator(".row .file.fresh").count(), 0, "voice messages that were not played")
    ctl("setting", "reset", "auto_play")


@checks.check("a person changes their password; a wrong present one is told, and the new one lets in")
async def password() -> None:
    ming, renewed = screens["ming"], "another tea for ming"
    await ming.click(".side header [aria-haspopup=menu] >> nth=0")
    await ming.locator(".menu [role=menuitem]").first.click()
    await ming.locator("dialog .button", has_text="修改密码").click()
    await ming.fill("#current", "not the present one")
    await ming.fill("#new", renewed)
    await ming.click("dialog.short .primary")
    await ming.wait_for_selector("dialog.short .error:not([hidden])")
    await is_well(ming)
    await picture(ming, "password")
    await ming.fill("#current", PASSWORD)
    await ming.click("dialog.short .primary")
    await ming.wait_for_selector("dialog.short", state="detached")
    await ming.keyboard.press("Escape")
    await ming.wait_for_selector("dialog", state="detached")
    ask(None, "POST", "sessions", {"name": "ming", "password": renewed, "device": "desktop"})
    # It is as it was for what follows.
    ask("ming", "PUT", "me/password", {"current": renewed, "password": PASSWORD})


@checks.check("alerts: silence holds, managers only are owner and managers, and who is meant hears it, unless that is switched off")
async def alerts() -> None:
    ming = screens["ming"]
    tokens["lady"] = ask(None, "POST", "sessions", {"name": "lady", "password": PASSWORD, "device": "app"})["token"]
    team = ask("hua", "POST", "conversations", {"kind": "group", "title": "提醒", "members": ["ming", "lady"], "clientToken": "alerts"})["id"]
    await ming.locator("a.entry", has_text="提醒").wait_for()
    await ming.evaluate("""() => {
        window.told = []
        document.hasFocus = () => false
        window.Notification = class { static permission = 'granted'; constructor(title, { body }) { window.told.push(body) } }
        ServiceWorkerRegistration.prototype.showNotification = async (title, { body }) => { window.told.push(body) }
    }""")

    async def hears(*expected: str) -> None:
        """What has been told since the last time; the last of them says that the others were not."""
        for _ in range(600):
            told = await ming.evaluate("window.told")
            if told and told[-1].endswith(expected[-1]):
                break
            await asyncio.sleep(0.1)
        equal(sorted(each.rsplit("：", 1)[-1] for each in told), list(expected), "what was told")
        await ming.evaluate("window.told.length = 0")

    def meant(name: str, text: str, whom: Any) -> None:
        ask(name, "POST", f"conversations/{team}/messages", {"clientToken": text, "kind": "text", "text": text, "mentions": whom})

    def choose(path: str, body: Any) -> None:
        ask("ming", "PATCH", f"conversations/{team}{path}", body)

    async def is_silent(is_it: bool) -> None:
        await ming.locator("a.entry", has_text="提醒").locator(".unseen", has_text="已免打扰").wait_for(state="attached" if is_it else "detached")

    say("lady", team, "all-1")
    await hears("all-1")
    # Another device of ming chooses; the page hears of it before the messages that follow.
    choose("", {"notify": "managers"})
    say("lady", team, "managers-1")
    say("hua", team, "managers-2")
    meant("lady", "managers-3", ["ming"])
    say("lady", team, "managers-4")
    say("hua", team, "managers-5")
    await hears("managers-2", "managers-3", "managers-5")
    ask("hua", "PATCH", f"conversations/{team}/members/lady", {"role": "manager"})
    say("lady", team, "managers-6")
    await hears("managers-6")
    choose("/settings", {"isMuted": True})
    await is_silent(True)
    say("hua", team, "silent-1")
    meant("hua", "silent-2", ["lady"])
    meant("hua", "silent-3", ["ming"])
    # Being meant once is no leave for what comes after it.
    say("hua", team, "silent-4")
    meant("lady", "silent-5", "all")
    await hears("silent-3", "silent-5")
    await ming.click(".side header [aria-haspopup=menu] >> nth=0")
    await ming.locator(".menu [role=menuitem]", has_text="设置").click()
    await ming.locator("dialog .set label", has_text="有人提到我").click()
    await is_well(ming)
    await picture(ming, "settings")
    await ming.keyboard.press("Escape")
    meant("hua", "off-1", ["ming"])
    choose("/settings", {"isMuted": False})
    await is_silent(False)
    say("hua", team, "off-2")
    await hears("off-2")
    await ming.evaluate("localStorage.removeItem('teahouse.notify.mentions')")
    await ming.reload()
    await ming.locator("a.entry", has_text="提醒").wait_for()


@checks.check("an announcement comes at once and stands in a bar until it is confirmed, here or elsewhere, and in the list after that")
async def announcement() -> None:
    ming = screens["ming"]
    # What is read at first has been read, by this page and not by the one before.
    await ming.goto("about:blank")
    async with ming.expect_response(lambda answer: "/api/v1/notices" in answer.url):
        await open_group("ming")
    asked = people_page.asked(ming, "notices")
    ctl("notice", "send", "今晚八点维护，请保存工作", "--title", "维护通知")
    await ming.locator(".bar.notice", has_text="维护通知").wait_for()
    await is_well(ming)
    await picture(ming, "notice")
    await ming.click(".bar.notice .button")
    await ming.wait_for_selector(".bar.notice", state="detached")
    equal(asked, [], "what the page asked for")
    await ming.click(".side header [aria-haspopup=menu] >> nth=0")
    await ming.locator(".menu [role=menuitem]", has_text="公告").click()
    await ming.locator("dialog .announcement", has_text="今晚八点维护").locator("text=你已确认").wait_for()
    # Another one comes while the list is open, and is confirmed on another device.
    ctl("notice", "send", "维护已结束", "--title", "第二条通知")
    second = ming.locator("dialog .announcement >> nth=0")
    await second.locator("h3", has_text="第二条通知").wait_for()
    await is_well(ming)
    await picture(ming, "notices")
    ask("ming", "POST", f"notices/{ask('ming', 'GET', 'notices')['items'][0]['id']}/confirm")
    await second.locator("text=你已确认").wait_for()
    await ming.wait_for_selector(".bar.notice", state="detached")
    equal(len(asked), 1, "readings of the list: when it was opened")
    await ming.keyboard.press("Escape")
    await open_group("ming")


@checks.check("without the server: the page opens with the last chats, what is written waits, and goes out when it is back")
async def offline() -> None:
    ming, hua = screens["ming"], screens["hua"]
    await ming.evaluate("navigator.serviceWorker.ready.then(() => null)")
    for _ in range(300):
        if await ming.evaluate("indexedDB.databases().then((all) => all.some((each) => each.name === 'teahouse-last'))"):
            break
        await asyncio.sleep(0.1)
    # Written when it is put away, not only some seconds later.
    await ming.evaluate("import(`/page/${document.documentElement.dataset.page}/secure.js`).then((secure) => secure.keepNow())")
    house.kill()
    await ming.reload()
    await see(ming, "n299z")
    await ming.locator("a.entry", has_text="设计讨论组").wait_for()
    await ming.wait_for_selector(".wire:not([hidden])")
    await write(ming, "written without a server")
    await ming.locator(".row.mine", has_text="written without a server").wait_for()
    await is_well(ming)
    await picture(ming, "offline")
    await ming.reload()
    await see(ming, "written without a server")
    await house.start_async()
    await see(hua, "written without a server")
    await ming.wait_for_selector(".wire", state="hidden")
    equal(await ming.locator(".row .text", has_text="written without a server").count(), 1, "copies of a message")


@checks.check("over plain http the page is whole, keeps nothing for bad times, and says what brings the rest")
async def plain() -> None:
    page = await screen("plain", 390, 844, "zh-CN", "light")
    await page.goto(f"http://tea.test:{house.port}/")
    await page.fill("#name", "ming")
    await page.fill("#password", PASSWORD)
    await page.press("#password", "Enter")
    await page.locator("a.entry", has_text="设计讨论组").click()
    await write(page, "from a plain page")
    await see(screens["hua"], "from a plain page")
    await page.click(".composer [aria-label='录制语音']")
    await page.wait_for_selector("dialog .steps a[href='/ca.pem']")
    await is_well(page)
    await picture(page, "certificate")
    await page.keyboard.press("Escape")
    # Nobody looks at this page: the first message asks, by a button.
    await page.evaluate("document.hasFocus = () => false")
    await asyncio.to_thread(say, "hua", group, "are you there?")
    await page.locator(".bar .button").wait_for()
    await is_well(page)
    await page.locator(".bar .plain").click()
    await page.wait_for_selector(".bar", state="detached")
    equal(await page.evaluate("isSecureContext"), False, "a secure context")
    expect("teahouse-last" not in await page.evaluate("indexedDB.databases().then((all) => all.map((each) => each.name))"),
           "chats are kept over plain http")
    await page.context.close()


@checks.check("signing out takes the kept chats with it")
async def forgotten() -> None:
    ming = screens["ming"]
    await ming.click(".side header [aria-haspopup=menu] >> nth=0")
    await ming.locator(".menu [role=menuitem]").last.click()
    await ming.wait_for_selector("#name")
    for _ in range(100):
        names = await ming.evaluate("indexedDB.databases().then((all) => all.map((each) => each.name))")
        if "teahouse-last" not in names:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"still there: {names}")


@checks.check("no script failed, and nothing was against the policy")
async def no_troubles() -> None:
    equal(troubles, [], "troubles")


async def main() -> int:
    global house
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    if options.pictures:
        Path(options.pictures).mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium")
    if not chromium:
        raise HouseError("there is no chromium: apt-get install chromium")
    house = House(options.binary, config=CONFIGURATION + '[server]\nhosts = ["tea.test"]\n')
    await house.start_async()
    people_page.house, people_page.options = house, options
    async with async_playwright() as playwright:
        people_page.browser = browser = await launch(playwright, chromium)
        code = await checks.run(options.only)
        await browser.close()
    house.stop()
    found = house.verify()
    if found:
        print(f"FAIL  verify: {found}", flush=True)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
