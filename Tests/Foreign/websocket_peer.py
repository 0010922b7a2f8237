#!/usr/bin/env python3
"""Talks to transport-echo with the WebSocket client of PyPI `websockets`, and with bad frames over plain sockets.

    python3 Tests/Foreign/websocket_peer.py .build/debug/transport-echo

Prints `N passed, N failed` and exits with 1 when something failed.
"""
import asyncio
import os
import random
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import traceback

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

TESTS = []
# Where the server under test keeps its certificates.
FOLDER = tempfile.mkdtemp()


def test(function):
    TESTS.append(function)
    return function


# The foreign client -------------------------------------------------------------------------------------------------


@test
async def echoes_text_and_binary(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        for message in ["hello", "茶馆 🍵", "", b"\x00\xff" * 10, b""]:
            await peer.send(message)
            assert await peer.recv() == message


@test
async def declines_compression(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression="deflate") as peer:
        assert "Sec-WebSocket-Extensions" not in peer.response.headers
        await peer.send("still understood")
        assert await peer.recv() == "still understood"


@test
async def chooses_an_offered_subprotocol(port):
    async with connect(f"ws://127.0.0.1:{port}/", subprotocols=["other", "echo"]) as peer:
        assert peer.subprotocol == "echo"


@test
async def echoes_every_length_around_the_header_forms(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None, max_size=None) as peer:
        for length in [1, 7, 8, 9, 124, 125, 126, 127, 65_534, 65_535, 65_536, 65_537, 256 * 1024]:
            message = os.urandom(length)
            await peer.send(message)
            assert await peer.recv() == message, length


@test
async def puts_fragments_together(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        await peer.send(["one ", "two ", "茶", "馆"])
        assert await peer.recv() == "one two 茶馆"
        await peer.send([b"a" * 70_000, b"", b"b" * 70_000])
        assert await peer.recv() == b"a" * 70_000 + b"b" * 70_000


@test
async def answers_pings_also_between_messages(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        for payload in [b"", b"x", os.urandom(125)]:
            await (await peer.ping(payload))
        await peer.send("after")
        assert await peer.recv() == "after"


@test
async def keeps_the_order_of_many_messages(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        async def send():
            for number in range(20_000):
                await peer.send(str(number))
        sender = asyncio.create_task(send())
        for number in range(20_000):
            assert await peer.recv() == str(number)
        await sender


@test
async def closes_with_the_code_of_the_client(port):
    peer = await connect(f"ws://127.0.0.1:{port}/", compression=None)
    await peer.close(4000, "enough")
    assert (peer.close_code, peer.close_reason) == (4000, "")


@test
async def closes_with_its_own_code_and_reason(port):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        await peer.send("close 4001")
        try:
            await peer.recv()
            raise AssertionError("no close")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 4001 and closed.rcvd.reason == "as you wish"
            assert closed.sent.code == 4001


@test
async def refuses_a_message_over_the_limit(port):
    peer = await connect(f"ws://127.0.0.1:{port}/", compression=None)
    try:
        await peer.send(b"x" * (256 * 1024 + 1))
        await peer.recv()
        raise AssertionError("no close")
    except ConnectionClosed as closed:
        assert closed.rcvd.code == 1009, closed.rcvd


@test
async def speaks_tls_with_a_certificate_that_its_authority_vouches_for(port):
    trusted = ssl.create_default_context(cafile=os.path.join(FOLDER, "ca.pem"))
    for host in ["localhost", "127.0.0.1"]:
        async with connect(f"wss://{host}:{port}/", ssl=trusted, compression=None) as peer:
            for length in [0, 1, 20_000, 256 * 1024]:
                message = os.urandom(length)
                await peer.send(message)
                assert await peer.recv() == message
    try:
        await connect(f"wss://localhost:{port}/", ssl=ssl.create_default_context())
        raise AssertionError("trusted without its authority")
    except ssl.SSLCertVerificationError:
        pass


@test
async def serves_many_clients_at_once(port):
    async def one(number):
        async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
            for turn in range(20):
                await peer.send(f"{number} {turn}")
                assert await peer.recv() == f"{number} {turn}"
    await asyncio.gather(*(one(number) for number in range(200)))


# Bad frames ---------------------------------------------------------------------------------------------------------


def handshake(port):
    peer = socket.create_connection(("127.0.0.1", port), timeout=10)
    peer.sendall(
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += peer.recv(1)
    assert answer.startswith(b"HTTP/1.1 101 "), answer
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in answer, answer
    return peer


def frame(opcode, payload=b"", final=True, masked=True, reserved=0, length=None):
    first = (0x80 if final else 0) | reserved << 4 | opcode
    count = len(payload) if length is None else length
    mask_bit = 0x80 if masked else 0
    if count < 126:
        head = struct.pack("!BB", first, mask_bit | count)
    elif count < 65_536:
        head = struct.pack("!BBH", first, mask_bit | 126, count)
    else:
        head = struct.pack("!BBQ", first, mask_bit | 127, count)
    if not masked:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))


def read_to_the_end(peer):
    data = b""
    try:
        while piece := peer.recv(65_536):
            data += piece
    except ConnectionResetError:
        pass
    return data


def close_code(data):
    """The code in the close frame that must be the last thing in `data`."""
    position = 0
    while position < len(data):
        opcode, count = data[position] & 0x0F, data[position + 1] & 0x7F
        start = position + 2
        if count == 126:
            count, start = struct.unpack_from("!H", data, start)[0], start + 2
        payload = data[start:start + count]
        position = start + count
        if opcode == 8:
            assert position == len(data), "bytes after the close frame"
            return struct.unpack("!H", payload[:2])[0] if payload else None
    raise AssertionError(f"no close frame in {data!r}")


BAD = [
    ("a frame without a mask", [frame(1, b"hello", masked=False)], 1002),
    ("the first reserved bit", [frame(1, b"hello", reserved=4)], 1002),
    ("the second reserved bit", [frame(1, b"hello", reserved=2)], 1002),
    ("the third reserved bit", [frame(1, b"hello", reserved=1)], 1002),
    ("a reserved opcode", [frame(3, b"hello")], 1002),
    ("a reserved control opcode", [frame(0xB)], 1002),
    ("a fragmented ping", [frame(9, b"x", final=False)], 1002),
    ("a ping over 125 bytes", [frame(9, b"x" * 126)], 1002),
    ("a continuation without a start", [frame(0, b"x")], 1002),
    ("a new message inside a fragmented one", [frame(1, b"x", final=False), frame(1, b"y")], 1002),
    ("a close frame of one byte", [frame(8, b"\x03")], 1002),
    ("a close code that must not be sent", [frame(8, struct.pack("!H", 1005))], 1002),
    ("a close code without meaning", [frame(8, struct.pack("!H", 2999))], 1002),
    ("a close reason that is not UTF-8", [frame(8, struct.pack("!H", 1000) + b"\xff")], 1007),
    ("text that is not UTF-8", [frame(1, b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80")], 1007),
    ("an overlong form", [frame(1, b"\xc0\xaf")], 1007),
    ("text that ends inside a character", [frame(1, b"\xe8\x8c")], 1007),
    ("a surrogate across fragments", [frame(1, b"\xed", final=False), frame(0, b"\xa0\x80")], 1007),
    ("a declared length of 2^63", [frame(2, length=2 ** 63)], 1009),
    ("a declared length of 2^64 - 1", [frame(2, length=2 ** 64 - 1)], 1009),
    ("a declared length of one over the limit", [frame(2, length=256 * 1024 + 1)], 1009),
    ("fragments that add up to more than the limit",
     [frame(2, b"x" * 200_000, final=False), frame(0, b"x" * 200_000)], 1009),
    ("257 fragments", [frame(2, b"x", final=False)] + [frame(0, b"x", final=False)] * 256, 1009),
]


@test
async def ends_bad_frames_with_the_right_code(port):
    failures = []
    for name, frames, expected in BAD:
        peer = handshake(port)
        try:
            peer.sendall(b"".join(frames))
        except (ConnectionResetError, BrokenPipeError):
            pass
        found = close_code(read_to_the_end(peer))
        if found != expected:
            failures.append(f"{name}: {found} instead of {expected}")
        peer.close()
    assert not failures, "; ".join(failures)


@test
async def reads_frames_cut_at_every_byte(port):
    message = "cut 茶馆".encode()
    data = frame(1, message[:5], final=False) + frame(9, b"ping") + frame(0, message[5:])
    peer = handshake(port)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in data:
        peer.sendall(bytes([byte]))
    expected = b"\x8a\x04ping" + bytes([0x81, len(message)]) + message
    received = b""
    while len(received) < len(expected):
        received += peer.recv(1)
    assert received == expected
    peer.close()


@test
async def echoes_a_character_cut_by_fragments(port):
    peer = handshake(port)
    peer.sendall(frame(1, b"\xe8", final=False) + frame(0, b"\x8c", final=False) + frame(0, b"\xb6"))
    assert peer.recv(5, socket.MSG_WAITALL) == b"\x81\x03\xe8\x8c\xb6"
    peer.close()


@test
async def survives_random_bytes(port):
    generator = random.Random(7677)
    for _ in range(200):
        peer = handshake(port)
        try:
            peer.sendall(generator.randbytes(generator.randrange(1, 2000)))
            peer.shutdown(socket.SHUT_WR)
            read_to_the_end(peer)
        except OSError:
            pass
        peer.close()
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        await peer.send("alive")
        assert await peer.recv() == "alive"


async def run(port):
    passed = failed = 0
    for function in TESTS:
        try:
            await asyncio.wait_for(function(port), 60)
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exc(file=sys.stdout)
    return passed, failed


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    server = subprocess.Popen([sys.argv[1], FOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    word, port = server.stdout.readline().split()
    assert word == b"ready"
    passed, failed = asyncio.run(run(int(port)))
    server.stdin.close()
    if server.wait(20) != 0:
        print(f"FAILED the server ended with {server.returncode}")
        failed += 1
    shutil.rmtree(FOLDER, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
