"""A terminal for the console: one tmux server of its own, one window, keys in and cells out."""

from __future__ import annotations

import os
import subprocess
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
        self._tmux("send-keys", "-t", "console", "-l", text)

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
