#!/usr/bin/env bash
# The page as a person sees it: a built teahouse, and Debian's chromium driven by Playwright.
#   Tests/Page/run.sh PYTHON TEAHOUSE [--only WORD] [--pictures DIR]    PYTHON has Tests/requirements.txt; DIR gets screenshots
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,3p' "$0" >&2
    exit 64
fi
failed=0
for script in page.py content.py; do
    "$1" "$here/$script" --binary "$(realpath "$2")" "${@:3}" || failed=1
done
exit $failed
