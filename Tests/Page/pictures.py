"""Makes the two screenshots of README: `pictures.py --binary TEAHOUSE [--assets DIR]` writes docs/page-wide.png and docs/page-phone.png, with
people who are made up. `--assets` shows another page than the binary has."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Foreign"))

from browser import WAIT, launch, screen, settle, sign_in
from house import CONFIGURATION, House
from playwright.async_api import Page, async_playwright

PEOPLE = {"ming": "王小明", "lan": "阿兰", "juliet": "Juliet Capulet", "romeo": "Romeo Montague", "hua": "李华"}
#: Bytes of a picture at most.
MOST_BYTES = 150_000


def talk(house: House) -> str:
    """Conversations as people have them; the id of the group."""
    tokens = {name: house.token(name, "desktop") for name in PEOPLE}

    def ask(name: str, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"http://{house.host}:{house.port}/api/v1{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {tokens[name]}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=WAIT / 1000) as answer:
            return json.loads(answer.read() or b"null")

    number = 0

    def say(name: str, conversation: str, text: str, **more: Any) -> str:
        nonlocal number
        number += 1
        return ask(name, "POST", f"/conversations/{conversation}/messages",
                   {"clientToken": f"p{number}", "kind": "text", "text": text, **more})["id"]

    for name, text in (("hua", "合同已经放在文件柜里了。"), ("romeo", "The lamps arrived, all twelve of them."), ("lan", "周六见！")):
        say(name, ask(name, "POST", "/conversations", {"kind": "direct", "with": "ming"})["id"], text)
    choir = ask("juliet", "POST", "/conversations", {"kind": "group", "title": "Choir 合唱团", "members": ["ming", "romeo"]})["id"]
    say("juliet", choir, "Rehearsal moves to seven, the hall is ours until nine.")
    group = ask("ming", "POST", "/conversations", {"kind": "group", "title": "茶友会 Tea club", "members": ["lan", "juliet", "romeo", "hua"]})["id"]
    say("ming", group, "这周六下午三点，老地方喝茶，谁来？")
    first = say("juliet", group, "I will bring the white peony that my aunt sent from Fuding.")
    ask("lan", "PUT", f"/messages/{first}/reactions/%F0%9F%8D%B5")
    ask("ming", "PUT", f"/messages/{first}/reactions/%F0%9F%8D%B5")
    say("lan", group, "太好了！我带桂花糕。", replyTo=first)
    say("romeo", group, "Count me in. How do I find the place? It is my first time.")
    say("ming", group, "@Romeo Montague 出地铁二号口，沿河走五分钟，门口有一棵大柳树。", mentions=["romeo"])
    last = say("hua", group, "See you on Saturday 🍃 我四点到。")
    ask("ming", "PUT", f"/messages/{last}/reactions/%F0%9F%91%8D")
    return group


async def shot(page: Page, house: House, name: str, group: str, file: str, assets: Path | None) -> None:
    if assets:
        async def serve(route: Any) -> None:
            known = assets / route.request.url.split("?")[0].split("/")[-1]
            await (route.fulfill(path=str(known)) if known.exists() else route.continue_())
        await page.route("**/page/**", serve)
    await sign_in(page, house, name)
    await page.goto(f"http://{house.host}:{house.port}/#/c/{group}")
    await page.locator(".row .text", has_text="See you on Saturday").wait_for()
    await asyncio.sleep(1)
    path = ROOT / "docs" / file
    await page.screenshot(path=str(path))
    print(f"{file}: {path.stat().st_size} bytes")
    assert path.stat().st_size <= MOST_BYTES, "the picture is too large"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--assets", type=Path)
    options = parser.parse_args()
    house = House(options.binary, config=CONFIGURATION)
    await house.start_async()
    settle(house, PEOPLE)
    group = talk(house)
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        wide = await screen(browser, "zh-CN", 1120, 700, color_scheme="light")
        await shot(wide, house, "ming", group, "page-wide.png", options.assets)
        phone = await screen(browser, "en-US", 390, 780, color_scheme="dark")
        await shot(phone, house, "juliet", group, "page-phone.png", options.assets)
        await browser.close()
    house.stop()


if __name__ == "__main__":
    asyncio.run(main())
