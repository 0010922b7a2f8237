#!/usr/bin/env bash
# Foreign clients against a built teahouse: the published Python SDK, then the JSON door in every detail.
#   Tests/Foreign/run.sh PYTHON TEAHOUSE      PYTHON has what Tests/requirements.txt names
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,3p' "$0" >&2
    exit 64
fi
python=$1
teahouse=$2

# The scripts start their servers, and end them and remove their folders however they end themselves.
child=
trap '[ -n "$child" ] && kill "$child" 2>/dev/null && wait "$child"; exit 130' INT TERM

failed=0
for script in wukong_easy door; do
    echo "-- $script"
    "$python" "$here/$script.py" --binary "$teahouse" &
    child=$!
    wait "$child" || failed=$((failed + 1))
    child=
done
if [ "$failed" -eq 0 ]; then echo "foreign clients: all passed"; else echo "foreign clients: $failed of 2 scripts FAILED"; fi
[ "$failed" -eq 0 ]
