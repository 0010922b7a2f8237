#!/usr/bin/env bash
# Measures how soon those who watch a person hear of a new name: from the request that changes it to the event, at the
# first and the last of many listeners of the built server, on loopback.
#   deploy/bench-events.sh [LISTENERS] [CHANGES]     needs python3-venv; prints milliseconds
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh
need_packages python3-venv
teahouse=$PWD/.build/release/teahouse
[ -x "$teahouse" ] || build_release teahouse
venv=$PWD/.build/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" -q install "$(grep websockets Tests/requirements.txt)"
work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
cat >"$work/teahouse.toml" <<'TOML'
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
TOML
"$teahouse" serve --data "$work/data" --listen 127.0.0.1:0 --config "$work/teahouse.toml" >"$work/ready" 2>"$work/log" &
server=$!
until grep -q ready "$work/ready"; do sleep 0.1; done
address=$(sed -n 's/teahouse ready on //p' "$work/ready")
token() {
    "$teahouse" ctl --data "$work/data" user add "$1" >/dev/null
    "$teahouse" ctl --data "$work/data" user token "$1" --device desktop | awk '{ print $NF }'
}
token juliet >"$work/juliet"
listeners=${1:-200}
for number in $(seq $(((listeners + 31) / 32))); do token "viewer$number" >>"$work/viewers"; done
"$venv/bin/python" - "$address" "$listeners" "${2:-200}" "$work/juliet" "$work/viewers" <<'PYTHON'
import asyncio, http.client, json, statistics, sys, time
from websockets.asyncio.client import connect

address, listeners, changes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
juliet = open(sys.argv[4]).read().strip()
viewers = open(sys.argv[5]).read().split()


async def main():
    sockets = []
    for number in range(listeners):
        fields = {"token": viewers[number // 32]}
        socket = await connect(f"ws://{address}/api/v1/events", additional_headers=fields, max_queue=None)
        assert json.loads(await socket.recv())["type"] == "ready"
        await socket.send('{"type":"watch","ids":["juliet"]}')
        while json.loads(await socket.recv())["type"] != "watching":
            pass
        sockets.append(socket)
    door = http.client.HTTPConnection(address)
    answered, first, last = [], [], []

    def change(number):
        door.request("PUT", "/api/v1/profiles/me", json.dumps({"display_name": f"Juliet {number}"}), {"token": juliet})
        reply = door.getresponse()
        assert reply.status == 200, reply.read()
        reply.read()
        return time.perf_counter()

    async def heard(socket):
        while json.loads(await socket.recv()).get("fields") != ["name"]:
            pass
        return time.perf_counter()

    for number in range(changes):
        begun = time.perf_counter()
        tasks = [asyncio.create_task(heard(socket)) for socket in sockets]
        answered.append(await asyncio.to_thread(change, number) - begun)
        times = [time - begun for time in await asyncio.gather(*tasks)]
        first.append(min(times))
        last.append(max(times))
    for word, figures in (("answered", answered), ("first listener", first), ("last listener", last)):
        figures = sorted(1000 * figure for figure in figures)
        p99 = figures[min(len(figures) - 1, len(figures) * 99 // 100)]
        print(f"{word:15} median {statistics.median(figures):7.2f} ms   p99 {p99:7.2f} ms   most {figures[-1]:7.2f} ms")


asyncio.run(main())
PYTHON
