#!/usr/bin/env python3
"""Holds the server's LeanCloud commands against PyPI `protobuf`: what the one writes the other reads, and back.

    python3 Tests/Foreign/leancloud_wire.py .build/debug/leancloud-echo

Random messages come from one seed: the same on every run.
"""

from __future__ import annotations

import asyncio
import base64
import random
import re
import subprocess
import sys
from typing import Any, Callable

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

from house import PATIENCE, Checks, equal, expect
from leancloud_schema import CLASSES, MESSAGES, GenericCommand, command

SEED = 20261121
#: What the server refuses and the other decoder lets pass: it keeps misplaced fields aside, and takes any bytes for a text.
OURS_ALONE = ("wire type", "UTF-8", "nested more than", "fields in one frame")

GOLDEN = {
    "JavaScript": "080010011a20746561686f7573652d6170702d303030303030303030302d4d645958624d4d492203546f6d2801b20648220d6a"
                  "732f352e302e302d72632e37280032035765623a2461383432386436652d653361302d343938342d393633632d386462376461"
                  "333136623063900189fdfbc89f349801bb01",
    "C#": "080010011a20746561686f7573652d6170702d303030303030303030302d4d645958624d4d492205546f6d43532801b2062d22214c65"
          "616e436c6f75642d4353686172702d53444b2f322e332e312d6465762e31372800320250439801ab01",
}

checks = Checks()
echo = ""


def through(frames: list[bytes], subprotocol: str = "lc.protobuf2.3", limit: int = 1 << 20) -> list[bytes | str]:
    """Each frame as the server reads and writes it, or what it has against it."""
    lines = "".join(f"{subprotocol} {frame.hex()}\n" for frame in frames)
    done = subprocess.run([echo, str(limit)], input=lines, capture_output=True, text=True, timeout=4 * PATIENCE)
    equal(done.returncode, 0, f"the exit code of the echo ({done.stderr[-500:]})")
    answers: list[bytes | str] = []
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        expect(word in ("ok", "error"), line)
        answers.append(bytes.fromhex(rest) if word == "ok" else rest)
    equal(len(answers), len(frames), "the number of answers")
    return answers


def accepted(frames: list[bytes], **options: Any) -> list[bytes]:
    answers = through(frames, **options)
    for frame, answer in zip(frames, answers):
        expect(isinstance(answer, bytes), f"{frame.hex()}: {answer}")
    return answers  # type: ignore[return-value]


def parsed(frame: bytes) -> Any:
    """As PyPI `protobuf` reads it, without the fields it does not know; `None` where it cannot."""
    try:
        message = GenericCommand.FromString(frame)
    except DecodeError:
        return None
    message.DiscardUnknownFields()
    return message if message.IsInitialized() else None


# MARK: random messages

class Maker:
    """Fills messages: fields absent, 0 or empty, ordinary, and at the ends of their range."""

    TEXTS = ("", "a", "Tom", "551260efe4b01608686c3e0f", "茶馆 🍵", "e\u0301 and \u00e9", "\u0000", "\U0010FFFF", "x" * 130)

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        #: Which fields were there, as `(message, field)`.
        self.seen: set[tuple[str, str]] = set()

    def value(self, field: FieldDescriptor) -> Any:
        draw = self.random
        match field.type:
            case FieldDescriptor.TYPE_INT32:
                return draw.choice((0, 1, -1, -65536, 2**31 - 1, -2**31, draw.randint(-2**31, 2**31 - 1)))
            case FieldDescriptor.TYPE_INT64:
                return draw.choice((0, 1, -1, 1795180920457, 2**63 - 1, -2**63, draw.randint(-2**63, 2**63 - 1)))
            case FieldDescriptor.TYPE_BOOL:
                return draw.choice((False, True))
            case FieldDescriptor.TYPE_BYTES:
                return draw.randbytes(draw.choice((0, 1, 20)))
            case FieldDescriptor.TYPE_ENUM:
                return draw.choice(field.enum_type.values).number
        return draw.choice(self.TEXTS)

    def fill(self, message: Any, share: float) -> Any:
        """Gives each field a value with the chance `share`; required ones always."""
        for field in message.DESCRIPTOR.fields:
            if not field.is_required and self.random.random() >= share:
                continue
            self.seen.add((message.DESCRIPTOR.name, field.name))
            count = self.random.randint(1, 3) if field.is_repeated else 1
            for _ in range(count):
                if field.message_type is None:
                    if field.is_repeated:
                        getattr(message, field.name).append(self.value(field))
                    else:
                        setattr(message, field.name, self.value(field))
                else:
                    part = getattr(message, field.name)
                    if field.is_repeated:
                        part = part.add()
                    part.SetInParent()
                    self.fill(part, share)
        return message

    def command(self) -> Any:
        return self.fill(GenericCommand(), self.random.choice((0.05, 0.1, 0.3)))


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def unknown(draw: random.Random) -> bytes:
    """A field that nobody knows, of any wire type."""
    tag = draw.choice((1 << 28, 999, 130, 50)) << 3
    match draw.randrange(5):
        case 0: return varint(tag) + varint(draw.getrandbits(64))
        case 1: return varint(tag | 1) + draw.randbytes(8)
        case 2: return varint(tag | 2) + varint(9) + draw.randbytes(9)
        case 3: return varint(tag | 5) + draw.randbytes(4)
    return varint(tag | 3) + unknown(draw) + unknown(draw) + varint(tag | 4)


@checks.check("every message of the schema comes back as it went, field for field and byte for byte")
async def round_trip() -> None:
    equal(len(CLASSES), 29, "the number of message types")
    maker = Maker(SEED)
    commands = [maker.command() for _ in range(3000)]
    # One part of a command at a time, full: the rarest fields of the smallest messages too.
    for field in GenericCommand.DESCRIPTOR.fields:
        if field.message_type is not None:
            for share in (0.0, 0.5, 0.9, 1.0):
                whole = GenericCommand()
                part = getattr(whole, field.name)
                part.SetInParent()
                maker.seen.add(("GenericCommand", field.name))
                maker.fill(part, share)
                commands.append(whole)
    every = {(name, word) for name, text in MESSAGES.items() for word in text.split()[::3]}
    equal(every - maker.seen, set(), "the fields that no message had")
    frames = [made.SerializeToString(deterministic=True) for made in commands]
    for made, frame, back in zip(commands, frames, accepted(frames)):
        equal(parsed(back), made, "a command")
        # Neither writes what is not there, nor another form of what is.
        equal(back.hex(), frame.hex(), "its bytes")


@checks.check("absent, zero, false and empty are four things, and negative numbers take ten bytes")
async def presence() -> None:
    cases = [command("session"), command("session", i=0), command("echo", i=-65536), command("echo", i=2**31 - 1),
             GenericCommand(), command("session", sessionMessage={}), command("session", sessionMessage={"r": False}),
             command("direct", directMessage={"msg": ""}), command("direct", directMessage={"binaryMsg": b""}),
             command("ack", ackMessage={"code": 0}), command("rcp", rcpMessage={"read": False}),
             command("unread", unreadMessage={"convs": [{"cid": "", "unread": 0}]}),
             command("logs", logsMessage={"direction": 1}), command("conv", convMessage={"m": ["", ""]})]
    frames = [case.SerializeToString() for case in cases]
    for case, frame, back in zip(cases, frames, accepted(frames)):
        equal(back.hex(), frame.hex(), str(case))
    equal(frames[2].hex(), "080e288080fcffffffffffff01", "a negative request number")


@checks.check("fields that nobody knows are passed over, wherever they stand")
async def tolerance() -> None:
    maker = Maker(SEED + 1)
    draw = maker.random
    frames = []
    for _ in range(600):
        whole = GenericCommand(cmd=draw.randrange(22))
        inner = maker.fill(whole.sessionMessage, 0.3).SerializeToString()
        inner = unknown(draw) + inner + unknown(draw)
        frames.append(unknown(draw) + b"\x08" + varint(whole.cmd) + unknown(draw)
                      + varint(102 << 3 | 2) + varint(len(inner)) + inner + unknown(draw))
    for frame, back in zip(frames, accepted(frames)):
        wanted = parsed(frame)
        expect(wanted is not None, frame.hex())
        equal(parsed(back), wanted, frame.hex())


@checks.check("the order of fields does not matter, the last of two counts, and messages in two parts are one")
async def merging() -> None:
    maker = Maker(SEED + 2)
    frames = [maker.command().SerializeToString() + maker.command().SerializeToString() for _ in range(400)]
    whole = command("direct", i=7, appId="app", peerId="Tom")
    parts = [command("direct").SerializeToString(), GenericCommand(i=7).SerializeToString(),
             GenericCommand(appId="app").SerializeToString(), GenericCommand(peerId="Tom").SerializeToString()]
    for _ in range(20):
        maker.random.shuffle(parts)
        frames.append(b"".join(parts))
    answers = accepted(frames)
    for frame, back in zip(frames, answers):
        equal(parsed(back), parsed(frame), frame.hex())
    for back in answers[-20:]:
        equal(parsed(back), whole, "a shuffled command")


@checks.check("numbers in longer forms than needed are the same numbers, also those that no enum has")
async def numbers() -> None:
    for text, wanted in (("0880808000", "0800"), ("08008e00", None), ("28ffffffff0f", "28ffffffffffffffffff01"),
                         ("28ffffffffffffffffff01", "28ffffffffffffffffff01"), ("088701", "088701"),
                         ("10e807", "10e807"), ("b20603" + "288002", "b206022801")):
        (answer,) = through([bytes.fromhex(text)])
        if wanted is None:
            expect(isinstance(answer, str), f"{text}: {answer!r}")
        else:
            equal(answer if isinstance(answer, str) else answer.hex(), wanted, text)


@checks.check("a required field that is missing is named")
async def required() -> None:
    cases: dict[str, Any] = {
        "errorMessage.code": command("error", errorMessage={"reason": "X"}),
        "errorMessage.reason": command("error", errorMessage={"code": 1}),
        "unreadMessage.convs.cid": command("unread", unreadMessage={"convs": [{"unread": 1}]}),
        "unreadMessage.convs.unread": command("unread", unreadMessage={"convs": [{"cid": "c"}]}),
        "readMessage.convs.cid": command("read", readMessage={"convs": [{"mid": "m"}]}),
        "convMessage.where.data": command("conv", convMessage={"where": {}}),
        "convMessage.results.data": command("conv", convMessage={"results": {}}),
        "convMessage.attr.data": command("conv", convMessage={"attr": {}}),
        "convMessage.attrModified.data": command("conv", convMessage={"attrModified": {}}),
        "convMessage.failedPids.code": command("conv", convMessage={"failedPids": [{"reason": "X"}]}),
        "blacklistMessage.failedPids.reason": command("blacklist", blacklistMessage={"failedPids": [{"code": 1}]}),
        "dataMessage.msg.data": command("data", dataMessage={"msg": [{}]}),
        "pubsubMessage.results.data": command("pubsub", pubsubMessage={"results": {}}),
    }
    answers = through([case.SerializePartialToString() for case in cases.values()])
    for name, answer in zip(cases, answers):
        expect(isinstance(answer, str) and name in answer and "required" in answer, f"{name}: {answer!r}")


@checks.check("every truncation is refused in words, or is a shorter command")
async def truncation() -> None:
    frames = [bytes.fromhex(digits) for digits in GOLDEN.values()]
    maker = Maker(SEED + 3)
    for field in GenericCommand.DESCRIPTOR.fields:
        if field.message_type is not None:
            whole = GenericCommand(cmd=0, i=-1)
            getattr(whole, field.name).SetInParent()
            maker.fill(getattr(whole, field.name), 0.7)
            frames.append(whole.SerializeToString()[:500])
    cut = [frame[:length] for frame in frames for length in range(len(frame))]
    for frame, answer in zip(cut, through(cut)):
        wanted = parsed(frame)
        if isinstance(answer, bytes):
            equal(parsed(answer), wanted, frame.hex())
        else:
            expect(wanted is None, f"{frame.hex()} is a command, but: {answer}")


def over_64_bits(frame: bytes, answer: str) -> bool:
    """Whether the blamed number really has more than 64 bits; the other decoder drops those above."""
    found = re.search(r"byte (\d+): no valid variable-length integer", answer)
    if not found:
        return False
    digits = frame[int(found[1]):int(found[1]) + 10]
    return len(digits) == 10 and all(byte & 0x80 for byte in digits[:9]) and digits[9] > 1


@checks.check("changed bytes give what the other decoder gives, or a reason")
async def mutation() -> None:
    maker = Maker(SEED + 4)
    draw = maker.random
    seeds = [maker.command().SerializeToString() for _ in range(60)] + [bytes.fromhex(text) for text in GOLDEN.values()]
    frames = []
    for _ in range(6000):
        frame = bytearray(draw.choice(seeds))
        for _ in range(draw.randint(1, 4)):
            if not frame:
                break
            at = draw.randrange(len(frame))
            match draw.randrange(4):
                case 0: frame[at] ^= 1 << draw.randrange(8)
                case 1: frame[at] = draw.choice((0, 0x7F, 0x80, 0xFF, draw.randrange(256)))
                case 2: del frame[at:at + draw.randint(1, 6)]
                case 3: frame[at:at] = draw.randbytes(draw.randint(1, 6))
        frames.append(bytes(frame))
    both = 0
    for frame, answer in zip(frames, through(frames)):
        wanted = parsed(frame)
        if isinstance(answer, bytes):
            # The other decoder takes tags of up to five bytes, the server the same number in up to ten.
            if wanted is None and re.search(rb"[\x80-\xff]{5}", frame):
                continue
            both += 1
            expect(wanted is not None, f"{frame.hex()} was taken for a command")
            equal(parsed(answer), wanted, frame.hex())
        elif wanted is not None:
            expect(any(reason in answer for reason in OURS_ALONE) or over_64_bits(frame, answer),
                   f"{frame.hex()}: {answer}")
    expect(both > 300, f"only {both} of the changed frames were commands")


@checks.check("commands in base64 are the same commands, in either alphabet, padded or not")
async def base64_frames() -> None:
    maker = Maker(SEED + 5)
    frames = [maker.command().SerializeToString(deterministic=True) for _ in range(300)]
    forms: list[Callable[[bytes], bytes]] = [
        base64.b64encode, base64.urlsafe_b64encode, lambda frame: base64.b64encode(frame).rstrip(b"="),
        lambda frame: base64.urlsafe_b64encode(frame).rstrip(b"=")]
    for form in forms:
        for frame, back in zip(frames, accepted([form(frame) for frame in frames], subprotocol="lc.proto2base64.3")):
            # SDKs decode with the standard alphabet and strict padding.
            equal(base64.b64decode(back, validate=True).hex(), frame.hex(), "a command in base64")
    for broken in (b"a", b"ab cd", "é".encode(), b"====", b"CA\xff="):
        (answer,) = through([broken], subprotocol="lc.proto2base64.3")
        expect(isinstance(answer, str) and "base64" in answer, f"{broken!r}: {answer!r}")


@checks.check("a command over the limit is refused, one at the limit is not")
async def too_long() -> None:
    for length, fits in ((5120, True), (5121, False)):
        made = command("direct", directMessage={"msg": ""})
        made.directMessage.msg = "x" * (length - made.ByteSize() - 3)
        while made.ByteSize() < length:
            made.directMessage.msg += "x"
        equal(made.ByteSize(), length, "the size")
        (answer,) = through([made.SerializeToString()], limit=5120)
        equal(isinstance(answer, bytes), fits, f"{length} bytes are taken")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    echo = sys.argv[1]
    sys.exit(asyncio.run(checks.run()))
