#!/usr/bin/env bash
# The page as a person sees it: a built teahouse, and Debian's chromium driven by Playwright.
#   Tests/Page/run.sh PYTHON TEAHOUSE [--only WORD] [--pictures DIR]    PYTHON has Tests/requirements.txt; DIR gets screenshots
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,3p' "$0" >&2
    exit 64
fi
exec "$1" "$here/page.py" --binary "$(realpath "$2")" "${@:3}"
