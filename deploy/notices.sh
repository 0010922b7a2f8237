#!/usr/bin/env bash
# Writes assets/notices.txt: copyright notices and licences of what is linked into the binary and is not ours, as the Debian
# packages and the Swift toolchain that the build uses have them. The package and `teahouse version --notices` show it.
#   deploy/notices.sh [--check]     --check only says whether the file is what would be written
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh
need_swift

licence=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/share/swift/LICENSE.txt
[ -r "$licence" ] || { echo "the Swift toolchain has no $licence" >&2; exit 1; }
new=$(mktemp)
trap 'rm -f "$new"' EXIT
title() { printf '\n%s\n%s\n\n' "$1" "$(printf '%s' "$1" | sed 's/./=/g')"; }
# The long list of what is not in the source package says nothing of what is inside.
notices() { sed '/^Files-Excluded:/,/^$/d' "/usr/share/doc/$1/copyright"; }
{
    echo "These libraries are inside the teahouse binary. Their notices are as Debian 12 and the Swift toolchain have them;"
    echo "what is said about the files debian/*, tests, tools and documentation is about no part of the binary."
    for library in "SQLite libsqlite3-dev" "OpenSSL libssl-dev" "libsodium libsodium-dev" "zlib zlib1g-dev" \
        "ncurses libncurses-dev"; do
        set -- $library
        need_packages "$2"
        title "$1"
        notices "$2"
    done
    title "The runtime and the standard library of Swift; the Apache License 2.0 is that of OpenSSL, too"
    cat "$licence"
} | sed 's/[[:space:]]*$//' | cat -s >"$new"
if [ "${1:-}" = --check ]; then
    cmp "$new" assets/notices.txt || { echo "assets/notices.txt is out of date: run deploy/notices.sh" >&2; exit 1; }
else
    cp "$new" assets/notices.txt
fi
