"""The JSON door: WebSocket frames and plain TCP, cut anywhere."""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import struct
import termios
import time
from collections.abc import Iterator
from typing import Any

from door_place import door
from house import DESKTOP, PATIENCE, PERSON, SUCCESS, equal, expect, payload_of
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus


@door.checks.check("several requests in one WebSocket message are answered one by one, in order")
async def several_in_one() -> None:
    async with door.sessions("ann") as (ann,):
        names = [f"m{number}" for number in range(20)]
        text = " \n".join(json.dumps({"id": name, "method": "ping"}) for name in names)
        equal([answer["id"] for answer in await ann.exchange(text, *names)], names, "the order of the answers")


@door.checks.check("a request in many WebSocket fragments is one request")
async def fragments() -> None:
    async with door.sessions("ann", "bob") as (ann, bob):
        request = json.dumps({"id": "f", "method": "send", "params": {
            "channelId": "bob", "channelType": PERSON, "payload": payload_of("茶 in pieces")}}, ensure_ascii=False)
        pieces = [request[at:at + 7] for at in range(0, len(request), 7)]
        (answer,) = await ann.exchange(pieces, "f")
        equal(answer["result"]["reasonCode"], SUCCESS)
        # What an earlier check left may come behind the ping that was waited for.
        while (await bob.next())[0]["payload"] != payload_of("茶 in pieces"):
            pass


@door.checks.check("answers are text frames, and a compression offer is declined")
async def text_frames() -> None:
    async with connect(door.house.url, compression="deflate", proxy=None) as raw:
        expect("Sec-WebSocket-Extensions" not in raw.response.headers, raw.response.headers)
        await raw.send(json.dumps({"id": "1", "method": "connect", "params": {
            "uid": "ann", "token": door.tokens["ann"], "deviceId": "raw", "deviceFlag": DESKTOP}}))
        expect(isinstance(await raw.recv(), str), "a binary answer")


@door.checks.check("a page of a foreign origin is refused")
async def foreign_origin() -> None:
    try:
        async with connect(door.house.url, origin="https://evil.example", proxy=None):  # type: ignore[arg-type]
            raise AssertionError("was let in")
    except InvalidStatus as error:
        equal(error.response.status_code, 403)


@door.checks.check("an unknown Host is refused with 421")
async def foreign_host() -> None:
    reader, writer = await asyncio.open_connection(door.house.host, door.house.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    async with asyncio.timeout(PATIENCE):
        line = await reader.readline()
    expect(line.startswith(b"HTTP/1.1 421 "), line)
    writer.close()


@door.checks.check("plain TCP: bytes that are neither JSON, HTTP nor TLS are closed at once")
async def tcp_unknown_bytes() -> None:
    for first in (b"\x00\x01\x02", b"\xff" * 100, b"\x7f\x45LF"):
        reader, writer = await asyncio.open_connection(door.house.host, door.house.port)
        writer.write(first)
        async with asyncio.timeout(PATIENCE):
            try:
                while await reader.read(4096):
                    pass
            except ConnectionResetError:
                pass
        writer.close()


class Line:
    """The JSON door on plain TCP: objects one after the other."""

    def __init__(self) -> None:
        self._socket = socket.create_connection((door.house.host, door.house.port), timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._text = ""

    def write(self, data: bytes) -> None:
        """Writes, and returns when the server's kernel has it."""
        self._socket.sendall(data)
        while struct.unpack("i", fcntl.ioctl(self._socket, termios.TIOCOUTQ, b"\0" * 4))[0]:
            time.sleep(0.0002)

    def answers(self) -> Iterator[dict[str, Any]]:
        decoder = json.JSONDecoder()
        while True:
            try:
                value, end = decoder.raw_decode(self._text.lstrip())
            except json.JSONDecodeError:
                data = self._socket.recv(65536)
                if not data:
                    return
                self._text += data.decode()
                continue
            self._text = self._text.lstrip()[end:]
            yield value

    def close(self) -> None:
        self._socket.close()


def tcp_script(name: str) -> bytes:
    """A sign-in, a ping and a message, as one run of bytes."""
    requests = [
        {"id": "c", "method": "connect", "params": {"uid": "dee", "token": door.tokens["dee"], "deviceId": "tcp",
                                                    "deviceFlag": DESKTOP}},
        {"id": "p", "method": "ping", "params": {}},
        {"id": "s", "method": "send", "params": {"channelId": "eva", "channelType": PERSON, "clientMsgNo": name,
                                                 "payload": {"type": 1, "content": "茶"}}}]
    return b"\n".join(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() for request in requests)


@door.checks.check("plain TCP speaks the same JSON, cut at every byte")
async def tcp_cut_everywhere() -> None:
    script = tcp_script("tcp-1")

    def all_cuts() -> None:
        first: dict[str, Any] | None = None
        for cut in range(1, len(script)):
            line = Line()
            line.write(script[:cut])
            line.write(script[cut:])
            got: dict[str, Any] = {}
            for answer in line.answers():
                if "id" in answer:
                    got[answer["id"]] = answer
                if len(got) == 3:
                    break
            equal(list(got), ["c", "p", "s"], f"cut at {cut}: the answers")
            equal(got["p"]["result"], {}, f"cut at {cut}: the pong")
            first = first or got["s"]["result"]
            equal(got["s"]["result"], first, f"cut at {cut}: the same message again")
            line.close()

    await asyncio.to_thread(all_cuts)


@door.checks.check("plain TCP: byte by byte, with white space between")
async def tcp_slowly() -> None:
    def slowly() -> None:
        line = Line()
        for byte in b" \r\n\t" + tcp_script("tcp-2") + b"\n\n":
            line.write(bytes((byte,)))
        answers = line.answers()
        names = []
        while len(names) < 3:
            answer = next(answers)
            names += [answer["id"]] if "id" in answer else []
        equal(names, ["c", "p", "s"])
        line.close()

    await asyncio.to_thread(slowly)
