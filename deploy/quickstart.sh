#!/usr/bin/env bash
# From a fresh clone to a running server with two demo people. Safe to run twice; `deploy/quickstart.sh stop` ends it.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh

data=${TEAHOUSE_DATA:-$PWD/teahouse-data}
listen=${TEAHOUSE_LISTEN:-0.0.0.0:7677}
pid_file=$data/quickstart.pid
log=$data/quickstart.log
teahouse=$PWD/.build/release/teahouse

running() { [ -f "$pid_file" ] && kill -0 "$(cat "$pid_file")" 2>/dev/null; }

if [ "${1:-}" = stop ]; then
    if running; then
        kill "$(cat "$pid_file")"
        while running; do sleep 0.1; done
        echo "stopped; everything is kept in $data"
    else
        echo "nothing runs on $data"
    fi
    rm -f "$pid_file"
    exit 0
fi

need_packages $build_packages
need_swift
echo "building (a few minutes the first time) ..."
build_release teahouse

mkdir -p "$data"
chmod 700 "$data"
if running; then
    echo "already running, process $(cat "$pid_file")"
else
    # The ready line is the only thing the server prints on standard output; its log goes to the file.
    ready=$data/quickstart.ready
    rm -f "$ready"
    setsid "$teahouse" serve --data "$data" --listen "$listen" >"$ready" 2>>"$log" </dev/null &
    echo $! >"$pid_file"
    while [ ! -s "$ready" ]; do
        if ! running; then
            echo "the server did not start; the last lines of $log:" >&2
            tail -n 5 "$log" >&2
            rm -f "$pid_file"
            exit 1
        fi
        sleep 0.1
    done
fi
ready_line=$(cat "$data/quickstart.ready")
ctl() { "$teahouse" ctl --data "$data" "$@"; }

# A demonstration: apps made with LeanCloud's SDKs sign in without a server of their own. Not again once somebody changed it.
ctl user show ming >/dev/null 2>&1 || {
    ctl app policy --sign-in open --conversations off --history off >/dev/null &&
        ctl setting set leancloud.registration true >/dev/null &&
        ctl setting set server.plain_passwords private >/dev/null
} ||
    echo "going on without LeanCloud's clients" >&2

# One password for both, made here: the data folder is the owner's alone.
[ -s "$data/quickstart.password" ] || (umask 077 && od -An -N6 -tx1 /dev/urandom | tr -d ' \n' >"$data/quickstart.password")
for person in "ming 小明" "lan 阿兰"; do
    set -- $person
    ctl user show "$1" >/dev/null 2>&1 ||
        ctl user add "$1" --display-name "$2" --password-stdin <"$data/quickstart.password"
done
ctl conversation show tea >/dev/null 2>&1 || ctl group create tea --title 茶馆 --owner ming --members ming,lan

cat <<DONE

$ready_line     (process $(cat "$pid_file"), log $log)

Chat in a browser: open http://127.0.0.1:${ready_line##*:}/ (or this machine's address from another one), and sign in as ming, and in a
private window as lan. The password of both is in $data/quickstart.password: $(cat "$data/quickstart.password")

See a first message. In a second terminal:

    $teahouse ctl --data $data tail

and in a third:

    $teahouse ctl --data $data send --from ming --to lan '你好，阿兰！'

Look after it all, people, conversations, teams, files, in a terminal (? lists the keys, q leaves):

    $teahouse console --data $data

Send a file with a message, with a bar that shows how it goes:

    $teahouse ctl --data $data upload README.md --as ming --to-user lan

To sign in with a WuKongIM SDK, take a token and point the app at this machine, port ${ready_line##*:}:

    $teahouse ctl --data $data user token lan --device desktop

An app made with a LeanCloud SDK takes the id and the app key that this prints, and this machine as its server. Here
everybody is believed to be who they say; before others rely on it: $teahouse ctl --data $data app policy --sign-in signature
Anybody may sign up (leancloud.registration), and passwords are taken over http from private networks, where whoever
listens reads them. To end that: $teahouse ctl --data $data setting reset server.plain_passwords

    $teahouse ctl --data $data app keys

An app's own server uses WuKongIM's HTTP API on the same port, with the manager's token:

    curl -H "token: \$($teahouse ctl --data $data wukong token)" http://127.0.0.1:${ready_line##*:}/varz

Stop it with: deploy/quickstart.sh stop
DONE
