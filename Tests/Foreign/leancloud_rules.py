"""Who is signed in, who is in a conversation, who is told, who may: sessions, conversations, queries, signatures."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from house import GROUP, PERSON, Session, equal, expect, payload_of
from leancloud_dialects import (ALL_SDKS, MEMBERSHIP, NORMAL, SDKS, CSharp, Java, JavaScript, JavaScript4, Refused,
                                Swift, shown, text)
from leancloud_place import Place, fence, people, person, refused, scenario, until_said
from leancloud_schema import CMD, name_of


# MARK: sessions

@scenario("each SDK finds the way, signs in, shows that it lives, closes, and comes back")
async def sessions() -> None:
    for sdk in SDKS:
        client = await sdk.open(Place.app, person("tom"))
        await client.beat()
        await client.beat()
        answer = await client.ask("session", "refresh", sessionMessage={"st": client.st})
        equal(name_of(answer), "session/refreshed", sdk.SDK)
        expect(answer.sessionMessage.st and answer.sessionMessage.stTtl > 0, answer)
        answer = await client.ask("session", "query",
                                  sessionMessage={"sessionPeerIds": ["nobody-here", client.name, "nor-here"]})
        equal((name_of(answer), list(answer.sessionMessage.onlineSessionPeerIds)),
              ("session/query_result", [client.name]), sdk.SDK)
        answer = await client.ask("report", "upload",
                                  reportMessage={"initiative": True, "type": "token", "data": "another-device"})
        equal(name_of(answer), "report/uploaded", sdk.SDK)
        await client.close()
        await client.sign_in()
        client.abort()
        await client.reconnect()
        await client.beat()


@scenario("a name that is none is refused, the same one in 64 letters is not")
async def names() -> None:
    for sdk in SDKS:
        await (await sdk.open(Place.app, "x" * 50 + person("茶"))).beat()
        await refused(4103, sdk.open(Place.app, "x" * 65), f"{sdk.SDK}: 65 letters")


@scenario("of devices with one tag the newest by hand stays, and none takes another's place by itself")
async def tags() -> None:
    for sdk in SDKS:
        name = person("tom")
        one = await sdk.open(Place.app, name, tag="Mobile", device="one")
        others = [await JavaScript.open(Place.app, name, tag=tag, device=f"side-{tag}")
                  for tag in ("Web", None, "default", "default")]
        two = await sdk.open(Place.app, name, tag="Mobile", device="two")
        await one.until(lambda: one.ended is not None, "the end of the first")
        equal((one.ended.code, one.ended.reason), (4111, "SESSION_CONFLICT"), sdk.SDK)
        await refused(4111, one.sign_in(again=True), f"{sdk.SDK}: coming back by itself")
        expect(two.ended is None, f"{sdk.SDK}: the second was ended by that")
        await two.beat()
        # The same device may come back at once, even while its old connection seems to live.
        two.abort()
        await two.reconnect()
        await one.sign_in()
        await two.until(lambda: two.ended is not None, "the end of the second")
        equal(two.ended.code, 4111, sdk.SDK)
        await fence(one, *others[:1])
        equal([client.ended for client in others], [None] * 4, f"{sdk.SDK}: those of other tags")


@scenario("a device keeps its place when it tells its real name later")
async def renamed() -> None:
    name = person("tom")
    one = await Swift.open(Place.app, name, tag="Mobile", device="made-up")
    await one.ask("report", "upload", reportMessage={"initiative": True, "type": "token", "data": "real"})
    one.abort()
    one.device = "real"
    await one.reconnect()
    await one.beat()


@scenario("who is thrown out is told by whom")
async def thrown_out() -> None:
    for sdk in SDKS:
        client = await sdk.open(Place.app, person("tom"))
        Place.house.ctl("session", "kick", "--user", client.name)
        await client.until(lambda: client.ended is not None or client.socket.closed, "the end")
        expect(client.ended is not None, f"{sdk.SDK}: nothing was said before the connection ended")
        equal((client.ended.code, client.ended.reason), (4115, "KICKED_BY_APP"), sdk.SDK)


# MARK: signatures

@scenario("a signature counts for one thing, for one person, and `ctl app sign` makes the same")
async def signatures() -> None:
    app = Place.app
    printed = json.loads(Place.house.ctl("app", "sign", "open", "--client", "Tom", "--timestamp", "1794873600000",
                                         "--nonce", "a1b2c3", "--json"))
    equal(printed["signature"], hmac.new(
        app.master_key.encode(), f"{app.id}:Tom::1794873600000:a1b2c3".encode(), hashlib.sha1).hexdigest(), "ctl")
    for sdk in SDKS:
        ann, bob, cai = people("ann", "bob", "cai")
        await refused(4102, sdk.open(app, ann, session={"s": "0" * 40}), f"{sdk.SDK}: a forged signature")
        await refused(4102, sdk.open(app, ann, session={"s": None, "t": None, "n": None}), f"{sdk.SDK}: none")
        await refused(4102, sdk.open(app, ann, session=app.signed(bob, "")), f"{sdk.SDK}: another's")
        signature = app.signed(ann, "")
        stale = {**signature, "t": signature["t"] - 1}
        await refused(4102, sdk.open(app, ann, session=stale), f"{sdk.SDK}: another time")
        a = await sdk.open(app, ann, session=signature)
        await a.close()
        # An app may keep what it signed: `leancloud.signatures_once` is off.
        a = await sdk.open(app, ann, session=signature)
        await a.close()
        made = json.loads(Place.house.ctl("app", "sign", "open", "--client", ann, "--json"))
        a = await sdk.open(app, ann, session={
            "s": made["signature"], "t": int(made["timestamp"]), "n": made["nonce"]})

        async def start(**signature: Any) -> Any:
            return await a.ask("conv", "start", convMessage={"m": [ann, bob], **signature})

        await refused(4302, start(), f"{sdk.SDK}: a conversation without a signature")
        await refused(4302, start(**app.signed(ann, f"{ann}:{cai}")), f"{sdk.SDK}: one for others")
        signature = app.signed(ann, f"{ann}:{bob}")
        cid = (await start(**signature)).convMessage.cid
        await start(**signature)
        cid_2 = (await start(**app.signed(ann, bob))).convMessage.cid
        expect(cid != cid_2, "two conversations have one id")

        async def change(op: str, **signature: Any) -> Any:
            return await a.ask("conv", op, convMessage={"cid": cid, "m": [cai], **signature})

        await refused(4302, change("add"), f"{sdk.SDK}: adding without")
        await refused(4302, change("add", **app.signed(ann, cid_2, cai, action="invite")), f"{sdk.SDK}: elsewhere")
        await refused(4302, change("add", **app.signed(ann, cid, cai, action="kick")), f"{sdk.SDK}: to remove")
        await change("add", **app.signed(ann, cid, cai, action="invite", upper=True))
        await refused(4302, change("remove"), f"{sdk.SDK}: removing without")
        await change("remove", **app.signed(ann, cid, cai, action="kick", seconds=True))


@scenario("a token that is none sends the SDK for a new signature, another app is refused for good")
async def wrong_tokens() -> None:
    for sdk in (JavaScript, Swift, Java):
        client = await sdk.open(Place.app, person("tom"))
        client.abort()
        client.st = "not-a-token"
        error = await refused(4112, client.reconnect(), f"{sdk.SDK}: a wrong token")
        # The Java SDK asks without a number, and signs again only where the answer has none either.
        equal(error.answer.HasField("i"), sdk is not Java, f"{sdk.SDK}: the number of the refusal")
        client.st = None
        if sdk is JavaScript:
            # It never signs when it comes back: told that its session is over it lets go of it, and the app opens another.
            await refused(4102, client.sign_in(again=True), f"{sdk.SDK}: coming back with nothing")
            await client.until(lambda: client.ended, "the end of its session")
            equal(client.ended.code, 4112, f"{sdk.SDK}: why its session is over")
            await client.sign_in()
        else:
            await client.sign_in(again=True)
        other = sdk(Place.app, person("tom"))
        await other.connect()
        try:
            await other.ask("session", "open", appId="another-app-gzGzoHsz", peerId=other.name,
                            sessionMessage=other.introduction(False))
            raise AssertionError(f"{sdk.SDK}: another app was let in")
        except Refused as refusal:
            equal((refusal.code, refusal.reason), (4100, "APP_NOT_AVAILABLE"), sdk.SDK)
        await other.until(lambda: other.socket.closed, "the end of the connection")
        equal(other.socket.closed.code, 4100, f"{sdk.SDK}: the close code")


# MARK: conversations

@scenario("everybody is told who comes and goes, as the vendors' tests have it")
async def notices() -> None:
    for sdk in SDKS:
        ann, bob, cai = people("ann", "bob", "cai")
        # Whose socket asked: JavaScript knows by the answer, the others are told too.
        is_told = sdk is not JavaScript
        a, b, c = await sdk.open(Place.app, ann), await Swift.open(Place.app, bob), await Java.open(Place.app, cai)
        clients = (a, b, c)

        async def told(what: str, *wanted: list[tuple[str, str, tuple[str, ...]]]) -> None:
            await fence(*clients)
            for client, expected in zip(clients, wanted):
                got = sorted((name_of(notice).removeprefix("conv/"), notice.convMessage.initBy,
                              tuple(sorted(notice.convMessage.m))) for notice in client.notices
                             if name_of(notice).removeprefix("conv/") in MEMBERSHIP
                             and notice.convMessage.cid == cid)
                equal(got, sorted(expected), f"{what}: what {client.SDK} {client.name} is told when {sdk.SDK} does it")
                client.notices.clear()

        everybody = tuple(sorted((ann, bob)))
        cid = (await a.start(bob)).cid
        await told("create", [("joined", ann, ()), ("members_joined", ann, everybody)] if is_told else [],
                   [("joined", ann, ()), ("members_joined", ann, everybody)], [])
        await a.add(cid, cai)
        await told("add", [("members_joined", ann, (cai,))] if is_told else [], [("members_joined", ann, (cai,))],
                   [("joined", ann, ()), ("members_joined", ann, (cai,))])
        await a.remove(cid, cai)
        await told("remove", [("members_left", ann, (cai,))] if is_told else [], [("members_left", ann, (cai,))],
                   [("left", ann, ())])
        await c.join(cid)
        await told("join", [("members_joined", cai, (cai,))], [("members_joined", cai, (cai,))],
                   [("joined", cai, ()), ("members_joined", cai, (cai,))])
        await a.quit(cid)
        await told("quit", [("left", ann, ())] if is_told else [], [("members_left", ann, (ann,))],
                   [("members_left", ann, (ann,))])
        await refused(4401, a.send(cid, text("gone")), "a message of who left")


@scenario("columns of every SDK are kept, changed one by one and told to the others")
async def columns() -> None:
    for sdk in SDKS:
        ann, bob = people("ann", "bob")
        a, b = await sdk.open(Place.app, ann), await Swift.open(Place.app, bob)
        cid = (await a.start(bob, name="茶", attributes={"color": {"text": "red"}, "n": 1, "tags": ["a"]})).cid
        before = (await a.query({"objectId": cid}))[0]
        prefix = "" if sdk is JavaScript else "attr."
        inner = before if sdk is JavaScript else before["attr"]
        equal((before["name"], inner["color"], inner["n"]), ("茶", {"text": "red"}, 1), f"{sdk.SDK}: the row")
        answer = await a.update(cid, **{
            "name": "green", f"{prefix}color.text": "blue", f"{prefix}n": {"__op": "Increment", "amount": 2},
            f"{prefix}tags": {"__op": "AddUnique", "objects": ["a", "b"]}})
        modified = json.loads(answer.attrModified.data)
        changed = modified if sdk is JavaScript else modified["attr"]
        equal((modified["name"], changed["color"]["text"], changed["n"], changed["tags"]),
              ("green", "blue", 3, ["a", "b"]), f"{sdk.SDK}: attrModified")
        await b.until(lambda: b.noticed("updated", cid=cid), "the change")
        notice = b.noticed("updated", cid=cid)[0]
        equal((notice.initBy, json.loads(notice.attrModified.data), notice.udate), (ann, modified, answer.udate),
              f"{sdk.SDK}: what the other is told")
        answer = await a.update(cid, **{f"{prefix}n": {"__op": "Delete"}})
        modified = json.loads(answer.attrModified.data)
        expect("n" not in modified.get("attr", modified), f"{sdk.SDK}: {modified}")
        row = (await b.query({"objectId": cid}))[0]
        inner = row if sdk is JavaScript else row["attr"]
        equal((row["name"], inner["color"], inner["tags"], "n" in inner), ("green", {"text": "blue"}, ["a", "b"], False),
              f"{sdk.SDK}: the row after")
        expect(row["updatedAt"] > before["updatedAt"], f"{before['updatedAt']} to {row['updatedAt']}")
        stranger = await Java.open(Place.app, person("eve"))
        await refused(4309, stranger.update(cid, name="mine"), "a change by a stranger")
        await a.conv("mute", cid)
        expect(ann in (await a.query({"objectId": cid}))[0]["mu"], f"{sdk.SDK}: not muted")
        await a.conv("unmute", cid)
        expect(ann not in (await a.query({"objectId": cid}))[0].get("mu", []), f"{sdk.SDK}: still muted")


@scenario("unique conversations are found by their members, and their id is what LeanCloud made of them")
async def unique_ids() -> None:
    ann, bob, cai = people("ann", "bob", "cai")
    clients = [await sdk.open(Place.app, name) for sdk, name in zip((CSharp, JavaScript, Java), (ann, bob, cai))]
    for members in ((ann, bob), (ann, bob, cai)):
        wanted = hashlib.md5("".join(sorted(members)).encode()).hexdigest()
        first = await clients[0].start(*(name for name in members if name != ann), unique=True)
        equal(first.uniqueId, wanted, "the unique id")
        again = await clients[1].start(*(name for name in members if name != bob), unique=True)
        equal((again.cid, again.uniqueId), (first.cid, wanted), "the same people")
        row = (await clients[0].query({"objectId": first.cid}))[0]
        equal((row["unique"], row["uniqueId"], sorted(row["m"])), (True, wanted, sorted(members)), "the row")
    await clients[2].quit(again.cid)
    expect((await clients[0].start(bob, cai, unique=True)).cid != again.cid, "found by members who are not in it")


@scenario("a person is blocked and silenced in a conversation, and everybody is told")
async def rules() -> None:
    for sdk in SDKS:
        ann, bob, cai = people("ann", "bob", "cai")
        a, b, c = await sdk.open(Place.app, ann), await Swift.open(Place.app, bob), await Java.open(Place.app, cai)
        cid = (await a.start(bob, cai)).cid
        await a.conv("add_shutup", cid, m=[bob])
        await b.until(lambda: b.noticed("shutuped", cid=cid), "being silenced")
        await c.until(lambda: c.noticed("members_shutuped", cid=cid), "who is silenced")
        await refused(4563, b.send(cid, text("hm")), "a silenced person's message")
        equal(list((await a.conv("query_shutup", cid)).m), [bob], f"{sdk.SDK}: the silenced")
        equal(list((await c.conv("check_shutup", cid, m=[bob])).m), [bob], f"{sdk.SDK}: whether silenced")
        await a.conv("remove_shutup", cid, m=[bob])
        await b.until(lambda: b.noticed("unshutuped", cid=cid), "being heard again")
        await b.send(cid, text("thanks"))
        await until_said(c, cid, "thanks")
        answer = await a.blacklist("block", cid, cai, action="conversation-block-clients")
        equal((list(answer.allowedPids), len(answer.failedPids)), ([cai], 0), f"{sdk.SDK}: the answer to blocking")
        await c.until(lambda: c.noticed("blocked", cid=cid) and c.noticed("left", cid=cid), "being blocked")
        await b.until(lambda: b.noticed("members_blocked", cid=cid) and b.noticed("members_left", cid=cid), "who is")
        equal(list((await a.blacklist("query", cid)).blockedPids), [cai], f"{sdk.SDK}: the blocked")
        await refused(4548, c.join(cid), "a blocked person's return")
        await a.blacklist("unblock", cid, cai, action="conversation-unblock-clients")
        await c.until(lambda: c.noticed("unblocked", cid=cid), "being let in again")
        await c.join(cid)
        await a.conv("member_info_update", cid, targetClientId=bob, info={"pid": bob, "role": "Manager"})
        await c.until(lambda: c.noticed("member_info_changed", cid=cid), "the new role")
        info = c.noticed("member_info_changed", cid=cid)[0].info
        equal((info.pid, info.role), (bob, "Manager"), f"{sdk.SDK}: the new role")
        equal((await a.conv("count", cid)).count, 3, f"{sdk.SDK}: the number of members")
        answer = json.loads((await a.conv("is_member", cids=[cid, "551260efe4b01608686c3e0f"])).results.data)
        equal(answer.get(cid), True, f"{sdk.SDK}: whether a member")
        expect(not answer.get("551260efe4b01608686c3e0f"), answer)


@scenario("a chat room counts who is there, tells nobody who comes, and keeps one room per session")
async def rooms() -> None:
    ann, bob, cai = people("ann", "bob", "cai")
    a, b, c = [await sdk.open(Place.app, name) for sdk, name in zip((JavaScript, Swift, CSharp), (ann, bob, cai))]
    cid = (await a.start(room=True, name="tea room")).cid
    equal((await a.conv("count", cid)).count, 1, "who is there at first")
    await b.join(cid)
    await c.join(cid)
    equal((await a.conv("count", cid)).count, 3, "who is there")
    equal(sorted((await c.conv("members", cid)).m), sorted((ann, bob, cai)), "who they are")
    for priority in (1, 2, 3):
        await b.send(cid, text(f"{priority}"), priority=priority)
    await until_said(a, cid, "1", "2", "3")
    await until_said(c, cid, "1", "2", "3")
    other = (await c.start(room=True)).cid
    equal((await a.conv("count", cid)).count, 2, "who is there when one went to another room")
    await b.quit(cid)
    equal((await a.conv("count", cid)).count, 1, "who is there when one left")
    await a.send(cid, text("anybody?"))
    await b.send(cid, text("from outside"))
    await until_said(a, cid, "1", "2", "3", "from outside")
    await fence(a, b, c)
    equal((b.said(cid), c.said(cid)), ([], ["1", "2", "3"]), "what those got who left")
    for client in (a, b, c):
        equal(client.noticed(*MEMBERSHIP, cid=cid) + client.noticed(*MEMBERSHIP, cid=other), [], "notices of a room")
    # The connection breaks: back in time, back in the room.
    a.abort()
    await a.reconnect()
    await c.join(cid)
    await c.send(cid, text("welcome back"))
    await a.until(lambda: "welcome back" in a.said(cid), "a message in the room")


@scenario("five hundred people fit into a conversation, one more does not, and all are told")
async def crowd() -> None:
    number = person("")
    names = [f"p{index}-{number}" for index in range(499)]
    a = await JavaScript.open(Place.app, f"ann{number}")
    listeners = [await sdk.open(Place.app, names[index]) for sdk, index in zip((Swift, Java, CSharp), (0, 250, 498))]
    cid = (await a.start(*names)).cid
    for client in listeners:
        await client.until(lambda: client.noticed("members_joined", cid=cid), "the members")
        equal(len(client.noticed("members_joined", cid=cid)[0].m), 500, f"{client.SDK}: members told of")
    equal((await a.conv("count", cid)).count, 500, "the number of members")
    equal(len((await a.query({"objectId": cid}))[0]["m"]), 500, "the members of the row")
    await refused(4304, a.add(cid, person("late")), "member 501")
    for index in range(10):
        await a.send(cid, text(f"{index}"))
    for client in listeners:
        await until_said(client, cid, *(f"{index}" for index in range(10)))
    stranger = await Java.open(Place.app, person("eve"))
    await refused(4304, stranger.join(cid), "one more who joins")


# MARK: queries

@scenario("conversations are found by what is in them, in any order, with their last message")
async def queries() -> None:
    ann, bob, cai = people("ann", "bob", "cai")
    a = await JavaScript.open(Place.app, ann)
    made = {}
    for index, name in enumerate(("oolong", "Green.Tea (1)", "100% 'black\"")):
        made[name] = (await a.start(bob, *([cai] if index == 1 else []), name=name,
                                    attributes={"n": index, "tags": ["hot", f"t{index}"]})).cid
    await a.send(made["oolong"], text("last words"))
    await a.send(made["Green.Tea (1)"], b"\x01")
    for sdk in SDKS:
        reader = await sdk.open(Place.app, bob)

        async def found(where: Any, **options: Any) -> list[str]:
            mine = {"$and": [{"m": ann}, where]} if "m" in where else {"m": ann, **where}
            rows = await reader.query(mine, **{"limit": 100, "sort": "n", **options})
            return [row.get("name") for row in rows]

        everything = ["oolong", "Green.Tea (1)", "100% 'black\""]
        equal(await found({}), everything, f"{sdk.SDK}: by member")
        equal(await found({}, sort="-n"), everything[::-1], f"{sdk.SDK}: the other way round")
        equal(await found({}, limit=1, skip=1), everything[1:2], f"{sdk.SDK}: one page")
        equal(await found({}, limit=0), [], f"{sdk.SDK}: none")
        equal(await found({"m": {"$all": [bob, cai]}}), everything[1:2], f"{sdk.SDK}: by all of several")
        equal(await found({"m": {"$size": 2}}), [everything[0], everything[2]], f"{sdk.SDK}: by number")
        equal(await found({"name": "100% 'black\""}), everything[2:], f"{sdk.SDK}: by name")
        equal(await found({"name": {"$regex": r"\QTea (\E"}}), everything[1:2], f"{sdk.SDK}: by a part")
        equal(await found({"name": {"$regex": r"^\Qgreen\E", "$options": "i"}}), everything[1:2],
              f"{sdk.SDK}: by a beginning in any case")
        equal(await found({"n": {"$gte": 1, "$lt": 2}}), everything[1:2], f"{sdk.SDK}: by a number")
        equal(await found({"tags": "t2"}), everything[2:], f"{sdk.SDK}: by an element")
        equal(await found({"$or": [{"n": 0}, {"n": 2}]}), [everything[0], everything[2]], f"{sdk.SDK}: by either")
        equal(await found({"nothing": {"$exists": False}, "n": {"$in": [2, 7]}}), everything[2:], f"{sdk.SDK}: by lack")
        moment = {"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"}
        equal(await found({"createdAt": {"$gt": moment}}), everything, f"{sdk.SDK}: by a moment")
        rows = await reader.query({"objectId": {"$in": list(made.values())}}, flag=3, sort="n", limit=10)
        equal(["m" in row for row in rows], [False] * 3, f"{sdk.SDK}: compact rows")
        equal((shown(rows[0]["msg"]), rows[0]["msg_from"], rows[0]["bin"]), ("last words", ann, False),
              f"{sdk.SDK}: the last message")
        equal((rows[1]["bin"], rows[1]["msg"], "msg" in rows[2]), (True, "AQ==", False), f"{sdk.SDK}: a binary one")
        equal({row.get("name") for row in await reader.query(limit=100)} >= set(everything), True,
              f"{sdk.SDK}: without a condition")
        equal(await reader.query({"objectId": "551260efe4b01608686c3e0f"}), [], f"{sdk.SDK}: what does not exist")
        temporary = (await reader.start(cai, temporary=600)).cid
        (row,) = await reader.query(tempConvIds=[temporary])
        equal((row["objectId"], row["temp"]), (temporary, True), f"{sdk.SDK}: a temporary one")
        expect(0 < row["ttl"] <= 600, row)


@scenario("conditions that mean harm find nothing, cost nothing and break nothing")
async def harm() -> None:
    ann, bob = people("ann", "bob")
    a, b = await JavaScript.open(Place.app, ann), await Java.open(Place.app, bob)
    cid = (await a.start(bob, name="a" * 60 + "!")).cid
    hostile: list[Any] = [
        {"name": "' OR '1'='1"}, {"name": "\"; DROP TABLE conversation; --"}, {"' OR 1=1 --": 1},
        {"attr.x') OR ('1'='1": "1"}, {"name": {"$regex": "'; DELETE FROM message; --"}}, {"$where": "sleep(10000)"},
        {"name": {"$function": {"body": "x"}}}, {"m": {"$in": ["' OR ''='"]}}, {"name\u0000": "x"},
        {"name": {"$regex": "(a+)+$"}}, {"name": {"$regex": "^(a|aa)+$"}}, {"name": {"$regex": "(.*a){30}x"}},
        {"name": {"$regex": "("}}, {"name": {"$regex": "a{1,100000}{1,100000}"}},
        {"name": {"$regex": "(?:" * 500 + "a" + ")" * 500}}, {"$or": [{"n": index} for index in range(200)]},
        {"$and": {"not": "a list"}}, {"limit": {"$gt": 10**400}}]
    nested: Any = {"n": 1}
    for _ in range(300):
        nested = {"$and": [nested]}
    hostile += [nested, "not json", "[]", "null", "{", '{"a":', "9" * 400]
    for where in hostile:
        try:
            rows = await a.query(where, limit=100, sort="name; DROP TABLE message")
            expect(all(ann in row["m"] or row["objectId"] == cid for row in rows), f"{where} gives {rows}")
        except Refused as error:
            expect(error.code in (4301, 4310, 4318, 4109), f"{where} is refused with {error}")
    for columns in ({"name": {"__op": "$where"}}, {"m": ["eve"]}, {"a.b.c" * 100: 1}, {"x'); --": 1}):
        try:
            await a.update(cid, **columns)
        except Refused as error:
            expect(4300 <= error.code < 4320, f"{columns} is refused with {error}")
    equal(sorted((await a.query({"objectId": cid}))[0]["m"]), sorted((ann, bob)), "the members")
    await a.send(cid, text("still here"))
    await until_said(b, cid, "still here")


# MARK: other doors

@scenario("a WuKongIM client and every LeanCloud SDK talk in one conversation")
async def wukong() -> None:
    names = people("lin", "mei", "ann")
    tokens = Place.house.add_users(names[:2])
    lin = await Session.open(Place.house.url, names[0], tokens[names[0]])
    try:
        for sdk in SDKS:
            a = await sdk.open(Place.app, names[2] + sdk.SDK.replace("#", "s"))
            cid = (await a.start(names[0], unique=True)).cid
            await a.send(cid, text("来喝茶"))
            got = await next_content(lin)
            equal((got["fromUid"], got["channelType"], got["payload"]["type"], got["payload"]["content"]),
                  (a.name, PERSON, 1, "来喝茶"), f"{sdk.SDK} to WuKongIM")
            await lin.send(a.name, PERSON, payload_of("好"))
            await until_said(a, cid, "好")
            body = a.received[0]
            equal((body.fromPeerId, body.convType, json.loads(body.msg)["_lctype"]), (names[0], NORMAL, -1),
                  f"WuKongIM to {sdk.SDK}")
            equal([shown(item.data) for item in await a.logs(cid)], ["来喝茶", "好"], f"{sdk.SDK}: the history")
            group = (await a.start(*names[:2], name="both")).cid
            await a.send(group, text("to the group"))
            got = await next_content(lin)
            equal((got["channelId"], got["channelType"], got["payload"]["content"]), (group, GROUP, "to the group"),
                  f"{sdk.SDK} to a group")
            await lin.send(group, GROUP, payload_of("from the other side"))
            await until_said(a, group, "from the other side")
    finally:
        await lin.close()


async def next_content(session: Session) -> dict[str, Any]:
    """The next message that is no command and no system line."""
    while True:
        (message,) = await session.next()
        payload = message["payload"]
        if isinstance(payload, dict) and payload.get("type") == 1:
            return message


# MARK: the end

@scenario("each SDK gets what it asks for by default: rooms, temporary and unique conversations, whatever else it says")
async def defaults() -> None:
    for sdk in ALL_SDKS:
        ann, bob = people("ann", "bob")
        a, b = await sdk.open(Place.app, ann), await sdk.open(Place.app, bob)
        room = (await a.start(room=True)).cid
        first, second = (await a.start(bob, temporary=600)).cid, (await b.start(ann, temporary=600)).cid
        one, two = (await a.start(bob, unique=None)).cid, (await b.start(ann, unique=None)).cid
        expect(not room.startswith("_tmp:") and first.startswith("_tmp:"), f"{sdk.SDK}: {room} {first}")
        # That it is not unique is what only this SDK says of it.
        equal(first == second, sdk is not JavaScript4, f"{sdk.SDK}: the temporary one again")
        equal(one == two, sdk is not JavaScript4, f"{sdk.SDK}: the unique one again")
        row = (await a.query({"objectId": room}))[0]
        equal((row["tr"], row["unique"], row["muted"]), (True, False, False), f"{sdk.SDK}: the room")
        await a.conv("mute", one)
        row = (await a.query({"objectId": one}))[0]
        equal((row["unique"], row["muted"]), (sdk is not JavaScript4, True), f"{sdk.SDK}: the unique one")
        await refused(4323, a.send("_tmp:5f0e2a3b4c5d6e7f80912345", text("late")), f"{sdk.SDK}: what is over")
        sent = await a.send(first, text("briefly"))
        await until_said(b, first, "briefly")
        equal([item.msgId for item in await b.logs(first)], [sent.uid], f"{sdk.SDK}: the history")


@scenario("after the server was started again everything is as it was")
async def restart() -> None:
    ann, bob, cai, dee = people("ann", "bob", "cai", "dee")
    clients = [await sdk.open(Place.app, name) for sdk, name in zip(SDKS, (ann, bob, cai, dee))]
    a, b, c, d = clients
    cid = (await a.start(bob, cai, name="kept", attributes={"n": 1})).cid
    temporary = (await b.start(ann, temporary=3600)).cid
    unique = await c.start(ann, unique=True)
    await a.conv("add_shutup", cid, m=[bob])
    await a.conv("mute", cid)
    await a.blacklist("block", cid, dee, action="conversation-block-clients")
    sent = await c.send(cid, text("before"), r=True)
    await b.send(temporary, text("briefly"))
    await until_said(a, cid, "before")
    await until_said(a, temporary, "briefly")
    row = (await a.query({"objectId": cid}))[0]
    Place.house.stop()
    for client in clients:
        await client.until(lambda: client.socket.closed, "the end of the connection")
        told = any(message.cmd == CMD["goaway"] for message in client.socket.stray)
        # The JavaScript SDK ends its process for it; the Java SDK connects again for nothing less.
        equal(told, isinstance(client, Java), f"{client.SDK}: goaway")
    await Place.house.start_async()
    for client in clients:
        client.received.clear()
        await client.reconnect()
    after = (await a.query({"objectId": cid}))[0]
    equal({key: after.get(key) for key in row}, row, "the row")
    equal((sorted(after["m"]), after["mu"], after["n"]), (sorted((ann, bob, cai)), [ann], 1), "members and mutes")
    equal(list((await a.conv("query_shutup", cid)).m), [bob], "the silenced")
    equal(list((await a.blacklist("query", cid)).blockedPids), [dee], "the blocked")
    await refused(4563, b.send(cid, text("hm")), "a silenced person's message")
    await refused(4548, d.join(cid), "a blocked person's return")
    equal((await c.start(ann, unique=True)).cid, unique.cid, "the unique conversation")
    equal([item.msgId for item in await b.logs(cid)], [sent.uid], "the history")
    await c.send(cid, text("after"))
    await until_said(a, cid, "after")
    await until_said(b, cid, "after")
    await b.send(temporary, text("still"))
    await until_said(a, temporary, "still")
