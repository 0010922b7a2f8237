#!/usr/bin/env bash
# The scripts of foreign clients again and again where time passes otherwise: in memory (tmpfs), on the disk of this machine,
# with a disk that takes 10 ms longer for each sync, and beside two busy loops. Prints a line per run; ends with 1 when one failed.
#   Tests/Foreign/rounds.sh PYTHON TEAHOUSE ROUNDS [SCRIPT]...      all that need the server alone, unless named
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 3 ]; then
    sed -n '2,4p' "$0" >&2
    exit 64
fi
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
teahouse=$(realpath "$2")
rounds=$3
shift 3
[ $# -gt 0 ] || set -- wukong_easy binary_peer wukong_commands wukong_sdks wukong_demo wukong_app door files leancloud_rest \
    leancloud_engine leancloud_storage signing leancloud
cd "$here/../.." || exit 70
work=$PWD/.build/rounds
mkdir -p "$work/disk"
memory=$(mktemp -d /dev/shm/teahouse-rounds.XXXXXX) || exit 70
loops=()
trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$memory"' EXIT
cc -shared -fPIC -O2 -o "$work/slow_disk.so" "$here/slow_disk.c" -ldl || exit 70

failed=0
# round PLACE ROUND FOLDER [VARIABLE=VALUE]
round() {
    local started=$SECONDS bad=""
    for script in "${scripts[@]}"; do
        env TMPDIR="$3" ${4:+"$4"} "$python" "$here/$script.py" --binary "$teahouse" >"$work/$1-$2-$script.log" 2>&1 ||
            bad="$bad $script"
    done
    echo "$1, round $2: ${bad:+FAILED:$bad, see $work/}${bad:-green} ($((SECONDS - started)) s)"
    [ -z "$bad" ] || failed=1
}

scripts=("$@")
for number in $(seq "$rounds"); do round memory "$number" "$memory"; done
for number in $(seq "$rounds"); do round disk "$number" "$work/disk"; done
for number in $(seq "$rounds"); do round slow-syncs "$number" "$work/disk" "LD_PRELOAD=$work/slow_disk.so"; done
for _ in 1 2; do
    while :; do :; done &
    loops+=($!)
done
for number in $(seq "$rounds"); do round busy-loops "$number" "$work/disk"; done
exit "$failed"
