"""LeanCloud's storage SDKs over HTTP against a built teahouse: each request with the fields, header fields and defaults that the SDK sends.

Source: docs/protocols/leancloud-storage-sdks.md, which names the file of each SDK that a request was read in.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import secrets
import sys
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any

from house import Checks, House, equal, expect
from leancloud_dialects import App, Client, Java

checks = Checks()
PASSWORD = "tea house with a view"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
PATIENCE = 30


class Place:
    house: House
    keys: dict[str, str]
    base: str


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Elsewhere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


def ask(method: str, url: str, headers: dict[str, str], body: bytes | None = None) -> Answer:
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.build_opener(Elsewhere).open(request, timeout=PATIENCE) as reply:
            return Answer(reply.status, {name.lower(): value for name, value in reply.headers.items()}, reply.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, {name.lower(): value for name, value in error.headers.items()}, error.read())


class SDK:
    """What every SDK adds to a request: signed with the app key, and with the session of the current user."""

    name = ""
    content_type = "application/json"
    more: dict[str, str] = {}

    def __init__(self) -> None:
        self.session: str | None = None
        self.user = ""

    def headers(self) -> dict[str, str]:
        moment = str(int(time.time() * 1000))
        sign = hashlib.md5((moment + Place.keys["appKey"]).encode()).hexdigest()
        fields = {"X-LC-Id": Place.keys["appId"], "X-LC-Sign": f"{sign},{moment}", "Content-Type": self.content_type}
        if self.session:
            fields["X-LC-Session"] = self.session
        return fields | self.more

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Raises what an SDK raises: it needs `code` and `error`."""
        data = None if body is None else json.dumps(body).encode()
        reply = ask(method, f"{Place.base}/1.1/{path}", self.headers(), data)
        if reply.status // 100 != 2:
            raise AssertionError(f"{self.name}: {method} {path}: {reply.status} {reply.json['code']} {reply.json['error']}")
        return reply.json

    def sign_up(self, username: str) -> None:
        self.become(self.send("POST", "users", {"username": username, "password": PASSWORD}))

    def log_in(self, username: str) -> None:
        self.become(self.send("POST", "login", {"username": username, "password": PASSWORD}))

    def become(self, row: dict[str, Any]) -> None:
        self.session, self.user = row["sessionToken"], row["objectId"]

    def batch_save(self, method: str, path: str, body: dict[str, Any], own: str) -> dict[str, Any]:
        request = {"path": f"/1.1/{path}", "method": method, "body": {"__internalId": own} | body}
        if "objectId" not in body:
            request["new"] = True
        saved: dict[str, Any] = self.send("POST", "batch/save", {"requests": [request]})
        return saved[own]

    # Files

    def token(self, name: str) -> dict[str, Any]:
        raise NotImplementedError

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        raise NotImplementedError

    cache = "public, max-age=31536000"

    def save_file(self, name: str, content: bytes) -> dict[str, Any]:
        answer: dict[str, Any] = self.send("POST", "fileTokens", self.token(name))
        equal(answer["provider"], "s3", self.name)
        fields = {"Content-Type": self.type_of_upload(name, answer), "Cache-Control": self.cache}
        put = ask("PUT", answer["upload_url"], fields, content)
        expect(put.status // 100 == 2, f"{self.name}: PUT {put.status} {put.body!r}")
        self.send("POST", "fileCallback", {"token": answer["token"], "result": True})
        return answer

    def save_address(self, name: str, url: str) -> str:
        """The path that files which are elsewhere are saved at."""
        row = self.send("POST", "classes/_File", {"name": name, "url": url, "metaData": None})
        return str(row["objectId"])

    # Devices

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


#: What an SDK that looks at the end of a name makes of it.
TYPES = {"png": "image/png", "mp4": "video/mp4", "pdf": "application/pdf"}


class JavaScriptStorage(SDK):
    name = "JavaScript 4"
    content_type = "application/json;charset=UTF-8"
    more = {"X-LC-UA": "LeanCloud-JS-SDK/4.15.3 (Browser)"}

    def token(self, name: str) -> dict[str, Any]:
        return {"name": name, "metaData": {"owner": self.user or "unknown"}}

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        # A header field with the value `undefined`.
        return answer.get("mime_type") or "undefined"

    def save_address(self, name: str, url: str) -> str:
        meta = {"owner": self.user or "unknown", "__source": "external"}
        return str(self.send("POST", "files", {"name": name, "metaData": meta, "url": url})["objectId"])

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        if "objectId" in device:
            return self.send("PUT", f"classes/_Installation/{device['objectId']}", {"badge": 1})
        return self.send("POST", "classes/_Installation?", device)


class OldJavaScript(JavaScriptStorage):
    name = "JavaScript 1"

    def token(self, name: str) -> dict[str, Any]:
        end = "." + name.rsplit(".", 1)[1] if "." in name else ""
        return {"key": secrets.token_hex(10) + end, "name": name, "metaData": {"owner": "unknown"}}

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        return "undefined"

    def save_address(self, name: str, url: str) -> str:
        meta = {"owner": "unknown", "__source": "external"}
        row = self.send("POST", f"files/{name}", {"name": name, "metaData": meta, "url": url})
        equal((row["name"], row["url"]), (name, url))
        return str(row["objectId"])


class SwiftStorage(SDK):
    name = "Swift"
    more = {"X-LC-Prod": "1", "Accept": "application/json", "User-Agent": "LeanCloud-Swift-SDK/17.11.0"}

    def sign_up(self, username: str) -> None:
        own = str(uuid.uuid4()).upper()
        self.become(self.batch_save("post", "users", {"username": username, "password": PASSWORD}, own))

    def mime_type(self, name: str) -> str:
        return TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")

    def token(self, name: str) -> dict[str, Any]:
        return {"name": name, "mime_type": self.mime_type(name), "metaData": {"size": len(PNG)}}

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        return self.mime_type(name)

    def save_address(self, name: str, url: str) -> str:
        row = self.batch_save("post", "classes/_File", {"name": name, "url": url}, str(uuid.uuid4()).upper())
        return str(row["objectId"])

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        fields = {"apnsTeamId": "TEAM", "apnsTopic": "an.app"} | device
        return self.batch_save("post", "installations", fields, device.get("objectId") or str(uuid.uuid4()).upper())


class ObjectiveCStorage(SwiftStorage):
    name = "Objective-C"
    content_type = "application/json; charset=utf-8"
    more = {"X-LC-Prod": "1", "Accept": "application/json", "Accept-Encoding": "gzip"}

    def sign_up(self, username: str) -> None:
        self.become(self.batch_save("POST", "users", {"username": username, "password": PASSWORD}, str(uuid.uuid4())))

    def token(self, name: str) -> dict[str, Any]:
        end = "." + name.rsplit(".", 1)[1] if "." in name else ""
        return {"key": uuid.uuid4().hex + end, "name": name, "mime_type": self.mime_type(name),
                "metaData": {"owner": self.user, "size": len(PNG)}}

    def save_address(self, name: str, url: str) -> str:
        return str(self.send("POST", "files", {"name": name, "url": url, "metaData": {"__source": "external"}})["objectId"])

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        fields = {"apnsTeamId": "TEAM"} | device
        return self.batch_save("POST", "installations", fields, device.get("objectId") or str(uuid.uuid4()))


class JavaStorage(SDK):
    name = "Java"
    content_type = "application/json;charset=utf-8"

    def token(self, name: str) -> dict[str, Any]:
        return {"name": name, "mime_type": TYPES.get(name.rsplit(".", 1)[-1], ""),
                "metaData": {"_name": name, "_checksum": hashlib.md5(PNG).hexdigest(), "size": len(PNG)}}

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        return TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")

    def save_address(self, name: str, url: str) -> str:
        body = {"name": name, "url": url, "metaData": {"__source": "external"}, "mime_type": "image/png"}
        return str(self.send("POST", "classes/_File?fetchWhenSave=false", body)["objectId"])

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        fields = {name: value for name, value in device.items() if name != "objectId"}
        if "objectId" in device:
            return self.send("PUT", f"installations/{device['objectId']}?fetchWhenSave=false", fields)
        return self.send("POST", "installations?fetchWhenSave=false", fields)


class CSharpStorage(SDK):
    name = "C#"
    more = {"User-Agent": "LeanCloud-CSharp-SDK/2.4.1", "Accept": "application/json"}
    cache = "public, max-age=31536"

    def token(self, name: str) -> dict[str, Any]:
        # It fails by itself without a type: its path does not, which says one.
        return {"name": name, "__type": "File", "mime_type": TYPES.get(name.rsplit(".", 1)[-1]), "metaData": None}

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        return TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        return JavaStorage.register(self, device)  # type: ignore[arg-type]


class FlutterStorage(SDK):
    name = "Flutter"
    more = {"User-Agent": "LeanCloud-Flutter-SDK/0.7.9"}

    def token(self, name: str) -> dict[str, Any]:
        return {"name": name, "__type": "File", "mime_type": None, "metaData": None}

    def type_of_upload(self, name: str, answer: dict[str, Any]) -> str:
        expect(isinstance(answer["mime_type"], str), answer)
        return str(answer["mime_type"])

    def register(self, device: dict[str, Any]) -> dict[str, Any]:
        return JavaStorage.register(self, device)  # type: ignore[arg-type]


SDKS: list[type[SDK]] = [
    JavaScriptStorage, OldJavaScript, SwiftStorage, ObjectiveCStorage, JavaStorage, CSharpStorage, FlutterStorage,
]


@checks.check("people sign up and in as each SDK does it, and are who the token says")
async def people() -> None:
    for kind in SDKS:
        sdk = kind()
        name = f"{kind.__name__}-{secrets.token_hex(3)}"
        sdk.sign_up(name)
        first = sdk.user
        sdk.session = None
        sdk.log_in(name)
        equal(sdk.user, first, kind.name)
        equal(sdk.send("GET", "users/me")["username"], name)
        equal(sdk.send("GET", f"users/me?session_token={sdk.session}")["objectId"], first)


@checks.check("a picture is uploaded as each SDK does it, and opens as a picture")
async def pictures() -> None:
    for kind in SDKS:
        for name in ["photo.png", "photo"]:
            sdk = kind()
            answer = sdk.save_file(name, PNG)
            expect(answer["mime_type"], f"{kind.name}: an empty type")
            read = ask("GET", answer["url"], {"Origin": "https://app.example.com"})
            equal((read.status, read.body, read.headers["content-type"]), (200, PNG, "image/png"), f"{kind.name} {name}")
            expect(read.headers["content-disposition"].startswith("inline"), read.headers)
            # A page of any origin shows it.
            equal((read.headers["cross-origin-resource-policy"], read.headers["access-control-allow-origin"]),
                  ("cross-origin", "*"))
            equal(sdk.send("GET", f"files/{answer['objectId']}")["mime_type"], "image/png", f"{kind.name} {name}")


@checks.check("a film without a type is what its name says")
async def films() -> None:
    for kind in SDKS:
        equal(kind().send("POST", "fileTokens", kind().token("a.mp4"))["mime_type"], "video/mp4", kind.name)


@checks.check("a file that is elsewhere is saved as each SDK does it")
async def elsewhere() -> None:
    for kind in SDKS:
        sdk = kind()
        identifier = sdk.save_address("a.png", "https://files.example.com/a.png")
        row = sdk.send("GET", f"files/{identifier}")
        equal((row["url"], row["name"], row["mime_type"]),
              ("https://files.example.com/a.png", "a.png", "image/png"), kind.name)


@checks.check("a device is registered before anybody signs in, and again, as each SDK does it")
async def devices() -> None:
    for kind in SDKS:
        sdk = kind()
        secret = secrets.token_hex(16)
        device: dict[str, Any] = {"deviceType": "ios", "deviceToken": secret, "timeZone": "Asia/Shanghai"}
        if kind is JavaStorage:
            device = {"deviceType": "android", "installationId": secret, "timeZone": "Asia/Shanghai"}
        identifier = sdk.register(device)["objectId"]
        again = sdk.register(device | {"objectId": identifier, "badge": 1})
        equal(again.get("objectId", identifier), identifier, kind.name)


@checks.check("a device belongs to who signs in on it: others neither read nor change it, the device itself goes on")
async def strangers() -> None:
    app = App(Place.house.url, Place.keys["appId"], Place.keys["masterKey"])
    master = {"X-LC-Id": Place.keys["appId"], "X-LC-Key": Place.keys["masterKey"] + ",master"}
    for kind in [SwiftStorage, ObjectiveCStorage, JavaStorage]:
        own, stranger = kind(), JavaScriptStorage()
        device: dict[str, Any] = {"deviceType": "ios", "deviceToken": secrets.token_hex(16), "timeZone": "Asia/Shanghai"}
        identifier = own.register(device)["objectId"]
        name = f"owner-{secrets.token_hex(3)}"
        # Of all clients Java's asks for its device to be bound to it: bit 2 of the features. It is, once that is written.
        await Java.open(app, name, device=device["deviceToken"])
        address = f"{Place.base}/1.1/installations/{identifier}"
        deadline = time.monotonic() + 10
        while ask("GET", address, master).json["channels"] != [name]:
            expect(time.monotonic() < deadline, f"{kind.name}: the device stayed nobody's")
            await asyncio.sleep(0.02)
        for method, body in [("GET", None), ("PUT", {"badge": 9}), ("PUT", {"deviceToken": "mine"})]:
            reply = ask(method, address, stranger.headers(),
                        None if body is None else json.dumps(body).encode())
            equal((reply.status, reply.json["code"]), (404, 101), f"{kind.name} {method} {body}")
        thief = stranger.send("POST", "installations", {"deviceType": "ios", "deviceToken": secrets.token_hex(8),
                                                          "objectId": identifier})
        expect(thief["objectId"] != identifier, "a stranger took the device")
        own.register(device | {"objectId": identifier, "badge": 2})
        row = ask("GET", address, master).json
        equal((row["badge"], row["channels"], row["deviceToken"]), (2, [name], device["deviceToken"]), kind.name)
        equal(ask("GET", f"{Place.base}/1.1/installations", stranger.headers()).status, 405)
    await Client.close_all()


@checks.check("the routers answer pages of any origin, the refusals too")
async def routers() -> None:
    origin = {"Origin": "https://app.example.com"}
    for path in ["/v1/route", "/1/route", "/2/route"]:
        for query in [f"?appId={Place.keys['appId']}", "?appId=other", ""]:
            reply = ask("GET", Place.base + path + query, origin)
            equal(reply.headers.get("access-control-allow-origin"), "*", path + query)
            expect(reply.status == 200 or isinstance(reply.json["code"], int), reply.body)
    preflight = ask("OPTIONS", Place.base + "/v1/route", origin | {"Access-Control-Request-Method": "GET"})
    equal((preflight.status, preflight.headers.get("access-control-allow-origin")), (204, "*"))


@checks.check("a failure that no route has worded has a code too, which a page can read")
async def failures() -> None:
    origin = {"Origin": "https://app.example.com"}
    sdk = JavaScriptStorage()
    long = ask("POST", f"{Place.base}/1.1/users", sdk.headers() | origin, b" " * 5_000_000)
    equal((long.status, long.json["code"], long.headers.get("access-control-allow-origin")), (413, 1, "*"))
    head = ask("GET", f"{Place.base}/1.1/users/me", sdk.headers() | {"X-Long": "x" * 100_000})
    equal((head.status, head.json["code"]), (431, 1))
    host = ask("GET", f"{Place.base}/1.1/date", {"Host": "elsewhere.example.com"})
    equal((host.status, host.json["code"]), (421, 1))


@checks.check("nothing is wrong in the folder afterwards")
async def verified() -> None:
    equal(Place.house.stop(), 0, "exit code")
    equal(Place.house.verify(), None, "verify")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the teahouse to test")
    parser.add_argument("--only", help="checks whose names have this in them")
    arguments = parser.parse_args()
    Place.house = House(arguments.binary, config="""
[leancloud]
enabled = true
registration = true
sign_in = "open"
[store]
ballast_bytes = 1048576
""")
    Place.house.start()
    Place.keys = json.loads(Place.house.ctl("app", "keys", "--json"))
    Place.base = Place.house.url.replace("ws://", "http://").rstrip("/")
    return asyncio.run(checks.run(arguments.only))


if __name__ == "__main__":
    sys.exit(main())
