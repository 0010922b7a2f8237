"""Measures a move from LeanCloud: pulling from a stand-in, importing into a stopped server, and into one that people use meanwhile.

Prints seconds, rows a second and the peak memory of each process, and the p99 of an acknowledgement for two people who talk on the
running server: idle, and while `ctl import` works. Fails when a process needs more than `--memory` MiB, or rows are missing.
`--whole` takes a million messages of 50,000 people in 20,000 conversations, without it a tenth of that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import PERSON, House, Session, payload_of, temporary_folder  # noqa: E402
from leancloud_source import APP_ID, MASTER_KEY, Dataset, Source  # noqa: E402


def peak(process: int) -> float:
    """Most memory that a process has had since it was begun, MiB; 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return max((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), default=0) / 1_024


class Bench:
    def __init__(self, binary: str, memory: int) -> None:
        self.binary = binary
        self.memory = memory
        self.top = temporary_folder("imports-")
        self.failures: list[str] = []
        self.key_file = self.top / "master.key"
        self.key_file.write_text(MASTER_KEY)
        self.key_file.chmod(0o600)

    def judge(self, what: str, mebibytes: float) -> None:
        if mebibytes > self.memory:
            self.failures.append(f"{what} needed {mebibytes:.0f} MiB, more than {self.memory}")

    def run(self, what: str, rows: int, words: list[str]) -> str:
        """Runs a command to its end; what it printed. Rows that cannot come end it with 1."""
        began, mebibytes = time.monotonic(), 0.0
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen([self.binary, *words], stdout=out, stderr=subprocess.DEVNULL)
            # Not what wait4 says: that begins with the memory of the process which forked, and this one has all rows in it.
            while process.poll() is None:
                mebibytes = max(mebibytes, peak(process.pid))
                time.sleep(0.02)
            seconds = time.monotonic() - began
            out.seek(0)
            printed = out.read()
        print(f"{what}: {seconds:.1f} s, {rows / seconds:,.0f} rows/s, {mebibytes:.0f} MiB")
        self.judge(what, mebibytes)
        if process.returncode not in (0, 1):
            self.failures.append(f"{what} ended with {process.returncode}")
        return printed

    def check(self, what: str, out: str, messages: int) -> None:
        counts = json.loads(out.splitlines()[0])["messages"]
        if counts["added"] + counts["refused"] != counts["rows"] or counts["rows"] < messages:
            self.failures.append(f"{what}: of {messages} messages {counts}")


async def talk(house: House, token: str, seconds: float | None, until: asyncio.Event) -> list[float]:
    """Sends to a friend again and again; how long each acknowledgement took, in milliseconds."""
    sender = await Session.open(house.url, "probe-0", token)
    took = []
    end = time.monotonic() + (seconds or 1e9)
    while time.monotonic() < end and not until.is_set():
        began = time.monotonic()
        await sender.send("probe-1", PERSON, payload_of("hello"))
        took.append((time.monotonic() - began) * 1_000)
        await asyncio.sleep(0.01)  # a hundred messages a second are a busy office
    await sender.close()
    return took


def p99(took: list[float]) -> float:
    return sorted(took)[max(0, len(took) * 99 // 100 - 1)]


async def running(bench: Bench, saved: Path, rows: int, messages: int) -> None:
    house = House(bench.binary)
    house.start()
    try:
        token = house.add_users(["probe-0", "probe-1"])["probe-0"]
        idle = await talk(house, token, 10, asyncio.Event())
        done = asyncio.Event()
        talking = asyncio.create_task(talk(house, token, None, done))
        words = ["ctl", "--data", str(house.data), "import", "leancloud", str(saved), "--json"]
        out = await asyncio.to_thread(bench.run, "ctl import", rows, words)
        done.set()
        busy = await talking
        bench.check("ctl import", out, messages)
        print(f"others' p99: {p99(idle):.1f} ms idle, {p99(busy):.1f} ms during the import ({len(busy)} messages)")
        assert house.process is not None
        needed = peak(house.process.pid)
        print(f"the server: {needed:.0f} MiB")
        bench.judge("the server", needed)
    finally:
        house.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--messages", type=int)
    parser.add_argument("--memory", type=int, default=300, help="MiB that each process may need")
    arguments = parser.parse_args()
    scale = 10 if arguments.whole else 1
    messages = arguments.messages or 100_000 * scale
    people, conversations = messages // 20, messages // 50
    bench = Bench(arguments.binary, arguments.memory)
    source = Source(Dataset(people=people, conversations=conversations, messages=messages, files=100))
    saved = bench.top / "saved"
    rows = messages + 2 * people + conversations
    try:
        bench.run("pull", rows, ["leancloud", "pull", "--from", source.url, "--app-id", APP_ID, "--into", str(saved),
                                 "--key-file", str(bench.key_file), "--rate", "1000"])
    finally:
        source.stop()
    words = ["import", "leancloud", str(saved), "--data", str(bench.top / "data"), "--json"]
    bench.check("import", bench.run("import", rows, words), messages)
    asyncio.run(running(bench, saved, rows, messages))
    for failure in bench.failures:
        print(f"imports: {failure}")
    print("imports: FAILED" if bench.failures else "imports: all of it came")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
