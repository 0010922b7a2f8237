"""The page under load: a conversation of 10,000 messages from end to end, a slow computer, and with --long an hour of talk with an eye on
the heap."""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "Foreign"))

from browser import WAIT, launch, screen, settle, sign_in, write
from house import CONFIGURATION, Checks, House, equal, expect
from playwright.async_api import Browser, Page, async_playwright

MESSAGES = 10_000
#: Connections over which they are sent at once.
SPEAKERS = 16
#: Rows that the page may hold at once, whatever it has read.
MOST_ROWS = 400
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

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        self.connection.request(method, "/api/v1" + path, None if body is None else json.dumps(body).encode(), {
            "Authorization": f"Bearer {Place.tokens[self.name]}", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        got = answer.read()
        expect(answer.status < 300, f"{method} {path}: {answer.status} {got[:300]!r}")
        return json.loads(got) if got else None

    def say(self, token: str, text: str) -> None:
        self.ask("POST", f"/conversations/{Place.talk}/messages", {"clientToken": token, "kind": "text", "text": text})


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


async def long_talk(minutes: float) -> None:
    """People talk for so long; the page follows, opens and closes conversations, scrolls and writes."""
    page, hua = Place.page, Speaker("hua")
    await page.reload()
    await page.locator("a.entry").first.click()
    await page.locator(".composer textarea").wait_for()
    begun, early, number = time.monotonic(), 0, 0
    while (passed := time.monotonic() - begun) < minutes * 60:
        number += 1
        await asyncio.to_thread(hua.say, f"l{number}", words(number))
        if number % 10 == 0:
            await write(page, f"answer {number}")
        if number % 30 == 0:
            await page.evaluate("document.querySelector('.flow').scrollTop -= 4000")
        if number % 60 == 0:
            await page.evaluate("location.hash = '#/'")
            await page.locator("a.entry").first.click()
        if not early and passed >= minutes * 60 / PART:
            early = await heap(page)
            print(f"      heap after {passed / 60:.1f} minutes: {early / 1e6:.2f} MB", flush=True)
        await asyncio.sleep(1)
    late = await heap(page)
    print(f"      heap after {minutes} minutes and {number} messages: {late / 1e6:.2f} MB, {late / early:.2f} times", flush=True)
    expect(late <= GROWTH * early, f"the heap grew from {early} to {late} bytes")


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
    settle(house, {"ming": "王小明", "hua": "李华"})
    Place.tokens = {name: house.token(name, "app") for name in ("ming", "hua")}
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
