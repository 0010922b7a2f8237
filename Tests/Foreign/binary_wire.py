"""WuKongIM's binary protocol from the client's side, written from its description: packets, key exchange, message keys.

Nothing here shares code with the server. `self_test` holds it against recorded frames of the real SDKs' format.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import struct
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from house import PATIENCE, Closed, HouseError

CONNECT, CONNACK, SEND, SENDACK, RECV, RECVACK, PING, PONG, DISCONNECT, SUB, SUBACK, EVENT = range(1, 13)
NO_PERSIST, RED_DOT, SYNC_ONCE, DUP = 1, 2, 4, 8
RECEIPT, TOPIC = 0x80, 0x08


# MARK: bytes

def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(raw)) + raw


def frame(kind: int, flags: int, body: bytes) -> bytes:
    """Type and flags in one byte, the length seven bits at a time with the lowest group first, the body."""
    length, rest = bytearray(), len(body)
    while True:
        length.append(rest & 0x7F | (0x80 if rest > 0x7F else 0))
        rest >>= 7
        if not rest:
            return bytes([kind << 4 | flags]) + bytes(length) + body


class Fields:
    """Reads the fields of a body in order."""

    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.body):
            raise HouseError(f"{count} bytes are missing in {self.body.hex()}")
        self.at += count
        return self.body[self.at - count:self.at]

    def number(self, code: str) -> int:
        return struct.unpack(">" + code, self.take(struct.calcsize(">" + code)))[0]

    def text(self) -> str:
        return self.take(self.number("H")).decode()

    def rest(self) -> bytes:
        return self.take(len(self.body) - self.at)

    def end(self) -> None:
        if self.at != len(self.body):
            raise HouseError(f"{len(self.body) - self.at} bytes too many in {self.body.hex()}")


def split(buffer: bytearray) -> list[tuple[int, int, bytes]]:
    """Takes the whole packets off the front of `buffer`."""
    packets = []
    while buffer:
        kind, flags = buffer[0] >> 4, buffer[0] & 15
        if kind in (PING, PONG):
            packets.append((kind, flags, b""))
            del buffer[:1]
            continue
        length = shift = 0
        for index in range(1, 5):
            if index >= len(buffer):
                return packets
            length |= (buffer[index] & 0x7F) << shift
            shift += 7
            if not buffer[index] & 0x80:
                break
        else:
            raise HouseError("a length of more than four bytes")
        if len(buffer) < index + 1 + length:
            return packets
        packets.append((kind, flags, bytes(buffer[index + 1:index + 1 + length])))
        del buffer[:index + 1 + length]
    return packets


# MARK: keys

class Keys:
    """What one session encrypts and signs with: AES-128-CBC with a fixed key and vector, MD5 of what it makes."""

    def __init__(self, private: X25519PrivateKey, server_key: str, salt: str) -> None:
        shared = private.exchange(X25519PublicKey.from_public_bytes(base64.b64decode(server_key)))
        digest = hashlib.md5(base64.b64encode(shared)).hexdigest()
        self.key, self.vector = digest[:16].encode(), salt.encode()[:16]

    def encrypt(self, data: bytes) -> bytes:
        padder = padding.PKCS7(128).padder()
        encryptor = Cipher(algorithms.AES(self.key), modes.CBC(self.vector)).encryptor()
        return base64.b64encode(encryptor.update(padder.update(data) + padder.finalize()) + encryptor.finalize())

    def decrypt(self, data: bytes) -> bytes:
        decryptor = Cipher(algorithms.AES(self.key), modes.CBC(self.vector)).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(base64.b64decode(data)) + decryptor.finalize()) + unpadder.finalize()

    def sign(self, *parts: Any) -> str:
        joined = b"".join(part if isinstance(part, bytes) else str(part).encode() for part in parts)
        return hashlib.md5(self.encrypt(joined)).hexdigest()


def public_text(private: X25519PrivateKey) -> str:
    return base64.b64encode(private.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw)).decode()


# MARK: packets

def connect_packet(version: int, flag: int, device: str, uid: str, token: str, key: str, timestamp: int) -> bytes:
    body = bytes([version, flag]) + text(device) + text(uid) + text(token) + struct.pack(">q", timestamp) + text(key)
    return frame(CONNECT, 0, body)


def send_packet(version: int, keys: Keys, sequence: int, number: str, channel: str, kind: int, payload: bytes, *,
                flags: int = RED_DOT, setting: int = 0, expire: int = 0, topic: str = "",
                message_key: str | None = None) -> bytes:
    sealed = keys.encrypt(payload)
    if message_key is None:
        message_key = keys.sign(sequence, number, channel, kind, sealed)
    body = struct.pack(">BI", setting, sequence) + text(number) + text(channel) + bytes([kind])
    if version >= 3:
        body += struct.pack(">I", expire)
    body += text(message_key)
    if setting & TOPIC:
        body += text(topic)
    return frame(SEND, flags, body + sealed)


@dataclass
class Received:
    """A RECV whose message key was right."""
    flags: int
    setting: int
    sender: str
    channel: str
    kind: int
    expire: int
    number: str
    id: int
    sequence: int
    timestamp: int
    topic: str
    payload: bytes


def read_received(version: int, keys: Keys, flags: int, body: bytes) -> Received | None:
    """`None` when the message key is wrong: the SDKs drop such a message without a word."""
    fields = Fields(body)
    setting, message_key = fields.number("B"), fields.text()
    sender, channel, kind = fields.text(), fields.text(), fields.number("B")
    expire = fields.number("I") if version >= 3 else 0
    number, id, sequence, timestamp = fields.text(), fields.number("q"), fields.number("I"), fields.number("i")
    topic = fields.text() if setting & TOPIC else ""
    sealed = fields.rest()
    if keys.sign(id, sequence, number, timestamp, sender, channel, kind, sealed) != message_key:
        return None
    return Received(flags, setting, sender, channel, kind, expire, number, id, sequence, timestamp, topic,
                    keys.decrypt(sealed))


# MARK: a client

@dataclass
class Acknowledged:
    id: int
    sequence: int
    reason: int
    flags: int


class BinarySession:
    """One connection that speaks the binary protocol, over TCP or a WebSocket. Acknowledges what it receives."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.keys: Keys | None = None
        self.received: list[Received] = []
        self.dropped = 0
        self.events: list[dict[str, Any]] = []
        self.pongs = 0
        self.acknowledging = True
        self.connected: dict[str, Any] | None = None
        self.disconnected: tuple[int, str] | None = None
        self.ended = False
        self.private = X25519PrivateKey.generate()
        self._buffer = bytearray()
        self._answers: dict[int, asyncio.Future[Acknowledged]] = {}
        self._sequence = 0
        self._changed = asyncio.Condition()
        self._socket: ClientConnection | None = None
        self._writer: asyncio.StreamWriter | None = None

    @classmethod
    async def dial(cls, url: str, version: int = 5, *, tcp: bool = False) -> BinarySession:
        session = cls(version)
        if tcp:
            host, port = url.removeprefix("ws://").rstrip("/").rsplit(":", 1)
            reader, session._writer = await asyncio.open_connection(host, int(port))
            session._reading = asyncio.create_task(session._read_stream(reader))
        else:
            session._socket = await connect(url, ping_interval=None, compression=None, proxy=None, max_size=4 << 20)
            session._reading = asyncio.create_task(session._read_socket(session._socket))
        return session

    @classmethod
    async def open(cls, url: str, uid: str, token: str, version: int = 5, *, flag: int = 2, device: str = "",
                   tcp: bool = False) -> BinarySession:
        session = await cls.dial(url, version, tcp=tcp)
        answer = await session.sign_in(uid, token, flag=flag, device=device)
        if answer["reason"] != 1:
            raise HouseError(f"{uid} could not sign in: {answer}")
        return session

    async def sign_in(self, uid: str, token: str, *, flag: int = 2, device: str = "",
                      key: str | None = None) -> dict[str, Any]:
        await self.write(connect_packet(self.version, flag, device or f"binary-{uid}", uid, token,
                                        public_text(self.private) if key is None else key, int(time.time() * 1000)))
        await self.until(lambda: self.connected or self.ended)
        if not self.connected:
            raise Closed(None)
        return self.connected

    async def write(self, data: bytes) -> None:
        try:
            if self._socket:
                await self._socket.send(data)
            else:
                assert self._writer
                self._writer.write(data)
                await self._writer.drain()
        except (ConnectionClosed, OSError) as error:
            raise Closed(None) from error

    def prepare(self, channel: str, kind: int, payload: bytes, number: str = "",
                **more: Any) -> tuple[bytes, asyncio.Future[Acknowledged]]:
        """The packet of a message, and what its acknowledgement will be."""
        assert self.keys
        self._sequence += 1
        future = asyncio.get_running_loop().create_future()
        self._answers[self._sequence] = future
        number = number or str(uuid.uuid4())
        return send_packet(self.version, self.keys, self._sequence, number, channel, kind, payload, **more), future

    async def send(self, channel: str, kind: int, payload: bytes, number: str = "", **more: Any) -> Acknowledged:
        packet, future = self.prepare(channel, kind, payload, number, **more)
        await self.write(packet)
        async with asyncio.timeout(PATIENCE):
            return await future

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            async with self._changed:
                await self._changed.wait_for(condition)

    async def next(self, count: int = 1) -> list[Received]:
        try:
            await self.until(lambda: len(self.received) >= count or self.ended)
        except TimeoutError:
            raise HouseError(f"waited for {count} messages, got {self.received}, dropped {self.dropped}") from None
        if len(self.received) < count:
            raise Closed(None)
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    async def quiet(self) -> None:
        """Returns once everything the server wrote before now has been read."""
        seen = self.pongs
        await self.write(bytes([PING << 4]))
        await self.until(lambda: self.pongs > seen)

    async def close(self) -> None:
        if self._socket:
            await self._socket.close()
        if self._writer:
            self._writer.close()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read_socket(self, socket: ClientConnection) -> None:
        try:
            async for message in socket:
                if isinstance(message, str):
                    raise HouseError(f"a text frame on a binary connection: {message[:100]}")
                await self._take(message)
        except ConnectionClosed:
            pass
        await self._end()

    async def _read_stream(self, reader: asyncio.StreamReader) -> None:
        try:
            while data := await reader.read(65536):
                await self._take(data)
        except OSError:
            pass
        await self._end()

    async def _end(self) -> None:
        self.ended = True
        for future in self._answers.values():
            if not future.done():
                future.set_exception(Closed(None))
        async with self._changed:
            self._changed.notify_all()

    async def _take(self, data: bytes) -> None:
        self._buffer += data
        for kind, flags, body in split(self._buffer):
            await self._handle(kind, flags, body)
        async with self._changed:
            self._changed.notify_all()

    async def _handle(self, kind: int, flags: int, body: bytes) -> None:
        fields = Fields(body)
        if kind == CONNACK:
            self.connected = self._read_connected(flags, fields)
        elif kind == SENDACK:
            id, sequence, number, reason = (fields.number("q"), fields.number("I"), fields.number("I"),
                                            fields.number("B"))
            fields.end()
            future = self._answers.pop(sequence)
            future.set_result(Acknowledged(id, number, reason, flags))
        elif kind == RECV:
            assert self.keys
            message = read_received(self.version, self.keys, flags, body)
            if message is None:
                self.dropped += 1
                return
            self.received.append(message)
            if self.acknowledging:
                await self.write(frame(RECVACK, flags, struct.pack(">qI", message.id, message.sequence)))
        elif kind == PONG:
            self.pongs += 1
        elif kind == DISCONNECT:
            self.disconnected = (fields.number("B"), fields.text())
        elif kind == EVENT:
            self.events.append({"id": fields.text(), "type": fields.text(), "timestamp": fields.number("q"),
                                "data": fields.rest()})
        else:
            raise HouseError(f"a packet of type {kind}: {body.hex()}")

    def _read_connected(self, flags: int, fields: Fields) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        if flags & 1:
            answer["version"] = fields.number("B")
        answer["difference"], answer["reason"] = fields.number("q"), fields.number("B")
        server_key, salt = fields.text(), fields.text()
        if min(self.version, answer.get("version", 2)) >= 4:
            answer["node"] = fields.number("Q")
        fields.end()
        if answer["reason"] == 1:
            self.keys = Keys(self.private, server_key, salt)
        return answer


# MARK: recorded frames

def self_test() -> None:
    """This file against fixed keys and frames; raises when it is wrong itself."""
    private = X25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
    server = X25519PrivateKey.from_private_bytes(bytes(range(33, 65)))
    keys = Keys(private, public_text(server), "0123456789abcdef")
    number = "c0ffee00-0000-4000-8000-000000000001"
    payload = b'{"type":1,"content":"hello"}'
    sent = send_packet(5, keys, 7, number, "bob", 1, payload)
    wanted = bytes.fromhex(
        "3283010000000007002463306666656530302d303030302d343030302d383030302d3030303030303030303030310003626f62010000"
        "0000002065383730313931616663393464623864386431336436333833303134323837305868313045505050357257787655536a65526a"
        "417543435071516d76562b315343334857753476684f466f3d")
    if sent != wanted:
        raise HouseError(f"the SEND of this file is wrong: {sent.hex()}")
    recorded = bytearray(bytes.fromhex(
        "52980100002037356666623139313363303331323432383133333839626532323661396236370005616c6963650005616c6963650100"
        "000000002463306666656530302d303030302d343030302d383030302d303030303030303030303031112210f47de981150000002a6553"
        "f1005868313045505050357257787655536a65526a417543435071516d76562b315343334857753476684f466f3d"))
    (kind, flags, body), = split(recorded)
    message = read_received(5, keys, flags, body)
    if kind != RECV or message is None or message.payload != payload or message.sequence != 42:
        raise HouseError(f"the RECV of this file is wrong: {message}")
