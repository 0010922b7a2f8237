"""Who said what: the messages of a run, the promises made about them, and what a data folder holds in the end."""

from __future__ import annotations

import base64
import functools
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from house import GROUP, encoded, payload_of

#: A conversation as both people of a pair name it: ("group", name) or ("direct", lower name, higher name).
Conversation = tuple[str, ...]


def conversation_of(sender: str, channel: str, kind: int) -> Conversation:
    return ("group", channel) if kind == GROUP else ("direct", *sorted((sender, channel)))


@dataclass(frozen=True, slots=True)
class Key:
    """What makes a message that message, whoever tells of it."""
    conversation: Conversation
    sender: str
    token: str


@dataclass(frozen=True, slots=True)
class Promise:
    """An acknowledgement, or a delivery: this message is stored, here."""
    key: Key
    sequence: int
    id: int


@dataclass(frozen=True, slots=True)
class Row:
    """A stored message."""
    promise: Promise
    body: bytes


def text_of(key: Key) -> str:
    """The text that belongs to a key: any store that mixes bodies up shows it. 50 bytes to about 3 KB."""
    filler = sum(key.token.encode()) * 7919 % 3000
    return f"{key.token} 你好 {'x' * filler}"


def payload_for(key: Key) -> Any:
    return payload_of(text_of(key))


@functools.cache
def _body_of(key: Key) -> bytes:
    return base64.b64decode(encoded(payload_for(key)))


# MARK: request ids that say what they ask for, so that an acknowledgement alone tells the whole story

def request_id(sender: str, channel: str, kind: int, token: str, attempt: int = 0) -> str:
    return json.dumps([sender, channel, kind, token, attempt], separators=(",", ":"))


def sign_in_id(user: str) -> str:
    return json.dumps(["signed in", user])


def promise_from_answer(message: dict[str, Any]) -> Promise | None:
    """The promise in a response to a publish request; `None` for any other message."""
    result = message.get("result")
    if not isinstance(result, dict) or "messageSeq" not in result or result.get("reasonCode") != 1:
        return None
    sender, channel, kind, token, _ = json.loads(message["id"])
    if result["messageSeq"] == 0:
        return None
    return Promise(Key(conversation_of(sender, channel, kind), sender, token), result["messageSeq"],
                   int(result["messageId"]))


def promise_from_delivery(params: dict[str, Any], receiver: str) -> Promise | None:
    """The promise in a delivery to `receiver`; `None` for a message that is not stored."""
    if params["messageSeq"] == 0:
        return None
    kind, sender, channel = params["channelType"], params["fromUid"], params["channelId"]
    # In a pair the channel is whom the receiver talks with, so the receiver is the other one.
    key = Key(conversation_of(receiver, channel, kind), sender, params.get("clientMsgNo", ""))
    return Promise(key, params["messageSeq"], int(params["messageId"]))


# MARK: what is stored

_STORED = """
    SELECT c.kind, c.channel, low.name, high.name, m.sequence, m.id, s.name, m.client_token, m.body
    FROM message m JOIN conversation c ON c.id = m.conversation_id JOIN user s ON s.id = m.sender_id
    LEFT JOIN user low ON low.id = c.direct_low LEFT JOIN user high ON high.id = c.direct_high
    ORDER BY m.conversation_id, m.sequence
"""


def stored_messages(folder: Path) -> list[Row]:
    """Every message of a folder that no server has open, read by another SQLite than the server's."""
    database = sqlite3.connect(f"file:{folder / 'teahouse.db'}?mode=ro", uri=True)
    try:
        rows: list[Row] = []
        for kind, channel, low, high, sequence, id, sender, token, body in database.execute(_STORED):
            conversation = ("direct", *sorted((low, high))) if kind == 1 else ("group", channel)
            key = Key(conversation, sender, token.decode() if token is not None else "")
            rows.append(Row(Promise(key, sequence, id), body))
        return rows
    finally:
        database.close()


# MARK: judging

@dataclass(slots=True)
class Verdict:
    """Jepsen's counters, and the shape of each conversation."""
    attempted: int = 0
    acked: int = 0
    lost: int = 0
    duplicated: int = 0
    recovered: int = 0
    unexpected: int = 0
    #: Holes in a sequence, sequences or ids that do not rise, bodies of other messages.
    damaged: int = 0
    examples: list[str] = field(default_factory=list)

    def blame(self, counter: str, cases: Collection[Any]) -> None:
        """Counts cases, and keeps one to show."""
        setattr(self, counter, getattr(self, counter) + len(cases))
        if cases:
            self.examples.append(f"{counter}: {next(iter(cases))}")

    @property
    def is_clean(self) -> bool:
        return self.lost == self.duplicated == self.unexpected == self.damaged == 0

    def __str__(self) -> str:
        names = ("attempted", "acked", "lost", "duplicated", "recovered", "unexpected", "damaged")
        return "  ".join(f"{name} {getattr(self, name)}" for name in names)


def judge(attempted: set[Key], promises: Iterable[Promise], rows: list[Row]) -> Verdict:
    """Compares what clients tried and were promised with what is stored."""
    promised = set(promises)
    verdict = Verdict(attempted=len(attempted), acked=len({promise.key for promise in promised}))

    held = {row.promise for row in rows}
    counts = Counter(row.promise.key for row in rows)
    verdict.blame("lost", promised - held)
    verdict.blame("duplicated", [key for key, count in counts.items() if count > 1])
    verdict.blame("unexpected", counts.keys() - attempted)
    verdict.blame("damaged", out_of_order(rows))
    verdict.recovered = len(counts.keys() - {promise.key for promise in promised})
    return verdict


def out_of_order(rows: list[Row]) -> list[str]:
    """Holes in a sequence, sequences and ids that do not rise, bodies of other messages."""
    found: list[str] = []
    heads: dict[Conversation, tuple[int, int]] = {}
    for row in rows:
        promise = row.promise
        sequence, id = heads.get(promise.key.conversation, (0, 0))
        if promise.sequence != sequence + 1:
            found.append(f"{promise} follows sequence {sequence}")
        if promise.id <= id:
            found.append(f"{promise} does not rise above id {id}")
        if row.body != _body_of(promise.key):
            found.append(f"{promise} has the body {row.body[:80]!r}")
        heads[promise.key.conversation] = (promise.sequence, promise.id)
    return found
