"""The unmodified `wukong-easy-sdk` from PyPI against a built teahouse.

It is stricter than the protocol's own words, and what it accepts is what its users' apps will accept.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from house import (AUTH_FAIL, GROUP, KICKED, NOT_MEMBER, PATIENCE, PERSON, Checks, House, HouseError, equal, expect,
                   payload_of, run_checks)
from wukong_easy_sdk import WKIM, AuthOptions, WKIMDeviceFlag, WKIMError, WKIMEvent, WKIMOptions

checks = Checks()
house: House
tokens: dict[str, str] = {}
#: Identities of all that was said so far.
spoken: set[str] = set()

NAMES = ("ann", "bob", "cai", "dee")
GREETING = "你好，茶馆 👋🏽 — ok? \"quoted\" \\ \u2028 end"


class Client:
    """One SDK client that keeps what it is told."""

    def __init__(self, user: str, token: str, *, device: str = "", flag: WKIMDeviceFlag = WKIMDeviceFlag.DESKTOP,
                 authority: str | None = None) -> None:
        # Only what would make the tests wait differs from the SDK's defaults.
        options = WKIMOptions(reconnect_delay=0.2, max_reconnect_attempts=20, max_reconnect_delay=0.5,
                              ca_file=authority)
        self.user = user
        url = house.url.replace("ws://", "wss://") if authority else house.url
        self.sdk = WKIM(url, AuthOptions(user, token, device or f"device-{user}", flag), options)
        self.messages: list[dict[str, Any]] = []
        #: Said before this client was made: what a device has not acknowledged comes again, and may come at any time.
        self.former = frozenset(spoken)
        self.seen: dict[WKIMEvent, list[Any]] = {event: [] for event in WKIMEvent}
        self._changed = asyncio.Event()
        for event in WKIMEvent:
            self.sdk.on(event, self._keeper(event))

    def _keeper(self, event: WKIMEvent) -> Callable[[Any], None]:
        def keep(value: Any) -> None:
            # What makes an app fetch something is no message to read; that of the group's making may come late.
            if event == WKIMEvent.MESSAGE and isinstance(value["payload"], dict) and value["payload"].get("type") == 99:
                return
            if event == WKIMEvent.MESSAGE and value["messageId"] in self.former:
                return
            (self.messages if event == WKIMEvent.MESSAGE else self.seen[event]).append(value)
            self._changed.set()
        return keep

    async def until(self, condition: Callable[[], Any], what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise HouseError(f"{self.user} waited for {what}; messages {self.messages}, events {self.seen}") from None

    async def next(self, count: int = 1) -> list[dict[str, Any]]:
        await self.until(lambda: len(self.messages) >= count, f"{count} messages")
        taken, self.messages = self.messages[:count], self.messages[count:]
        return taken

    async def contents(self, count: int) -> list[str]:
        return [message["payload"]["content"] for message in await self.next(count)]

    async def say(self, channel: str, kind: int, text: str, **more: Any) -> dict[str, Any]:
        sent: dict[str, Any] = await self.sdk.send(channel, kind, payload_of(text), **more)  # type: ignore[assignment]
        spoken.add(sent["messageId"])
        return sent

    async def until_back(self, times: int) -> None:
        await self.until(lambda: len(self.seen[WKIMEvent.CONNECT]) >= times, f"connection number {times}")


@asynccontextmanager
async def clients(*users: str) -> AsyncIterator[list[Client]]:
    """Connected clients; what an earlier check left for them they pass over."""
    async with AsyncExitStack() as stack:
        yield [await connected(stack, Client(user, tokens[user])) for user in users]


async def connected(stack: AsyncExitStack, client: Client) -> Client:
    stack.push_async_callback(client.sdk.destroy)
    await client.sdk.connect()
    return client


@checks.check("two people talk both ways, in Chinese and emoji")
async def both_ways() -> None:
    async with clients("ann", "bob") as (ann, bob):
        sent = await ann.say("bob", PERSON, GREETING)
        (got,) = await bob.next()
        equal(got["payload"], payload_of(GREETING), "the payload")
        equal((got["fromUid"], got["channelId"], got["channelType"]), ("ann", "ann", PERSON), "the address")
        equal((got["messageId"], got["messageSeq"]), (sent["messageId"], sent["messageSeq"]), "the identity")
        expect(got["messageSeq"] > 0 and got["header"].get("redDot") is True, got)
        await bob.say("ann", PERSON, "yes")
        equal(await ann.contents(1), ["yes"])
        equal(bob.messages, [], "what comes back to the sender")


@checks.check("a hundred messages in flight arrive in order")
async def in_order() -> None:
    async with clients("ann", "bob") as (ann, bob):
        texts = [f"number {number}" for number in range(100)]
        results = await asyncio.gather(*(ann.say("bob", PERSON, text) for text in texts))
        equal(await bob.contents(100), texts)
        first = results[0]["messageSeq"]
        equal([result["messageSeq"] for result in results], list(range(first, first + 100)), "the sequences")


@checks.check("a group message reaches every member but the sender")
async def in_group() -> None:
    async with clients("ann", "bob", "cai", "dee") as (ann, bob, cai, dee):
        await bob.say("tea", GROUP, "for all")
        for member in (ann, cai):
            (got,) = await member.next()
            equal((got["fromUid"], got["channelId"], got["channelType"]), ("bob", "tea", GROUP), "the address")
            equal(got["payload"], payload_of("for all"), "the payload")
        await dee.sdk.ping()
        equal((bob.messages, dee.messages), ([], []), "what the sender and a stranger got")


@checks.check("someone who is not a member is refused with reason 3")
async def not_a_member() -> None:
    async with clients("dee") as (dee,):
        equal(await refusal(dee.say("tea", GROUP, "let me in")), NOT_MEMBER)


@checks.check("a wrong token is refused, and the SDK does not try again")
async def wrong_token() -> None:
    for user, token in (("ann", "no-such-token"), ("ann", tokens["bob"]), ("nobody-by-this-name", tokens["ann"])):
        client = Client(user, token)
        try:
            equal(await refusal(client.sdk.connect()), AUTH_FAIL)
            equal(client.seen[WKIMEvent.RECONNECTING], [], "retries")
            expect(client.sdk._supervisor is None or client.sdk._supervisor.done(), "the SDK goes on trying")
        finally:
            await client.sdk.destroy()


async def refusal(asking: Any) -> int:
    """The reason code a request is refused with."""
    try:
        answer = await asking
    except WKIMError as error:
        return error.code
    raise AssertionError(f"was accepted: {answer}")


@checks.check("a primary device takes over from another one of its class, for good")
async def takeover() -> None:
    token = house.token("ann", "desktop", "--level", "primary")
    async with AsyncExitStack() as stack:
        older = await connected(stack, Client("ann", tokens["ann"], device="old laptop"))
        newer = await connected(stack, Client("ann", token, device="new laptop"))
        await older.until(lambda: older.seen[WKIMEvent.DISCONNECT], "the takeover")
        equal(older.seen[WKIMEvent.DISCONNECT][0]["reasonCode"], KICKED, "the reason")
        expect(not older.seen[WKIMEvent.RECONNECTING], "the older session fights back")
        await newer.sdk.ping()


@checks.check("two ordinary devices of one class stay side by side")
async def side_by_side() -> None:
    async with AsyncExitStack() as stack:
        laptops = [await connected(stack, Client("ann", tokens["ann"], device=device)) for device in ("one", "two")]
        bob = await connected(stack, Client("bob", tokens["bob"]))
        await bob.say("ann", PERSON, "to both laptops")
        for laptop in laptops:
            await laptop.until(lambda: laptop.messages and
                               laptop.messages[-1]["payload"] == payload_of("to both laptops"), "the message")


@checks.check("a desktop and a web session of one person both hear, and each sees what the other says")
async def two_devices() -> None:
    web_token = house.token("ann", "web")
    async with AsyncExitStack() as stack:
        desktop = await connected(stack, Client("ann", tokens["ann"]))
        web = await connected(stack, Client("ann", web_token, flag=WKIMDeviceFlag.WEB, device="browser"))
        bob = await connected(stack, Client("bob", tokens["bob"]))
        await bob.say("ann", PERSON, "to both")
        # What ann has not read comes to a new device first, whenever that is.
        for client in (desktop, web):
            await client.until(lambda client=client: client.messages and
                               client.messages[-1]["payload"] == payload_of("to both"), "the message")
            client.messages.clear()
        await web.say("bob", PERSON, "from the browser")
        (copy,) = await desktop.next()
        equal((copy["fromUid"], copy["channelId"]), ("ann", "bob"), "the copy's address")
        expect(not copy["header"].get("redDot"), "one's own words count as unread")
        await web.sdk.ping()
        equal(web.messages, [], "what the sending session got")


@checks.check("the same clientMsgNo again gives the first answer, and nobody hears it twice")
async def same_token() -> None:
    async with clients("ann", "bob") as (ann, bob):
        first = await ann.say("bob", PERSON, "once", client_msg_no="the-same")
        again = await ann.say("bob", PERSON, "once", client_msg_no="the-same")
        equal((again["messageId"], again["messageSeq"]), (first["messageId"], first["messageSeq"]), "the second answer")
        await ann.say("bob", PERSON, "after it")
        equal(await bob.contents(2), ["once", "after it"])


@checks.check("a message that is not stored has sequence 0 and arrives")
async def transient() -> None:
    async with clients("ann", "bob") as (ann, bob):
        sent = await ann.say("bob", PERSON, "typing", header={"noPersist": True, "redDot": False})
        equal(sent["messageSeq"], 0)
        (got,) = await bob.next()
        equal((got["messageSeq"], got["header"].get("noPersist")), (0, True), "the delivery")


@checks.check("a payload of 30,000 characters arrives whole")
async def large() -> None:
    async with clients("ann", "bob") as (ann, bob):
        text = "茶" * 10_000
        await ann.say("bob", PERSON, text)
        equal(await bob.contents(1), [text])


@checks.check("over TLS on the same port, trusting the server's own authority")
async def over_tls() -> None:
    async with AsyncExitStack() as stack:
        authority = str(house.data / "tls" / "ca.pem")
        ann = await connected(stack, Client("ann", tokens["ann"], authority=authority))
        bob = await connected(stack, Client("bob", tokens["bob"]))
        await ann.say("bob", PERSON, GREETING)
        await bob.until(lambda: any(m["payload"] == payload_of(GREETING) for m in bob.messages), "the message")


async def restarts(name: str, end: Callable[[], Any]) -> None:
    """Ends the server while messages are on their way; the SDKs come back by themselves and nothing is missing."""
    async with clients("ann", "bob", "cai") as (ann, bob, cai):
        await cai.sdk.destroy()  # someone who is away the whole time
        said = [f"{name}: before {number}" for number in range(20)]
        during = [f"{name}: during {number}" for number in range(20)]
        for text in said:
            await ann.say("bob", PERSON, text, client_msg_no=text)
            await ann.say("tea", GROUP, text, client_msg_no=text)
        heard = await bob.next(40)
        equal([m["payload"]["content"] for m in heard], [text for text in said for _ in range(2)])
        had = {m["messageId"] for m in heard}
        on_their_way = [asyncio.create_task(ann.say("bob", PERSON, text, client_msg_no=text)) for text in during]
        await asyncio.sleep(0)
        await asyncio.to_thread(end)
        await asyncio.gather(*on_their_way, return_exceptions=True)
        await house.start_async()
        for client in (ann, bob):
            await client.until_back(2)
            expect(client.seen[WKIMEvent.RECONNECTING], f"{client.user} did not reconnect by itself")
        for text in during:  # what the SDK leaves to the app: say again what was not confirmed
            await ann.say("bob", PERSON, text, client_msg_no=text)
        await ann.say("bob", PERSON, "the end")
        await bob.until(lambda: bob.messages and bob.messages[-1]["payload"]["content"] == "the end", "the end")
        # What bob had not acknowledged before the end may come again: under the same id.
        mine = {m["messageId"]: m for m in bob.messages if m["channelType"] == PERSON and m["messageId"] not in had}
        equal(sorted(m["payload"]["content"] for m in mine.values()), sorted([*during, "the end"]), "what bob has")
        sequences = [m["messageSeq"] for m in mine.values()]
        equal(sequences, sorted(sequences), "the order")
        back = Client("cai", tokens["cai"])
        back.former = frozenset()
        try:
            await back.sdk.connect()
            await back.until(lambda: sum(m["payload"]["content"] in said for m in back.messages) >= 20,
                             "the missed ones")
            equal([m["payload"]["content"] for m in back.messages if m["payload"]["content"] in said], said)
        finally:
            await back.sdk.destroy()


@checks.check("kill -9: the SDK reconnects by itself and nothing is lost")
async def after_kill() -> None:
    await restarts("kill", house.kill)


@checks.check("SIGTERM: the SDK reconnects by itself and nothing is lost")
async def after_stop() -> None:
    await restarts("stop", lambda: equal(house.stop(), 0, "the exit code"))


async def main(arguments: argparse.Namespace) -> int:
    global house
    house = House(arguments.binary)
    house.start()
    tokens.update(house.add_users(NAMES))
    house.add_group("tea", ("ann", "bob", "cai"))
    return await checks.finish(house, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
