#!/usr/bin/env bash
# The page as a person sees it: a built teahouse, and Debian's chromium driven by Playwright. Three people and a day; search, settings and
# voice; one group with apps of both SDKs; ten thousand messages and a slow computer, and with --long an hour with an eye on the heap.
#   Tests/Page/run.sh PYTHON TEAHOUSE [--only WORD] [--pictures DIR] [--long]    PYTHON has Tests/requirements.txt; DIR gets screenshots
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,4p' "$0" >&2
    exit 64
fi
python=$1
teahouse=$(realpath "$2")
shift 2
only=() pictures=() long=()
while [ $# -gt 0 ]; do
    case $1 in
        --only) only=(--only "$2"); shift 2 ;;
        --pictures) pictures=(--pictures "$2"); shift 2 ;;
        --long) long=(--long); shift ;;
        *) sed -n '2,4p' "$0" >&2; exit 64 ;;
    esac
done

failed=0
child=
trap '[ -n "$child" ] && kill "$child" 2>/dev/null && wait "$child"; exit 130' INT TERM
run() {
    echo "-- $1"
    "$python" "$here/$1.py" --binary "$teahouse" "${@:2}" &
    child=$!
    wait "$child" || failed=$((failed + 1))
    child=
}
run page "${only[@]}" "${pictures[@]}"
run content "${only[@]}" "${pictures[@]}"
run mixed "${only[@]}"
run stress "${only[@]}" "${long[@]}"
if [ "$failed" -eq 0 ]; then echo "the page: all passed"; else echo "the page: $failed of 4 scripts FAILED"; fi
[ "$failed" -eq 0 ]
