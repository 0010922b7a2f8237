"""The recorder's log, and the disk as a power cut at any point of it may leave it.

The model promises no more than POSIX does: what a file holds is safe after a sync of that file, a name is safe after a
sync of its folder, and everything younger may be there, be missing, or be there in part, sector by sector.
"""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

#: What a drive writes as a whole.
SECTOR = 512

_HEADER = struct.Struct("<cQQIQ")


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log; `recorder.c` says what the letters mean."""
    operation: str
    inode: int
    offset: int
    path: str
    data: bytes
    #: Where in the log it stands: a sync covers what stands before the position it began at.
    position: int


def read_log(path: Path) -> Iterator[Event]:
    log = path.read_bytes()
    at = 0
    while at + _HEADER.size <= len(log):
        operation, inode, offset, path_length, data_length = _HEADER.unpack_from(log, at)
        body = at + _HEADER.size
        end = body + path_length + data_length
        if end > len(log):
            return  # the recorded process was killed while it wrote this line
        yield Event(operation.decode(), inode, offset, log[body:body + path_length].decode(),
                    log[body + path_length:end], at)
        at = end


class Content:
    """What a file holds: bytes up to the last one ever written, and a size that may lie beyond them."""

    __slots__ = ("bytes", "size")

    def __init__(self, of: Content | None = None) -> None:
        self.bytes = bytearray(of.bytes) if of else bytearray()
        self.size = of.size if of else 0

    def apply(self, event: Event, sectors: random.Random | None = None) -> None:
        """Does what the event did; with `sectors` a write reaches the disk only in some of its sectors."""
        if event.operation == "W":
            self._write(event.offset, event.data, sectors)
        elif event.operation == "T":
            self.size = event.offset
            del self.bytes[event.offset:]
        elif event.operation == "F":
            self.size = max(self.size, event.offset)

    def _write(self, offset: int, data: bytes, sectors: random.Random | None) -> None:
        end = offset + len(data)
        if len(self.bytes) < end:
            self.bytes.extend(bytes(end - len(self.bytes)))
        self.size = max(self.size, end)
        if sectors is None:
            self.bytes[offset:end] = data
            return
        for start in range(offset - offset % SECTOR, end, SECTOR):
            low, high = max(start, offset), min(start + SECTOR, end)
            if sectors.random() < 0.5:
                self.bytes[low:high] = data[low - offset:high - offset]

    def write_to(self, path: Path) -> None:
        with path.open("wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(self.bytes)
            file.truncate(self.size)


@dataclass(slots=True)
class File:
    safe: Content = field(default_factory=Content)
    younger: list[Event] = field(default_factory=list)


class Names:
    """Which path leads to which file, and which folders there are."""

    def __init__(self, of: Names | None = None) -> None:
        self.files: dict[str, File] = dict(of.files) if of else {}
        self.folders: set[str] = set(of.folders) if of else set()

    def apply(self, event: Event, file: File | None) -> None:
        target = event.data.decode() if event.operation in "RL" else event.path
        if event.operation in "CL" and file is not None and target:
            self.files[target] = file
        elif event.operation == "R":
            if event.path in self.folders:
                self._move_folder(event.path, target)
            elif file is not None:
                self.files.pop(event.path, None)
                self.files[target] = file
        elif event.operation == "U":
            self.files.pop(event.path, None)
        elif event.operation == "M":
            self.folders.add(event.path)
        elif event.operation == "X":
            self.folders.discard(event.path)

    def _move_folder(self, old: str, new: str) -> None:
        moved = lambda path: new + path[len(old):] if path == old or path.startswith(old + "/") else path  # noqa: E731
        self.files = {moved(path): file for path, file in self.files.items()}
        self.folders = {moved(path) for path in self.folders}


class Disk:
    """A disk that has seen the events so far."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._by_inode: dict[int, File] = {}
        self._safe_names = Names()
        self._younger_names: list[tuple[Event, File | None]] = []

    def see(self, event: Event) -> None:
        if event.operation == "C":
            self._by_inode[event.inode] = File()
        if event.operation in "CRLUMX":
            file = self._by_inode.get(event.inode)
            if event.operation in "CRL" and file is None and event.inode:
                file = self._by_inode[event.inode] = File()
            self._younger_names.append((event, file))
        elif event.operation in "WTF":
            self._by_inode.setdefault(event.inode, File()).younger.append(event)
        elif event.operation == "S":
            self._sync_file(self._by_inode.setdefault(event.inode, File()), event.offset)
        elif event.operation == "D":
            self._sync_folder(event.path, event.offset)

    def _sync_file(self, file: File, began: int) -> None:
        for event in file.younger:
            if event.position < began:
                file.safe.apply(event)
        file.younger = [event for event in file.younger if event.position >= began]

    def _sync_folder(self, folder: str, began: int) -> None:
        kept: list[tuple[Event, File | None]] = []
        for event, file in self._younger_names:
            if event.position >= began or folder != self._folder_of(event):
                kept.append((event, file))
                continue
            self._safe_names.apply(event, file)
            if event.operation == "R" and event.path.rpartition("/")[0] != folder:
                # The new name is safe; that the old one is gone is known to the other folder.
                kept.append((replace(event, operation="U"), None))
        self._younger_names = kept

    def _folder_of(self, event: Event) -> str:
        """The folder whose sync makes a change of names safe: of a move, the one it went to."""
        path = event.data.decode() if event.operation in "RL" else event.path
        return path.rpartition("/")[0]

    # MARK: images

    def only_safe(self) -> Image:
        """The least a disk may hold: what was synced."""
        return self._image(self._safe_names, lambda file: file.safe)

    def everything(self) -> Image:
        """The most: every write arrived."""
        def whole(file: File) -> Content:
            if not file.younger:
                return file.safe
            content = Content(file.safe)
            for event in file.younger:
                content.apply(event)
            return content
        return self._image(self._names(lambda _: True), whole)

    def some(self, dice: random.Random) -> Image:
        """Something between: writes cut off after one of them, or left out and torn at will."""
        likely = dice.choice((0.0, 0.5, 1.0))
        first = dice.randint(0, len(self._younger_names))
        names = self._names(lambda number: number < first or dice.random() < likely)

        def partly(file: File) -> Content:
            if not file.younger:
                return file.safe
            content = Content(file.safe)
            chosen = list(file.younger)
            if dice.random() < 0.33:
                chosen = chosen[:dice.randint(0, len(chosen))]
                tearing = 0.0
            else:
                share = dice.choice((0.1, 0.5, 0.9))
                chosen = [event for event in chosen if dice.random() < share]
                tearing = 0.3
            for event in chosen[:-1]:
                content.apply(event, dice if dice.random() < tearing else None)
            for event in chosen[-1:]:
                content.apply(event, dice)
            return content
        return self._image(names, partly)

    def _names(self, keep: Callable[[int], bool]) -> Names:
        names = Names(self._safe_names)
        for number, (event, file) in enumerate(self._younger_names):
            if keep(number):
                names.apply(event, file)
        return names

    def _image(self, names: Names, content: Callable[[File], Content]) -> Image:
        length = len(self.root) + 1
        contents: dict[int, Content] = {}  # one for all names of a file
        folders: set[str] = {path for path in names.folders if path.startswith(self.root + "/")}
        files: dict[str, Content] = {}
        for path, file in names.files.items():
            if path.startswith(self.root + "/") and not path.endswith("-shm") and self._leads_to(path, folders):
                if id(file) not in contents:
                    contents[id(file)] = content(file)
                files[path[length:]] = contents[id(file)]
        return Image(files, {path[length:] for path in folders if self._leads_to(path, folders)})

    def _leads_to(self, path: str, folders: set[str]) -> bool:
        """Whether every folder on the way to a path is there."""
        above = path.rpartition("/")[0]
        while above != self.root:
            if above not in folders:
                return False
            above = above.rpartition("/")[0]
        return True


@dataclass(slots=True)
class Image:
    """A data folder after the cut, by path relative to it. Names of one file have the same content."""
    files: dict[str, Content]
    folders: set[str]

    def write_to(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(self.folders):
            (folder / path).mkdir(mode=0o700, parents=True, exist_ok=True)
        written: dict[int, Path] = {}
        for path, content in self.files.items():
            file = folder / path
            if id(content) in written:
                os.link(written[id(content)], file)
            else:
                content.write_to(file)
                written[id(content)] = file

    def differences(self, folder: Path) -> list[str]:
        """How the image differs from a real folder: empty when the recorder missed nothing."""
        found: list[str] = []
        real = {str(path.relative_to(folder)): path for path in folder.rglob("*")
                if path.is_file() and not path.name.endswith("-shm")}
        for path in sorted(real.keys() | self.files.keys()):
            if path not in real or path not in self.files:
                found.append(f"{path}: {'only recorded' if path not in real else 'not recorded'}")
                continue
            content = self.files[path]
            if real[path].stat().st_size != content.size:
                found.append(f"{path}: {real[path].stat().st_size} bytes, {content.size} recorded")
                continue
            with real[path].open("rb") as file:
                held = file.read(len(content.bytes))
            if held != bytes(content.bytes):
                found.append(f"{path}: other bytes than recorded")
        return found
