#!/usr/bin/env bash
# The crash proof: power cuts, kills and calls that fail against a built teahouse, and against mutants that the proof must catch.
#   Tests/Crash/run.sh PYTHON TEAHOUSE [--long]      PYTHON has what Tests/requirements.txt names
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,3p' "$0" >&2
    exit 64
fi
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
teahouse=$(realpath "$2")
messages=900 images=700 kills=24 seconds=24 gateway_kills=16 gateway_seconds=16 faults=40 flips=90 mutant_images=400
file_kills=20 file_seconds=20 file_images=300 file_starts=8 mutant_file_images=80 import_kills=5
if [ "${3:-}" = --long ]; then
    messages=6000 images=10000 kills=300 seconds=300 gateway_kills=200 gateway_seconds=200 faults=800 flips=1800
    mutant_images=2000 file_kills=200 file_seconds=200 file_images=4000 file_starts=200 mutant_file_images=800
    import_kills=50
fi

cd "$here/../.." || exit 70
work=$PWD/.build/crash
mkdir -p "$work"
gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/recorder.so" "$here/recorder.c" -ldl || exit 70
gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/faults.so" "$here/faults.c" -ldl || exit 70
for product in powercut-replay teahouse-mutant; do swift build --product "$product" >"$work/build.log" 2>&1 || {
    cat "$work/build.log" >&2
    exit 70
}; done
tools=$(swift build --show-bin-path)
mutant=$tools/teahouse-mutant

child=
trap '[ -n "$child" ] && kill "$child" 2>/dev/null && wait "$child"; exit 130' INT TERM
passed=0 failed=0 failures=
run() {
    local what=$1
    echo "-- $what"
    shift
    "$python" "$@" --binary "$teahouse" &
    child=$!
    if wait "$child"; then passed=$((passed + 1)); else failed=$((failed + 1)) failures+=" [$what]"; fi
    child=
}
power_cut() { run "$1" "$here/powercut.py" --opener "$tools/powercut-replay" --recorder "$work/recorder.so" "${@:2}"; }
file_power_cut() {
    run "$1" "$here/file_powercut.py" --opener "$tools/powercut-replay" --recorder "$work/recorder.so" "${@:2}"
}
kill_loop() { run "$1" "$here/kill_loop.py" "${@:2}"; }

power_cut "power cuts" --messages "$messages" --images "$images"
power_cut "power cuts around many checkpoints" --messages "$messages" --images "$images" \
    --server "$mutant --checkpoint-bytes 100000"
kill_loop "kill -9 under load" --kills "$kills" --seconds "$seconds"
run "kill -9 under every gateway" "$here/gateway_kills.py" --kills "$gateway_kills" --seconds "$gateway_seconds"
run "single calls of the disk fail" "$here/faults.py" --injector "$work/faults.so" --faults "$faults"
run "single bits flip" "$here/flips.py" --flips "$flips"
run "kill -9 under a pull and an import" "$here/import_kills.py" --kills "$import_kills"
run "kill -9 under uploads" "$here/file_kills.py" --kills "$file_kills" --seconds "$file_seconds"
file_power_cut "power cuts under uploads" --images "$file_images" --starts "$file_starts"
power_cut "power cuts, acknowledging before the commit: must be red" --images "$mutant_images" \
    --server "$mutant --mutant ack-before-commit" --expect-red
power_cut "power cuts, acknowledging before the log is synced: must be red" --images "$mutant_images" \
    --server "$mutant --mutant log-unsynced" --expect-red
power_cut "power cuts, synchronous = NORMAL: must be red" --images "$mutant_images" \
    --server "$mutant --mutant synchronous-normal" --expect-red
kill_loop "kill -9, acknowledging before the commit: must be red" --kills 12 --seconds 16 \
    --server "$mutant --mutant ack-before-commit" --expect-red
run "kill -9 under every gateway, acknowledging before the commit: must be red" "$here/gateway_kills.py" --kills 12 \
    --seconds 16 --server "$mutant --mutant ack-before-commit" --expect-red
for mutant_name in name-unsynced content-unsynced; do
    file_power_cut "power cuts under uploads, $mutant_name: must be red" --images "$mutant_file_images" --starts 0 \
        --server "$mutant --mutant $mutant_name" --expect-red
done

echo "crash proof: $passed passed, $failed failed${failures:+:$failures}"
[ "$failed" -eq 0 ]
