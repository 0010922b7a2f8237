#!/usr/bin/env bash
# The console as a person sees it: a built teahouse, its server, and tmux for a terminal. No package but python3 and tmux. Then a day at it: 300
# people, a dispute, an upload held, a backup, a leaver.
#   Tests/Console/run.sh PYTHON TEAHOUSE [--captures DIR]      DIR gets the screens of the walk in docs/console.md
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,4p' "$0" >&2
    exit 64
fi
"$1" "$here/console.py" --binary "$(realpath "$2")" "${@:3}" && "$1" "$here/day.py" --binary "$(realpath "$2")"
