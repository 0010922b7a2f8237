#!/usr/bin/env bash
# The package under systemd itself: a container boots Debian, systemd starts the unit with its whole sandbox, and a script inside
# looks at it. Needs root and systemd-nspawn; where a container cannot be started it says so and ends with 0.
#   Tests/Package/boot.sh ROOT       ROOT has older.deb and newer.deb, and no teahouse; nothing of it is kept
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(realpath "$1")
options=(--quiet --directory "$root" --private-network --register=no --console=pipe
    --capability=CAP_BPF,CAP_PERFMON,CAP_NET_ADMIN,CAP_SYS_ADMIN --system-call-filter=bpf)
# Where systemd is not process 1 there is nobody to ask for a scope.
[ -d /run/systemd/system ] || options+=(--keep-unit)
if ! systemd-nspawn "${options[@]}" /bin/true </dev/null >"$root.log" 2>&1; then
    echo "-- not booted: no container can be started here: $(tail -n 1 "$root.log")"
    exit 0
fi
chroot "$root" dpkg --install /older.deb >/dev/null
cp "$here/inside.sh" "$root/inside.sh"
cat >"$root/etc/systemd/system/inside.service" <<'UNIT'
[Unit]
After=multi-user.target
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=oneshot
StandardOutput=append:/inside.log
StandardError=inherit
ExecStart=/bin/bash /inside.sh
TimeoutStartSec=300
UNIT
mkdir -p "$root/etc/systemd/system/default.target.wants"
ln -sf ../inside.service "$root/etc/systemd/system/default.target.wants/inside.service"
timeout --kill-after=10 420 systemd-nspawn "${options[@]}" --boot </dev/null >"$root.log" 2>&1 || true
cat "$root/inside.log" 2>/dev/null || { tail -n 20 "$root.log" >&2; exit 1; }
[ -e "$root/inside.passed" ]
