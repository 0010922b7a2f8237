"""The package in a clean root: installed, started as its unit says, upgraded, removed, purged; then the archive.
Run it as root, in a network namespace of its own: without network.

    install.py ROOT       ROOT has older.deb, newer.deb and the archive's folder, and no teahouse
"""

from __future__ import annotations

import ctypes
import fcntl
import gzip
import http.client
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

#: Seconds that anything may take.
PATIENCE = 120
UNIT = "lib/systemd/system/teahouse.service"
CONFIGURATION = "etc/teahouse/teahouse.toml"
#: Seconds of the watchdog here, so that a few beats are seen soon.
WATCHDOG = 4


LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PTRACE_ATTACH, PTRACE_DETACH, WAIT_ALL = 16, 17, 0x40000000


class Failure(Exception):
    pass


def check(holds: bool, what: str) -> None:
    if not holds:
        raise Failure(what)


class Unit:
    """What the unit says, as far as it can be followed where systemd is not process 1."""

    def __init__(self, path: Path) -> None:
        self.values: dict[str, list[str]] = {}
        for line in path.read_text().splitlines():
            name, separator, value = line.partition("=")
            if separator and not line.startswith(("#", "[")):
                self.values.setdefault(name, []).append(value)

    def one(self, name: str) -> str:
        check(len(self.values.get(name, [])) == 1, f"the unit has no single {name}")
        return self.values[name][0]


class Root:
    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *words: str, code: int | None = 0, text: str = "") -> str:
        """Runs a command in the root as its root, and gives what it wrote."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root",
                       "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(["chroot", str(self.path), *words], env=environment, input=text, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        if code is not None and done.returncode != code:
            raise Failure(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
        return done.stdout

    def has(self, path: str) -> bool:
        return os.path.lexists(self.path / path)

    def user(self) -> tuple[int, int] | None:
        for line in (self.path / "etc/passwd").read_text().splitlines():
            fields = line.split(":")
            if fields[0] == "teahouse":
                return int(fields[2]), int(fields[3])
        return None


class Service:
    """The server as the unit starts it: its command, user, folder and socket of the service manager."""

    def __init__(self, root: Root, *, abstract: bool = False, passed: socket.socket | None = None) -> None:
        """- abstract: the manager's socket has a name of the kernel's, and no file.
        - passed: a listening socket that the manager has opened.
        """
        self.root = root
        self.unit = Unit(root.path / UNIT)
        user = root.user()
        check(user is not None and self.unit.one("User") == "teahouse", "the user is not there")
        data = root.path / "var/lib" / self.unit.one("StateDirectory")
        data.mkdir(mode=0o700, exist_ok=True)
        os.chown(data, *user)
        os.chmod(data, int(self.unit.one("StateDirectoryMode"), 8))
        notify = root.path / "run/notify"
        notify.unlink(missing_ok=True)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        if abstract:
            self.manager.bind("\0teahouse-test")
        else:
            self.manager.bind(str(notify))
            os.chmod(notify, 0o777)
        self.manager.settimeout(PATIENCE)
        check(self.unit.one("Type") == "notify", "the unit does not wait for readiness")
        words = self.unit.one("ExecStart").split()
        confined = ["setpriv", f"--reuid={user[0]}", f"--regid={user[1]}", "--clear-groups", "--no-new-privs",
                    "--inh-caps=-all", "--bounding-set=-all"]
        environment = {"PATH": "/usr/sbin:/usr/bin", "JOURNAL_STREAM": "8:1",
                       "WATCHDOG_USEC": str(WATCHDOG * 1_000_000),
                       "NOTIFY_SOCKET": "@teahouse-test" if abstract else "/run/notify"}
        folder = self.unit.one("WorkingDirectory")
        first: list[str] = []
        if passed:
            environment |= {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "teahouse"}
            # The socket is the third descriptor, and the number is that of the process which the shell becomes.
            first = ["bash", "-c", f'exec 3<&{passed.fileno()}; LISTEN_PID=$$ exec "$@"', "bash"]
        self.process = subprocess.Popen(
            [*first, "chroot", str(root.path), "env", f"--chdir={folder}", *confined, *words], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, umask=int(self.unit.one("UMask"), 8),
            pass_fds=[passed.fileno()] if passed else [])

    def hears(self, word: str) -> str:
        """Waits for a message of the server that has this line."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failure(f"it ended with {self.process.returncode}:\n{self.process.stderr.read()}")
            message = self.manager.recv(4096).decode()
            if word in message.splitlines():
                return message
        raise Failure(f"it never said {word}")

    def ready(self) -> None:
        message = self.hears("READY=1")
        check("STATUS=Serving on 0.0.0.0:7677" in message, f"readiness says nothing of the address: {message}")

    def hangs_with(self, thread: str) -> None:
        """Stops one thread of the server, and sees that the watchdog hears of no life until it goes on."""
        tasks = [task for task in Path(f"/proc/{self.process.pid}/task").iterdir()
                 if (task / "comm").read_text().strip() == thread]
        check(len(tasks) == 1, f"there are {len(tasks)} threads {thread}")
        number = int(tasks[0].name)
        check(LIBC.ptrace(PTRACE_ATTACH, number, None, None) == 0, f"{thread} cannot be stopped")
        os.waitpid(number, WAIT_ALL)
        # One beat may have been on its way.
        end, beats = time.monotonic() + WATCHDOG, 0
        while (left := end - time.monotonic()) > 0:
            self.manager.settimeout(left)
            try:
                self.manager.recv(4096)
                beats += 1
            except TimeoutError:
                break
        self.manager.settimeout(PATIENCE)
        check(beats <= 1, f"{beats} beats with {thread} stopped")
        LIBC.ptrace(PTRACE_DETACH, number, None, None)
        self.hears("WATCHDOG=1")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        check("STOPPING=1" in self.hears("STOPPING=1"), "it does not say that it stops")
        check(self.process.wait(PATIENCE) == 0, f"it ended with {self.process.returncode}")
        self.manager.close()


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(any_socket, 0x8913, request))[1]  # SIOCGIFFLAGS
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh22x", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP


def page(port: int = 7677) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/", headers={"Accept": "text/html"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.getheader("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    check(answer.status == 200, f"the page is answered with {answer.status}")
    return body.decode()


def completes(root: Root, *words: str) -> set[str]:
    """What bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    script = (f". /usr/share/bash-completion/completions/teahouse; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
              '_teahouse; printf "%s\\n" "${COMPREPLY[@]}"')
    return set(root.run("bash", "-c", script).split())


def guided(root: Root) -> float:
    """A first run, as who has just installed the package: settings, administrator and invitation, before the first start.

    Returns the seconds until the invitation.
    """
    begun = time.monotonic()
    words = ["teahouse", "--lang", "en", "setup", "--yes", "--name", "茶馆", "--data", "/var/lib/teahouse", "--admin", "lady",
             "--password-stdin"]
    told = root.run(*words, text="a cup of longjing\n")
    took = time.monotonic() - begun
    check("/join/" in told and "lady is the first administrator" in told, f"setup does not invite: {told}")
    folder = root.path / "var/lib/teahouse"
    owners = {entry.stat().st_uid for entry in [folder, *folder.rglob("*")]}
    check(owners == {root.user()[0]}, f"setup leaves files of other users: {owners}")
    text = (root.path / CONFIGURATION).read_text()
    check('\nname = "茶馆"\n' in text and "# connections = 10000" in text, "setup does not keep the configuration")
    again = root.run("teahouse", "--lang", "en", "setup", "--yes")
    check("/join/" not in again and (root.path / CONFIGURATION).read_text() == text, f"a second setup changes things: {again}")
    return took


def passed(root: Root) -> None:
    """A port that only root may open is opened by the manager."""
    unit = Unit(root.path / "lib/systemd/system/teahouse.socket")
    port = int(unit.one("ListenStream"))
    check(not root.has("etc/systemd/system/sockets.target.wants/teahouse.socket"), "the socket is enabled")
    root.run("systemd-analyze", "verify", "--man=no", "/lib/systemd/system/teahouse.socket")
    with socket.create_server(("127.0.0.1", port)) as opened:
        service = Service(root, passed=opened)
        check(f"STATUS=Serving on 127.0.0.1:{port}" in service.hears("READY=1"), "readiness says another address")
        check("teahouse" in page(port).lower(), "the page does not say what it is")
        service.stop()


def installed(root: Root) -> None:
    check(root.user() is not None, "the user teahouse was not made")
    check(root.has("usr/bin/teahouse") and root.has(CONFIGURATION) and root.has(UNIT), "files are missing")
    check(root.has("etc/systemd/system/multi-user.target.wants/teahouse.service"), "the unit is not enabled")
    check(root.has("etc/avahi/services/teahouse.service"), "there is no service file of avahi")
    check(f"/{CONFIGURATION}" in root.run("dpkg-query", "--show", "--showformat=${Conffiles}", "teahouse"),
          "the configuration is no conffile")
    root.run("systemd-analyze", "verify", "--man=no", f"/{UNIT}")
    root.run("systemd-analyze", "security", "--offline=true", "--threshold=15", f"/{UNIT}")
    check("teahouse ctl user add" in gzip.decompress(
        (root.path / "usr/share/man/man1/teahouse-ctl.1.gz").read_bytes()).decode(), "the manual page says nothing")
    notices = gzip.decompress((root.path / "usr/share/doc/teahouse/NOTICES.gz").read_bytes()).decode()
    check(all(word in notices for word in ("SQLite", "OpenSSL", "libsodium", "zlib", "ncurses", "Swift")),
          "notices are missing")
    check(notices == root.run("teahouse", "version", "--notices"), "the binary has other notices")
    check("not decided" in (root.path / "usr/share/doc/teahouse/copyright").read_text(), "a licence is claimed")
    check(completes(root, "teahouse", "ctl", "us") == {"user"}, "bash does not complete a command")
    check("add" in completes(root, "teahouse", "ctl", "--data", "/srv", "user", ""), "bash does not complete below it")
    check("--display-name" in completes(root, "teahouse", "ctl", "user", "add", "--dis"), "bash completes no option")
    check(completes(root, "teahouse", "serve", "--log-format", "j") == {"json"}, "bash completes no choice")


def used(root: Root, said: str) -> None:
    """As the README walks: two people, a group, a message, with the tools of the box alone."""
    for name in ("ming", "lan"):
        root.run("teahouse", "ctl", "user", "add", name)
    root.run("teahouse", "ctl", "group", "create", "tea", "--owner", "ming", "--members", "ming,lan")
    root.run("teahouse", "ctl", "user", "token", "ming", "--device", "desktop")
    root.run("teahouse", "ctl", "send", "--from", "ming", "--to", "lan", said)
    check("teahouse" in page().lower(), "the page does not say what it is")
    folder = root.path / "var/lib/teahouse"
    check(folder.stat().st_mode & 0o777 == 0o700, "others see the data folder")
    owners = {entry.stat().st_uid for entry in folder.rglob("*")}
    check(owners == {root.user()[0]}, f"files of other users are in the data folder: {owners}")


def walk(root: Root) -> None:
    print("-- installed, without network")
    check(root.user() is None, "the user is there before")
    begun = time.monotonic()
    root.run("dpkg", "--install", "/older.deb")
    unpacked = time.monotonic() - begun
    installed(root)

    print("-- set up before the first start")
    before = (root.path / CONFIGURATION).read_text()
    print(f"   from the package to an invitation in {unpacked + guided(root):.1f} s, without the time of typing")
    (root.path / CONFIGURATION).write_text(before)

    print("-- started as the unit does: ready, watched, used, stopped")
    service = Service(root)
    service.ready()
    for _ in range(3):
        service.hears("WATCHDOG=1")
    used(root, "first words")
    for thread in ("store-writer", "broker", "reactor-0"):
        service.hangs_with(thread)
    service.stop()

    print("-- a port below 1024, opened by the manager, without a capability")
    passed(root)

    print("-- a configuration that does not hold ends with what no restart mends")
    configuration = root.path / CONFIGURATION
    text = configuration.read_text()
    configuration.write_text(text + "\nnonsense = 1\n")
    service = Service(root)
    code = service.process.wait(PATIENCE)
    check(str(code) in service.unit.one("RestartPreventExitStatus").split(), f"it ended with {code}")
    service.manager.close()

    print("-- upgraded: the configuration as it was changed, the data as it was")
    changed = text.replace('# level = "info"', 'level = "debug"')
    check(changed != text, "the configuration has no such line")
    configuration.write_text(changed)
    root.run("dpkg", "--install", "/newer.deb")
    check(configuration.read_text() == changed, "the configuration was changed")
    installed(root)
    service = Service(root)
    service.ready()
    found = root.run("teahouse", "ctl", "--why", "test of the package", "message", "search", "first words")
    check("first words" in found, f"the message is gone: {found}")
    service.stop()
    root.run("teahouse", "verify", "--data", "/var/lib/teahouse")

    print("-- removed: configuration and data stay")
    root.run("dpkg", "--remove", "teahouse")
    check(not root.has("usr/bin/teahouse") and root.has(CONFIGURATION), "what stays and what goes is wrong")
    check(root.has("var/lib/teahouse/teahouse.db"), "the data went with the package")

    print("-- purged: the data stays, nothing else")
    told = root.run("dpkg", "--purge", "teahouse")
    check("/var/lib/teahouse" in told, f"nobody is told that the data stays: {told}")
    left = [path for path in ("etc/teahouse", "etc/avahi/services/teahouse.service", UNIT,
                              "etc/systemd/system/multi-user.target.wants/teahouse.service",
                              "usr/lib/sysusers.d/teahouse.conf", "usr/share/doc/teahouse") if root.has(path)]
    check(not left, f"left after purging: {left}")
    check(root.has("var/lib/teahouse/teahouse.db"), "the data was purged")

    print("-- installed again: the data is found")
    root.run("dpkg", "--install", "/newer.deb")
    service = Service(root, abstract=True)
    service.ready()
    check("ming" in root.run("teahouse", "ctl", "user", "list"), "the data is not found")
    service.stop()

    print("-- from the archive: installed in the same places, not over a package, removed")
    installer = next(root.path.glob("teahouse-*/install.sh")).relative_to(root.path)
    told = root.run(f"/{installer}", code=1)
    check("package" in told, f"the archive is installed over the package: {told}")
    root.run("dpkg", "--purge", "teahouse")
    root.run(f"/{installer}")
    configuration.write_text(changed)
    root.run(f"/{installer}")
    check(configuration.read_text() == changed, "installing again changes the configuration")
    check((root.path / f"{CONFIGURATION}.new").read_text() == text, "the new configuration is not beside it")
    check(root.has("etc/systemd/system/multi-user.target.wants/teahouse.service"), "the unit is not enabled")
    service = Service(root)
    service.ready()
    check("ming" in root.run("teahouse", "ctl", "user", "list"), "the data is not found")
    service.stop()
    root.run(f"/{installer}", "--remove")
    check(not root.has("usr/bin/teahouse") and not root.has(UNIT), "the files stay")
    check(not root.has("usr/share/man/man1/teahouse.1.gz"), "manual pages stay")
    check(root.has(CONFIGURATION) and root.has("var/lib/teahouse/teahouse.db"), "settings or data went with it")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    raise_loopback()
    root = Root(Path(sys.argv[1]))
    for name, kind in (("proc", "proc"), ("dev", "devtmpfs")):
        subprocess.run(["mount", "-t", kind, name, str(root.path / name)], check=True)
    try:
        walk(root)
    except Failure as failure:
        sys.exit(f"the package: {failure}")
    print("the package: passed")


main()
