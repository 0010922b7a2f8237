"""The server and the app that the checks of the LeanCloud protocol share."""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

from house import CONFIGURATION, Checks, House
from leancloud_dialects import App, Client, Refused, complaints, text

APP_ID = "teahouse-test-app-gzGzoHsz"

checks = Checks()


class Place:
    house: House
    app: App


_numbers = itertools.count(1)


def person(name: str) -> str:
    """A client id that no other check has."""
    return f"{name}{next(_numbers)}"


def people(*names: str) -> list[str]:
    number = next(_numbers)
    return [f"{name}{number}" for name in names]


def start(binary: str) -> None:
    Place.house = House(binary, config=CONFIGURATION + f'[leancloud]\napp_id = "{APP_ID}"\n')
    Place.house.start()
    keys = json.loads(Place.house.ctl("app", "keys", "--json"))
    Place.app = App(Place.house.url, keys["appId"], keys["masterKey"])


def scenario(name: str) -> Callable[[Callable[[], Awaitable[None]]], None]:
    """A check whose clients are closed behind it, and which fails when an SDK had something to complain of."""
    def add(body: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            complaints.clear()
            try:
                await body()
            except Exception as error:
                if complaints:
                    raise AssertionError(f"{error}; {len(complaints)} complaints, the first: {complaints[0]}") from error
                raise
            finally:
                await Client.close_all()
            if complaints:
                raise AssertionError(f"{len(complaints)} complaints, the first: {complaints[0]}")
        run.__name__ = body.__name__
        checks.check(name)(run)
    return add


async def refused(code: int, request: Awaitable[Any], what: str = "") -> Refused:
    """The refusal of a request that has to be refused with this code."""
    try:
        answer = await request
    except Refused as error:
        if error.code != code:
            raise AssertionError(f"{what} is refused with {error}, not {code}") from None
        return error
    raise AssertionError(f"{what} is not refused with {code} but answered: {answer}")


async def fence(*clients: Client) -> None:
    """Everything that was on its way to these clients has come: what is caused later comes later."""
    first, *others = clients
    cid = (await first.start(*{client.name for client in others})).cid
    for client in others:
        await client.until(lambda: client.noticed("members_joined", cid=cid), "the fence's notice")
    await first.send(cid, text("fence"))
    for client in others:
        await client.until(lambda: client.said(cid), "the fence's message")
    for client in clients:
        client.notices[:] = [notice for notice in client.notices if notice.convMessage.cid != cid]
        client.received[:] = [body for body in client.received if body.cid != cid]
        client.unread.pop(cid, None)


async def until_said(client: Client, cid: str, *words: Any) -> None:
    """Waits for as many messages of a conversation, and compares them."""
    await client.until(lambda: len(client.said(cid)) >= len(words), f"{len(words)} messages")
    said = client.said(cid)
    if said != list(words):
        raise AssertionError(f"{client.SDK} {client.name} got {said}, not {list(words)}")
