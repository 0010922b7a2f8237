"""Files with programs that know nothing of teahouse: the published tus client of Python and curl.

Large files go up and down and are cut in the middle, and the server's memory is looked at when all is done.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path
from typing import Any

from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

from house import CONFIGURATION, GROUP, Checks, House, Session, equal, expect, temporary_folder

MIB = 1 << 20
#: Of the server at its highest, after everything below.
MEMORY_BYTES = 100 * MIB
#: Rates and quotas out of the way; a folder of any size.
FILES = CONFIGURATION + """
[files]
hour_uploads = 0
day_bytes = 0
person_bytes = 0
stop_free_bytes = 0
stop_free_percent = 0
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
"""
checks = Checks()


class Place:
    house: House
    folder: Path
    tokens: dict[str, str]
    #: Where the server has the first file.
    path: str
    text: Path
    sparse: Path


class Relay:
    """A wire to the server that breaks once, after so many bytes in one direction."""

    def __init__(self, *, up: int | None = None, down: int | None = None) -> None:
        self.left = {"up": up, "down": down}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.has_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection((Place.house.host, Place.house.port))
            for source, sink, way in ((near, far, "up"), (far, near, "down")):
                threading.Thread(target=self._pump, args=(source, sink, way), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        try:
            while data := source.recv(MIB):
                with self.lock:
                    left = self.left[way]
                    if left is not None:
                        self.left[way] = max(0, left - len(data))
                        data = data[:left]
                    if data:
                        sink.sendall(data)
                    if left is not None and self.left[way] == 0:
                        self.left[way] = None
                        self.has_cut = True
                        raise ConnectionResetError
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)  # wakes the other thread
                except OSError:
                    pass
                end.close()  # whoever goes on sending is told

    def close(self) -> None:
        self.listener.close()


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ask(method: str, path: str, who: str = "ann", body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(Place.house.host, Place.house.port, timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"token": Place.tokens[who], **names})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content


def curl(*arguments: str, port: int | None = None, who: str = "ann") -> subprocess.CompletedProcess[bytes]:
    """curl with the last argument as the path."""
    url = f"http://{Place.house.host}:{port or Place.house.port}{arguments[-1]}"
    return subprocess.run(
        ["curl", "-sS", "--globoff", "-H", f"token: {Place.tokens[who]}", *arguments[:-1], url],
        capture_output=True, timeout=120)


def tus(port: int | None = None, who: str = "ann") -> TusClient:
    return TusClient(f"http://{Place.house.host}:{port or Place.house.port}/api/v1/files",
                     headers={"Authorization": f"Bearer {Place.tokens[who]}"})


def cut_upload(path: Path, cut_at: float, chunk_share: float, name: str) -> str:
    """Uploads over a wire that breaks, goes on without it; the path of the file. Both numbers are shares of its size."""
    size = path.stat().st_size
    chunk = int(size * chunk_share)
    relay = Relay(up=int(size * cut_at))
    uploader = tus(relay.port).uploader(str(path), chunk_size=chunk, metadata={"filename": name})
    try:
        uploader.upload()
        raise AssertionError("the wire did not break")
    except (TusCommunicationError, TusUploadFailed):
        expect(relay.has_cut, "the upload failed before the wire broke")
    finally:
        relay.close()
    address = uploader.url.replace(f":{relay.port}/", f":{Place.house.port}/")
    resumed = None
    for _ in range(50):  # the server may still be writing what came
        resumed = tus().uploader(str(path), url=address, chunk_size=chunk)
        try:
            first = resumed.offset
            resumed.upload()
            break
        except TusUploadFailed as error:
            if error.status_code not in (409, 423):
                raise
            resumed = None
    expect(resumed, "the upload never went on")
    expect(0 < first < size, f"it went on at {first}")
    status, headers, _ = ask("HEAD", urllib.parse.urlparse(address).path, Tus_Resumable="1.0.0")
    equal((status, headers["upload-offset"]), (200, str(size)), "the finished upload")
    return "/api/v1/files/" + headers["teahouse-file"]


def cut_download(path: str, source: Path, cut_at: float) -> None:
    """Downloads with curl over a wire that breaks, and goes on with `-C -`. `cut_at` is a share of the size."""
    target = Place.folder / "download"
    target.unlink(missing_ok=True)
    relay = Relay(down=int(source.stat().st_size * cut_at))
    done = curl("-o", str(target), path, port=relay.port)
    relay.close()
    expect(done.returncode in (18, 56), f"curl ended with {done.returncode}: {done.stderr.decode()}")
    have = target.stat().st_size
    expect(0 < have < source.stat().st_size, f"{have} bytes came before the cut")
    done = curl("-C", "-", "-o", str(target), "-w", "%{http_code} %{size_download}", path)
    equal((done.returncode, done.stdout.decode()), (0, f"206 {source.stat().st_size - have}"), "what curl did")
    equal(digest(target), digest(source), "the content")
    target.unlink()


@checks.check("tuspy: 200 MiB of text, cut in the middle, go up; curl gets them down, cut in the middle")
async def text() -> None:
    def run() -> None:
        path = Place.path = cut_upload(Place.text, 0.45, 0.32, "茶馆 log.txt")
        cut_download(path, Place.text, 0.4)
    await asyncio.to_thread(run)


@checks.check("tuspy: 1 GiB of nothing, cut in the middle, goes up; curl gets it down, cut in the middle")
async def sparse() -> None:
    def run() -> None:
        path = cut_upload(Place.sparse, 0.3, 0.25, "sparse.bin")
        cut_download(path, Place.sparse, 0.5)
    await asyncio.to_thread(run)


@checks.check("curl --compressed gets the stored bytes; zcat would read them")
async def compressed() -> None:
    def run() -> None:
        path, target = Place.path, Place.folder / "packed"
        done = curl("-H", "Accept-Encoding: gzip", "-D", "-", "-o", str(target), path)
        head = done.stdout.decode()
        expect("Content-Encoding: gzip" in head and '-gz"' in head, head)
        expect(target.stat().st_size < Place.text.stat().st_size, "gzip is smaller")
        with gzip.open(target) as file:
            equal(hashlib.file_digest(file, "sha256").hexdigest(), digest(Place.text), "the unpacked content")
        done = curl("--compressed", "-o", str(target), "-w", "%{size_download}", path)
        expect(int(done.stdout) < Place.text.stat().st_size, "curl was sent gzip")
        equal(digest(target), digest(Place.text), "what curl unpacked")
        target.unlink()
    await asyncio.to_thread(run)


@checks.check("curl -r: ranges at random places are those bytes")
async def ranges() -> None:
    dice = random.Random(7)
    size = Place.text.stat().st_size

    def run() -> None:
        with Place.text.open("rb") as file:
            for _ in range(25):
                first = dice.randrange(size)
                last = min(size - 1, first + dice.choice([0, 1, 1000, 262144, 700_000]))
                file.seek(first)
                done = curl("--compressed", "-r", f"{first}-{last}", Place.path)
                equal((done.returncode, done.stdout == file.read(last - first + 1)), (0, True), f"{first}-{last}")
            file.seek(-1000, 2)
            equal(curl("-r", "-1000", Place.path).stdout, file.read(), "the last bytes")
        equal(curl("-o", "/dev/null", "-w", "%{http_code}", "-r", f"{size}-", Place.path).stdout, b"416")
    await asyncio.to_thread(run)


@checks.check("curl -T and -F: whole files, with names in any script, come back as they were")
async def whole() -> None:
    def run() -> None:
        content = random.Random(3).randbytes(3 * MIB)
        source, target = Place.folder / "会议 \"1\".bin", Place.folder / "back"
        source.write_bytes(content)
        quoted = str(source).replace('"', '\\"')
        for arguments in (["-T", str(source), "/api/v1/files/"],
                          ["-F", "note=before", "-F", f'file=@"{quoted}"', "/api/v1/files"]):
            done = curl(*arguments)
            made = json.loads(done.stdout)
            equal((made["name"], made["size"], made["sha256"]),
                  (source.name, len(content), hashlib.sha256(content).hexdigest()), arguments[0])
            done = curl("-D", "-", "-o", str(target), made["url"])
            equal(target.read_bytes() == content, True, "the content")
            found = re.search(r"filename\*=UTF-8''(\S+)", done.stdout.decode())
            equal(urllib.parse.unquote(found[1]) if found else None, source.name, "the name in the header")
        # -J of curl takes the plain name: it must be one.
        equal(curl("-OJ", "--output-dir", str(Place.folder), made["url"]).returncode, 0, "curl -OJ")
        expect((Place.folder / "__ _1_.bin").exists(), sorted(p.name for p in Place.folder.iterdir()))
    await asyncio.to_thread(run)


@checks.check("tuspy: an empty file, a file with checksums, and one that is not what it says")
async def odd() -> None:
    def run() -> None:
        empty = Place.folder / "empty"
        empty.write_bytes(b"")
        uploader = tus().uploader(str(empty), metadata={"filename": "empty.txt", "filetype": "text/plain"})
        uploader.upload()
        _, headers, _ = ask("HEAD", urllib.parse.urlparse(uploader.url).path, Tus_Resumable="1.0.0")
        status, _, content = ask("GET", "/api/v1/files/" + headers["teahouse-file"])
        equal((status, content), (200, b""), "the empty file")
        summed = Place.folder / "summed"
        summed.write_bytes(random.Random(5).randbytes(5 * MIB))
        uploader = tus().uploader(str(summed), chunk_size=2 * MIB, upload_checksum=True)
        uploader.upload()
        _, headers, _ = ask("HEAD", urllib.parse.urlparse(uploader.url).path, Tus_Resumable="1.0.0")
        equal(ask("GET", "/api/v1/files/" + headers["teahouse-file"])[2] == summed.read_bytes(), True, "checked content")
        page = Place.folder / "page.png"
        page.write_text("<script>alert(1)</script>")
        made = json.loads(curl("-T", str(page), "-H", "Content-Type: image/png", "/api/v1/files/").stdout)
        _, headers, _ = ask("GET", made["url"])
        equal((headers["content-type"], headers["content-disposition"].split(";")[0], headers["x-content-type-options"]),
              ("application/octet-stream", "attachment", "nosniff"), "a page that says it is a picture")
    await asyncio.to_thread(run)


@checks.check("who sees the message reads the file; after the recall nobody does")
async def message() -> None:
    Place.house.add_group("tea", ["ann", "bob"])
    made = json.loads(curl("-T", str(Place.folder / "page.png"), "/api/v1/files/").stdout)
    equal(ask("GET", made["url"], "bob")[0], 404, "before it was sent")
    session = await Session.open(Place.house.url, "ann", Place.tokens["ann"])
    sent = await session.send("tea", GROUP, {"type": 8, "url": made["id"], "name": "page.png"})
    equal(sent.get("reasonCode"), 1, f"the message {sent}")
    equal(ask("GET", made["url"], "bob")[0], 200, "bob, in the group")
    equal(ask("GET", made["url"], "eve")[0], 404, "eve, who is not")
    recall = f"/v1/message/revoke?channel_id=tea&channel_type={GROUP}&message_id={sent['messageId']}"
    equal(ask("POST", recall)[0], 200, "the recall")
    equal(ask("GET", made["url"], "bob")[0], 404, "bob, after the recall")
    await session.close()


@checks.check("the server's memory stayed small")
async def memory() -> None:
    assert Place.house.process is not None
    status = Path(f"/proc/{Place.house.process.pid}/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]
    print(f"      peak {peak / MIB:.0f} MiB", flush=True)
    expect(peak < MEMORY_BYTES, f"{peak / MIB:.0f} MiB")


@checks.check("nothing is wrong in the folder afterwards")
async def verified() -> None:
    equal(Place.house.stop(), 0, "exit code")
    equal(Place.house.verify(), None, "verify")


def make_files(folder: Path, text_bytes: int, sparse_bytes: int) -> None:
    Place.folder = folder
    Place.text, Place.sparse = folder / "text", folder / "sparse"
    dice = random.Random(1)
    words = ["茶馆", "tea", "message", "conversation", "2026-11-21", "error", "warning", "ok", "会议", "file"]
    block = "\n".join(" ".join(dice.choices(words, k=12)) + f" {dice.randrange(1 << 40)}" for _ in range(30_000)).encode()
    with Place.text.open("wb") as file:
        number = 0
        while file.tell() < text_bytes:
            file.write(b"%d\n" % number + block[: text_bytes - file.tell()])
            number += 1
        file.truncate(text_bytes)
    with Place.sparse.open("wb") as file:
        file.truncate(sparse_bytes)
        file.seek(sparse_bytes // 3)
        file.write(b"not quite nothing")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the teahouse to test")
    parser.add_argument("--mib", type=int, nargs=2, default=[200, 1024], metavar=("TEXT", "SPARSE"),
                        help="sizes of the two large files")
    parser.add_argument("--only", help="checks whose names have this in them")
    arguments = parser.parse_args()
    make_files(temporary_folder("teahouse-files-"), *(mib * MIB for mib in arguments.mib))
    Place.house = House(arguments.binary, config=FILES)
    Place.house.start()
    Place.tokens = Place.house.add_users(["ann", "bob", "eve"])
    return asyncio.run(checks.run(arguments.only))


if __name__ == "__main__":
    sys.exit(main())
