#!/usr/bin/env bash
# Foreign clients: the published Python SDK, an app's daily life over the HTTP APIs with webhooks, the JSON door and the
# binary protocol in every detail against a built teahouse, files with the published tus client and curl, the signing
# servers of the documentation, the published LeanCloud SDK for servers and its cloud functions, LeanCloud's requests as
# seven and commands as six SDKs speak them, an app that has moved here with its people and history, a foreign
# protobuf against our own, a foreign WebSocket implementation against our own, the commands that README and docs show, the native API asked out of its own description by schemathesis; what each WuKongIM SDK and
# WuKongIM's demo page send, and forged commands.
#   Tests/Foreign/run.sh PYTHON TEAHOUSE [--long]      PYTHON has what Tests/requirements.txt names
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,8p' "$0" >&2
    exit 64
fi
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
teahouse=$(realpath "$2")
long=${3:-}

# The scripts start their servers, and end them and remove their folders however they end themselves.
child=
trap '[ -n "$child" ] && kill "$child" 2>/dev/null && wait "$child"; exit 130' INT TERM

failed=0
count=0
run() {
    echo "-- $1"
    count=$((count + 1))
    "$python" "$here/$1.py" "${@:2}" &
    child=$!
    wait "$child" || failed=$((failed + 1))
    child=
}

cd "$here/../.." || exit 70
for product in transport-echo leancloud-echo; do
    swift build --product "$product" >.build/foreign.log 2>&1 || {
        cat .build/foreign.log >&2
        exit 70
    }
done
debug=$(swift build --show-bin-path)
run wukong_easy --binary "$teahouse"
run binary_peer --binary "$teahouse"
run wukong_commands --binary "$teahouse"
run wukong_sdks --binary "$teahouse"
run wukong_demo --binary "$teahouse"
run wukong_app --binary "$teahouse"
run door --binary "$teahouse"
run sockets --binary "$teahouse"
run files --binary "$teahouse"
run leancloud_rest --binary "$teahouse"
run leancloud_engine --binary "$teahouse"
run leancloud_storage --binary "$teahouse"
run signing --binary "$teahouse"
run documentation --binary "$teahouse"
run description --binary "$teahouse" $long
run leancloud --binary "$teahouse"
run leancloud_pull --binary "$teahouse" $long
run leancloud_moved --binary "$teahouse"
run websocket_peer "$debug/transport-echo"
run leancloud_wire "$debug/leancloud-echo"
if [ "$failed" -eq 0 ]; then
    echo "foreign clients: all passed"
else
    echo "foreign clients: $failed of $count scripts FAILED"
fi
[ "$failed" -eq 0 ]
