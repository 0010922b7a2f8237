"""Opening the images of a power cut: where they lie, and the program that does what a starting server does."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from disk import Image
from house import spawn, temporary_folder


class Shelf:
    """Where one image after the other lies, in memory when that is possible."""

    def __init__(self) -> None:
        self.top = temporary_folder("teahouse-powercut-", "/dev/shm" if Path("/dev/shm").is_dir() else None)

    def put(self, image: Image) -> Path:
        """The data folder, in place of the one before."""
        folder = self.top / "data"
        shutil.rmtree(folder, ignore_errors=True)
        image.write_to(folder)
        return folder


@dataclass
class Opened:
    """What `powercut-replay` says of a folder."""
    complaint: str | None = None
    #: How far each upload is that can go on, by the name of its file.
    uploads: dict[str, int] = field(default_factory=dict)


class Opener:
    """The server's own store, opening one folder after the other."""

    def __init__(self, program: str) -> None:
        self._process = spawn([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def open(self, folder: Path) -> Opened:
        """Recovers, verifies and closes a folder."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().rstrip("\n")
        words = answer.split(" ")
        if words[0] == "ok":
            uploads = (word.split("=") for word in words[1:])
            return Opened(uploads={file: int(offset) for file, offset in uploads})
        return Opened(answer or f"powercut-replay ended with {self._process.wait()}")
