"""What left the server: the JSON messages in the bytes it sent on each connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ledger import Promise, promise_from_answer, promise_from_delivery


class SentStream:
    """The bytes of one WebSocket connection, server to client, as far as they were sent."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._is_open = False
        self._message = bytearray()
        self.user: str | None = None

    def feed(self, data: bytes) -> Iterator[Promise]:
        """The promises that are whole with these bytes."""
        self._waiting += data
        if not self._is_open:
            end = self._waiting.find(b"\r\n\r\n")
            if end < 0:
                return
            self._is_open = self._waiting.startswith(b"HTTP/1.1 101")
            del self._waiting[:end + 4 if self._is_open else len(self._waiting)]
        for message in self._messages():
            promise = self._promise(message)
            if promise is not None:
                yield promise

    def _promise(self, message: dict[str, Any]) -> Promise | None:
        if message.get("method") == "recv" and self.user is not None:
            return promise_from_delivery(message["params"], self.user)
        if not str(message.get("id", "")).startswith("["):
            return None
        words = json.loads(message["id"])
        if words[0] == "signed in":
            self.user = words[1]
            return None
        return promise_from_answer(message)

    def _messages(self) -> Iterator[dict[str, Any]]:
        while len(self._waiting) >= 2:
            operation, length, start = self._waiting[0], self._waiting[1] & 0x7F, 2
            if length == 126:
                length, start = int.from_bytes(self._waiting[2:4], "big"), 4
            elif length == 127:
                length, start = int.from_bytes(self._waiting[2:10], "big"), 10
            if len(self._waiting) < start + length:
                return
            payload = bytes(self._waiting[start:start + length])
            del self._waiting[:start + length]
            if operation & 0x0F in (0, 1):
                self._message += payload
                if operation & 0x80:
                    yield from _objects(self._message.decode())
                    self._message.clear()


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        yield value
        while at < len(text) and text[at].isspace():
            at += 1
