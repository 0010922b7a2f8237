#!/bin/sh
# Installs teahouse from this folder, in the places where the Debian package has it. For Linux with systemd and a C library as new as
# Debian 12's. Run it again to upgrade.
#   ./install.sh [--remove]     --remove takes it away; settings and data stay
set -eu
cd "$(dirname "$0")/files"

say() { echo "install.sh: $*" >&2; }
[ "$(id -u)" = 0 ] || { say "run it as root"; exit 1; }
if dpkg-query -W -f='${Status}' teahouse 2>/dev/null | grep -q " installed"; then
    say "the Debian package is installed; use dpkg, or purge the package before"
    exit 1
fi
booted=
[ ! -d /run/systemd/system ] || booted=yes

if [ "${1:-}" = --remove ]; then
    [ -z "$booted" ] || systemctl stop teahouse.socket teahouse 2>/dev/null || true
    systemctl disable teahouse.socket teahouse 2>/dev/null || true
    find . -type f ! -path './etc/*' | while read -r file; do rm -f "/$file"; done
    [ -z "$booted" ] || systemctl daemon-reload
    say "removed; /etc/teahouse and /var/lib/teahouse stay"
    exit 0
fi

./usr/bin/teahouse version >/dev/null || { say "the binary does not run here: it needs the C library of Debian 12, or a newer one"; exit 1; }
find . -type f | while read -r file; do
    target=/$file
    case $file in
        # Settings that somebody has changed are kept; the new ones lie beside them.
        ./etc/*) [ ! -e "/$file" ] || cmp -s "$file" "/$file" || target=/$file.new ;;
    esac
    mkdir -p "$(dirname "$target")"
    # In one step, also where the old binary runs.
    cp "$file" "$target.installing"
    chmod "$(stat -c %a "$file")" "$target.installing"
    mv -f "$target.installing" "$target"
done
systemd-sysusers /usr/lib/sysusers.d/teahouse.conf
systemctl enable teahouse
if [ -n "$booted" ]; then
    systemctl daemon-reload
    systemctl restart teahouse
fi
say "installed; the settings are in /etc/teahouse/teahouse.toml"
