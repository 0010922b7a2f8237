"""The page under load: a conversation of 10,000 messages from end to end, a list of 10,000 conversations, a slow computer, and with
--long an hour of talk with an eye on the heap."""

from __future__ import annotations

import argparse
import asyncio
import base64
import http.client
import json
import struct
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "Foreign"))

from browser import WAIT, launch, screen, see, settle, sign_in, write
from house import CONFIGURATION, Checks, House, equal, expect
from page import is_well
from playwright.async_api import Browser, Page, async_playwright

MESSAGES = 10_000
#: Connections over which they are sent at once.
SPEAKERS = 16
#: Rows that the page may hold at once, whatever it has read.
MOST_ROWS = 400
#: Conversations of one person, and rows of the list that the page may hold at once.
CHATS, MOST_ENTRIES = 10_000, 60
#: Times by which a computer is slower.
SLOWER = 4
#: Of the heap after the whole time to that after a twelfth of it, as 60 minutes to 5.
GROWTH, PART = 1.2, 12

checks = Checks()


class Place:
    house: House
    browser: Browser
    page: Page
    #: The conversation of Ming and Hua.
    talk: str
    tokens: dict[str, str]
    troubles: list[str] = []


class Speaker:
    """Somebody who sends through the API, over one connection."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connection = http.client.HTTPConnection(Place.house.host, Place.house.port, timeout=WAIT / 1000)

    def ask(self, method: str, path: str, body: Any = None, raw: bytes | None = None) -> Any:
        """What the server answers; a connection that has ended meanwhile is made again."""
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        for attempt in range(2):
            try:
                self.connection.request(method, "/api/v1" + path, content, {
                    "Authorization": f"Bearer {Place.tokens[self.name]}",
                    "Content-Type": "application/json" if raw is None else "image/png"})
                answer = self.connection.getresponse()
                got = answer.read()
                break
            except (ConnectionError, http.client.HTTPException):
                self.connection.close()
                if attempt:
                    raise
        expect(answer.status < 300, f"{method} {path}: {answer.status} {got[:300]!r}")
        return json.loads(got) if got else None

    def say(self, token: str, text: str, talk: str | None = None) -> None:
        self.ask("POST", f"/conversations/{talk or Place.talk}/messages", {"clientToken": token, "kind": "text", "text": text})

    def show(self, token: str, talk: str, number: int) -> None:
        """Sends a picture of its own."""
        colour = bytes((number % 251, number // 251 % 251, 99))
        file = self.ask("PUT", f"/files/{token}.png", raw=png(colour))["id"]
        self.ask("POST", f"/conversations/{talk}/messages", {"clientToken": token, "kind": "picture", "attachment": {
            "file": file, "name": f"{token}.png", "width": 240, "height": 160}})


def png(colour: bytes) -> bytes:
    """A picture of 240 by 160 pixels in one colour."""
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 240, 160, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress((b"\0" + colour * 240) * 160)) + chunk(b"IEND", b""))


def payload(text: str) -> str:
    return base64.b64encode(json.dumps({"type": 1, "content": text}).encode()).decode()


def tell(manager: str, path: str, body: Any) -> None:
    """A request of the business server."""
    connection = http.client.HTTPConnection(Place.house.host, Place.house.port, timeout=WAIT / 1000)
    connection.request("POST", path, json.dumps(body).encode(), {"token": manager, "Content-Type": "application/json"})
    answer = connection.getresponse()
    got = answer.read()
    connection.close()
    expect(answer.status == 200, f"{path}: {answer.status} {got[:300]!r}")


def words(number: int) -> str:
    """A message of one to six lines, some Chinese, some Latin."""
    return f"第{number}条 message {number} " + "茶馆里的人说了又说 and on it goes. " * (number % 7)


async def to_end(page: Page) -> None:
    """To the newest message, wherever the conversation is open."""
    last = page.locator(".row", has_text=f"message {MESSAGES}")
    jump = page.locator(".jump:not(.return)")
    await last.or_(jump).first.wait_for()
    if await jump.is_visible():
        await jump.click()
    await last.wait_for()


async def heap(page: Page) -> int:
    """Bytes of the page's heap that are in use once the garbage is gone."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    used = (await session.send("Runtime.getHeapUsage"))["usedSize"]
    await session.detach()
    return int(used)


@checks.check(f"{MESSAGES} messages are scrolled through, from the newest to the first and back")
async def scrolling() -> None:
    def fill() -> float:
        begun = time.monotonic()
        speaker = Speaker("ming")
        speaker.say("m1", words(1))
        with ThreadPoolExecutor(SPEAKERS) as speakers:
            list(speakers.map(part, range(SPEAKERS)))
        speaker.say(f"m{MESSAGES}", words(MESSAGES))
        return time.monotonic() - begun

    def part(first: int) -> None:
        speaker = Speaker("hua" if first % 2 else "ming")
        for number in range(2 + first, MESSAGES, SPEAKERS):
            speaker.say(f"m{number}", words(number))

    seconds = await asyncio.to_thread(fill)
    print(f"      {MESSAGES} messages in {seconds:.1f} s", flush=True)
    page = Place.page
    await page.reload()
    await page.locator("a.entry").first.click()
    await page.locator(".row").first.wait_for()
    await to_end(page)
    begun, most, turns = time.monotonic(), 0, 0
    top, moved = "", begun
    while await page.locator(".row", has_text="第1条 ").count() == 0:
        rows, first = await page.evaluate("""async () => {
            const flow = document.querySelector('.flow');
            flow.scrollTop = 0;
            for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
            return [document.querySelectorAll('.row').length, document.querySelector('.row')?.dataset.id];
        }""")
        most, turns = max(most, rows), turns + 1
        if first != top:
            top, moved = first, time.monotonic()
        expect(time.monotonic() - moved < WAIT / 1000, f"stuck at {top} after {turns} turns")
    up = time.monotonic() - begun
    await to_end(page)
    print(f"      to the first in {turns} turns, {up:.1f} s; at most {most} rows; heap {await heap(page) / 1e6:.1f} MB", flush=True)
    expect(most <= MOST_ROWS, f"the page held {most} rows")
    # What is written is still at the end, and is there at once.
    await write(page, "after all of it")
    await page.locator(".row.mine.last", has_text="after all of it").wait_for()
    equal(Place.troubles, [], "what the scripts complained of")


@checks.check(f"on a computer {SLOWER} times slower the first screen and the first message come")
async def slow() -> None:
    state = await Place.page.context.storage_state()
    page = await screen(Place.browser, storage_state=state)
    await page.add_init_script("""(() => {
        const seen = window.seen = {};
        const look = () => {
            if (!seen.app && document.querySelector('.app')) seen.app = performance.now();
            if (!seen.list && document.querySelector('a.entry')) seen.list = performance.now();
            if (!seen.message && document.querySelector('.row .text')) seen.message = performance.now();
        };
        new MutationObserver(look).observe(document, { childList: true, subtree: true });
    })()""")
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    await page.goto(f"http://{Place.house.host}:{Place.house.port}/#/c/{Place.talk}")
    await page.wait_for_function("() => window.seen.message && performance.getEntriesByName('first-contentful-paint').length")
    figures = await page.evaluate(
        "({ paint: performance.getEntriesByName('first-contentful-paint')[0].startTime, ...window.seen })")
    print("      " + ", ".join(f"{name} {figures[name]:.0f} ms" for name in ("paint", "app", "list", "message") if name in figures),
          flush=True)
    await page.context.close()


@checks.check(f"a list of {CHATS} conversations has rows for what is on the screen; keys, search and unread ones reach all of it")
async def many_chats() -> None:
    names = [f"table{number:05}" for number in range(1, CHATS + 1)]

    manager = Place.house.ctl("wukong", "token").split()[-1]

    def to_lan(text: str) -> Any:
        return {"header": {"red_dot": 1}, "from_uid": names[0], "channel_id": "lan", "channel_type": 1, "payload": payload(text)}

    def fill() -> float:
        begun = time.monotonic()
        Place.house.add_users(names)
        # The oldest of them has something new; what the other ones say begins a conversation each.
        tell(manager, "/message/send", to_lan("down here"))
        for first in range(1, CHATS, 1_000):
            tell(manager, "/message/sendbatch", {"from_uid": "lan", "subscribers": names[first:first + 1_000], "payload": payload("hello")})
        return time.monotonic() - begun

    seconds = await asyncio.to_thread(fill)
    print(f"      {CHATS} conversations in {seconds:.1f} s", flush=True)
    page = await screen(Place.browser)
    page.on("pageerror", lambda error: Place.troubles.append(str(error)))
    # The first page of the list is enough to begin with: the others do not come yet.
    goes_on = asyncio.Event()

    async def hold(route: Any) -> None:
        await goes_on.wait()
        await route.continue_()
    await page.route("**/api/v1/conversations?*cursor=*", hold)
    await sign_in(page, Place.house, "lan")
    entries, first = page.locator(".list li"), page.locator(".list li[aria-posinset='1']")
    focused = page.locator(".list li", has=page.locator("a:focus"))
    await first.wait_for()
    equal(await first.get_attribute("aria-setsize"), "-1", "how many there are, while nobody knows")
    expect(await entries.count() <= MOST_ENTRIES, "the list has too many rows")
    await first.locator("a").click()
    await page.locator(".composer textarea").wait_for()
    goes_on.set()
    # Who searches has all of them read.
    await page.fill(".seek input", names[0])
    await page.locator(".found a.entry:not(.hit)", has_text=names[0]).wait_for()
    await page.fill(".seek input", "")
    await page.locator(f".list li[aria-setsize='{CHATS}']").first.wait_for()
    # From end to end by keys, and by scrolling.
    await first.locator("a").focus()
    await page.keyboard.press("ArrowDown")
    await page.locator(".list li[aria-posinset='2'] a:focus").wait_for()
    await page.keyboard.press("End")
    await page.locator(f".list li[aria-posinset='{CHATS}'] a:focus").wait_for()
    await page.keyboard.press("PageUp")
    await page.keyboard.press("ArrowUp")
    place = int(await focused.get_attribute("aria-posinset") or 0)
    expect(CHATS - 40 < place < CHATS - 2, f"a page and a row above the end is row {place}")
    await page.keyboard.press("Home")
    await page.locator(".list li[aria-posinset='1'] a:focus").wait_for()
    most, seen = await page.evaluate("""async () => {
        const list = document.querySelector('.list');
        const seen = new Set();
        let most = 0;
        for (let top = 0, end = list.scrollHeight; top < end; top += list.clientHeight) {
            list.scrollTop = top;
            for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
            most = Math.max(most, list.querySelectorAll('li').length);
            for (const each of list.querySelectorAll('li')) seen.add(each.ariaPosInSet);
        }
        return [most, seen.size];
    }""")
    equal(seen, CHATS, "rows that were seen on the way")
    expect(most <= MOST_ENTRIES, f"the list had {most} rows")
    # What has the focus stays, wherever the list is scrolled to.
    equal(await focused.get_attribute("aria-posinset"), "1", "the row that has the focus")
    await page.evaluate("document.activeElement.blur(); document.querySelector('.list').scrollTop = 0")
    # To what is unread, far below; it is opened, and is on top when something new comes.
    await page.locator(".onward").click()
    await focused.filter(has_text=names[0]).wait_for()
    await page.keyboard.press("Enter")
    await see(page, "down here")
    await page.locator(".onward").wait_for(state="hidden")
    await asyncio.to_thread(tell, manager, "/message/send", to_lan("up again"))
    await page.locator("nav.list").evaluate("list => { list.scrollTop = 0; }")
    await first.filter(has_text="up again").wait_for()
    await is_well(page)
    print(f"      at most {most} rows; heap {await heap(page) / 1e6:.1f} MB", flush=True)
    await page.context.close()
    equal(Place.troubles, [], "what the scripts complained of")


async def measure(page: Page, label: str) -> int:
    """The heap where nothing is open, which is printed beside the elements and listeners that the browser holds."""
    for _ in range(await page.locator("dialog").count()):
        await page.keyboard.press("Escape")
    await page.fill(".seek input", "")
    here = await page.evaluate("location.hash")
    await page.evaluate("location.hash = '#/'")
    await page.locator(".chat > .empty").wait_for()
    used = await heap(page)
    await page.evaluate("hash => { location.hash = hash; }", here)
    await page.locator(".composer textarea").wait_for()
    session = await page.context.new_cdp_session(page)
    held = await session.send("Memory.getDOMCounters")
    await session.detach()
    print(f"      heap {label}: {used / 1e6:.2f} MB; {held['nodes']} nodes, {held['jsEventListeners']} listeners", flush=True)
    return used


async def turn(page: Page, hua: Speaker, talks: list[str], number: int) -> None:
    """A second of the day: somebody writes, and the person at the page does one thing of many."""
    here = talks[number // 40 % len(talks)]
    await asyncio.to_thread(hua.say, f"l{number}", words(number), here if number % 3 else talks[number % len(talks)])
    match number % 40:
        case 0:
            await page.evaluate("id => { location.hash = `#/c/${id}`; }", here)
            await page.locator(".composer textarea").wait_for()
        case 3 | 13 | 23:
            await write(page, f"answer {number}")
        case 5:
            await asyncio.to_thread(hua.show, f"p{number}", here, number)
        case 8:
            await page.evaluate("document.querySelector('.flow').scrollTop -= 4000")
        case 12:
            await page.locator(".jump:not(.return)").or_(page.locator(".row.last")).first.wait_for()
            if await page.locator(".jump:not(.return)").is_visible():
                await page.click(".jump:not(.return)")
        case 16:
            await page.click(".chat > header .who")
            await page.locator("dialog .person").wait_for()
        case 18 | 28 | 33:
            for _ in range(await page.locator("dialog").count()):
                await page.keyboard.press("Escape")
            await page.locator("dialog").wait_for(state="detached")
        case 20:
            await page.locator(".row.message:not(.mine) .bubble").last.click(button="right")
            await page.locator(".menu .quick button").first.click()
        case 26:
            await page.click(".side header [aria-haspopup=menu] >> nth=0")
            await page.locator(".menu [role=menuitem]").nth(0 if number % 80 < 40 else 3).click()
            await page.locator("dialog").wait_for()
        case 31:
            picture = page.locator(".row .picture").last
            if await picture.count():
                await picture.click()
                await page.locator("dialog.light").wait_for()
        case 35:
            await page.fill(".seek input", f"message {number // 2}")
            await page.locator(".found:not([hidden])").wait_for()
        case 37:
            await page.fill(".seek input", "")
            await page.locator(".found").wait_for(state="hidden")


async def long_talk(minutes: float) -> None:
    """People talk for so long, with pictures, in several conversations; the page follows: it writes, reacts, scrolls and searches, goes
    from one to the other, opens and closes cards, pictures and settings."""
    page, hua, ming = Place.page, Speaker("hua"), Speaker("ming")
    talks = [Place.talk] + [ming.ask("POST", "/conversations", {"kind": "group", "title": f"Group {number}", "members": ["hua"]})["id"]
                            for number in range(5)]
    await page.goto(f"http://{Place.house.host}:{Place.house.port}/#/c/{Place.talk}")
    await page.reload()
    await page.locator(".composer textarea").wait_for()
    begun, early, number, told = time.monotonic(), 0, -1, 0.0
    while (passed := time.monotonic() - begun) < minutes * 60:
        number += 1
        await turn(page, hua, talks, number)
        if not early and passed >= minutes * 60 / PART:
            early = await measure(page, f"after {passed / 60:.1f} minutes")
        elif passed - told >= minutes * 60 / PART:
            told = passed
            await measure(page, f"after {passed / 60:.1f} minutes")
        await asyncio.sleep(1)
    late = await measure(page, f"after {minutes:g} minutes and {number} turns")
    equal(Place.troubles, [], "what the scripts complained of")
    expect(late <= GROWTH * early, f"the heap grew from {early} to {late} bytes, {late / early:.2f} times")


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only")
    parser.add_argument("--long", action="store_true", help="also the heap, for --minutes")
    parser.add_argument("--minutes", type=float, default=60, help="how long the heap is looked at (60)")
    options = parser.parse_args()
    house = Place.house = House(options.binary, config=CONFIGURATION + """
        [wukong]
        api_requests_per_second = 1000000
        api_request_burst = 1000000
        """)
    await house.start_async()
    settle(house, {"ming": "王小明", "hua": "李华", "lan": "阿兰"})
    Place.tokens = {name: house.token(name, "app") for name in ("ming", "hua", "lan")}
    Place.talk = Speaker("ming").ask("POST", "/conversations", {"kind": "direct", "with": "hua"})["id"]
    Speaker("hua").say("first", "hello")
    code = 0
    async with async_playwright() as playwright:
        Place.browser = await launch(playwright)
        Place.page = await screen(Place.browser)
        Place.page.on("pageerror", lambda error: Place.troubles.append(str(error)))
        await sign_in(Place.page, house, "ming")
        # Not by `checks.run`, which gives a check a minute or two.
        for name, body in checks._checks:
            if options.only and options.only not in name:
                continue
            try:
                await body()
                print(f"ok    {name}", flush=True)
            except Exception as error:
                code = 1
                print(f"FAIL  {name}: {error}", flush=True)
        if options.long:
            try:
                await long_talk(options.minutes)
                print("ok    the heap stays", flush=True)
            except Exception as error:
                code = 1
                print(f"FAIL  the heap stays: {error}", flush=True)
        await Place.browser.close()
    house.stop()
    found = house.verify()
    if found:
        print(f"FAIL  verify: {found}", flush=True)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
