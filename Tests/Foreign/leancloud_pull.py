"""`teahouse leancloud pull` against a stand-in of LeanCloud: everything comes, whatever fails on the way and whoever is killed.

`--long` kills fifty times instead of five; `--bench N` pulls N messages and says how fast that went.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gzip
import hashlib
import io
import json
import os
import random
import resource
import signal
import ssl
import subprocess
import sys
import tarfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import house
from house import CONFIGURATION, PATIENCE, Checks, House, equal, expect, spawn, temporary_folder
from leancloud_source import APP_ID, MASTER_KEY, Dataset, Faults, Source, line_of

checks = Checks()


class Place:
    binary: str
    top: Path
    key_file: Path
    kills = 5


def folder(name: str) -> Path:
    return Place.top / name


def command(source: str, into: Path, *more: str, rate: int = 1_000, app: str = APP_ID,
            key: Path | None = None) -> list[str]:
    return [Place.binary, "leancloud", "pull", "--from", source, "--app-id", app, "--into", str(into),
            "--key-file", str(key or Place.key_file), "--rate", str(rate), *more]


def pull(source: Source | str, into: Path, *more: str, code: int = 0, patience: float = 8 * PATIENCE, before: Any = None,
         **options: Any) -> tuple[str, str]:
    """Runs a pull to its end; what it printed and what it complained."""
    url = source if isinstance(source, str) else source.url
    done = subprocess.run(command(url, into, *more, **options), capture_output=True, text=True, timeout=patience,
                          preexec_fn=before, env={**os.environ, "LC_ALL": "C.UTF-8"})
    expect(MASTER_KEY not in done.stdout + done.stderr, "the master key was printed")
    equal(done.returncode, code, f"exit code; {done.stdout} {done.stderr}")
    return done.stdout, done.stderr


def contents(into: Path) -> dict[str, str]:
    """Everything that was saved, by its hash; the state of the pull and the report of a run are no part of it."""
    return {str(path.relative_to(into)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(into.rglob("*"))
            if path.is_file() and ".pull" not in path.parts and path.name != "report.json"}


def same(left: Path, right: Path) -> None:
    """The same folder, but for where it is from."""
    one, two = contents(left), contents(right)
    different = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    equal(different, [], f"{left.name} and {right.name} differ in")


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def messages(into: Path) -> list[Any]:
    return [row for path in sorted((into / "messages").glob("*.jsonl")) for row in rows(path)]


def checked(into: Path) -> None:
    """The sums stand, and nothing in the folder has the key."""
    done = subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=into, capture_output=True, text=True)
    equal((done.returncode, done.stdout), (0, ""), "sha256sum")
    for path in into.rglob("*"):
        if path.is_file():
            expect(MASTER_KEY.encode() not in path.read_bytes(), f"{path} holds the master key")
            expect(path.stat().st_mode & 0o077 == 0, f"{path} can be read by others")


def report(into: Path) -> Any:
    return json.loads((into / "report.json").read_text())


@checks.check("all classes, messages, subscribers and files come, each as it was; a second pull changes nothing")
async def everything() -> None:
    data = Dataset()
    source = Source(data, page=100)
    try:
        into = folder("plain")
        out, _ = await asyncio.to_thread(pull, source, into, "--class", "Post")
        checked(into)
        for name, table in data.classes.items():
            wanted = [json.loads(row.replace(b"BASE", source.url.encode())) for _, row in sorted(table.items())]
            equal(rows(into / "classes" / f"{name}.jsonl"), wanted, name)
        wanted = [json.loads(row[3]) for row in sorted(data.messages + data.apart, key=lambda row: (row[0], row[2], row[1]))]
        equal(messages(into), wanted, "messages")
        for path in (into / "messages").glob("*.jsonl"):
            days = {time.strftime("%Y-%m-%d", time.gmtime(row["timestamp"] / 1000)) for row in rows(path)}
            equal(days, {path.stem}, "days of a file")
        equal([row["subscriber"] for row in rows(into / "subscribers.jsonl")], data.subscribers[data.service])
        for entry in rows(into / "files.jsonl"):
            equal((entry["state"], (into / entry["path"]).read_bytes()),
                  ("ok", data.contents["/content/" + entry["objectId"]]), entry["url"])
        equal(report(into)["whole"], True)
        expect("_Conversation" in out and "All of it" in out, out)
        manifest = json.loads((into / "manifest.json").read_text())
        equal((manifest["app"], manifest["messages"], manifest["contents"]), (APP_ID, len(wanted), len(data.contents)))
        before = contents(into)
        fetched = sum("/content/" in path for path in source.requests)
        await asyncio.to_thread(pull, source, into, "--class", "Post")
        equal(contents(into), before)
        equal(sum("/content/" in path for path in source.requests), fetched, "contents that were fetched again")
    finally:
        source.stop()


def hostile(odd: float = 0.1) -> Dataset:
    data = Dataset(odd=odd)
    data.wrong_counts["_Role"] = 5
    return data


def harm(source: Source) -> None:
    """Files as they are after years: gone, moved, of another size, breaking off."""
    keys = sorted(source.dataset.contents)
    source.gone.add(keys[0])
    source.moved.add(keys[1])
    large = source.dataset.add_file("large.bin", random.Random(3).randbytes(9_000_000))
    source.broken.add("/content/" + large)
    source.dataset.add_file("lying.bin", b"twelve bytes", size=11)
    inside = source.dataset.put("_File", {"name": "nowhere", "url": "ftp://example.com/x"})
    expect(inside)


@checks.check("10 % of rows are odd: every one is kept, and said to be odd where no program could read it")
async def odd_rows() -> None:
    data = hostile()
    source = Source(data)
    harm(source)
    try:
        into = folder("odd")
        out, _ = await asyncio.to_thread(pull, source, into, code=1)
        checked(into)
        odd = rows(into / "odd" / "messages.jsonl")
        kept = {line for path in (into / "messages").glob("*.jsonl") for line in path.read_bytes().splitlines()}
        strange = {base64.b64decode(row["base64"]) for row in odd}
        for _, _, _, raw in data.messages + data.apart:
            expect(raw in kept or raw in strange or line_of(json.loads(raw)) in kept, raw[:300])
        equal(len(kept) + len(strange), len(data.messages) + len(data.apart))
        reasons = {row["why"] for row in odd}
        equal(reasons, {"no timestamp", "no msg-id", "not UTF-8"})
        told = report(into)
        equal(told["whole"], False)
        role = next(line for line in told["classes"] if line["name"] == "_Role")
        equal((role["here"], role["there"], role["missing"]), (2, 5, 3))
        states = {row["state"] for row in rows(into / "files.jsonl")}
        equal(states, {"ok", "gone", "differs", "refused"})
        equal(told["badFileCount"], 3)
        equal(len(source.ranges), 1, "contents that were gone on with in the middle")
        expect("gone" in out and "its row says 11" in out, out)
    finally:
        source.stop()


@checks.check("429, 500, cut connections, nonsense and expired cursors change nothing of what is saved")
async def faults() -> None:
    data = hostile()
    quiet = Source(data, page=200)
    harm(quiet)
    try:
        await asyncio.to_thread(pull, quiet, folder("quiet"), code=1)
        quiet.faults = Faults(rate=0.12, expire=True)
        quiet.page = 20
        await asyncio.to_thread(pull, quiet, folder("faulty"), code=1)
        expect(all(quiet.faults.counts.values()), f"a fault never came: {quiet.faults.counts}")
        same(folder("quiet"), folder("faulty"))
    finally:
        quiet.stop()


@checks.check("killed at any moment, again and again: the same folder comes of it")
async def killed() -> None:
    data = hostile(odd=0.05)
    source = Source(data, Faults(rate=0.01, expire=True), page=150)
    harm(source)
    chance = random.Random(os.environ.get("TEAHOUSE_TEST_SEED", "23"))
    try:
        begun = time.monotonic()
        await asyncio.to_thread(pull, source, folder("unharmed"), code=1)
        seconds = time.monotonic() - begun
        into = folder("killed")
        kills = 0
        while kills < Place.kills:
            child = spawn(command(source.url, into), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            await asyncio.sleep(chance.random() * seconds)
            if child.poll() is None:
                child.kill()
                kills += 1
            child.wait()
        await asyncio.to_thread(pull, source, into, code=1)
        checked(into)
        same(folder("unharmed"), into)
    finally:
        source.stop()


@checks.check("following an app that goes on: new messages, edits, members and files, the same as a pull afterwards")
async def follow() -> None:
    data = Dataset(messages=300, files=5)
    source = Source(data)
    into = folder("followed")
    try:
        child = spawn(command(source.url, into, "--follow", "--every", "1"), stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True)
        assert child.stderr is not None and child.stdout is not None
        async with asyncio.timeout(4 * PATIENCE):
            while "Following" not in await asyncio.to_thread(child.stderr.readline):
                pass
        now = int(time.time() * 1000)
        # Not in the first: a pull asks a conversation by itself only when the newest it tells of is not there.
        said = [data.say(data.conversations[1 + number % 3], f"live {number}", now + number) for number in range(40)]
        data.edit(said[5][1], "changed my mind")
        data.edit(data.messages[-60][1], "an older one")
        data.change("_Conversation", data.conversations[1], m=["somebody", "else"])
        data.add_file("late.txt", b"late")
        asked = len(source.requests)
        async with asyncio.timeout(4 * PATIENCE):
            while not any(f"timestamp={now + 39}" in path or len(source.requests) > asked + 6
                          for path in source.requests[asked:]):
                await asyncio.sleep(0.05)
        child.send_signal(signal.SIGINT)
        out, error = await asyncio.to_thread(child.communicate, timeout=4 * PATIENCE)
        equal(child.returncode, 0, f"exit code; {out} {error}")
        checked(into)
        texts = [row["data"] for row in messages(into)]
        expect("changed my mind" in texts and "live 39" in texts, texts[-50:])
        await asyncio.to_thread(pull, source, folder("afterwards"))
        same(into, folder("afterwards"))
    finally:
        source.stop()


@checks.check("rows that are deleted there stay here, told apart")
async def gone_rows() -> None:
    data = Dataset(messages=0, files=0)
    source = Source(data)
    into = folder("gone")
    try:
        await asyncio.to_thread(pull, source, into)
        lost = sorted(data.classes["_Installation"])[3]
        row = data.classes["_Installation"].pop(lost)
        await asyncio.to_thread(pull, source, into)
        equal(rows(into / "classes" / "_Installation.gone.jsonl"), [json.loads(row)])
        expect(lost not in (into / "classes" / "_Installation.jsonl").read_text())
        data.classes["_Installation"][lost] = row
        await asyncio.to_thread(pull, source, into)
        expect(not (into / "classes" / "_Installation.gone.jsonl").exists(), "a row that is back is not gone")
        checked(into)
    finally:
        source.stop()


@checks.check("the console's export of people is copied as it is: lines, gzip and tar")
async def export() -> None:
    data = Dataset(messages=0, files=0)
    source = Source(data)
    people = [line_of({**json.loads(row), "password": "hash==", "salt": "salt", "bio": "茶" * 50_000}) for row in data.classes["_User"].values()]
    text = b'#filetype:JSON-streaming {"type":"Class","class":"_User"}\n' + b"\n".join(people) + b"\n"
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, body in (("export/_User.0.jsonl", text), ("export/Post.0.jsonl", b"{}\n")):
            info = tarfile.TarInfo(name)
            info.size = len(body)
            tar.addfile(info, io.BytesIO(body))
    try:
        for name, body in (("lines.jsonl", text), ("lines.jsonl.gz", gzip.compress(text)), ("all.tar.gz", archive.getvalue())):
            path = folder(name)
            path.write_bytes(body)
            into = folder("export-" + name)
            out, _ = await asyncio.to_thread(pull, source, into, "--users", str(path))
            equal((into / "users" / "_User.jsonl").read_bytes().splitlines(), [
                line for _, line in sorted((json.loads(line)["objectId"], line) for line in people)], name)
            expect("people of the export" in out, out)
            checked(into)
        folder("torn.gz").write_bytes(gzip.compress(text)[:-20])
        for torn in ("torn.gz", "nothing.gz"):
            _, error = await asyncio.to_thread(pull, source, folder("torn"), "--users", str(folder(torn)), code=66)
            expect(torn in error, error)
    finally:
        source.stop()


@checks.check("wrong keys, ids, classes, folders and addresses are refused, each in words and with its code")
async def refusals() -> None:
    data = Dataset(messages=0, files=0)
    source = Source(data)
    try:
        wrong = folder("wrong.key")
        wrong.write_text("not-the-key\n")
        wrong.chmod(0o600)
        _, error = await asyncio.to_thread(pull, source, folder("none"), code=1, key=wrong)
        expect("401" in error and "master key" in error, error)
        _, error = await asyncio.to_thread(pull, source, folder("none2"), code=1, app="another-app")
        expect("401" in error, error)
        out, _ = await asyncio.to_thread(pull, source, folder("class"), "--class", "Nothing", code=1)
        expect("Nothing" in out and "101" in out, out)
        await asyncio.to_thread(pull, source, folder("mine"))
        _, error = await asyncio.to_thread(pull, source.url + "/x", folder("mine"), code=1)
        expect("another folder" in error, error)
        _, error = await asyncio.to_thread(pull, "http://8.8.8.8", folder("open"), code=1)
        expect("https://" in error, error)
        _, error = await asyncio.to_thread(pull, source, folder("x"), code=66, key=folder("no.key"))
        expect("no.key" in error, error)
        folder("a-file").write_text("")
        _, error = await asyncio.to_thread(pull, source, folder("a-file") / "below", code=74)
        expect("a-file" in error, error)
        await asyncio.to_thread(pull, source, folder("x"), "--since", "yesterday", code=64)
        typed = subprocess.run(command(source.url, folder("typed"), key=Path("-")), input=MASTER_KEY + "\n",
                               capture_output=True, text=True, timeout=PATIENCE * 4)
        equal(typed.returncode, 0, typed.stderr)
    finally:
        source.stop()


@checks.check("a disk that is full ends it with 74, and with room again it goes on to the same folder")
async def full_disk() -> None:
    data = Dataset(messages=3_000, files=4)
    source = Source(data, page=200)
    into = folder("full")

    def little() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    try:
        _, error = await asyncio.to_thread(pull, source, into, code=74, before=little)
        expect("run the same command again" in error, error)
        await asyncio.to_thread(pull, source, into)
        await asyncio.to_thread(pull, source, folder("roomy"))
        same(into, folder("roomy"))
    finally:
        source.stop()


@checks.check("a second pull into the same folder waits its turn; Ctrl-C ends one that goes on later")
async def locked() -> None:
    source = Source(Dataset(messages=2_000, files=2), page=20)
    into = folder("locked")
    try:
        child = spawn(command(source.url, into, rate=20), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        async with asyncio.timeout(2 * PATIENCE):
            while not (into / ".pull" / "state.json").exists():
                await asyncio.sleep(0.02)
        _, error = await asyncio.to_thread(pull, source, into, code=75)
        expect("another pull" in error, error)
        child.send_signal(signal.SIGINT)
        _, error = await asyncio.to_thread(child.communicate, timeout=2 * PATIENCE)
        equal(child.returncode, 1, error)
        expect("go on from here" in error, error)
        await asyncio.to_thread(pull, source, into)
        checked(into)
    finally:
        source.stop()


@checks.check("a dry run counts and estimates, and writes nothing")
async def dry_run() -> None:
    data = Dataset(messages=20_000, files=7)
    source = Source(data)
    try:
        out, _ = await asyncio.to_thread(pull, source, folder("dry"), "--dry-run")
        expect(not folder("dry").exists(), "a dry run made its folder")
        expect("_Conversation" in out and "7 files" in out, out)
        told = next(int(word.strip("~")) for line in out.splitlines() if line.startswith("messages")
                    for word in line.split()[1:])
        expect(abs(told - 20_000) < 2_000, f"20,000 messages were estimated at {told}")
    finally:
        source.stop()


@checks.check("HTTPS: a certificate nobody vouches for is refused, one of --ca-file is taken")
async def encrypted() -> None:
    key, certificate = folder("tls.key"), folder("tls.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    source = Source(Dataset(messages=50, files=3), tls=context)
    try:
        _, error = await asyncio.to_thread(pull, source, folder("tls-wrong"), code=1)
        expect("prove who it is" in error, error)
        await asyncio.to_thread(pull, source, folder("tls"), "--ca-file", str(certificate))
        checked(folder("tls"))
    finally:
        source.stop()


@checks.check("a running teahouse is saved the same way, by its own REST API")
async def from_teahouse() -> None:
    place = House(Place.binary, config=CONFIGURATION + "[leancloud]\nenabled = true\n")
    place.start()
    keys = json.loads(place.ctl("app", "keys", "--json"))
    base = f"http://{place.host}:{place.port}"
    key = folder("teahouse.key")
    key.write_text(keys["masterKey"])
    key.chmod(0o600)

    def ask(method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data=data, method=method, headers={
            "X-LC-Id": keys["appId"], "X-LC-Key": keys["masterKey"] + ",master", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def fill() -> None:
        made = [ask("POST", "/1.2/rtm/conversations", {"name": f"tea {n}", "m": ["tom", f"guest{n}"]}) for n in range(3)]
        for number in range(30):
            ask("POST", f"/1.2/rtm/conversations/{made[number % 3]['objectId']}/messages",
                {"from_client": "tom", "message": json.dumps({"_lctype": -1, "_lctext": f"茶 {number}"})})
        news = ask("POST", "/1.2/rtm/service-conversations", {"name": "news"})["objectId"]
        ask("POST", f"/1.2/rtm/service-conversations/{news}/subscribers", {"client_id": "tom"})
        ask("POST", "/1.1/files/tea.txt", b"green", "text/plain")
        ask("POST", "/1.1/installations", {"deviceType": "ios", "deviceToken": "abc"})

    await asyncio.to_thread(fill)
    into = folder("from-teahouse")
    await asyncio.to_thread(pull, base, into, app=keys["appId"], key=key)
    checked(into)
    told = await asyncio.to_thread(ask, "GET", "/1.2/rtm/messages?reversed=true&limit=1000")
    # Of messages of several conversations in one millisecond the folder has its own order, the same after every run.
    equal(messages(into), sorted(told, key=lambda row: (row["timestamp"], row["conv-id"], row["msg-id"])))
    equal(len(messages(into)), 30)
    equal({row["name"] for row in rows(into / "classes" / "_Conversation.jsonl")}, {"tea 0", "tea 1", "tea 2", "news"})
    equal([row["subscriber"] for row in rows(into / "subscribers.jsonl")], ["tom"])
    equal([(into / row["path"]).read_bytes() for row in rows(into / "files.jsonl")], [b"green"])
    equal(len(rows(into / "classes" / "_Installation.jsonl")), 1)
    expect({"tom", "guest0"} <= {row["objectId"] for row in rows(into / "classes" / "_User.jsonl")})
    equal(place.stop(), 0, "exit code of the server")


def peak_memory(process: int) -> int:
    """The most KiB that a running process had in memory; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def bench(count: int) -> int:
    """How fast so many messages are pulled from the stand-in, and what memory that takes."""
    source = Source(Dataset(people=500, conversations=2_000, messages=count, files=200, days=170))
    try:
        begun = time.monotonic()
        child = spawn(command(source.url, folder("bench")), stdout=subprocess.DEVNULL)
        most = 0
        while True:
            # What wait4 tells is at least the memory of this script: exec keeps the peak of who called it.
            most = max(most, peak_memory(child.pid))
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.02)
        seconds = time.monotonic() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        print(f"{count} messages in {seconds:.1f} s: {count / seconds:.0f} messages/s, "
              f"CPU {usage.ru_utime + usage.ru_stime:.1f} s, {most / 1024:.0f} MiB at most, exit {child.returncode}")
        return child.returncode
    finally:
        source.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the teahouse to test")
    parser.add_argument("--only", help="checks whose names have this in them")
    parser.add_argument("--long", action="store_true", help="kill fifty times")
    parser.add_argument("--bench", type=int, metavar="N", help="only pull N messages, and say how fast that went")
    arguments = parser.parse_args()
    Place.binary = str(Path(arguments.binary).resolve())
    Place.top = temporary_folder("teahouse-pull-")
    Place.key_file = folder("master.key")
    Place.key_file.write_text(MASTER_KEY + "\n")
    Place.key_file.chmod(0o600)
    if arguments.long:
        Place.kills = 50
        house.PATIENCE *= 20
    if arguments.bench:
        return bench(arguments.bench)
    return asyncio.run(checks.run(arguments.only))


if __name__ == "__main__":
    sys.exit(main())
