#!/usr/bin/env bash
# Measures what others notice of people who ask for as much as they may: sign-ins and pages of history on an idle server,
# and while 20 members use every read route at their worst. Ends with 1 when sign-ins are more than 50 ms slower (p99).
#   deploy/bench-reads.sh [OPTIONS]     needs python3-venv; options as Tests/Load/reads.py --help has them
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh
need_packages python3-venv
[ -x .build/release/teahouse ] || build_release teahouse
venv=$PWD/.build/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" -q install -r Tests/requirements.txt
"$venv/bin/python" Tests/Load/reads.py --binary .build/release/teahouse "$@"
