#!/usr/bin/env bash
# Builds in .build/package, from .build/release/teahouse or from --binary: the Debian package, one with its debug symbols, and an
# archive with install.sh of the same files, for machines without dpkg.
#   deploy/package.sh [--binary TEAHOUSE] [--version VERSION] [--output FOLDER]
# VERSION is Version.swift's unless it is named. With the same binary and SOURCE_DATE_EPOCH (the newest commit's time unless it is
# set) the packages are the same to the byte. Installs what it needs, or says which.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh

binary= version= output=.build/package
while [ $# -gt 0 ]; do
    case $1 in
        --binary) binary=$2 ;;
        --version) version=$2 ;;
        --output) output=$2 ;;
        *)
            sed -n '4,7p' "$0" >&2
            exit 64
            ;;
    esac
    shift 2
done
need_packages debhelper dpkg-dev
if [ -z "$binary" ]; then
    deploy/build.sh
    binary=.build/release/teahouse
fi
version=${version:-$(sed -n 's/.*static let text = "\(.*\)"/\1/p' Sources/Server/Version.swift)}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C.UTF-8 TZ=UTC
unset TEAHOUSE_DATA TEAHOUSE_CONFIG

mkdir -p "$output"
output=$(realpath "$output")
stage=$output/stage/teahouse-$version
rm -rf "$output/stage"
mkdir -p "$stage/man" "$stage/completion" "$stage/avahi"
cp -R deploy/debian "$stage/debian"
cp "$binary" "$stage/teahouse"
cp deploy/teahouse.toml deploy/teahouse.socket README.md "$stage/"
cp deploy/teahouse.avahi.service "$stage/avahi/teahouse.service"
teahouse() { "$stage/teahouse" --lang en "$@"; }
teahouse version --notices >"$stage/NOTICES"
for page in $(teahouse manual --list); do
    command=${page#teahouse}
    teahouse manual ${command#-} >"$stage/man/$page.1"
done
teahouse completion bash >"$stage/completion/teahouse"
teahouse completion zsh >"$stage/completion/_teahouse"
cat >"$stage/debian/changelog" <<CHANGELOG
teahouse ($version) bookworm; urgency=medium

  * What is new is in CHANGELOG.md of the project.

 -- teahouse maintainers <maintainers@teahouse.invalid>  $(date -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG
# What is staged is as old as the commit, so that nothing of the building machine's clock comes in.
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

# What the build needs was asked for above; a compiler is not.
(cd "$stage" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$output/build.log" 2>&1 || {
    tail -n 30 "$output/build.log" >&2
    exit 1
}
mv "$output"/stage/*.deb "$output"/stage/*.changes "$output"/stage/*.buildinfo "$output/"

architecture=$(dpkg --print-architecture)
name=teahouse-$version-$architecture
mkdir -p "$output/stage/$name"
dpkg-deb --extract "$output/teahouse_${version}_$architecture.deb" "$output/stage/$name/files"
cp deploy/install.sh "$output/stage/$name/"
tar -C "$output/stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --create "$name" |
    gzip -9n >"$output/$name.tar.gz"
rm -rf "$output/stage"
ls -l "$output"/*"_${version}_"*.deb "$output/$name.tar.gz"
