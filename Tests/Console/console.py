"""The console against a real server, in tmux: what a person sees and presses."""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from terminal import PATIENCE, Line, Terminal

HOSTILE = "evil\u202ered"


class House:
    """A server on a temporary folder."""

    def __init__(self, binary: str, folder: Path):
        self.binary = binary
        self.data = folder / "data"
        self.log = folder / "log"
        self.server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.server = subprocess.Popen(
                [self.binary, "serve", "--data", str(self.data), "--listen", "127.0.0.1:0"], stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while self.ctl("status", check=False).returncode != 0:
            if self.server.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no server: {self.log.read_text()}")
            time.sleep(0.05)

    def stop(self) -> None:
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait(PATIENCE)

    def ctl(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        run = subprocess.run(
            [self.binary, "ctl", "--data", str(self.data), *words], capture_output=True, text=True, timeout=PATIENCE)
        if check and run.returncode != 0:
            raise AssertionError(f"ctl {words}: {run.stderr}")
        return run

    def ask(self, requests: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Requests over the admin socket, one after the other; each has to succeed."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.data / "admin.sock"))
            answers = line.makefile("rb")
            line.sendall(b'{"teahouse":"admin","version":1}\n')
            assert b'"teahouse":"admin"' in answers.readline()
            for number, (word, fields) in enumerate(requests, start=1):
                request = {"id": number, "ask": word, "with": fields}
                line.sendall(json.dumps(request, ensure_ascii=False).encode() + b"\n")
                answer = json.loads(answers.readline())
                assert answer["id"] == number and "error" not in answer, answer


class Device:
    """A device of a person: signed in over the JSON protocol, and able to upload."""

    def __init__(self, house: House, name: str):
        status = json.loads(house.ctl("status", "--json").stdout)
        self.port = int(status["addresses"][0].rsplit(":", 1)[1])
        self.token = json.loads(house.ctl("user", "token", name, "--json").stdout)["token"]
        self.line = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        person = {"version": 4, "uid": name, "token": self.token, "deviceFlag": 0, "deviceId": "phone"}
        self.line.sendall(
            json.dumps({"jsonrpc": "2.0", "id": "1", "method": "connect", "params": person}).encode() + b"\n")
        answer = self.line.recv(4096)
        assert b'"reasonCode":1' in answer, answer
        self.wire: socket.socket | None = None
        self.missing = 0

    def upload(self, name: str, count: int, of: int) -> None:
        """Begins an upload with tus, sends so many bytes of it, and leaves it open."""
        head = {
            "Authorization": f"Bearer {self.token}", "Tus-Resumable": "1.0.0", "Upload-Length": str(of),
            "Upload-Metadata": "filename " + base64.b64encode(name.encode()).decode(),
        }
        maker = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        maker.request("POST", "/api/v1/files", headers=head)
        answer = maker.getresponse()
        assert answer.status == 201, answer.status
        path = answer.headers["Location"]
        maker.close()
        self.wire = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        fields = {
            "Host": f"127.0.0.1:{self.port}", "Authorization": head["Authorization"], "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream", "Content-Length": str(of),
        }
        lines = [f"PATCH {path} HTTP/1.1", *(f"{field}: {value}" for field, value in fields.items()), "", ""]
        self.wire.sendall("\r\n".join(lines).encode() + b"x" * count)
        self.missing = of - count

    def finish_upload(self) -> None:
        assert self.wire
        self.wire.sendall(b"x" * self.missing)
        answer = self.wire.recv(4096)
        assert answer.startswith(b"HTTP/1.1 204"), answer

    def close(self) -> None:
        for wire in (self.line, self.wire):
            if wire:
                wire.close()


def cells(text: str) -> int:
    """Cells of a text without joined emoji, counted without the product's own tables."""
    width = 0
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width


def column_of(lines: list[str], heading: str, line_with: str, text: str) -> tuple[int, int]:
    """Where a heading begins, and where a text in another line does, in cells."""
    head = next(line for line in lines if heading in line)
    line = next(line for line in lines if line_with in line)
    return cells(head[: head.index(heading)]), cells(line[: line.index(text)])


class Suite:
    def __init__(self, binary: str, folder: Path, captures: Path | None):
        self.binary = binary
        self.folder = folder
        self.captures = captures
        self.house = House(binary, folder)
        self.open: list[Terminal] = []

    def terminal(self, columns: int = 80, rows: int = 24, language: str = "en", *words: str, **variables: str) -> Terminal:
        environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "tmux-256color", **variables}
        command = [self.binary, "console", "--data", str(self.house.data), "--lang", language, *words]
        terminal = Terminal(self.folder, command, columns, rows, environment)
        self.open.append(terminal)
        return terminal

    def capture(self, name: str, lines: list[str]) -> None:
        if self.captures:
            self.captures.mkdir(parents=True, exist_ok=True)
            (self.captures / f"{name}.txt").write_text("\n".join(line.rstrip() for line in lines).rstrip() + "\n")

    def prepare(self) -> None:
        self.house.start()
        for name, shown in [("lan", "阿兰"), ("zoe", "Zoë Łukasz"), ("family", "👨‍👩‍👧 family"), (HOSTILE, "red\u202edcba")]:
            self.house.ctl("user", "add", name, "--display-name", shown)

    # What is tested, in this order.

    def walk(self) -> None:
        """A first-time operator's day: people, a group, a message found, a profile asked for again."""
        console = self.terminal()
        self.capture("1-overview", console.wait_for("1 Overview", "nothing needs you", "messages out"))
        console.press("2")
        console.wait_for("阿兰")
        console.press("n")
        console.wait_for("new person", "The name is missing")
        console.type("ming")
        console.press("Tab")
        console.type("张小明")
        self.capture("2-new-person", console.wait_for("teahouse ctl user add ming --display-name 张小明"))
        console.press("Enter")
        console.wait_for("user ming added")
        self.capture("3-people", console.wait_for("张小明", "red\\u202edcba"))
        console.press("4")
        console.wait_for("No conversations yet")
        console.press("n")
        console.wait_for("Members of the new group", "Zoë")
        console.press("Z", "Space", "Space")
        self.capture("4-choose-members", console.wait_for("2 chosen", "[x] 张小明"))
        console.press("Enter")
        console.wait_for("New group of 2")
        console.type("tea")
        console.press("Tab")
        console.type("茶馆")
        self.capture("5-new-group", console.wait_for("--title 茶馆 --members"))
        console.press("Escape")
        console.wait_for("2 chosen", "[x] 张小明")
        console.press("Enter")
        console.wait_for("New group of 2")
        console.type("tea")
        console.press("Tab")
        console.type("茶馆")
        console.press("Enter")
        console.wait_for("group tea created", "茶馆")
        self.house.ctl("send", "--from", "ming", "--group", "tea", "茶好了")
        self.house.ctl("send", "--from", "zoe", "--group", "tea", "coming")
        console.press("o")
        console.wait_for("茶好了", "coming")
        console.press("/")
        console.type("好了")
        self.capture("6-find-a-message", console.wait_for("茶好了", "filter 好了", without="coming"))
        console.press("Enter", "Enter")
        console.wait_for("Message in 茶馆")
        console.press("Escape", "Escape", "q")
        console.wait_for("Conversations", without="Messages")
        console.press("Enter", "w")
        console.wait_for("Write to tea")
        console.press("Escape", "s")
        self.capture("7-mute-the-group", console.wait_for("mute the group: tea", "Only managers and the owner may send."))
        console.press("Enter")
        console.wait_for("1 group muted", "only managers send")
        console.press("z")
        console.wait_for("1 group unmuted", "active")
        console.press("c")
        console.wait_for("Team card tea", "introduction")
        console.press(*["Down"] * 6, "e")
        console.wait_for("introduction of tea", "0/512")
        console.type("喝茶的地方")
        self.capture("8-change-the-card", console.wait_for("teahouse ctl team set tea --introduction 喝茶的地方"))
        console.press("Enter")
        console.wait_for("喝茶的地方", "group name", without="ctl team set")
        device = Device(self.house, "ming")
        console.press("3")
        console.wait_for("ming", "wukong-json")
        console.press("K")
        self.capture("9-end-a-session", console.wait_for("end sessions: ming", "teahouse ctl session kick"))
        console.press("Enter")
        console.wait_for("1 session ended", "Nobody is signed in.")
        device.upload("plan.txt", 3_000_000, of=10_000_000)
        console.press("5")
        console.wait_for("plan.txt", "30%", "progressing")
        console.press("s")
        console.wait_for("suspend: plan.txt")
        console.press("Enter")
        self.capture("10-suspend-an-upload", console.wait_for("1 transfer suspended", "30%", without="progressing"))
        console.press("r")
        console.wait_for("resume: plan.txt")
        console.press("Enter")
        console.wait_for("1 transfer may go on")
        device.finish_upload()
        console.wait_for("100%", "succeeded")
        device.close()
        console.press("7")
        console.wait_for("found in memory", "阿兰")
        console.press("i")
        self.capture("11-ask-again", console.wait_for("asked for again at the next look-up"))
        console.type(":")
        console.type("user show ming")
        console.press("Enter")
        self.capture("12-command-line", console.wait_for("张小明", "teahouse ctl user show ming"))
        console.press("Escape")
        console.press("q")
        self.expect_over(console)

    def app(self) -> None:
        """What a right signature is, told by the tester; and the filter rules."""
        console = self.terminal(100, 30)
        console.wait_for("Overview")
        console.press(*["Tab"] * 15)
        console.wait_for("SIGN-IN", "signature")
        console.press("t")
        console.wait_for("Say for which client it is.")
        console.press("Tab")
        console.type("Tom")
        console.wait_for("teahouse ctl app sign open --client Tom")
        console.press("Enter")
        self.capture("app-signature", console.wait_for(":Tom:"))
        console.press("Escape", "Tab")
        console.wait_for("No rules")
        self.house.ctl("filter", "add", "--word", "casino", "--drop")
        console.press("R")
        console.wait_for("casino", "not shown")
        console.press("q")

    def columns_line_up(self) -> None:
        """Behind names of every width the next column begins where its heading does."""
        for columns, rows in [(80, 24), (200, 50)]:
            console = self.terminal(columns, rows)
            console.press("2")
            lines = console.wait_for("family", "张小明", "\\u202e")
            for line_with in ["张小明", "阿兰", "Zoë", "family", "\\u202e"]:
                head, cell = column_of(lines, "ROLE", line_with, "member")
                assert head == cell, f"{columns}x{rows}: the column of {line_with} begins at {cell}, its heading at {head}"
            assert "\x1b" not in "\n".join(lines)
            self.capture(f"people-{columns}x{rows}", lines)

    def chinese(self) -> None:
        console = self.terminal(80, 24, "zh-Hans")
        self.capture("chinese", console.wait_for("概览", "一切正常"))
        console.press("?")
        console.wait_for("按键：概览")

    def no_colour(self) -> None:
        """`NO_COLOR` sends no colour; the cursor's row is still told by its mark."""
        console = self.terminal(80, 24, "en", TERM="xterm-256color", NO_COLOR="1")
        console.press("2")
        console.wait_for("> lan")
        coloured = console._tmux("capture-pane", "-p", "-e", "-t", "console")
        assert "\x1b[3" not in coloured.replace("\x1b[39m", ""), coloured

    def resizes(self) -> None:
        """The window changes while figures come in; the cursor stays on its person."""
        console = self.terminal()
        console.press("2")
        console.wait_for("> lan")
        console.press("Down", "Down")
        console.wait_for("> family")
        for columns, rows in [(60, 17), (200, 50), (41, 11), (20, 5), (80, 24)]:
            console.resize(columns, rows)
            console.wait_for("This window" if columns == 20 else "> family")

    def mouse(self) -> None:
        """A click on a row and on the name of a screen, as X10 tells them."""
        console = self.terminal()
        console.press("2")
        console.wait_for("> lan")
        console.bytes(0x1B, 0x5B, 0x4D, 0x20, 33 + 5, 33 + 5)
        console.bytes(0x1B, 0x5B, 0x4D, 0x23, 33 + 5, 33 + 5)
        console.wait_for("> family")
        console.bytes(0x1B, 0x5B, 0x4D, 0x20, 33 + 26, 33)
        console.wait_for("Nobody is signed in.")

    def pasted(self) -> None:
        """Pasted text is never keys: on a screen, over a question, behind `:`, and in a field of several lines."""
        console = self.terminal()
        console.press("2")
        console.wait_for("> lan")
        console.paste("d\n")
        console.wait_for("pasted text is no keys", without="disable: lan")
        console.press("d")
        console.wait_for("disable: lan")
        console.paste("y\ny\n")
        console.press("Escape")
        console.wait_for("nothing was changed")
        assert '"disabled":true' not in self.house.ctl("user", "show", "lan", "--json").stdout
        console.type(":")
        console.paste("user list\nuser disable lan\n")
        console.wait_for(":user list user disable lan")
        console.press("Escape")
        console.press(*["Tab"] * 9)
        console.wait_for("Announcements")
        console.press("n")
        console.wait_for("The text is missing")
        console.press("Tab")
        console.paste("eins\nzwei\ndrei")
        console.wait_for("eins", "zwei", "drei", "Ctrl-J new line")
        console.press("Escape")

    def typed_changes_ask(self) -> None:
        """What is typed behind `:` asks what a key asks, and is taken back with z."""
        for name in ["anna", "bo"]:
            self.house.ctl("user", "add", name)
        self.house.ctl("team", "create", "gone", "--form", "advanced", "--owner", "anna", "--members", "bo")
        console = self.terminal()
        console.wait_for("Overview")
        console.type(":")
        console.type("team dismiss gone")
        console.press("Enter")
        console.wait_for("dissolve the group: gone", "2 members are in it.", "Type gone to go on")
        console.press("Escape")
        console.wait_for("nothing was changed")
        console.type(":")
        console.type("user disable anna")
        console.press("Enter")
        console.wait_for("disable: anna", "They are signed out at once")
        console.press("Enter")
        console.wait_for("z undoes")
        console.press("z")
        console.wait_for("taken back")
        self.house.ctl("user", "disable", "anna")
        self.house.ctl("user", "enable", "anna")
        refused = self.house.ctl("team", "dismiss", "gone", check=False)
        assert refused.returncode == 1 and "--yes" in refused.stderr, refused
        self.house.ctl("--yes", "team", "dismiss", "gone")
        console.press("2")
        console.wait_for("anna")
        console.press("/")
        console.type("anna")
        console.press("Enter", "d")
        console.wait_for("disable: anna")
        console.press("Enter")
        console.wait_for("1 person disabled")
        self.house.ctl("user", "enable", "anna")
        console.press("z")
        console.wait_for("somebody changed this since")
        console.press("Escape", "q")
        for name in ["anna", "bo"]:
            self.house.ctl("user", "delete", name, "--yes")

    def read_only(self) -> None:
        console = self.terminal(80, 24, "en", "--read-only")
        console.press("2")
        console.wait_for("> lan", "read-only")
        console.press("d")
        console.wait_for("read-only: nothing is changed here")

    def server_restarts(self) -> None:
        """What is shown stays and is marked; the console goes on by itself."""
        console = self.terminal()
        console.press("2")
        console.wait_for("> lan")
        self.house.stop()
        self.capture("stale", console.wait_for("STALE since", "> lan"))
        console.press("Down")
        console.wait_for("> zoe")
        self.house.start()
        console.wait_for("> zoe", without="STALE")

    def a_stopped_server_holds_no_key_up(self) -> None:
        """A server that hangs: keys are answered all the same."""
        assert self.house.server
        console = self.terminal()
        console.press("2")
        console.wait_for("> lan")
        self.house.server.send_signal(signal.SIGSTOP)
        try:
            console.press("R", "Down", "3")
            console.wait_for("Sessions", "DEVICE")
            console.press("2")
            console.wait_for("> zoe", "STALE since", "the server does not answer")
        finally:
            self.house.server.send_signal(signal.SIGCONT)
        console.wait_for("> zoe", without="STALE")
        console.type(":")
        console.type("top")
        console.press("Enter")
        console.wait_for("messages in")
        console.type(":")
        console.type("--json tail")
        console.press("Enter")
        console.wait_for("Log")
        console.type(":")
        console.type("user list")
        console.press("Enter")
        console.wait_for("teahouse ctl user list")

    def ten_thousand(self) -> None:
        """10,000 people and 5,000 conversations: how long keys take, and what an idle console costs."""
        people = [f"person{number:05}" for number in range(10_000)]
        rows = self.folder / "people.txt"
        rows.write_text("".join(f"{name}\n" for name in people))
        self.house.ctl("user", "import", str(rows))
        self.house.ask(
            ("team.create", {"name": f"team{n:04}", "settings": {"title": f"第{n}组"}, "members": people[2 * n:2 * n + 4]})
            for n in range(4_998))
        environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm-256color"}
        console = Line([self.house.binary, "console", "--data", str(self.house.data)], 200, 50, environment)
        try:
            for screen, what in [(b"1", "the overview"), (b"2", "people"), (b"4", "conversations")]:
                os.write(console.end, screen)
                console.drain(1.5, at_most=4)  # all pages are in
                if screen != b"1":
                    self.time_keys(console, what)
                before, begin = cpu_seconds(console.process), time.monotonic()
                while time.monotonic() - begin < 5:
                    console.drain(0.2, at_most=0.5)
                share = (cpu_seconds(console.process) - before) / (time.monotonic() - begin)
                print(f"   idle on {what}: {100 * share:.1f} % of a core")
                assert share < 0.05, f"an idle console takes {100 * share:.1f} % of a core"
        finally:
            console.close()

    def time_keys(self, console: Line, what: str) -> None:
        """Prints how long keys take to be answered: moving, sorting, filtering, marking."""
        keys = {
            "moving": [b"G", b"g", b"j", b"k", b"\x1b[6~", b"\x1b[5~"] * 20,
            "sorting": [b">", b"<", b"I", b"I"] * 10,
            "marking all": [b"*", b"U"] * 10,
            "filtering": [b"/", b"1", b"2", b"\x7f", b"\x7f", b"9", b"9", b"\x1b"] * 5,
        }
        everything: list[float] = []
        for kind, presses in keys.items():
            delays = sorted(delay for delay in map(console.answer_to, presses) if delay is not None)
            assert len(delays) > len(presses) // 2, f"{kind}: {len(delays)} of {len(presses)} keys were answered"
            everything += delays
            print(f"   {what}, {kind}: median {1000 * delays[len(delays) // 2]:.0f} ms, worst {1000 * delays[-1]:.0f} ms")
        everything.sort()
        at99 = everything[int(0.99 * len(everything))]
        print(f"   {what}, {len(everything)} keys: 99 % within {1000 * at99:.0f} ms")
        assert at99 < 0.5, f"a key took {at99:.3f} s"

    def expect_over(self, console: Terminal) -> None:
        end = time.monotonic() + PATIENCE
        while not console.is_over():
            assert time.monotonic() < end, "\n".join(console.lines())
            time.sleep(0.05)


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--captures", type=Path)
    parser.add_argument("--only")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="teahouse-console-"))
    suite = Suite(options.binary, folder, options.captures)
    failed = 0
    try:
        suite.prepare()
        for test in [
            suite.walk, suite.app, suite.columns_line_up, suite.chinese, suite.no_colour, suite.resizes, suite.mouse,
            suite.pasted, suite.typed_changes_ask, suite.read_only, suite.server_restarts, suite.a_stopped_server_holds_no_key_up, suite.ten_thousand,
        ]:
            if options.only and test.__name__ != options.only:
                continue
            print(f"-- {test.__name__}", flush=True)
            try:
                test()
            except AssertionError as error:
                failed += 1
                print(f"   FAILED: {error}", flush=True)
            for terminal in suite.open:
                terminal.close()
            suite.open = []
    finally:
        for terminal in suite.open:
            terminal.close()
        suite.house.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("console: all passed" if failed == 0 else f"console: {failed} FAILED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
