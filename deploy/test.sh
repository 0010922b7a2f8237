#!/usr/bin/env bash
# Installs what the tests need, builds, and runs everything. `--long` adds what takes longer than a merge can wait for:
# an hour's soak, ThreadSanitizer and AddressSanitizer over the unit and scenario tests, more kills, more torn images, longer
# fuzzing. `--mutants [NAME]...` does something else: it breaks chosen lines one by one, and the tests that guard them have to
# go red.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh

long=""
[ "${1:-}" = --long ] && long=--long
seconds=${long:+120}
seconds=${seconds:-15}

step() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

step "packages"
need_packages $build_packages python3-venv openssl curl tmux chromium
need_packages debhelper dpkg-dev lintian man-db mmdebstrap systemd systemd-container zsh
need_swift
venv=$PWD/.build/venv
if ! cmp -s Tests/requirements.txt "$venv/installed.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" -q install -r Tests/requirements.txt
    cp Tests/requirements.txt "$venv/installed.txt"
fi
python=$venv/bin/python

if [ "${1:-}" = --mutants ]; then
    step "mutants"
    exec "$python" Tests/Mutants/mutants.py "${@:2}"
fi

step "style"
swift format lint --strict --recursive Package.swift Sources Tests
"$python" Tests/Mutants/mutants.py --check

step "build"
swift build --build-tests

step "unit and scenario tests; beside them the release build, as it is installed"
# Every wait of a test has a bound: one that lasts ends the run and says where it was, and so does a run that hangs.
export TEAHOUSE_WAIT_SECONDS=300
timeout --signal=ABRT 2400 swift test --skip-build --parallel >.build/tests.log 2>&1 &
tests=$!
# The tests wait for disks and clocks more than they compute: the release build has the time between. SwiftPM lets one command at
# a time into .build, and has nothing more to do there once the tests run.
until grep -qa 'Test run started' .build/tests.log || ! kill -0 "$tests" 2>/dev/null; do sleep 1; done
built=yes
build_release teahouse --ignore-lock >.build/release.log 2>&1 || built=no
if ! wait "$tests"; then
    # What failed stands last, where whoever reads the end of a long log finds it.
    printf '\nwhat failed:\n'
    grep -aE -A3 '^✘|Fatal error|^error:|\.swift:[0-9:]* error:' .build/tests.log | cut -c -1000 | tail -n 80
    exit 1
fi
grep -a 'Test run with' .build/tests.log || true

step "the release build"
[ "$built" = yes ] || {
    tail -n 60 .build/release.log
    exit 1
}
teahouse=$PWD/.build/release/teahouse
for missing in sqlite3 ssl crypto sodium z ncursesw tinfo; do
    if ldd "$teahouse" | grep -q "lib$missing\.so"; then
        echo "the binary needs lib$missing at run time: it must be linked from its archive" >&2
        exit 1
    fi
done

step "size of the binary, by module"
"$python" deploy/binary_size.py .build/teahouse.map "$teahouse"

# Two stages at a time: most of them wait for clocks, disks and browsers longer than they compute. Each writes to a file of its own.
stages=.build/stages
rm -rf "$stages"
mkdir -p "$stages"
stage_foreign() { Tests/Foreign/run.sh "$python" "$teahouse" $long; }
stage_console() { Tests/Console/run.sh "$python" "$teahouse"; }
stage_page() { Tests/Page/run.sh "$python" "$teahouse" $long; }
stage_crashes() { Tests/Crash/run.sh "$python" "$teahouse" $long; }
stage_package() { Tests/Package/run.sh "$python" "$teahouse"; }
stage_imports() { "$python" Tests/Load/imports.py --binary "$teahouse" ${long:+--whole}; }
stage_fuzzing() {
    for target in HTTP WebSocket JSON Binary LeanCloud Form; do Tests/Fuzz/run.sh "$target" "$seconds" || return 1; done
}

# Runs stages one after another; the first that fails ends the lane.
lane() {
    for stage in "$@"; do
        local began=$SECONDS
        if ! "stage_$stage" >"$stages/$stage.log" 2>&1; then
            echo "== $stage FAILED after $((SECONDS - began))s"
            echo "$stage" >>"$stages/failed"
            return 1
        fi
        echo "== $stage passed in $((SECONDS - began))s"
    done
}

step "foreign clients, the console, the page and fuzzing; beside them crashes, the package and imports"
trap 'trap - INT TERM; kill 0' INT TERM
lane foreign console page fuzzing &
first=$!
lane crashes package imports &
second=$!
wait "$first" || true
wait "$second" || true
trap - INT TERM
for log in "$stages"/*.log; do
    printf '\n== %s\n' "$(basename "$log" .log)"
    tail -n 200 "$log"
done
if [ -s "$stages/failed" ]; then
    while read -r stage; do
        printf '\n== %s FAILED; the end of what it said:\n' "$stage"
        tail -n 60 "$stages/$stage.log" | cut -c -1000
    done <"$stages/failed"
    exit 1
fi

if [ -n "$long" ]; then
    step "an hour of people who come and go"
    "$python" Tests/Load/soak.py --binary "$teahouse" --seconds 3600

    for sanitizer in thread address; do
        step "$sanitizer sanitizer"
        swift test --sanitize "$sanitizer" --scratch-path ".build/$sanitizer" --parallel
    done
fi
printf '\nall of it passed in %ss\n' "$SECONDS"
