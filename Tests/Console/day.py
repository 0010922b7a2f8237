"""A day at the console, on 80 by 24 cells, without leaving it: a fresh server gets 300 people and teams, a dispute is settled by search and
trace, an upload is held, a backup is proven, somebody leaves the company, and the audit log tells all of it."""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from console import Device, House
from terminal import PATIENCE, Terminal

FAMILY = "王李张刘陈杨赵黄周吴"
GIVEN = ["明", "芳", "伟", "秀英", "娜", "敏", "静", "磊", "强", "洋"]


class Day:
    def __init__(self, binary: str, folder: Path):
        self.folder = folder
        self.house = House(binary, folder)
        self.house.start()
        environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "tmux-256color"}
        command = [binary, "console", "--data", str(self.house.data), "--lang", "en", "--operator", "chen"]
        self.console = Terminal(folder, command, 80, 24, environment)

    def close(self) -> None:
        self.console.close()
        self.house.stop()

    def say(self, line: str) -> None:
        """A line behind `:`."""
        self.console.type(":")
        self.console.type(line)
        self.console.press("Enter")

    def expect(self, text: str, *words: str) -> None:
        """The state afterwards, as a script would ask for it."""
        answer = self.house.ctl(*words, "--json").stdout
        assert text in answer, f"{words}: {answer}"

    def until(self, what: str, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"waited until {what}"
            time.sleep(0.05)

    # The day, in this order.

    def morning(self) -> None:
        """300 people from a file, and two teams of theirs."""
        people = self.folder / "people.csv"
        with open(people, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["name", "display_name"])
            for number in range(300):
                shown = FAMILY[number % 10] + GIVEN[number // 10 % 10] + ("" if number < 100 else str(number // 100))
                rows.writerow([f"p{number:03}", shown])
        self.console.wait_for("1 Overview", "nothing needs you")
        self.console.press("2")
        self.console.wait_for("Nobody has an account yet")
        self.console.press("i")
        self.console.wait_for("File on this machine")
        self.console.type(str(people))
        self.console.press("Enter")
        self.console.wait_for("300 new, 0 there already", "sign-in token")
        self.console.press("Enter")
        self.console.wait_for("p000  tea_", "/300")
        self.console.press("Escape")
        self.console.wait_for("1/300", "王明")

        self.console.press("4")
        self.console.wait_for("No conversations yet")
        self.console.press("n")
        self.console.wait_for("Members of the new group")
        self.console.type("/王")
        self.console.wait_for("王芳  p010", without="陈芳")
        self.console.press("Enter", "v", "End", "v")
        self.console.wait_for("30 chosen")
        self.console.press("Enter")
        self.console.wait_for("New group of 30")
        self.console.type("sales")
        self.console.press("Tab")
        self.console.type("销售部")
        self.console.press("Enter")
        self.console.wait_for("group sales created, members: 30", "销售部")
        # The second team by a line, as an operator types it who has read `=` once.
        self.say("team create store --form advanced --owner p001 --members p002,p003 --title 仓库")
        self.console.wait_for("team store created", "仓库")
        self.expect('"members":30', "conversation", "show", "sales")

    def noon(self) -> None:
        """Somebody complains: the message is found by its words, traced, mended or taken back, and its author muted."""
        for sender, text in [("p010", "三点开会"), ("p020", "你这个骗子"), ("p010", "请注意语言")]:
            self.house.ctl("send", "--from", sender, "--group", "sales", text)
        # The index follows the messages.
        self.until(
            "the index has the message",
            lambda: "骗子" in self.house.ctl("message", "search", "骗子", "--why", "the test waits for it").stdout)
        self.say("search")
        self.console.wait_for("Search")
        self.console.press("F")
        self.console.wait_for("search messages")
        self.console.type("骗子")
        self.console.press("Tab", "Tab", "Tab")
        self.console.type("p010 complains")
        self.console.press("Enter")
        self.console.wait_for("你这个骗子", "王伟", "销售部")
        self.console.press("t")
        self.console.wait_for("Trace", "p020")
        self.console.press("Escape")
        self.console.wait_for("你这个骗子", without="Trace")
        self.console.press("Enter")
        self.console.wait_for("Messages", "三点开会", "> ", "你这个骗子")
        self.console.press("x")
        self.console.wait_for("take back", "“你这个骗子”")
        self.console.press("Enter")
        self.console.wait_for("1 message taken back", without="你这个骗子")
        # The one of before had the wrong hour: it is mended, not taken back.
        self.console.press("Up")
        self.console.wait_for("三点开会")
        self.console.press("r")
        self.console.wait_for("change the words", "三点开会")
        self.console.press("C-u")
        self.console.type("四点开会")
        self.console.press("Enter")
        self.console.wait_for("message edited", "四点开会")
        self.console.press("2")
        self.console.wait_for("Users")
        self.console.type("/p020")
        self.console.press("Enter")
        self.console.wait_for("> p020", "1/1")
        self.console.press("s")
        self.console.wait_for("mute: p020")
        self.console.press("Enter")
        self.console.wait_for("1 person muted")
        self.expect('"sendBanned":true', "user", "show", "p020")
        rows = self.house.ctl("conversation", "messages", "sales", "--json").stdout
        assert "四点开会" in rows and "骗子" not in rows, rows

    def afternoon(self) -> None:
        """A large upload is held while the line is needed, and let go on."""
        device = Device(self.house, "p011")
        try:
            device.upload("片子.mov", 3_000_000, of=10_000_000)
            self.console.press("5")
            self.console.wait_for("片子.mov", "30%", "progressing")
            self.console.press("s")
            self.console.wait_for("suspend: 片子.mov")
            self.console.press("Enter")
            self.console.wait_for("1 transfer suspended", "30%", without="progressing")
            self.console.press("r")
            self.console.wait_for("resume: 片子.mov")
            self.console.press("Enter")
            self.console.wait_for("1 transfer may go on")
            device.finish_upload()
            self.console.wait_for("100%", "succeeded")
        finally:
            device.close()

    def evening(self) -> None:
        """A backup that is proven, a leaver, and what the audit log says of the day."""
        place = self.folder / "backups"
        place.mkdir()
        self.say(f"backup {place}")
        self.console.wait_for("verified", "teahouse-")
        self.console.press("Escape")
        made = list(place.glob("teahouse-*"))
        assert len(made) == 1 and (made[0] / "manifest.json").exists(), made
        self.console.press("1")
        self.console.wait_for("nothing needs you", without="LAST VERIFY")

        leaver = Device(self.house, "p012")
        try:
            self.console.press("3")
            self.console.wait_for("p012", "wukong-json")
            self.console.press("2")
            self.console.wait_for("Users")
            self.console.press("Escape")
            self.console.type("/p012")
            self.console.press("Enter")
            self.console.wait_for("> p012", "1/1")
            self.console.press("X")
            self.console.wait_for("p012", "Type")
            self.console.press("Enter")
            assert self.house.ctl("user", "show", "p012", check=False).returncode == 0
            self.console.type("p012")
            self.console.press("Enter")
            self.until("the leaver's device is signed out", lambda: not self.is_signed_in("p012"))
        finally:
            leaver.close()

        self.say("audit")
        self.console.wait_for("Audit", "user.delete", "p012", "chen")
        self.console.press("c")
        self.console.wait_for("chain")
        self.console.press("Escape")
        self.console.press("q")
        self.until("the console has ended", self.console.is_over)
        audit = self.house.ctl("audit", "list", "--json").stdout
        for action in ["team.create", "message.search", "message.recall", "message.edit", "user.mute", "transfer.change", "user.delete"]:
            assert f'"{action}"' in audit, f"{action} is not in the audit log"

    def is_signed_in(self, name: str) -> bool:
        return f'"{name}"' in self.house.ctl("session", "list", "--json").stdout


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    options, _ = parser.parse_known_args()
    folder = Path(tempfile.mkdtemp(prefix="teahouse-day-"))
    day = Day(options.binary, folder)
    try:
        for part in [day.morning, day.noon, day.afternoon, day.evening]:
            print(f"-- {part.__name__}", flush=True)
            part()
    except AssertionError as error:
        print(f"   FAILED: {error}\n" + "\n".join(day.console.lines()), flush=True)
        return 1
    finally:
        day.close()
        shutil.rmtree(folder, ignore_errors=True)
    print("a day at the console: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
