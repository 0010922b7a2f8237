"""Sockets that a service manager has opened: a Python opens them and passes them on as systemd does, and a server that may
open no port of its own serves them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request

from house import CONFIGURATION, PATIENCE, Checks, expect, spawn, temporary_folder

checks = Checks()
binary = ""
#: Sets the number of the process that the shell becomes, as the service manager does.
BECOME = 'LISTEN_PID=$$ exec "$@"'


def listener(family: socket.AddressFamily = socket.AF_INET, *, listens: bool = True) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    if family == socket.AF_UNIX:
        opened.bind(str(temporary_folder("teahouse-socket-") / "socket"))
    else:
        opened.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
    if listens:
        opened.listen(16)
    return opened


class Started:
    """A server that is given sockets; its `listen` is an address that no machine has."""

    def __init__(self, sockets: list[socket.socket], names: str | None, *, count: str | None = None) -> None:
        self.top = temporary_folder("teahouse-sockets-")
        config = self.top / "teahouse.toml"
        config.write_text('listen = ["192.0.2.1:7677"]\n' + CONFIGURATION + '[metrics]\nlisten = ["192.0.2.1:7679"]\n')
        environment = {**os.environ, "LISTEN_FDS": count or str(len(sockets))}
        if names is not None:
            environment["LISTEN_FDNAMES"] = names

        def place() -> None:
            # The descriptors stand from 3 on, in their order, and stay open in the server.
            copies = [os.dup2(each.fileno(), 100 + index) for index, each in enumerate(sockets)]
            for index, copy in enumerate(copies):
                os.dup2(copy, 3 + index, inheritable=True)
            os.closerange(3 + len(sockets), 200)

        self.process = subprocess.Popen(
            ["sh", "-c", BECOME, "sh", binary, "serve", "--config", str(config), "--data", str(self.top / "data")],
            env=environment, stdout=subprocess.PIPE, stderr=(self.top / "log").open("w"), text=True, close_fds=False,
            preexec_fn=place)

    def ready(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline()

    def ended(self) -> tuple[int, str]:
        code = self.process.wait(PATIENCE)
        return code, (self.top / "log").read_text()

    def stop(self) -> None:
        self.process.terminate()
        expect(self.process.wait(PATIENCE) == 0, "it did not stop well")


def get(opened: socket.socket, path: str) -> tuple[int, str]:
    host, port = opened.getsockname()[:2]
    place = f"[{host}]" if ":" in host else host
    try:
        with urllib.request.urlopen(f"http://{place}:{port}{path}", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


@checks.check("sockets of both families are served in place of listen, one named metrics in place of metrics.listen")
async def served() -> None:
    four, six, metrics = listener(), listener(socket.AF_INET6), listener()
    server = Started([four, metrics, six], "teahouse.socket:metrics:teahouse.socket")
    expect(server.ready().startswith("teahouse ready on 127.0.0.1:"), "it is not ready")
    for each in (four, six):
        expect(get(each, "/healthz")[0] == 200, "people are not served")
        expect(get(each, "/metrics")[0] == 404, "people are told the metrics")
    expect("teahouse_connections" in get(metrics, "/metrics")[1], "there are no metrics")
    status = json.loads(subprocess.run(
        [binary, "ctl", "--data", str(server.top / "data"), "status", "--json"], check=True, capture_output=True,
        text=True).stdout)
    expect(status["addresses"] == [f"127.0.0.1:{four.getsockname()[1]}", f"[::1]:{six.getsockname()[1]}"],
           f"it says {status['addresses']}")
    server.stop()
    # The socket is the service manager's: who connects while no server runs waits for the next one.
    with socket.create_connection(four.getsockname()[:2], PATIENCE):
        pass


@checks.check("what cannot be listened on ends with 78 and is named")
async def refused() -> None:
    cases = [
        ([listener(listens=False)], "people", None, "does not listen"),
        ([listener(socket.AF_UNIX)], "people", None, "not of IPv4 or IPv6"),
        ([listener()], "one:two", None, "2 names for 1 sockets"),
        ([listener()], None, "many", "LISTEN_FDS is many"),
    ]
    for sockets, names, count, reason in cases:
        code, log = Started(sockets, names, count=count).ended()
        expect(code == 78 and reason in log, f"{code}: {log}")


@checks.check("sockets of another process are left alone")
async def others() -> None:
    passed = listener()
    process = spawn([binary, "serve", "--data", str(temporary_folder("teahouse-sockets-")), "--listen", "127.0.0.1:0"],
                    env={**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": "1"}, stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()
    expect(line.startswith("teahouse ready on 127.0.0.1:") and str(passed.getsockname()[1]) not in line, line)
    process.terminate()
    expect(process.wait(PATIENCE) == 0, "it did not stop well")


def main() -> None:
    global binary
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    binary = os.path.realpath(parser.parse_args().binary)
    sys.exit(asyncio.run(checks.run()))


main()
