"""Every command that README and docs show, typed into a real shell on a terminal, as a newcomer would.

Each fenced `console` block is run in the order of its page: lines with `$ ` are typed, the lines below them have to appear
in that order, `...` and `…` standing for anything. A page has a server of its own. Commands are changed in four places
only: the data folder, the address, the app that is saved from LeanCloud, and the rights of another system user.
"""

from __future__ import annotations

import argparse
import io
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tarfile
import termios
import time
from pathlib import Path

from house import PATIENCE, House, temporary_folder
from leancloud_source import APP_ID, MASTER_KEY, Dataset, Source

ROOT = Path(__file__).resolve().parents[2]
#: Commands that are run elsewhere, and where.
ELSEWHERE = {
    "deploy/quickstart.sh": "below, into a folder of its own",
    "deploy/test.sh": "this is part of it",
    "deploy/build.sh": "deploy/test.sh builds in the same way",
    "deploy/package.sh": "Tests/Package builds, installs, upgrades and removes the package",
    "sudo dpkg": "Tests/Package, in a clean root",
    "sudo systemctl": "Tests/Package, in a container that systemd boots",
    "sudo teahouse": "Tests/Package, in a container that systemd boots",
    "swift build": "deploy/test.sh does it",
    ".build/release/teahouse serve": "the server of each page",
}
#: Commands that do not end by themselves: what shows that they work (`None`: nothing, while nothing happens), the key that
#: ends them, and the exit code then.
ENDLESS: dict[str, tuple[str | None, str, int]] = {
    r" console( |$)": (r"1 (Overview|概览)", "q", 0),
    r" transfer watch( |$)": (r"(?s).+", "q", 0),
    r" tail( |$)": (None, "", 124),
    r" --follow( |$)": (r"Following\.", "\x03", 0),
}
#: What a person answers who is asked.
ANSWERS = {r"(New password|The same again): $": "a cup of longjing\n"}
MARK = "@@ended@@"


class Shell:
    """A bash on a terminal of its own."""

    def __init__(self, folder: Path, path: str) -> None:
        self.master, slave = pty.openpty()
        attributes = termios.tcgetattr(slave)
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        termios.tcsetwinsize(slave, (50, 200))
        environment = {"PATH": path, "HOME": str(folder), "TERM": "xterm", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "--noediting"], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment,
            start_new_session=True)
        os.close(slave)
        self.text = ""
        self.typed = folder / "typed.sh"
        self.type(f"PS1= PS2=; echo {MARK}\n")
        self.until(re.escape(MARK) + "\r?\n")

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def until(self, pattern: str) -> str:
        """What was printed up to the pattern, which is answered on the way where a person would be asked."""
        deadline = time.monotonic() + PATIENCE * 4
        while True:
            for question, answer in ANSWERS.items():
                if re.search(question, self.text):
                    self.text += "\n"
                    self.type(answer)
            found = re.search(pattern, self.text)
            if found:
                before, self.text = self.text[:found.end()], self.text[found.end():]
                return before
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited for {pattern!r}, saw {self.text[-2000:]!r}")
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.master, 65536).decode(errors="replace")
                except OSError as error:
                    raise TimeoutError(f"the shell ended: {self.text[-2000:]!r}") from error

    def run(self, command: str) -> tuple[int, str]:
        """The exit code of one command, and what it printed."""
        # From a file, so that nothing but the one line waits in the terminal for a command that reads it.
        # What shows nothing while nothing happens gets a time: a shell that is interrupted forgets the rest of its line.
        silent = any(sign is None and re.search(words, command) for words, (sign, _, _) in ENDLESS.items())
        self.typed.write_text(("timeout --foreground 2 " if silent else "") + command + "\n")
        self.type(f". {self.typed}; printf '{MARK}%d\\n' $?\n")
        ends = 0
        for words, (sign, key, code) in ENDLESS.items():
            if re.search(words, command):
                ends = code
                if sign:
                    self.until(sign)
                    self.type(key)
        printed = self.until(re.escape(MARK) + r"(\d+)\r?\n")
        found = re.search(re.escape(MARK) + r"(\d+)", printed)
        assert found
        return 0 if int(found[1]) == ends else int(found[1]) or 1, printed[:found.start()].replace("\r\n", "\n")

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.master)


def blocks(page: Path) -> list[list[tuple[str, list[str]]]]:
    """Of each console block: the commands, each with the lines that the page shows below it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        commands: list[tuple[str, list[str]]] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif commands and commands[-1][0].endswith("\\"):
                commands[-1] = (commands[-1][0] + "\n" + line, [])
            elif commands:
                commands[-1][1].append(line)
        found.append(commands)
    return found


def missing(shown: list[str], printed: str, changed: dict[str, str]) -> str | None:
    """The first shown line that was not printed after those before it."""
    at = 0
    for line in shown:
        for old, new in changed.items():
            line = line.replace(old, new)
        pieces = [re.escape(piece.strip()) for piece in re.split(r"\.\.\.|…", line) if piece.strip()]
        if not pieces:
            continue
        pattern = re.sub(r"(\\ )+", r"\\s+", ".*?".join(pieces))
        found = re.compile(pattern).search(printed, at)
        if not found:
            return line
        at = found.end()
    return None


def app_at_leancloud(folder: Path) -> tuple[Source, dict[str, str]]:
    """The app that a page saves, with its key and its export."""
    source = Source(Dataset())
    (folder / "master.key").write_text(MASTER_KEY + "\n")
    (folder / "master.key").chmod(0o600)
    lines = b"\n".join(source.dataset.classes["_User"].values())
    with tarfile.open(folder / "export.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("_User.0.jsonl")
        member.size = len(lines)
        archive.addfile(member, io.BytesIO(lines))
    return source, {"https://api.example.com": source.url, "9Gx1tXo4uY2aQk3L-gzGzoHsz": APP_ID}


def prepare(page: Path, house: House, folder: Path) -> None:
    """What a page takes for granted: its own text says where it comes from."""
    (folder / "会议记录.pdf").write_bytes(b"%PDF-1.4\n" + os.urandom(60_000))
    if page.name == "README.md":
        return
    house.add_users(["ming", "lan"])
    for name, title in (("ming", "小明"), ("lan", "阿兰")):
        house.ctl("user", "edit", name, "--display-name", title)


def run_page(page: Path, binary: str) -> tuple[int, int]:
    commands = [pair for block in blocks(page) for pair in block]
    if all(any(command.startswith(start) for start in ELSEWHERE) for command, _ in commands):
        return 0, 0
    house = House(binary, config="[store]\nballast_bytes = 1048576\n")
    house.start()
    folder = temporary_folder("page-")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "teahouse").symlink_to(Path(binary).resolve())
    sudo = tools / "sudo"
    sudo.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    sudo.chmod(0o755)
    prepare(page, house, folder)
    changed = {"/srv/teahouse": str(house.data), "HOST:7677": f"127.0.0.1:{house.port}"}
    source = None
    if page.name == "moving-from-leancloud.md":
        source, places = app_at_leancloud(folder)
        changed.update(places)
    shell = Shell(folder, f"{tools}:{os.environ['PATH']}")
    passed = failed = 0
    try:
        shell.run(f"export TEAHOUSE_DATA={house.data}")
        for command, shown in commands:
            if any(command.startswith(start) for start in ELSEWHERE):
                continue
            typed = command
            for old, new in changed.items():
                typed = typed.replace(old, new)
            code, printed = shell.run(typed)
            interactive = any(re.search(words, command) for words in ENDLESS)
            gone = None if interactive else missing(shown, printed, changed)
            if code == 0 and gone is None:
                passed += 1
                continue
            failed += 1
            reason = f"exit code {code}" if code else f"did not print {gone!r}"
            print(f"FAIL  {page.name}: $ {command}: {reason}; it printed:\n{printed[-1500:]}")
    finally:
        shell.close()
        house.stop()
        if source:
            source.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{'FAIL' if failed else 'ok  '}  {page.relative_to(ROOT)}: {passed} of {passed + failed} commands")
    return passed, failed


def quickstart(binary: str) -> int:
    """The quickstart, twice, and everything it tells people to type but the console and the endless ones."""
    if Path(binary).resolve() != (ROOT / ".build/release/teahouse").resolve():
        print("ok    deploy/quickstart.sh: left out, the binary is no release build")
        return 0
    folder = temporary_folder("quickstart-")
    environment = {**os.environ, "TEAHOUSE_DATA": str(folder / "data"), "TEAHOUSE_LISTEN": "127.0.0.1:0"}

    def run(*words: str) -> str:
        done = subprocess.run(["deploy/quickstart.sh", *words], cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"deploy/quickstart.sh {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    failed = 0
    try:
        told = run()
        again = run()
        if "teahouse ready on 127.0.0.1:" not in told or "already running" not in again:
            print(f"FAIL  deploy/quickstart.sh: {told}{again}")
            failed += 1
        shell = Shell(folder, os.environ["PATH"])
        (folder / "README.md").write_text("# 茶馆\n")
        for command in re.findall(r"^    (.+)$", told, re.MULTILINE):
            code, printed = shell.run(command)
            if code:
                print(f"FAIL  deploy/quickstart.sh shows {command!r}: exit code {code}; it printed:\n{printed[-1500:]}")
                failed += 1
        shell.close()
    finally:
        run("stop")
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{'FAIL' if failed else 'ok  '}  deploy/quickstart.sh")
    return failed


def features() -> int:
    """Each test that the table of features names is there, and each row stands in one place only."""
    text = (ROOT / "docs" / "features.md").read_text()
    there = {file.name.removesuffix(".swift") for file in (ROOT / "Tests").rglob("*") if file.suffix in (".swift", ".py")}
    rows = re.findall(r"^\| (F\d{3}) \|", text, re.MULTILINE)
    bad = [f"there is no test {name}" for name in re.findall(r"`([\w.]+)`", "\n".join(
        line.split("|")[3] for line in text.splitlines() if line.startswith("| F") and line.count("|") == 4)) if name not in there]
    bad += [f"{row} stands twice" for row in sorted(set(rows)) if rows.count(row) > 1]
    bad += [f"F{number:03} is missing" for number in range(1, 361) if f"F{number:03}" not in rows]
    for problem in bad:
        print(f"FAIL  docs/features.md: {problem}")
    print(f"{'FAIL' if bad else 'ok  '}  docs/features.md: {len(rows)} rows")
    return len(bad)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", help="a page's file name")
    options = parser.parse_args()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    passed = failed = 0
    for page in pages:
        if options.only and page.name != options.only:
            continue
        if blocks(page):
            good, bad = run_page(page, options.binary)
            passed, failed = passed + good, failed + bad
    if not options.only:
        failed += quickstart(options.binary) + features()
    if passed == 0:
        print("FAIL  no command was found")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
