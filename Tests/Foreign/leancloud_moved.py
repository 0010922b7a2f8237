"""An app that has moved: pulled from a stand-in of LeanCloud, imported, and its clients go on where they were.

The clients speak as LeanCloud's own SDKs do (docs/protocols/leancloud-sdks.md) and keep ids and times of messages from before;
one colleague uses an app of WuKongIM in the same conversations.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import subprocess
import urllib.request
from typing import Any

from house import CONFIGURATION, GROUP, PATIENCE, Checks, House, Session, equal, expect, payload_of, run_checks, temporary_folder
from leancloud_dialects import SDKS, App, Client, CSharp, Java, JavaScript, Swift, complaints, shown, text
from leancloud_place import until_said
from leancloud_schema import name_of
from leancloud_source import APP_ID, MASTER_KEY, Dataset, Source

checks = Checks()


class Place:
    house: House
    app: App
    data: Dataset
    turn = itertools.count()


def moved(binary: str) -> None:
    """Pulls, imports, and starts the server that the app has moved to."""
    Place.data = Dataset(people=12, conversations=10, messages=900, files=5)
    top = temporary_folder("moved-")
    key = top / "master.key"
    key.write_text(MASTER_KEY)
    key.chmod(0o600)
    # As docs/moving-from-leancloud.md says: people edit and recall at any time, as they did there.
    always = "[messages]\nedit_seconds_group = -1\nrecall_seconds_group = -1\n"
    Place.house = House(binary, config=CONFIGURATION + always + f'[leancloud]\napp_id = "{APP_ID}"\n')
    source = Source(Place.data)
    try:
        run(binary, "leancloud", "pull", "--from", source.url, "--app-id", APP_ID, "--into", str(top / "saved"), "--key-file",
            str(key), "--rate", "1000")
    finally:
        source.stop()
    run(binary, "import", "leancloud", str(top / "saved"), "--data", str(Place.house.data))
    Place.house.start()
    keys = json.loads(Place.house.ctl("app", "keys", "--json"))
    equal(keys["appId"], APP_ID, "the app's id")
    Place.app = App(Place.house.url, keys["appId"], keys["masterKey"])


def run(binary: str, *words: str) -> None:
    done = subprocess.run([binary, *words], capture_output=True, text=True, timeout=8 * PATIENCE)
    equal(done.returncode, 0, f"exit code of {words[:2]}; {done.stdout} {done.stderr}")


def group() -> tuple[str, list[str], list[dict[str, Any]]]:
    """A conversation of before that no other check has: its id, its members, its messages from the oldest on."""
    rows = [json.loads(row) for row in Place.data.classes["_Conversation"].values()]
    groups = [row for row in rows if len(row.get("m", [])) > 2]
    row = groups[next(Place.turn) % len(groups)]
    said = [json.loads(line) for _, _, cid, line in sorted(Place.data.messages + Place.data.apart) if cid == row["objectId"]]
    return row["objectId"], row["m"], said


def check(name: str) -> Any:
    """A check whose clients are closed behind it, and which fails when an SDK had something to complain of."""
    def add(body: Any) -> None:
        async def guarded() -> None:
            complaints.clear()
            try:
                await body()
            finally:
                await Client.close_all()
            expect(not complaints, complaints[:3])
        guarded.__name__ = body.__name__
        checks.check(name)(guarded)
    return add


def same(item: Any, row: dict[str, Any], what: str) -> None:
    equal((item.msgId, item.timestamp, getattr(item, "from"), item.data, item.bin),
          (row["msg-id"], row["timestamp"], row["from"], row["data"], row["bin"]), what)


@check("every SDK pages through the history of before, and a cursor that it kept leads on")
async def history() -> None:
    for sdk in SDKS:
        cid, members, said = group()
        client = await sdk.open(Place.app, members[1])
        found: list[Any] = []
        while page := await client.logs(cid, 20, **({"t": found[0].timestamp, "mid": found[0].msgId} if found else {})):
            found = page + found
        equal(len(found), len(said), f"{client.SDK}: messages")
        for item, row in zip(sorted(found, key=lambda item: (item.timestamp, item.msgId)), said):
            same(item, row, f"{client.SDK}: a message of before")
        # The id and the time of a message are all that an installed app knows of it.
        kept = said[len(said) // 2]
        older = await client.logs(cid, 10, t=kept["timestamp"], mid=kept["msg-id"])
        equal(len(older), 10, f"{client.SDK}: messages before the cursor")
        expect(all(item.timestamp <= kept["timestamp"] for item in older), f"{client.SDK}: older than the cursor")
        (row,) = await client.query({"objectId": cid})
        equal((row["name"], sorted(row["m"])), (json.loads(Place.data.classes["_Conversation"][cid])["name"], sorted(members)),
              f"{client.SDK}: the conversation")


@check("nothing of before is unread; what is said now is, for who was away")
async def unread() -> None:
    for sdk in SDKS:
        cid, members, _ = group()
        here, away = await Java.open(Place.app, members[0]), await sdk.open(Place.app, members[1])
        # The answer to a request comes behind what an opening brings.
        await away.query({"objectId": cid})
        equal(away.unread.get(cid), None, f"{away.SDK}: unread after the move")
        await away.close()
        sent = await here.send(cid, text("新家"))
        await away.reconnect()
        await away.until(lambda: cid in away.unread, "the message of now")
        equal((away.unread[cid].unread, away.unread[cid].mid), (1, sent.uid), f"{away.SDK}: unread")
        await Client.close_all()


@check("a message of before is edited and taken back by who said it, and told to every SDK")
async def edits() -> None:
    for sdk in SDKS:
        cid, members, said = group()
        # Whoever said something may have left since: an author who is a member may change their words.
        mine = [row for row in said if row["from"] in members and not row["bin"]]
        changed, gone = mine[-1], next(row for row in reversed(mine[:-1]) if row["from"] == mine[-1]["from"])
        author = await JavaScript.open(Place.app, changed["from"])
        other = await sdk.open(Place.app, next(name for name in members if name != author.name))
        await author.edit(cid, changed["msg-id"], changed["timestamp"], text("改过了"))
        await author.recall(cid, gone["msg-id"], gone["timestamp"])

        def told() -> dict[str, Any]:
            return {part.mid: part for notice in other.notices if name_of(notice) == "patch/modify"
                    for part in notice.patchMessage.patches}
        await other.until(lambda: {changed["msg-id"], gone["msg-id"]} <= told().keys(), "both changes")
        equal((shown(told()[changed["msg-id"]].data), told()[gone["msg-id"]].recall), ("改过了", True), f"{other.SDK}")
        found = {item.msgId: item for item in await other.logs(cid, 100)}
        equal(shown(found[changed["msg-id"]].data), "改过了", f"{other.SDK}: the history")
        equal(found[changed["msg-id"]].timestamp, changed["timestamp"], f"{other.SDK}: its time")
        equal(json.loads(found[gone["msg-id"]].data)["_lctype"], -127, f"{other.SDK}: what is left of the other")
        await Client.close_all()


@check("a colleague with an app of WuKongIM reads the history of before, and both go on")
async def both() -> None:
    cid, members, said = group()
    token = Place.house.token(members[2], "desktop")
    colleague = await Session.open(Place.house.url, members[2], token)
    try:
        for sdk in (Swift, CSharp):
            client = await sdk.open(Place.app, members[0])
            colleague.pass_over_former()
            await client.send(cid, text(f"早 {sdk.SDK}"))
            (got,) = await colleague.next()
            equal((got["channelId"], got["channelType"], got["fromUid"], got["payload"]["content"]),
                  (cid, GROUP, members[0], f"早 {sdk.SDK}"), "to WuKongIM")
            await colleague.send(cid, GROUP, payload_of(f"晚 {sdk.SDK}"))
            await until_said(client, cid, f"晚 {sdk.SDK}")
    finally:
        await colleague.close()

    def page() -> Any:
        body = {"channel_id": cid, "channel_type": GROUP, "start_message_seq": 0, "end_message_seq": 0, "limit": 100, "pull_mode": 0}
        request = urllib.request.Request(
            Place.house.url.replace("ws://", "http://") + "v1/message/channel/sync", data=json.dumps(body).encode(),
            headers={"token": token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    messages = (await asyncio.to_thread(page))["messages"]
    texts = [message["payload"].get("content") for message in messages]
    expect({"早 Swift", "晚 C#"} <= set(texts), f"what was said now: {texts[-6:]}")
    before = [shown(row["data"]) for row in said if not row["bin"]][-20:]
    expect(set(before) <= set(texts), f"what was said before: {texts[:6]}")


async def main(arguments: argparse.Namespace) -> int:
    await asyncio.to_thread(moved, arguments.binary)
    return await checks.finish(Place.house, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
