"""A stand-in of the LeanCloud API that an app is saved from: counts, scans with cursors, history, subscribers, files.

It answers as LeanCloud's guides say (REST guide, "Iterate over objects"; realtime REST guide v2, "Query messages" and
"Subscribers"), and fails as a service on its last days may: 429, 500, connections that are cut, cursors that are gone.
"""

from __future__ import annotations

import bisect
import hashlib
import json
import random
import ssl
import sys
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

APP_ID = "standin-of-an-app-gzGzoHsz"
MASTER_KEY = "Zq7-master-key-that-nobody-may-see"
DAY = 86_400_000


def iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


def line_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Dataset:
    """What an app keeps: rows of classes, messages, contents. Made from a seed, so that a test knows all of it."""

    def __init__(self, *, people: int = 30, conversations: int = 40, messages: int = 4_000, files: int = 30,
                 odd: float = 0.0, days: int = 6, seed: int = 7) -> None:
        self.random = random.Random(seed)
        self.now = int(time.time() * 1000)
        self.begin = self.now - days * DAY
        self.classes: dict[str, dict[str, bytes]] = {}
        #: (timestamp, message id, conversation, row), sorted.
        self.messages: list[tuple[int, str, str, bytes]] = []
        #: Messages that only their own conversation tells of.
        self.apart: list[tuple[int, str, str, bytes]] = []
        self.subscribers: dict[str, list[str]] = {}
        self.contents: dict[str, bytes] = {}
        self.wrong_counts: dict[str, int] = {}
        self.odd = odd
        self.lock = threading.Lock()
        self.base = ""
        self._make_people(people)
        self._make_conversations(conversations)
        self._make_messages(messages)
        self._make_files(files)
        for role in ("admin", "moderator"):
            self.put("_Role", {"name": role, "users": {"__type": "Relation", "className": "_User"}})
        for number in range(people):
            self.put("_Installation", {"deviceType": "ios" if number % 2 else "android",
                                       "deviceToken": f"{number:064x}", "channels": [f"user{number}"]})
        for number in range(25):
            self.put("Post", {"title": f"第 {number} 篇", "score": number / 3})

    def identifier(self) -> str:
        return f"{self.random.getrandbits(96):024x}"

    def put(self, name: str, row: dict[str, Any], id: str | None = None, at: int | None = None) -> str:
        id = id or self.identifier()
        moment = at if at is not None else self.begin + self.random.randrange(DAY)
        whole = {"objectId": id, "createdAt": iso(moment), "updatedAt": iso(moment), **row}
        with self.lock:
            self.classes.setdefault(name, {})[id] = line_of(whole)
        return id

    def change(self, name: str, id: str, **fields: Any) -> None:
        with self.lock:
            row = json.loads(self.classes[name][id])
            row.update(fields, updatedAt=iso(int(time.time() * 1000)))
            self.classes[name][id] = line_of(row)

    def _make_people(self, count: int) -> None:
        self.people = [self.put("_User", {"username": f"user{number}", "nickname": f"小{number}", "emailVerified": False})
                       for number in range(count)]

    def _make_conversations(self, count: int) -> None:
        self.conversations: list[str] = []
        for number in range(count):
            members = self.random.sample(self.people, 2 + number % 5)
            row: dict[str, Any] = {"name": f"conversation {number}", "m": members, "c": members[0], "mu": members[:1],
                                   "attr": {"type": number % 2}, "unique": number % 2 == 0}
            if number % 9 == 8:
                row = {"name": f"room {number}", "tr": True, "c": members[0]}
            self.conversations.append(self.put("_Conversation", row))
        self.service = self.put("_Conversation", {"name": "news", "sys": True})
        self.subscribers[self.service] = [f"reader{number:03d}" for number in range(123)]
        manager = json.loads(self.classes["_Conversation"][self.conversations[1]])["m"][1]
        self.put("_ConversationMemberInfo", {"cid": self.conversations[1], "clientId": manager, "role": "Manager"})

    def say(self, conversation: str, text: Any, at: int, *, apart: bool = False, **more: Any) -> tuple[int, str]:
        id = f"{self.random.getrandbits(128):032x}"[:22]
        row = line_of({"timestamp": at, "conv-id": conversation, "data": text, "from": self.random.choice(self.people),
                       "msg-id": id, "is-conv": True, "is-room": False, "to": conversation, "bin": False,
                       "from-ip": "202.117.15.217", **more})
        with self.lock:
            bisect.insort(self.apart if apart else self.messages, (at, id, conversation, row))
        return at, id

    def edit(self, id: str, text: str) -> None:
        with self.lock:
            for index, (at, known, conversation, row) in enumerate(self.messages):
                if known == id:
                    changed = json.loads(row)
                    changed.update(data=text)
                    changed["patch-timestamp"] = int(time.time() * 1000)
                    self.messages[index] = (at, known, conversation, line_of(changed))

    def _make_messages(self, count: int) -> None:
        span = self.now - 3_600_000 - self.begin
        newest: dict[str, int] = {}
        made: list[tuple[int, str, str, bytes]] = []
        for number in range(count):
            # Two in a hundred share their millisecond with the one before.
            at = self.begin + (number - (number % 50 == 0)) * span // count
            conversation = self.random.choice(self.conversations)
            text = json.dumps({"_lctype": -1, "_lctext": f"消息 {number} 😀 \"quoted\" \\ / end"}, ensure_ascii=False)
            id = f"{self.random.getrandbits(128):032x}"[:22]
            row: dict[str, Any] = {
                "timestamp": at, "conv-id": conversation, "data": text, "from": self.people[number % len(self.people)],
                "msg-id": id, "is-conv": True, "is-room": False, "to": conversation, "bin": number % 40 == 0,
                "from-ip": "202.117.15.217"}
            if row["bin"]:
                row["data"] = "AAECAwT/"
            if number % 7 == 0:
                row["ack-at"] = at + 50
            raw = line_of(row)
            if self.random.random() < self.odd:
                raw = self._oddly(row, number)
            made.append((at, id, conversation, raw))
            newest[conversation] = max(newest.get(conversation, 0), at)
        self.messages += sorted(made)
        if count:
            hidden = self.conversations[0]
            for number in range(30):
                at, _ = self.say(hidden, f"only here {number}", self.now - 3_500_000 + number, apart=True)
                newest[hidden] = at
        for id, at in newest.items():
            row = json.loads(self.classes["_Conversation"][id])
            row["lm"] = {"__type": "Date", "iso": iso(at)}
            self.classes["_Conversation"][id] = line_of(row)

    def _oddly(self, row: dict[str, Any], number: int) -> bytes:
        kinds = 8
        if number % kinds == 0:
            row["something new"] = {"deep": [1, [2, [3]]]}
        elif number % kinds == 1:
            del row["timestamp"]
        elif number % kinds == 2:
            row["data"] = "x" * 200_000
        elif number % kinds == 3:
            return line_of(row).replace("消息".encode(), b"\xff\xfe\xfd")
        elif number % kinds == 4:
            return line_of(row).replace("😀".encode(), b"\\\\ud83d")
        elif number % kinds == 5:
            return json.dumps(row, ensure_ascii=False, indent=2).encode()
        elif number % kinds == 6:
            del row["msg-id"]
        else:
            return line_of(row)[:-1] + b',"from":"twice"}'
        return line_of(row)

    def _make_files(self, count: int) -> None:
        for number in range(count):
            size = [0, 10, 1_000, 70_000, 300_000][number % 5]
            self.add_file(f"照片 {number}.jpg" if number % 3 else f"a/b:{number}.bin", self.random.randbytes(size))

    def add_file(self, name: str, content: bytes, **metadata: Any) -> str:
        id = self.identifier()
        self.contents[f"/content/{id}"] = content
        return self.put("_File", {
            "name": name, "key": f"{id}.bin", "bucket": "standin", "provider": "qiniu", "mime_type": "image/jpeg",
            "url": f"BASE/content/{id}/%E7%85%A7片.jpg",
            "metaData": {"size": len(content), "_checksum": hashlib.md5(content).hexdigest(), **metadata}}, id)


class Faults:
    """How the stand-in fails. Every answer may be one of these; the next one is not the same again."""

    def __init__(self, *, rate: float = 0.0, expire: bool = False, seed: int = 11) -> None:
        self.random = random.Random(seed)
        self.rate = rate
        #: Whether the second cursor of a scan is gone, once for each class.
        self.expire = expire
        self.expired: set[str] = set()
        self.counts = {"429": 0, "500": 0, "cut": 0, "nonsense": 0, "cursor": 0}
        self.lock = threading.Lock()

    def next(self) -> str | None:
        with self.lock:
            if self.random.random() >= self.rate:
                return None
            fault = self.random.choice(["429", "500", "cut", "nonsense"])
            self.counts[fault] += 1
            return fault


class Source:
    """The stand-in at work on a port of its own."""

    def __init__(self, dataset: Dataset, faults: Faults | None = None, *, page: int = 1_000,
                 tls: ssl.SSLContext | None = None) -> None:
        self.dataset = dataset
        self.faults = faults or Faults()
        #: Rows of a page at most, whatever is asked for.
        self.page = page
        self.requests: list[str] = []
        self.gone: set[str] = set()
        self.moved: set[str] = set()
        #: Contents that break off in the middle the first time.
        self.broken: set[str] = set()
        self.ranges: list[str] = []
        source = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                source.answer(self)

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                # Clients are killed on purpose.
                if not isinstance(sys.exception(), (ConnectionError, ssl.SSLError)):
                    super().handle_error(request, client_address)

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server.server_address[1]}"
        dataset.base = self.url
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    # MARK: Answers

    def send(self, handler: BaseHTTPRequestHandler, status: int, body: bytes, *headers: tuple[str, str],
             cut: int | None = None) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.send_header("Content-Type", "application/json; charset=utf-8")
        for name, value in headers:
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body if cut is None else body[:cut])
        handler.wfile.flush()
        if cut is not None:
            handler.close_connection = True

    def error(self, handler: BaseHTTPRequestHandler, status: int, code: int, text: str, *headers: tuple[str, str]) -> None:
        self.send(handler, status, line_of({"code": code, "error": text}), *headers)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        try:
            self._answer(handler)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        address = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        self.requests.append(handler.path)
        if address.path.startswith("/content/") or address.path.startswith("/moved/"):
            return self.content(handler, address.path)
        if not self.is_master(handler):
            return self.error(handler, 401, 401, "Unauthorized.")
        fault = self.faults.next()
        if fault == "429":
            return self.error(handler, 429, 429, "Too many requests.", ("Retry-After", "0"))
        if fault == "500":
            return self.error(handler, 500, 1, "Internal error.")
        if fault == "nonsense":
            return self.send(handler, 200, b"<html>busy</html>")
        status, body = self.rows(address.path, query)
        self.send(handler, status, body, cut=len(body) // 2 if fault == "cut" else None)

    def is_master(self, handler: BaseHTTPRequestHandler) -> bool:
        if handler.headers.get("X-LC-Id") != APP_ID:
            return False
        key, sign = handler.headers.get("X-LC-Key"), handler.headers.get("X-LC-Sign", "")
        if key is not None:
            return key == MASTER_KEY + ",master"
        digest, _, rest = sign.partition(",")
        moment, _, kind = rest.partition(",")
        return kind == "master" and digest == hashlib.md5((moment + MASTER_KEY).encode()).hexdigest()

    def rows(self, path: str, query: dict[str, str]) -> tuple[int, bytes]:
        parts = path.strip("/").split("/")
        match parts:
            case ["1.1", "classes", name]:
                if name not in self.dataset.classes:
                    return 404, line_of({"code": 101, "error": "Class or object doesn't exists."})
                count = self.dataset.wrong_counts.get(name, len(self.dataset.classes[name]))
                return 200, line_of({"results": [], "count": count})
            case ["1.1", "schemas"]:
                return 200, line_of({name: {"objectId": {"type": "String"}} for name in self.dataset.classes})
            case ["1.1", "scan", "classes", name]:
                return self.scan(name, query)
            case ["1.2", "rtm", "messages"]:
                return 200, self.history(self.dataset.messages, query, "timestamp")
            case ["1.2", "rtm", "conversations" | "chatrooms", id, "messages"]:
                return 200, self.history(self.of(id), query, "timestamp")
            case ["1.1", "rtm", "messages", "history"]:
                return 200, self.history(self.of(query["convid"]), query, "max_ts")
            case ["1.2", "rtm", "service-conversations", id, "subscribers"]:
                names = self.dataset.subscribers.get(id, [])
                start = bisect.bisect_right(names, query.get("client_id", ""))
                return 200, line_of([{"timestamp": 1_700_000_000_000, "subscriber": name, "conv_id": id}
                                     for name in names[start:start + int(query.get("limit", 50))]])
        return 404, line_of({"code": 1, "error": "The path is not served."})

    def of(self, id: str) -> list[tuple[int, str, str, bytes]]:
        return [row for row in sorted(self.dataset.messages + self.dataset.apart) if row[2] == id]

    def scan(self, name: str, query: dict[str, str]) -> tuple[int, bytes]:
        with self.dataset.lock:
            rows = dict(self.dataset.classes.get(name) or {})
        if not rows:
            return 404, line_of({"code": 101, "error": "Class or object doesn't exists."})
        if "where" in query:
            since = json.loads(query["where"])["updatedAt"]["$gte"]["iso"]
            rows = {id: row for id, row in rows.items() if json.loads(row)["updatedAt"] >= since}
        cursor = query.get("cursor", "")
        if cursor and self.faults.expire and name not in self.faults.expired:
            self.faults.expired.add(name)
            self.faults.counts["cursor"] += 1
            return 400, line_of({"code": 1, "error": "The cursor is invalid or has expired."})
        limit = min(self.page, int(query.get("limit", 100)))
        after = cursor.removeprefix("c.")
        ids = sorted(id for id in rows if id > after)
        page = ids[:limit]
        end = f"c.{page[-1]}" if len(ids) > limit else None
        body = b",".join(rows[id].replace(b"BASE", self.url.encode()) for id in page)
        return 200, b'{"results":[' + body + b'],"cursor":' + line_of(end) + b"}"

    def history(self, messages: list[tuple[int, str, str, bytes]], query: dict[str, str], time_name: str) -> bytes:
        limit = min(self.page, int(query.get("limit", 100)))
        moment, id = int(query.get(time_name, 0)), query.get("msgid", "")
        with self.dataset.lock:
            if query.get("reversed", "").lower() == "true":
                start = bisect.bisect_right(messages, (moment, id or "~", "~", b""))
                found = messages[start:start + limit]
            else:
                end = bisect.bisect_left(messages, (moment, id, "", b"")) if moment else len(messages)
                found = messages[max(0, end - limit):end][::-1]
            return b"[" + b",\n ".join(row[3] for row in found) + b"]"

    # MARK: Contents

    def content(self, handler: BaseHTTPRequestHandler, path: str) -> None:
        if "X-LC-Key" in handler.headers or "X-LC-Sign" in handler.headers:
            raise AssertionError("a key was sent to where files are")
        key = "/content/" + path.split("/")[2]
        content = self.dataset.contents.get(key)
        if content is None or key in self.gone:
            return self.error(handler, 404, 404, "not found")
        if key in self.moved and path.startswith("/content/"):
            return self.send(handler, 302, b"", ("Location", path.replace("/content/", "/moved/", 1)))
        tag = f'"{hashlib.md5(content).hexdigest()}"'
        wanted = handler.headers.get("Range")
        if wanted and handler.headers.get("If-Range") == tag:
            self.ranges.append(wanted)
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            span = ("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            return self.send(handler, 206, content[start:], span, ("ETag", tag))
        cut = None
        if key in self.broken:
            self.broken.discard(key)
            cut = len(content) * 3 // 4
        self.send(handler, 200, content, ("ETag", tag), cut=cut)
