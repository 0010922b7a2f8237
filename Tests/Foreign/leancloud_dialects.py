"""Small clients that speak LeanCloud's realtime protocol, each as one SDK does.

What they send is what the SDKs of JavaScript, Swift, Objective-C, Java and C# send: which fields, which numbers, what is left
out, what stands there unasked. The table with its sources is docs/protocols/leancloud-sdks.md. What they receive is looked at
with each SDK's own strictness; what it would drop, misread or crash on becomes a line in `complaints`.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import re
import secrets
import time
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from house import PATIENCE, HouseError
from leancloud_schema import CMD, GenericCommand, brief, command, name_of

NORMAL, ROOM, SYSTEM, TEMPORARY = 1, 2, 3, 4

#: The words that go with error codes; vendors' tests compare them.
REASONS = dict(zip(*[iter("""
4100 APP_NOT_AVAILABLE 4101 DUPLICATED_LOGIN 4102 SIGNATURE_FAILED 4103 INVALID_LOGIN 4105 SESSION_REQUIRED
4106 BLACKLISTED 4107 READ_TIMEOUT 4108 LOGIN_TIMEOUT 4109 FRAME_TOO_LONG 4110 INVALID_ORIGIN 4111 SESSION_CONFLICT
4112 SESSION_TOKEN_EXPIRED 4113 APP_QUOTA_EXCEEDED 4114 UNPARSEABLE_RAW_MESSAGE 4115 KICKED_BY_APP
4116 MESSAGE_SENT_QUOTA_EXCEEDED 4117 UNBIND_INSTALLATION_FAILED 4200 INTERNAL_ERROR 4201 SEND_MESSAGE_TIMEOUT
4300 CONVERSATION_INTERNAL_ERROR 4301 CONVERSATION_API_FAILED 4302 CONVERSATION_SIGNATURE_FAILED
4303 CONVERSATION_NOT_FOUND 4304 CONVERSATION_FULL 4305 CONVERSATION_REJECTED_BY_APP 4306 CONVERSATION_UPDATE_FAILED
4307 CONVERSATION_READ_ONLY 4308 CONVERSATION_NOT_ALLOWED 4309 CONVERSATION_UPDATE_REJECTED
4310 CONVERSATION_QUERY_FAILED 4311 CONVERSATION_LOG_FAILED 4312 CONVERSATION_LOG_REJECTED
4313 SYSTEM_CONVERSATION_REQUIRED 4314 NORMAL_CONVERSATION_REQUIRED 4315 CONVERSATION_BLACKLISTED
4316 TRANSIENT_CONVERSATION_REQUIRED 4317 CONVERSATION_MEMBERSHIP_REQUIRED 4318 CONVERSATION_API_QUOTA_EXCEEDED
4320 CONVERSATION_OPERATION_UNAUTHORIZED 4321 UNKNOWN_CONVERSATION_ROLE 4322 CONVERSATION_MEMBER_IN_ROLE_FULL
4323 TEMPORARY_CONVERSATION_EXPIRED 4324 CONVERSATION_NEED_OWNER 4325 CONVERSATION_MEMBER_INFO_FEATURE_DISABLED
4401 INVALID_MESSAGING_TARGET 4402 MESSAGE_REJECTED_BY_APP 4403 MESSAGE_OWNERSHIP_REQUIRED 4404 MESSAGE_NOT_FOUND
4405 MESSAGE_UPDATE_REJECTED_BY_APP 4406 MESSAGE_EDIT_DISABLED 4407 MESSAGE_RECALL_DISABLED
4408 MESSAGE_MODIFIED_BY_CENSORSHIP 4543 BLACKLIST_FULL 4544 BLACKLIST_FEATURE_DISABLED
4546 BLACKLIST_SIGNATURE_FAILED 4548 BLOCKED_BY_CONV 4561 SILIENCED_MEMBER_LIST_FULL 4563 SILIENCED
""".split())] * 2))

#: What no SDK would have swallowed, with the frame.
complaints: list[str] = []

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
#: Notices of who is in a conversation.
MEMBERSHIP = ("joined", "left", "members_joined", "members_left")


class Refused(Exception):
    """The server said no."""

    def __init__(self, answer: Any, code: int, reason: str, detail: str) -> None:
        super().__init__(f"{code} {reason} {detail}".strip())
        self.answer, self.code, self.reason = answer, code, reason


class Lost(Exception):
    """The connection ended before the answer."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


def text(words: str, **attributes: Any) -> str:
    """A text message as every SDK words it."""
    content: dict[str, Any] = {"_lctype": -1, "_lctext": words}
    if attributes:
        content["_lcattrs"] = attributes
    return json.dumps(content, ensure_ascii=False)


@dataclass
class App:
    """What an app is configured with, and what its own server does for it."""

    url: str
    id: str
    master_key: str

    def signed(self, *fields: str, seconds: bool = False, upper: bool = False, action: str = "") -> dict[str, Any]:
        """`t`, `n` and `s` for the fields before the time, and for an action behind it."""
        moment = int(time.time() * (1 if seconds else 1000))
        nonce = secrets.token_hex(6)
        parts = [self.id, *fields, str(moment), nonce] + ([action] if action else [])
        digits = hmac.new(self.master_key.encode(), ":".join(parts).encode(), hashlib.sha1).hexdigest()
        return {"t": moment, "n": nonce, "s": digits.upper() if upper else digits}

    async def route(self, query: str) -> dict[str, Any]:
        """What the router answers."""
        address = f"{self.url.replace('ws://', 'http://')}v1/route?{query}"
        return await asyncio.to_thread(lambda: json.load(urllib.request.urlopen(address, timeout=PATIENCE)))


class Socket:
    """One WebSocket, with the clients that share it."""

    def __init__(self, socket: ClientConnection, subprotocol: str) -> None:
        self.socket = socket
        self.is_text = "base64" in subprotocol
        self.clients: dict[str, Client] = {}
        self.first: Client | None = None
        self.pending: dict[int, tuple[asyncio.Future[Any], Client]] = {}
        self.closed: Lost | None = None
        #: Commands that were for nobody in particular: `echo` without a number, `goaway`, errors, `loggedin`.
        self.stray: list[Any] = []
        self.frames = 0
        self.changed = asyncio.Condition()
        self.reader = asyncio.create_task(self.read())

    @classmethod
    async def dial(cls, url: str, *subprotocols: str, **options: Any) -> Socket:
        async with asyncio.timeout(PATIENCE):
            try:
                socket = await connect(url, subprotocols=list(subprotocols), compression=None, ping_interval=None,
                                       max_size=8 << 20, proxy=None, close_timeout=2, **options)
            except (OSError, WebSocketException) as error:
                raise Lost(None) from error
        # Java's library gives up here.
        if socket.subprotocol != subprotocols[0]:
            raise HouseError(f"the handshake echoes {socket.subprotocol!r} of {subprotocols}")
        return cls(socket, subprotocols[0])

    async def write(self, message: Any) -> None:
        frame = message.SerializeToString()
        try:
            await self.socket.send(base64.b64encode(frame).decode() if self.is_text else frame)
        except ConnectionClosed as error:
            raise self.closed or Lost(error.rcvd.code if error.rcvd else None) from None

    async def read(self) -> None:
        try:
            async for frame in self.socket:
                if isinstance(frame, str) != self.is_text:
                    complaints.append(f"a {'text' if isinstance(frame, str) else 'binary'} frame: {frame!r:.100}")
                    continue
                message = GenericCommand.FromString(base64.b64decode(frame, validate=True) if self.is_text else frame)
                self.frames += 1
                self.dispatch(message)
                async with self.changed:
                    self.changed.notify_all()
        except ConnectionClosed:
            pass
        except Exception as error:  # what an SDK would crash on
            complaints.append(f"reading raised {type(error).__name__}: {error}")
        self.closed = Lost(self.socket.close_code)
        for future, _ in self.pending.values():
            if not future.done():
                future.set_exception(self.closed)
        async with self.changed:
            self.changed.notify_all()

    def dispatch(self, message: Any) -> None:
        answered = self.pending.pop(message.i, None) if message.HasField("i") else None
        if answered is not None:
            future, client = answered
            client.examine_answer(message)
            if not future.done():
                future.set_result(message)
            return
        if message.HasField("i"):
            complaints.append(f"an answer to nothing: {brief(message)}")
        named = message.peerId if message.HasField("peerId") else None
        client = self.clients.get(named) if named is not None else self.first
        if message.cmd in (CMD["echo"], CMD["goaway"], CMD["loggedin"]) or client is None:
            self.stray.append(message)
            if named is not None and client is None and message.cmd != CMD["echo"]:
                complaints.append(f"a push for somebody who is not here: {brief(message)}")
            return
        if named is None and len(self.clients) > 1 and message.cmd != CMD["error"]:
            complaints.append(f"several clients on one socket, and nobody named: {brief(message)}")
        client.examine_push(message)
        client.take(message)

    async def until(self, condition: Callable[[], Any], what: str = "") -> None:
        """Waits until `condition` holds, looking again whenever something arrives."""
        try:
            async with asyncio.timeout(PATIENCE):
                async with self.changed:
                    await self.changed.wait_for(condition)
        except TimeoutError:
            raise HouseError(f"waited in vain{' for ' + what if what else ''}") from None

    def abort(self) -> None:
        """The network is gone: nothing is said, nothing more is read."""
        self.reader.cancel()
        self.closed = Lost(1006)
        self.socket.transport.abort()

    async def close(self) -> None:
        await self.socket.close()
        await asyncio.gather(self.reader, return_exceptions=True)


class Client:
    """One client of one SDK: what all of them do alike."""

    SDK = ""
    UA = ""
    BITMAP: int | None = None
    SUBPROTOCOL = "lc.protobuf2.3"
    FIRST = 1
    SECONDS = UPPER = False
    #: Whether it keeps a client that came back in vain, until it is told that the session is closed.
    STAYS = False

    #: Every client that was opened, until `close_all`.
    living: list[Client] = []

    def __init__(self, app: App, name: str, *, tag: str | None = None, device: str | None = None,
                 subprotocol: str | None = None) -> None:
        self.app, self.name, self.tag = app, name, tag
        self.device = device or f"device-of-{name}-{self.SDK}"
        self.subprotocol = subprotocol or self.SUBPROTOCOL
        self.socket: Socket
        self.serial = self.FIRST - 1
        self.st: str | None = None
        self.server_ts: int | None = None
        self.last_unread: int | None = None
        self.last_patch: int | None = None
        #: Messages, each once: what the app gets. `arrivals` has what came over the wire.
        self.received: list[Any] = []
        self.arrivals: list[Any] = []
        self.seen: set[str] = set()
        #: `conv`, `rcp`, `patch`, `blacklist` pushes.
        self.notices: list[Any] = []
        self.unread: dict[str, Any] = {}
        self.unreads: list[Any] = []
        self.ended: Any = None
        #: Whether it says what it got.
        self.acknowledging = True
        self.requests: dict[int, Any] = {}
        self.unacknowledged: dict[str, list[Any]] = {}

    # MARK: session

    @classmethod
    async def open(cls, app: App, name: str, *, socket: Socket | None = None, again: bool = False,
                   session: dict[str, Any] | None = None, **options: Any) -> Any:
        """A client that is signed in. `session` changes what it says of itself; `again` is how it comes back."""
        client = cls(app, name, **options)
        await client.connect(socket)
        await client.sign_in(again, session)
        return client

    async def connect(self, socket: Socket | None = None) -> None:
        self.socket = socket or await Socket.dial(await self.address(), self.subprotocol)
        Client.living.append(self)
        await self.connected()

    async def address(self) -> str:
        """Where to: most ask the router first."""
        answer = await self.app.route(f"appId={self.app.id}&secure=1")
        for key in ("server", "secondary"):
            if not isinstance(answer.get(key), str):
                complaints.append(f"{self.SDK}: the router's {key} is {answer.get(key)!r}")
        if not isinstance(answer.get("ttl"), int):
            complaints.append(f"{self.SDK}: the router's ttl is {answer.get('ttl')!r}")
        return answer["server"]

    async def connected(self) -> None:
        """What the SDK does before it signs anybody in."""

    def introduction(self, again: bool) -> dict[str, Any]:
        """`sessionMessage` of an opening."""
        raise NotImplementedError

    async def sign_in(self, again: bool = False, changes: dict[str, Any] | None = None) -> Any:
        shared = self.socket.clients
        body = {**self.introduction(again), **(changes or {})}
        # Pushes may come right behind the answer, in the same read.
        shared[self.name] = self
        self.socket.first = self.socket.first or self
        try:
            answer = await self.ask("session", "open", appId=self.app.id, peerId=self.name, sessionMessage=body)
        except BaseException:
            if not (again and self.STAYS):
                self.gone()
            raise
        self.opened(answer)
        return answer

    def opened(self, answer: Any) -> None:
        if name_of(answer) == "session/closed":
            self.gone()
            raise Refused(answer, answer.sessionMessage.code, answer.sessionMessage.reason, "")
        if name_of(answer) != "session/opened":
            complaints.append(f"{self.SDK}: an opening was answered with {brief(answer)}")
        for field in ("peerId", "serverTs"):
            if not answer.HasField(field):
                complaints.append(f"{self.SDK}: opened has no {field}: {brief(answer)}")
        if not answer.sessionMessage.HasField("st"):
            complaints.append(f"{self.SDK}: opened has no st: {brief(answer)}")
        elif not answer.sessionMessage.HasField("stTtl"):
            complaints.append(f"{self.SDK}: opened has st without stTtl: {brief(answer)}")
        self.st = answer.sessionMessage.st or self.st
        self.server_ts = answer.serverTs
        self.ended = None

    async def reconnect(self, socket: Socket | None = None) -> Any:
        """Comes back as the SDK does after its connection broke."""
        self.socket = socket or await Socket.dial(await self.address(), self.subprotocol)
        await self.connected()
        return await self.sign_in(again=True)

    async def close(self) -> Any:
        answer = await self.ask("session", "close", sessionMessage=self.farewell())
        if name_of(answer) != "session/closed" or answer.sessionMessage.HasField("code"):
            complaints.append(f"{self.SDK}: a closing was answered with {brief(answer)}")
        self.gone()
        return answer

    def farewell(self) -> dict[str, Any] | None:
        return {}

    def gone(self) -> None:
        if self.socket.clients.get(self.name) is self:
            del self.socket.clients[self.name]
        if self.socket.first is self:
            self.socket.first = next(iter(self.socket.clients.values()), None)

    def abort(self) -> None:
        self.socket.abort()

    async def beat(self) -> None:
        """Says that it lives, and waits until the server does."""
        raise NotImplementedError

    @staticmethod
    async def close_all() -> None:
        living, Client.living = Client.living, []
        for client in living:
            if client.socket.closed is None:
                await client.socket.close()

    # MARK: requests

    async def ask(self, cmd: str, op: str | None = None, **fields: Any) -> Any:
        """The answer to a command. Raises `Refused`, or `Lost` when the connection ends first."""
        future = await self.begin(cmd, op, **fields)
        try:
            async with asyncio.timeout(PATIENCE):
                answer = await future
        except TimeoutError:
            raise HouseError(f"{self.SDK}: no answer to {cmd}/{op} {fields}") from None
        if answer.HasField("errorMessage") or answer.cmd == CMD["error"]:
            error = answer.errorMessage
            raise Refused(answer, error.code, error.reason, error.detail)
        # JavaScript asks whether it is there, the others too: 0 is a failure.
        if answer.cmd == CMD["ack"] and answer.ackMessage.HasField("code"):
            raise Refused(answer, answer.ackMessage.code, answer.ackMessage.reason, "")
        return answer

    async def begin(self, cmd: str, op: str | None = None, **fields: Any) -> asyncio.Future[Any]:
        """Writes a command; its answer comes in the future."""
        if self.socket.closed:
            raise self.socket.closed
        self.serial += 1
        # Clients that share a socket share its numbers.
        while self.serial in self.socket.pending:
            self.serial += 1
        made = command(cmd, op, i=self.serial, **{**self.addressed(cmd), **fields})
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Nobody may be waiting any more when the connection ends.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.socket.pending[self.serial] = (future, self)
        self.requests[self.serial] = made
        await self.socket.write(made)
        return future

    async def tell(self, cmd: str, op: str | None = None, **fields: Any) -> None:
        """A command that nobody answers."""
        await self.socket.write(command(cmd, op, **{**self.addressed(cmd), **fields}))

    def addressed(self, cmd: str) -> dict[str, Any]:
        """Who speaks, as the SDK says it after its opening."""
        return {"peerId": self.name}

    @property
    def is_alone(self) -> bool:
        """Whether no other client shares the socket."""
        return len(self.socket.clients) < 2

    async def until(self, condition: Callable[[], Any], what: str = "") -> None:
        await self.socket.until(condition, f"{self.SDK} {self.name}: {what}")

    # MARK: what comes

    def complain(self, what: str, message: Any) -> None:
        complaints.append(f"{self.SDK} {self.name}: {what}: {brief(message)[:1000]}")

    def examine_answer(self, message: Any) -> None:
        request = self.requests.pop(message.i)
        is_echo = message.cmd == CMD["echo"]
        if not is_echo and request.cmd != CMD["login"]:
            if message.HasField("peerId") and message.peerId != self.name:
                self.complain("an answer for somebody else", message)
            if len(self.socket.clients) > 1 and not message.HasField("peerId"):
                self.complain("several clients on one socket, and the answer names none", message)
            if message.service != 2:
                self.complain("an answer without service", message)
        if message.cmd == CMD["error"]:
            return self.examine_error(message, message.errorMessage)
        if message.cmd == CMD["ack"]:
            return self.examine_ack(message)
        if message.cmd == CMD["logs"]:
            times = [item.timestamp for item in message.logsMessage.logs]
            if times != sorted(times):
                self.complain("history that does not ascend", message)
            for item in message.logsMessage.logs:
                if not (item.msgId and item.HasField("from") and item.HasField("data") and item.timestamp):
                    self.complain("an incomplete item of the history", item)
                if item.bin:
                    base64.b64decode(item.data, validate=True)
        if message.cmd == CMD["conv"]:
            self.examine_conversation_answer(message, request)
        if message.cmd == CMD["patch"] and not message.patchMessage.HasField("lastPatchTime"):
            self.complain("modified has no lastPatchTime", message)

    def examine_error(self, message: Any, error: Any) -> None:
        if not message.HasField("errorMessage") and error is message.errorMessage:
            self.complain("an error without a body", message)
        if REASONS.get(str(error.code)) != error.reason:
            self.complain("an error whose reason is not its constant", message)

    def examine_ack(self, message: Any) -> None:
        ack = message.ackMessage
        if ack.HasField("code"):
            if REASONS.get(str(ack.code)) != ack.reason:
                self.complain("a refusal whose reason is not its constant", message)
        elif not (ack.uid and ack.HasField("t")):
            self.complain("an acknowledgement without uid and t", message)

    def examine_conversation_answer(self, message: Any, request: Any) -> None:
        body, what = message.convMessage, name_of(message)
        for field in ("cdate", "udate"):
            if body.HasField(field) and not MOMENT.fullmatch(getattr(body, field)):
                self.complain(f"{field} is no moment", message)
        needed = {"conv/started": ("cid", "cdate"), "conv/updated": ("cid", "udate"), "conv/added": ("udate",),
                  "conv/removed": ("udate",), "conv/results": ("results",)}
        for field in needed.get(what, ()):
            if not body.HasField(field):
                self.complain(f"{what} without {field}", message)
        if name_of(request) == "conv/update" and not body.HasField("attrModified"):
            self.complain("an update's answer without attrModified", message)
        if what == "conv/results":
            self.examine_rows(message)

    def examine_rows(self, message: Any) -> None:
        for row in json.loads(message.convMessage.results.data):
            moment = row.get("lm")
            if moment is not None and not (isinstance(moment, dict) and moment.get("__type") == "Date"
                                           and MOMENT.fullmatch(moment.get("iso", ""))):
                self.complain(f"lm is {moment!r}", message)
            for field in ("createdAt", "updatedAt"):
                if not MOMENT.fullmatch(row.get(field) or ""):
                    self.complain(f"{field} is {row.get(field)!r}", message)
            if "msg" in row and not isinstance(row.get("bin"), bool):
                self.complain("msg without bin", message)
            if "objectId" not in row:
                self.complain("a row without objectId", message)

    def examine_push(self, message: Any) -> None:
        what = name_of(message)
        if message.cmd == CMD["error"]:
            self.examine_error(message, message.errorMessage)
        elif message.service != 2:
            self.complain("a push without service", message)
        if message.cmd in (CMD["conv"], CMD["rcp"]) and not message.HasField("serverTs"):
            self.complain("a push without serverTs", message)
        if message.cmd == CMD["direct"]:
            self.examine_direct(message)
        elif message.cmd == CMD["conv"]:
            self.examine_notice(message, what)
        elif message.cmd == CMD["rcp"]:
            body = message.rcpMessage
            if not (body.id and body.cid and body.HasField("t") and body.HasField("from")):
                self.complain("an incomplete receipt", message)
            # Java takes the mere presence for "read".
            if body.HasField("read") and not body.read:
                self.complain("a receipt that says read=false", message)
        elif message.cmd == CMD["unread"]:
            if not message.unreadMessage.HasField("notifTime"):
                self.complain("unread without notifTime", message)
            for part in message.unreadMessage.convs:
                if part.unread > 0 and not (part.mid and part.HasField("timestamp") and part.HasField("from")
                                            and (part.HasField("data") or part.HasField("binaryMsg"))):
                    self.complain("unread without the last message", message)
        elif message.cmd == CMD["patch"]:
            if not message.patchMessage.HasField("lastPatchTime"):
                self.complain("a change without lastPatchTime", message)
            for part in message.patchMessage.patches:
                if not (part.cid and part.mid and part.HasField("timestamp") and part.HasField("patchTimestamp")
                        and part.HasField("from") and (part.HasField("data") or part.HasField("binaryMsg"))):
                    self.complain("an incomplete change", message)
                elif part.recall and json.loads(part.data).get("_lctype") != -127:
                    self.complain("a message is taken back and its type is not -127", message)

    def examine_direct(self, message: Any) -> None:
        body = message.directMessage
        for field in ("id", "cid", "timestamp", "fromPeerId", "convType"):
            if not body.HasField(field):
                self.complain(f"a message without {field}", message)
        if body.HasField("msg") == body.HasField("binaryMsg"):
            self.complain("a message with both or none of msg and binaryMsg", message)

    def examine_notice(self, message: Any, what: str) -> None:
        body, op = message.convMessage, what.removeprefix("conv/")
        needed: dict[str, tuple[str, ...]] = {
            "joined": ("initBy", "udate"), "left": ("initBy", "udate"), "members_joined": ("initBy", "udate", "m"),
            "members_left": ("initBy", "udate", "m"), "updated": ("initBy", "udate", "attr", "attrModified"),
            "shutuped": ("initBy",), "unshutuped": ("initBy",), "members_shutuped": ("initBy", "m"),
            "members_unshutuped": ("initBy", "m"), "blocked": ("initBy",), "unblocked": ("initBy",),
            "members_blocked": ("initBy", "m"), "members_unblocked": ("initBy", "m"),
            "member_info_changed": ("initBy", "info")}
        if op not in needed:
            return self.complain("a notice of an unknown kind", message)
        for field in ("cid", *needed[op]):
            if not (body.m if field == "m" else body.HasField(field)):
                self.complain(f"{op} without {field}", message)
        if body.HasField("udate") and not MOMENT.fullmatch(body.udate):
            self.complain("udate is no moment", message)
        if body.HasField("attrModified"):
            changed = json.loads(body.attrModified.data)
            if not isinstance(changed, dict) or any("." in key for key in changed):
                self.complain("attrModified is no nested object", message)
        if body.cid.startswith("_tmp:") and op in MEMBERSHIP and not body.tempConv:
            # Java looks for it.
            self.complain(f"{op} of a temporary conversation does not say so", message)

    def take(self, message: Any) -> None:
        """What the SDK does with a push."""
        if message.cmd == CMD["direct"]:
            body = message.directMessage
            self.arrivals.append(body)
            if body.id not in self.seen:
                self.seen.add(body.id)
                self.received.append(body)
            if self.acknowledging and not body.transient and body.convType != ROOM:
                self.unacknowledged.setdefault(body.cid, []).append(body)
                if sum(map(len, self.unacknowledged.values())) == 1:
                    asyncio.get_running_loop().call_soon(self.acknowledge_later)
        elif message.cmd == CMD["unread"]:
            self.unreads.append(message)
            self.last_unread = max(self.last_unread or 0, message.unreadMessage.notifTime)
            for part in message.unreadMessage.convs:
                self.unread[part.cid] = part
        elif message.cmd == CMD["session"] and name_of(message) == "session/closed":
            self.ended = message.sessionMessage
            self.gone()
        else:
            if message.cmd == CMD["patch"]:
                self.last_patch = max(self.last_patch or 0, message.patchMessage.lastPatchTime)
            self.notices.append(message)

    def acknowledge_later(self) -> None:
        self.acknowledging_task = asyncio.create_task(self.acknowledge())

    async def acknowledge(self) -> None:
        waiting, self.unacknowledged = self.unacknowledged, {}
        try:
            for cid, messages in waiting.items():
                for body in self.acknowledgements(cid, messages):
                    await self.tell("ack", ackMessage=body)
        except Lost:
            pass

    def acknowledgements(self, cid: str, messages: list[Any]) -> Iterable[dict[str, Any]]:
        return [{"cid": cid, "mid": message.id} for message in messages]

    # MARK: conversations

    def listed(self, members: Iterable[str]) -> list[str]:
        """The members of a new conversation, as the SDK sends them."""
        members = list(members)
        return members if self.name in members else [*members, self.name]

    def signed_members(self, members: list[str], sent: list[str]) -> list[str]:
        """Of whom the app is asked for a signature: those it named, or those that are sent."""
        return sent

    def card(self, name: str | None, attributes: dict[str, Any] | None) -> dict[str, Any]:
        """The columns of a new conversation: most have one column `attr` for what the app adds."""
        return {**({"name": name} if name is not None else {}), **({"attr": attributes} if attributes else {})}

    def sign(self, *fields: str, action: str = "") -> dict[str, Any]:
        return self.app.signed(*fields, seconds=self.SECONDS, upper=self.UPPER, action=action)

    async def start(self, *members: str, unique: bool | None = False, room: bool = False,
                    temporary: int | None = None, name: str | None = None,
                    attributes: dict[str, Any] | None = None) -> Any:
        """The body of the answer; its `cid` is the conversation. `unique` is what the app says, `None` for nothing."""
        people = self.listed(members) if members or not room else self.in_room()
        body: dict[str, Any] = {"m": people, **self.switches(unique, room, temporary)}
        card = self.card(name, attributes)
        if card:
            body["attr"] = {"data": json.dumps(card, ensure_ascii=False)}
        if temporary is None or self.SIGNS_TEMPORARY:
            body |= self.sign(self.name, ":".join(sorted(self.signed_members(list(members), people), key=str.encode)))
        return (await self.ask("conv", "start", convMessage=body)).convMessage

    #: Whether it asks for a signature for temporary conversations too.
    SIGNS_TEMPORARY = True

    def in_room(self) -> list[str]:
        """The members of a new chat room."""
        return []

    def switches(self, unique: bool | None, room: bool, temporary: int | None) -> dict[str, Any]:
        """What kind of conversation is wanted, as the SDK words it: what is true, and unique unless told otherwise."""
        if room:
            return {"transient": True}
        if temporary is not None:
            return {"tempConv": True, **({"tempConvTTL": temporary} if temporary > 0 else {})}
        return {} if unique is False else {"unique": True}

    async def people(self, op: str, cid: str, *members: str, action: str | None) -> Any:
        body: dict[str, Any] = {"cid": cid, "m": list(members)}
        if action is not None:
            body |= self.sign(self.name, cid, ":".join(sorted(members, key=str.encode)), action=action)
        return (await self.ask("conv", op, convMessage=body)).convMessage

    async def add(self, cid: str, *members: str) -> Any:
        return await self.people("add", cid, *members, action="invite")

    async def join(self, cid: str) -> Any:
        return await self.add(cid, self.name)

    async def remove(self, cid: str, *members: str) -> Any:
        return await self.people("remove", cid, *members, action="kick")

    async def quit(self, cid: str) -> Any:
        return await self.remove(cid, self.name)

    async def conv(self, op: str, cid: str | None = None, **body: Any) -> Any:
        """Any other request about conversations; the body of its answer."""
        return (await self.ask("conv", op, convMessage={"cid": cid, **body})).convMessage

    async def update(self, cid: str, **columns: Any) -> Any:
        return await self.conv("update", cid, attr={"data": json.dumps(columns, ensure_ascii=False)})

    async def query(self, where: Any = None, **options: Any) -> list[dict[str, Any]]:
        body = dict(options)
        if where is not None:
            body["where"] = {"data": where if isinstance(where, str) else json.dumps(where)}
        answer = await self.conv("query", **body)
        return json.loads(answer.results.data)

    async def blacklist(self, op: str, cid: str, *members: str, action: str | None = None, **body: Any) -> Any:
        signature = {}
        if action:
            signature = self.sign(self.name, cid, ":".join(sorted(members, key=str.encode)), action=action)
        answer = await self.ask("blacklist", op, blacklistMessage={
            "srcCid": cid, "toPids": list(members), **signature, **body})
        return answer.blacklistMessage

    # MARK: messages

    async def send(self, cid: str, content: str | bytes, *, priority: int | None = None, **body: Any) -> Any:
        """The acknowledgement, whose `uid` is the message's id."""
        return (await (await self.sending(cid, content, priority=priority, **body))()).ackMessage

    async def sending(self, cid: str, content: str | bytes, *, priority: int | None = None,
                      **body: Any) -> Callable[[], Any]:
        """Writes a message; what is returned waits for the answer."""
        part = {"binaryMsg": content} if isinstance(content, bytes) else {"msg": content}
        future = await self.begin("direct", priority=priority,
                                  directMessage={**part, "cid": cid, **self.said_of_messages(), **body})

        async def answered() -> Any:
            async with asyncio.timeout(PATIENCE):
                answer = await future
            if answer.HasField("errorMessage"):
                error = answer.errorMessage
                raise Refused(answer, error.code, error.reason, error.detail)
            if answer.ackMessage.HasField("code"):
                raise Refused(answer, answer.ackMessage.code, answer.ackMessage.reason, "")
            return answer
        return answered

    def said_of_messages(self) -> dict[str, Any]:
        return {}

    async def logs(self, cid: str, limit: int | None = 20, **body: Any) -> list[Any]:
        answer = await self.ask("logs", logsMessage={"cid": cid, "limit": limit, **body})
        return list(answer.logsMessage.logs)

    async def read(self, cid: str, message: Any = None) -> None:
        part = {"cid": cid}
        if message is not None:
            part |= {"mid": message.id, "timestamp": message.timestamp}
        await self.tell("read", readMessage={"convs": [part]})

    async def edit(self, cid: str, id: str, timestamp: int, content: str) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": False, "data": content})

    async def recall(self, cid: str, id: str, timestamp: int) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": True,
                                 "data": json.dumps({"_lctype": -127})})

    async def patch(self, item: dict[str, Any]) -> Any:
        return (await self.ask("patch", "modify", patchMessage={"patches": [item]})).patchMessage

    # MARK: for tests

    def said(self, cid: str | None = None) -> list[Any]:
        """What the app shows: words of texts, bytes of binary messages."""
        return [words(body) for body in self.received if cid is None or body.cid == cid]

    def noticed(self, *ops: str, cid: str | None = None) -> list[Any]:
        """`conv` pushes of these operations."""
        return [message.convMessage for message in self.notices if name_of(message).removeprefix("conv/") in ops
                and (cid is None or message.convMessage.cid == cid)]


def words(body: Any) -> Any:
    """The text of a message, or its bytes, or its content as it is."""
    if body.HasField("binaryMsg"):
        return body.binaryMsg
    return shown(body.msg)


def shown(content: str) -> str:
    try:
        return json.loads(content)["_lctext"]
    except (ValueError, KeyError, TypeError):
        return content


class JavaScript(Client):
    """JavaScript SDK 5: one socket for all clients, bounds of acknowledgements, tokens to come back with.

    Source: `src/im-client.js`, `src/conversations/conversation-base.js`.
    """

    SDK = "JavaScript"
    UA = "js/5.0.0-rc.8"
    BITMAP = 187
    STAYS = True

    async def address(self) -> str:
        answer = await self.app.route(f"appId={self.app.id}&secure=false&_t={int(time.time() * 1000)}")
        if not (isinstance(answer.get("server"), str) and isinstance(answer.get("ttl"), int)):
            complaints.append(f"JavaScript: the router said {answer}")
        return answer["server"]

    def introduction(self, again: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"ua": self.UA, "r": again, "configBitmap": self.BITMAP,
                                "lastPatchTime": self.last_patch or int(time.time() * 1000),
                                "lastUnreadNotifTime": self.last_unread}
        # Coming back it has its token, or nothing, and no longer says what device it is.
        if again:
            return {**body, "st": self.st}
        return {**body, "tag": self.tag, "deviceId": self.device, **self.sign(self.name, "")}

    def addressed(self, cmd: str) -> dict[str, Any]:
        return {} if self.is_alone else {"peerId": self.name}

    def acknowledgements(self, cid: str, messages: list[Any]) -> Iterable[dict[str, Any]]:
        times = [message.timestamp for message in messages]
        return [{"cid": cid, "fromts": min(times), "tots": max(times)}]

    def listed(self, members: Iterable[str]) -> list[str]:
        return sorted({*members, self.name})

    def in_room(self) -> list[str]:
        return [self.name]

    def switches(self, unique: bool | None, room: bool, temporary: int | None) -> dict[str, Any]:
        if room:
            return {"transient": True, "unique": False}
        if temporary is not None:
            return {"unique": True, "tempConv": True, "tempConvTTL": temporary}
        return {"unique": unique is not False}

    def card(self, name: str | None, attributes: dict[str, Any] | None) -> dict[str, Any]:
        # Columns of its own, and none around them.
        return {**({"name": name} if name is not None else {}), **(attributes or {})}

    async def beat(self) -> None:
        answer = await self.ask("echo", peerId=None)
        if answer.cmd != CMD["echo"]:
            self.complain("an echo was answered with something else", answer)

    async def logs(self, cid: str, limit: int | None = 20, **body: Any) -> list[Any]:
        answer = await self.ask("logs", logsMessage={"cid": cid, "l": limit, **body})
        return list(answer.logsMessage.logs)

    async def recall(self, cid: str, id: str, timestamp: int) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": True})


class JavaScript4(JavaScript):
    """JavaScript SDK 4: says of temporary conversations and rooms that they are not unique, of others what the app does."""

    SDK = "JavaScript 4"
    UA = "js/4.3.1"
    BITMAP = 59

    def addressed(self, cmd: str) -> dict[str, Any]:
        return {"peerId": self.name}

    def switches(self, unique: bool | None, room: bool, temporary: int | None) -> dict[str, Any]:
        if room:
            return {"transient": True, "unique": False}
        if temporary is not None:
            return {"transient": False, "unique": False, "tempConv": True, "tempConvTTL": temporary}
        return {"unique": unique}


class Swift(Client):
    """Swift SDK: pings of the WebSocket, device tokens, drops every push that is not for messaging.

    Source: `Sources/RTM/IMClient.swift`, `RTMConnection.swift`.
    """

    SDK = "Swift"
    UA = "LeanCloud-Swift-SDK/17.11.0"
    BITMAP = 187
    SIGNS_TEMPORARY = False

    async def connected(self) -> None:
        await self.beat()

    def introduction(self, again: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"ua": self.UA, "configBitmap": self.BITMAP, "deviceToken": self.device, "tag": self.tag,
                                "lastUnreadNotifTime": self.last_unread, "lastPatchTime": self.last_patch}
        if again:
            body["r"] = True
        if again and self.st:
            return {**body, "st": self.st}
        return {**body, **self.sign(self.name, "")}

    def take(self, message: Any) -> None:
        if message.HasField("service") and message.service == 2:
            super().take(message)

    async def recall(self, cid: str, id: str, timestamp: int) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "data": json.dumps({"_lctype": -127})})

    async def edit(self, cid: str, id: str, timestamp: int, content: str) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "data": content})

    async def beat(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await (await self.socket.socket.ping())


class ObjectiveC(Swift):
    """Objective-C SDK: as Swift, but names itself only where it shares the socket, signs all it makes, and says no times
    that it does not have.

    Source: `AVOS/Sources/Realtime/IM/Client/LCIMClient.m`, `Connection/LCRTMConnection.m`.
    """

    SDK = "Objective-C"
    UA = "LeanCloud-Objc-SDK/14.0.0"
    BITMAP = 171
    SIGNS_TEMPORARY = True

    def addressed(self, cmd: str) -> dict[str, Any]:
        return {} if self.is_alone else {"peerId": self.name}

    async def recall(self, cid: str, id: str, timestamp: int) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": True,
                                 "data": json.dumps({"_lctype": -127})})


class Java(Client):
    """Java and Android SDK: announces its device first, counts requests from -65536, comes back without a number.

    Source: `command/*Packet.java`, `session/LCSession.java`, `session/LCDefaultConnectionListener.java`.
    """

    SDK = "Java"
    UA = "LeanCloud-Java-SDK/8.2.28"
    BITMAP = 175
    FIRST = -65536
    UPPER = True

    async def connected(self) -> None:
        await self.socket.write(command("login", appId=self.app.id, installationId=self.device))
        await self.socket.until(lambda: self.socket.closed or any(
            message.cmd == CMD["loggedin"] for message in self.socket.stray), "loggedin")
        if self.socket.closed:
            raise self.socket.closed

    def introduction(self, again: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"ua": self.UA, "configBitmap": self.BITMAP, "deviceId": self.device, "tag": self.tag,
                                "lastUnreadNotifTime": self.last_unread, "lastPatchTime": self.last_patch}
        if again:
            body["r"] = True
        if again and self.st:
            return {**body, "st": self.st}
        return {**body, **self.sign(self.name, "")}

    async def sign_in(self, again: bool = False, changes: dict[str, Any] | None = None) -> Any:
        if not (again and self.st):
            return await super().sign_in(again, changes)
        # With its token it asks without a number, and takes the answer for a push.
        self.reopened = None
        self.socket.clients[self.name] = self
        self.socket.first = self.socket.first or self
        await self.socket.write(command("session", "open", appId=self.app.id, peerId=self.name,
                                        installationId=self.device,
                                        sessionMessage={**self.introduction(again), **(changes or {})}))
        await self.until(lambda: self.reopened or self.socket.closed, "the answer to an opening without a number")
        if self.socket.closed:
            raise self.socket.closed
        answer, self.reopened = self.reopened, None
        if answer.cmd == CMD["error"]:
            self.gone()
            self.st = None
            # What the SDK does of itself here is for the check to do: it would sign, and open again.
            raise Refused(answer, answer.errorMessage.code, answer.errorMessage.reason, answer.errorMessage.detail)
        self.opened(answer)
        return answer

    #: The answer to an opening that had no number.
    reopened: Any = None

    def take(self, message: Any) -> None:
        if name_of(message) == "session/opened" or message.cmd == CMD["error"]:
            self.reopened = message
            return
        if name_of(message) == "session/closed":
            # Another device has the tag: that ends the session, and the waiting.
            self.reopened = message
        super().take(message)

    def addressed(self, cmd: str) -> dict[str, Any]:
        # Some packets name the client always, those of messages only beside others.
        named = not self.is_alone or cmd in ("conv", "blacklist", "session", "ack", "read")
        return {"peerId": self.name} if named else {}

    def in_room(self) -> list[str]:
        return [self.name]

    def signed_members(self, members: list[str], sent: list[str]) -> list[str]:
        return sent

    def switches(self, unique: bool | None, room: bool, temporary: int | None) -> dict[str, Any]:
        if temporary is not None:
            return {"unique": True, "tempConv": True, "tempConvTTL": temporary}
        return super().switches(unique, room, temporary)

    async def logs(self, cid: str, limit: int | None = 20, **body: Any) -> list[Any]:
        answer = await self.ask("logs", logsMessage={"cid": cid, "limit": limit, "direction": 1, "tIncluded": False,
                                                     "ttIncluded": False, **body})
        return list(answer.logsMessage.logs)

    async def edit(self, cid: str, id: str, timestamp: int, content: str) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": False, "mentionAll": False,
                                 "data": content})

    async def recall(self, cid: str, id: str, timestamp: int) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": True, "mentionAll": False})

    def farewell(self) -> dict[str, Any] | None:
        return {"deviceId": self.device}

    async def quit(self, cid: str) -> Any:
        return await self.people("remove", cid, self.name, action=None)

    async def read(self, cid: str, message: Any = None) -> None:
        self.serial += 1
        part = {"cid": cid}
        if message is not None:
            part |= {"mid": message.id, "timestamp": message.timestamp}
        await self.tell("read", i=self.serial, readMessage={"convs": [part]})

    async def beat(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await (await self.socket.socket.ping())


class CSharp(Client):
    """C# SDK: times in seconds, leaves itself out of new conversations, comes back with nothing but who it is.

    Source: `Internal/Controller/LCIM*Controller.cs`, `Internal/Connection/LCConnection.cs`.
    """

    SDK = "C#"
    UA = "LeanCloud-CSharp-SDK/2.4.1"
    BITMAP = 171
    SECONDS = True

    def introduction(self, again: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"tag": self.tag, "deviceId": self.device, "r": again, **self.sign(self.name, "")}
        return body if again else {"ua": self.UA, "configBitmap": self.BITMAP, **body}

    def listed(self, members: Iterable[str]) -> list[str]:
        return [member for member in members if member != self.name]

    def farewell(self) -> dict[str, Any] | None:
        return None

    def signed_members(self, members: list[str], sent: list[str]) -> list[str]:
        return members

    def addressed(self, cmd: str) -> dict[str, Any]:
        return {"appId": self.app.id, "peerId": self.name}

    def switches(self, unique: bool | None, room: bool, temporary: int | None) -> dict[str, Any]:
        whole = room or temporary is not None
        return {"transient": room, "unique": whole or unique is not False,
                **({"tempConv": True, "tempConvTTL": temporary} if temporary is not None else {})}

    def said_of_messages(self) -> dict[str, Any]:
        return {"fromPeerId": self.name}

    def examine_rows(self, message: Any) -> None:
        super().examine_rows(message)
        for row in json.loads(message.convMessage.results.data):
            if row.get("temp") and "tempConvTTL" not in row:
                self.complain("a temporary row without tempConvTTL", message)

    async def logs(self, cid: str, limit: int | None = 20, **body: Any) -> list[Any]:
        answer = await self.ask("logs", "open", logsMessage={"cid": cid, "limit": limit, "direction": 1, **body})
        return list(answer.logsMessage.logs)

    async def recall(self, cid: str, id: str, timestamp: int) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": True, "from": self.name,
                                 "patchTimestamp": int(time.time() * 1000)})

    async def edit(self, cid: str, id: str, timestamp: int, content: str) -> Any:
        return await self.patch({"cid": cid, "mid": id, "timestamp": timestamp, "recall": False, "data": content,
                                 "from": self.name, "patchTimestamp": int(time.time() * 1000)})

    def examine_ack(self, message: Any) -> None:
        super().examine_ack(message)
        # Older versions take a message for sent whose acknowledgement has a code.
        if message.ackMessage.HasField("code"):
            self.complain("a refusal as an acknowledgement", message)

    async def beat(self) -> None:
        def echoes() -> list[Any]:
            return [message for message in self.socket.stray if message.cmd == CMD["echo"]]
        before = len(echoes())
        await self.socket.write(command("echo", appId=self.app.id, peerId=self.app.id))
        await self.until(lambda: len(echoes()) > before, "an echo without a number")
        if echoes()[-1].HasField("i"):
            self.complain("an echo with a number that nobody gave", echoes()[-1])


SDKS: tuple[type[Client], ...] = (JavaScript, Swift, Java, CSharp)
#: With those that differ from one of them in what they make.
ALL_SDKS: tuple[type[Client], ...] = (*SDKS, JavaScript4, ObjectiveC)
