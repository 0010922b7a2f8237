"""A teahouse under test: starts and stops the server, runs `ctl`, speaks the JSON door, reads what is stored.

Nothing here shares code with the server: what these tests see is what a stranger's client sees.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import base64
import ctypes
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, NoReturn

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

APP, WEB, DESKTOP = 0, 1, 2
PERSON, GROUP = 1, 2
SUCCESS, AUTH_FAIL, NOT_MEMBER, BLOCKED, KICKED, NOT_ALLOWED, BANNED, RATE_LIMIT = 1, 2, 3, 4, 12, 13, 19, 22

#: Seconds any single step may take before the test calls it a failure.
PATIENCE = float(os.environ.get("TEAHOUSE_TEST_PATIENCE", "60"))

# asyncio warns of writes to a connection whose server was just killed: here that is the purpose.
logging.getLogger("asyncio").setLevel(logging.ERROR)

#: What the server runs with unless a test says otherwise: nobody is slowed down, and the ballast is small.
CONFIGURATION = """
[limits]
messages_per_second_per_user = 1000000
message_burst_per_user = 1000000
messages_per_second_per_conversation = 1000000
message_burst_per_conversation = 1000000
[store]
ballast_bytes = 1048576
"""


class HouseError(Exception):
    """The server or `ctl` did something a test cannot go on from."""


# MARK: processes and folders, cleaned up however the script ends

_children: set[subprocess.Popen[Any]] = set()
_folders: set[Path] = set()


def _die_with_parent() -> None:
    """A child outlives nobody: the kernel kills it when the thread that started it is gone."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _clean_up() -> None:
    for child in list(_children):
        if child.poll() is None:
            child.kill()
            child.wait()
    for folder in list(_folders):
        shutil.rmtree(folder, ignore_errors=True)


atexit.register(_clean_up)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def temporary_folder(prefix: str, where: str | None = None) -> Path:
    """A folder that is gone when the script ends."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=where))
    _folders.add(folder)
    return folder


def spawn(arguments: list[str], **options: Any) -> subprocess.Popen[Any]:
    """A child process that ends with the script."""
    child = subprocess.Popen(arguments, preexec_fn=_die_with_parent, **options)
    _children.add(child)
    return child


class House:
    """One data folder and the server that runs on it."""

    def __init__(self, binary: str, *, config: str = CONFIGURATION, environment: dict[str, str] | None = None,
                 server: list[str] | None = None, folder: Path | None = None) -> None:
        """`server` is what runs in place of `binary serve`; `binary` still answers `ctl` and `verify`."""
        self.binary = str(Path(binary).resolve())
        self.server = server or [self.binary, "serve"]
        self.top = folder or temporary_folder("teahouse-test-")
        self.data = self.top / "data"
        self.log = self.top / "server.log"
        self.environment = environment or {}
        self.host, self.port = "127.0.0.1", 0
        self.process: subprocess.Popen[Any] | None = None
        self.config = self.top / "teahouse.toml"
        self.config.write_text(config)

    @property
    def url(self) -> str:
        return f"ws://{self.host}:{self.port}/"

    def start(self) -> float:
        """Starts the server, on the port it had before; returns the seconds until it was ready."""
        begun = time.monotonic()
        self._launch()
        self._await_ready()
        return time.monotonic() - begun

    async def start_async(self) -> float:
        """`start` for a script whose clients must go on meanwhile."""
        begun = time.monotonic()
        self._launch()  # by the thread that lives as long as the script: see _die_with_parent
        await asyncio.to_thread(self._await_ready)
        return time.monotonic() - begun

    def _launch(self) -> None:
        arguments = [*self.server, "--data", str(self.data), "--listen", f"{self.host}:{self.port}",
                     "--config", str(self.config)]
        with self.log.open("ab") as log:
            self.process = spawn(arguments, stdout=subprocess.PIPE, stderr=log,
                                 env={**os.environ, **self.environment})

    def _await_ready(self) -> None:
        assert self.process is not None and self.process.stdout is not None
        line = self.process.stdout.readline().decode().strip()
        if not line.startswith("teahouse ready on "):
            code = self.process.wait()
            raise HouseError(f"the server said {line!r} and ended with {code}:\n{self.log_tail()}")
        host, _, port = line.removeprefix("teahouse ready on ").rpartition(":")
        self.host, self.port = host, int(port)

    def kill(self) -> None:
        """SIGKILL: what a crash of the process looks like."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=2 * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise HouseError(f"the server did not end on {number.name}:\n{self.log_tail()}") from None
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        self.process.stdout.close()
        _children.discard(self.process)
        if rest:
            raise HouseError(f"the server wrote more than one line on standard output: {rest[:200]!r}")
        return code

    def log_tail(self, lines: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""

    def ctl(self, *arguments: str) -> str:
        """What `teahouse ctl` prints; raises with what it complained about."""
        return self._run("ctl", "--data", str(self.data), *arguments)

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=2 * PATIENCE)
        if done.returncode != 0:
            raise HouseError(f"teahouse {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def verify(self) -> str | None:
        """`None` when `teahouse verify` finds nothing, else what it printed."""
        done = subprocess.run([self.binary, "verify", "--data", str(self.data), "--json"],
                              capture_output=True, text=True, timeout=4 * PATIENCE)
        return None if done.returncode == 0 else f"exit {done.returncode}: {done.stdout}{done.stderr}".strip()[:2000]

    def add_users(self, names: Iterable[str]) -> dict[str, str]:
        """Makes users; their tokens for desktop devices by name."""
        file = self.top / "users.txt"
        file.write_text("".join(f"{name}\n" for name in names))
        printed = self.ctl("user", "import", str(file), "--device", "desktop")
        return dict(line.split("\t")[:2] for line in printed.splitlines() if "\t" in line)

    def token(self, user: str, device: str, *more: str) -> str:
        """A new sign-in token for one class of devices: `app`, `web` or `desktop`."""
        return self.ctl("user", "token", user, "--device", device, *more).split()[-1]

    def add_group(self, name: str, members: Iterable[str]) -> None:
        self.ctl("group", "create", name, "--members", ",".join(members))


# MARK: the JSON door

class Closed(Exception):
    """The connection ended; `code` is the WebSocket close code, `reason` the door's own, when it gave one."""

    def __init__(self, code: int | None, reason: int | None = None) -> None:
        super().__init__(f"closed with {code}, reason {reason}")
        self.code, self.reason = code, reason


def payload_of(content: str) -> dict[str, Any]:
    return {"type": 1, "content": content}


def encoded(payload: Any) -> str:
    """A payload as the Python, JavaScript and Flutter SDKs send it."""
    return base64.b64encode(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()).decode()


class Session:
    """One connection to the JSON door. Acknowledges what it receives, as the SDKs do."""

    #: Identities of all that was sent over these doors so far.
    sent: set[str] = set()

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: list[dict[str, Any]] = []
        self.notifications: list[dict[str, Any]] = []
        self.stray: list[Any] = []
        self.closed: Closed | None = None
        self.acknowledging = True
        self._former: frozenset[str] = frozenset()
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._next = 0
        self._changed = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def dial(cls, url: str, **options: Any) -> Session:
        """A connection that has not signed in. Raises `Closed` when nobody answers, or not as a WebSocket."""
        try:
            async with asyncio.timeout(PATIENCE):
                return cls(await connect(url, ping_interval=None, compression=None, max_size=4 << 20, proxy=None,
                                         close_timeout=2, **options))
        except (OSError, TimeoutError, WebSocketException) as error:
            raise Closed(None) from error

    @classmethod
    async def open(cls, url: str, user: str, token: str, *, device: str = "", flag: int = DESKTOP,
                   id: str | None = None) -> Session:
        session = await cls.dial(url)
        try:
            answer = await session.sign_in(user, token, device=device, flag=flag, id=id)
            if answer.get("result", {}).get("reasonCode") != SUCCESS:
                raise HouseError(f"{user} could not sign in: {answer}")
        except BaseException:
            await session.close()
            raise
        return session

    async def sign_in(self, user: str, token: str, *, device: str = "", flag: int = DESKTOP,
                      id: str | None = None) -> dict[str, Any]:
        return await self.request("connect", {
            "uid": user, "token": token, "deviceId": device or f"test-{user}", "deviceFlag": flag,
            "clientTimestamp": int(time.time() * 1000)}, id=id)

    async def request(self, method: str, params: Any = None, *, id: str | None = None) -> dict[str, Any]:
        """The whole response. Raises `Closed` when the connection ends first."""
        if id is None:
            self._next += 1
            id = f"r{self._next}"
        message: dict[str, Any] = {"id": id, "method": method}
        if params is not None:
            message["params"] = params
        return (await self.exchange(json.dumps(message, ensure_ascii=False), id))[0]

    async def exchange(self, text: str | Iterable[str], *ids: str) -> list[dict[str, Any]]:
        """Writes requests as they are, `Iterable` as fragments; the responses to `ids`, in the order they came."""
        answers: list[dict[str, Any]] = []
        futures = {id: asyncio.get_running_loop().create_future() for id in ids}
        self._answers.update(futures)
        for future in futures.values():
            future.add_done_callback(
                lambda done: None if done.cancelled() or done.exception() else answers.append(done.result()))
        try:
            if self.closed:
                raise self.closed
            try:
                await self.socket.send(text)
            except ConnectionClosed as error:
                raise self.closed or Closed(error.rcvd.code if error.rcvd else None) from None
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*futures.values())
            await asyncio.sleep(0)  # the callbacks above run after the futures are done
            return answers
        finally:
            for id in ids:
                self._answers.pop(id, None)

    async def send(self, channel: str, kind: int, payload: Any, *, token: str | None = None,
                   header: dict[str, bool] | None = None, id: str | None = None, **more: Any) -> dict[str, Any]:
        """Publishes; the `result` of the response, or its `error`."""
        params = {"channelId": channel, "channelType": kind, "payload": encoded(payload),
                  "header": {"redDot": True} if header is None else header, **more}
        if token is not None:
            params["clientMsgNo"] = token
        answer = await self.request("send", params, id=id)
        return answer.get("result") or answer["error"]

    async def until(self, condition: Callable[[], Any]) -> None:
        """Waits until `condition` holds, looking again whenever something arrives."""
        async with asyncio.timeout(PATIENCE):
            async with self._changed:
                await self._changed.wait_for(condition)

    async def next(self, count: int = 1) -> list[dict[str, Any]]:
        """The next `count` received messages, which are taken away."""
        try:
            await self.until(lambda: len(self.received) >= count or self.closed)
        except TimeoutError:
            raise HouseError(f"waited for {count} messages, got {len(self.received)}: {self.received}") from None
        if len(self.received) < count:
            raise self.closed or HouseError("the connection ended")
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def pass_over_former(self) -> None:
        """Forgets what was sent before now, whenever it comes: a device gets again what it has not acknowledged."""
        self._former = frozenset(Session.sent)
        self.received.clear()
        self.notifications.clear()

    async def quiet(self) -> None:
        """Returns once everything the server wrote before now has been read: the door answers in order."""
        await self.request("ping", {})

    async def until_closed(self) -> Closed:
        await self.until(lambda: self.closed)
        assert self.closed
        return self.closed

    async def close(self) -> None:
        await self.socket.close()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def drop(self) -> None:
        """Cuts the connection without saying goodbye."""
        self.socket.transport.abort()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        reason: int | None = None
        try:
            async for text in self.socket:
                message = json.loads(text)
                identity = (message.get("result") or message.get("params") or {}).get("messageId")
                if "id" in message and identity:
                    Session.sent.add(identity)
                if "id" in message and message["id"] in self._answers:
                    answer = self._answers[message["id"]]
                    if not answer.done():
                        answer.set_result(message)
                elif message.get("method") == "recv" and identity in self._former:
                    await self._acknowledge(message["params"])
                elif "method" in message:
                    self.notifications.append(message)
                    if message["method"] == "disconnect":
                        reason = message["params"].get("reasonCode")
                    if message["method"] == "recv":
                        await self._receive(message["params"])
                else:
                    self.stray.append(message)
                async with self._changed:
                    self._changed.notify_all()
        except ConnectionClosed:
            pass
        finally:
            self.closed = Closed(self.socket.close_code, reason)
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(self.closed)
            async with self._changed:
                self._changed.notify_all()

    async def _receive(self, params: dict[str, Any]) -> None:
        self.received.append(params)
        if self.acknowledging:
            await self._acknowledge(params)

    async def _acknowledge(self, params: dict[str, Any]) -> None:
        acknowledgement = {key: params[key] for key in ("header", "messageId", "messageSeq") if key in params}
        await self.socket.send(json.dumps({"method": "recvack", "params": acknowledgement}))


# MARK: what a script checks

class Checks:
    """Named checks, run one after the other; one that fails does not stop the next."""

    def __init__(self) -> None:
        self._checks: list[tuple[str, Callable[[], Awaitable[None]]]] = []

    def check(self, name: str) -> Callable[[Callable[[], Awaitable[None]]], Callable[[], Awaitable[None]]]:
        def add(body: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
            self._checks.append((name, body))
            return body
        return add

    async def run(self, only: str | None = None) -> int:
        """Prints a line per check and the sum; the exit code."""
        passed = failed = 0
        for name, body in self._checks:
            if only and only not in name:
                continue
            try:
                async with asyncio.timeout(4 * PATIENCE):
                    await body()
            except Exception as error:  # a failed check is a result, whatever it raised
                failed += 1
                where = traceback.extract_tb(error.__traceback__)
                line = next((f"{Path(f.filename).name}:{f.lineno}" for f in where if f.name == body.__name__), "")
                print(f"FAIL  {name} ({line}): {type(error).__name__} {error}", flush=True)
            else:
                passed += 1
                print(f"ok    {name}", flush=True)
        print(f"{passed} passed, {failed} failed", flush=True)
        return 1 if failed else 0

    async def finish(self, house: House, only: str | None = None) -> int:
        """Runs the checks, stops the server and has its folder verified; the exit code."""
        code = await self.run(only)
        equal(house.stop(), 0, "the exit code of the server")
        complaint = house.verify()
        print("ok    teahouse verify finds nothing" if complaint is None else f"FAIL  teahouse verify: {complaint}")
        return code or (1 if complaint else 0)


def run_checks(main: Callable[[argparse.Namespace], Coroutine[Any, Any, int]], description: str | None) -> NoReturn:
    """The command line of a file of checks; ends with the exit code of `main`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--only", help="run the checks whose name contains this")
    sys.exit(asyncio.run(main(parser.parse_args())))


def expect(condition: Any, what: Any = "") -> None:
    """An assertion that also stands under `python -O`."""
    if not condition:
        raise AssertionError(str(what))


def equal(actual: Any, wanted: Any, what: str = "") -> None:
    if actual != wanted:
        raise AssertionError(f"{what} is {actual!r}, not {wanted!r}".strip())
