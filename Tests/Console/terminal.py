"""A terminal for the console: one tmux server of its own, one window, keys in and cells out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

#: Seconds any single step may take before the test calls it a failure.
PATIENCE = float(os.environ.get("TEAHOUSE_TEST_PATIENCE", "15"))


class Terminal:
    def __init__(self, folder: Path, command: list[str], columns: int, rows: int, environment: dict[str, str]):
        self.socket = str(folder / f"tmux-{time.monotonic_ns()}")
        settings = [f"{name}={value}" for name, value in environment.items()]
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", "console", "-x", str(columns), "-y", str(rows),
            "env", *settings, *command, ";", "set-option", "-g", "remain-on-exit", "on")

    def _tmux(self, *words: str) -> str:
        run = subprocess.run(["tmux", "-u", "-S", self.socket, *words], capture_output=True, text=True, timeout=PATIENCE)
        if run.returncode != 0:
            raise AssertionError(f"tmux {words[0]}: {run.stderr.strip()}")
        return run.stdout

    def press(self, *keys: str) -> None:
        """Keys by tmux's names: Enter, Escape, Down, PageUp, a letter."""
        for key in keys:
            self._tmux("send-keys", "-t", "console", key)

    def type(self, text: str) -> None:
        """All of it at once, as an input method does."""
        self._tmux("send-keys", "-t", "console", "-l", "--", text)

    def paste(self, text: str) -> None:
        """As a terminal pastes: between marks where the program asked for them."""
        subprocess.run(
            ["tmux", "-S", self.socket, "load-buffer", "-"], input=text.encode(), check=True, timeout=PATIENCE)
        self._tmux("paste-buffer", "-p", "-t", "console")

    def bytes(self, *values: int) -> None:
        self._tmux("send-keys", "-t", "console", "-H", *(f"{value:02x}" for value in values))

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-t", "console", "-x", str(columns), "-y", str(rows))

    def lines(self) -> list[str]:
        return self._tmux("capture-pane", "-p", "-t", "console").split("\n")

    def wait_for(self, *texts: str, without: str = "") -> list[str]:
        """The screen, once it has all the texts and not the other."""
        end = time.monotonic() + PATIENCE
        while True:
            lines = self.lines()
            screen = "\n".join(lines)
            if all(text in screen for text in texts) and not (without and without in screen):
                return lines
            if time.monotonic() > end:
                raise AssertionError(f"waited for {texts} without {without!r}; the screen is:\n{screen}")
            time.sleep(0.05)

    def process(self) -> int:
        """The process in the window."""
        return int(self._tmux("display-message", "-p", "-t", "console", "#{pane_pid}"))

    def is_over(self) -> bool:
        return self._tmux("display-message", "-p", "-t", "console", "#{pane_dead}").strip() == "1"

    def close(self) -> None:
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)


class Line:
    """A terminal with nothing in between: keys in, and how long the console writes for each. Reads no cells."""

    #: Seconds without a byte after which an answer is over.
    QUIET = 0.03

    def __init__(self, command: list[str], columns: int, rows: int, environment: dict[str, str]):
        self.process, self.end = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, {**os.environ, **environment})
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drain(self, quiet: float, at_most: float = PATIENCE) -> float | None:
        """Takes what is written until nothing comes for so long, or for so long in all: a clock never ends. The time of
        the last byte, `None` without one."""
        last, end = None, time.monotonic() + at_most
        while time.monotonic() < end and select.select([self.end], [], [], quiet)[0]:
            if not os.read(self.end, 1 << 16):
                break
            last = time.monotonic()
        return last

    def answer_to(self, key: bytes) -> float | None:
        """Seconds from a key to the last byte of what it changed on the screen; `None` when it changed nothing."""
        self.drain(0)
        begin = time.monotonic()
        os.write(self.end, key)
        if not select.select([self.end], [], [], PATIENCE)[0]:
            return None
        last = self.drain(self.QUIET)
        return None if last is None else last - begin

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.end)
