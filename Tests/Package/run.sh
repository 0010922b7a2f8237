#!/usr/bin/env bash
# The Debian package: built, looked through by lintian, and installed, started, upgraded, removed and purged in a clean root
# without network. Needs root, for namespaces and the root's users; says so and ends with 0 where it is not, or may not make them.
#   Tests/Package/run.sh PYTHON TEAHOUSE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,4p' "$0" >&2
    exit 64
fi
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
teahouse=$(realpath "$2")
cd "$here/../.."
work=$PWD/.build/package-test
mkdir -p "$work"

echo "-- the package is built, twice the same, and an older one"
# Pressed lightly: what is in the packages is the same, and three of them are made here.
build() { DPKG_DEB_COMPRESSOR_LEVEL=1 deploy/package.sh --binary "$teahouse" "$@" >/dev/null; }
rm -rf "$work/first" "$work/second" "$work/older"
build --output "$work/first"
build --output "$work/second"
DEB_BUILD_OPTIONS=noautodbgsym build --output "$work/older" --version 0.0.1
for package in "$work"/first/*.deb "$work"/first/*.tar.gz; do
    cmp "$package" "$work/second/$(basename "$package")"
done
[ "$(ls "$work"/first/*.deb | wc -l)" = 2 ] || { echo "there is no package of debug symbols" >&2; exit 1; }
for page in $("$teahouse" manual --list); do
    command=${page#teahouse}
    "$teahouse" --lang en manual ${command#-} >"$work/page.1"
    complaints=$(man --warnings -l "$work/page.1" 2>&1 >/dev/null)
    [ -z "$complaints" ] || { echo "$page: $complaints" >&2; exit 1; }
done

echo "-- the image for containers, twice the same"
for time in first second; do
    rm -rf "$work/image-$time"
    deploy/image.sh --package "$work"/first/teahouse_*.deb --output "$work/image-$time" >/dev/null
done
cmp "$work"/image-first/*.oci.tar "$work"/image-second/*.oci.tar
rm -rf "$work/image-root"
"$python" "$here/image.py" "$work"/image-first/*.oci.tar "$work/image-root"

echo "-- zsh completes"
mkdir -p "$work/zsh"
"$teahouse" --lang en completion zsh >"$work/zsh/_teahouse"
zsh -f "$here/complete.zsh" "$work/zsh"

echo "-- lintian"
lintian --allow-root --fail-on error,warning "$work"/first/*.changes

echo "-- the sandbox"
systemd-analyze security --offline=true --threshold=15 deploy/debian/teahouse.service | tail -n 1
deploy/notices.sh --check

if [ "$(id -u)" -ne 0 ]; then
    echo "-- not installed anywhere: that needs root"
    exit 0
fi
if ! unshare --net --mount --pid --fork true 2>/dev/null; then
    echo "-- not installed anywhere: that needs namespaces, which are not allowed here"
    exit 0
fi
echo "-- a clean root"
root=$work/root
rm -rf "$root"
# As the installer of Debian leaves a machine, as far as it matters here: with systemd and ip.
[ -s "$work/root.tar" ] || {
    mmdebstrap --quiet --variant=minbase --include=systemd,iproute2 bookworm "$work/root.new.tar"
    mv "$work/root.new.tar" "$work/root.tar"
}
trap 'rm -rf "$root"' EXIT
fresh_root() {
    rm -rf "$root"
    mkdir -p "$root"
    tar -xf "$work/root.tar" -C "$root"
    cp "$work"/older/teahouse_*.deb "$root/older.deb"
    cp "$work"/first/teahouse_*.deb "$root/newer.deb"
    tar -xf "$work"/first/teahouse-*.tar.gz -C "$root"
}
fresh_root
# Namespaces of its own: no network but loopback, and what is left running ends with it.
unshare --net --mount --pid --fork --kill-child --mount-proc "$python" "$here/install.py" "$root"

echo "-- a container that boots"
fresh_root
"$here/boot.sh" "$root"
