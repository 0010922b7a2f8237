"""What the checks of the page share: the browser, and what a person does on a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from typing import Any

from house import House, HouseError
from playwright.async_api import Browser, Page, Playwright

#: Milliseconds that a person waits for anything on a screen.
WAIT = 60_000
#: Everybody's.
PASSWORD = "tea for three people"


async def launch(playwright: Playwright) -> Browser:
    """Debian's chromium."""
    chromium = shutil.which("chromium")
    if not chromium:
        raise HouseError("there is no chromium: apt-get install chromium")
    # Root has no sandbox in a container; elsewhere the browser keeps its own.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return await playwright.chromium.launch(executable_path=chromium, args=arguments)


async def screen(browser: Browser, language: str = "zh-CN", width: int = 1280, height: int = 800, **more: Any) -> Page:
    """A page of one person, nobody signed in."""
    context = await browser.new_context(viewport={"width": width, "height": height}, locale=language, reduced_motion="reduce", **more)
    page = await context.new_page()
    page.set_default_timeout(WAIT)
    return page


def settle(house: House, people: dict[str, str]) -> None:
    """Makes the first administrator, so that the page asks for a name, and people with their display names."""
    token = (house.data / "setup-token").read_text().split()[0]
    request = urllib.request.Request(
        f"http://{house.host}:{house.port}/api/v1/setup", headers={"Content-Type": "application/json"},
        data=json.dumps({"token": token, "name": "lady", "password": PASSWORD}).encode())
    urllib.request.urlopen(request, timeout=WAIT / 1000).close()
    for name, display in people.items():
        subprocess.run([house.binary, "ctl", "--data", str(house.data), "user", "add", name, "--display-name", display, "--password-stdin"],
                       input=PASSWORD, text=True, check=True, capture_output=True)


async def sign_in(page: Page, house: House, name: str) -> None:
    await page.goto(f"http://{house.host}:{house.port}/")
    await page.fill("#name", name)
    await page.fill("#password", PASSWORD)
    await page.press("#password", "Enter")
    await page.wait_for_selector(".app")


async def write(page: Page, text: str) -> None:
    await page.fill(".composer textarea", text)
    await page.press(".composer textarea", "Enter")


async def see(page: Page, text: str) -> None:
    await page.locator(".row .text", has_text=text).last.wait_for()
