#!/usr/bin/env bash
# Run by boot.sh as a unit inside the container: looks at teahouse.service as systemd runs it.
set -euo pipefail
fail() {
    echo "failed: $*"
    systemctl status teahouse --no-pager --full || true
    exit 1
}
property() { systemctl show teahouse --property "$1" --value; }
# Waits until a property is one of the values, two minutes at most.
becomes() {
    local name=$1 _
    shift
    for _ in $(seq 1200); do
        case " $* " in *" $(property "$name") "*) return 0 ;; esac
        sleep 0.1
    done
    fail "$name is $(property "$name"), not $*"
}
reaches() { timeout 10 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null; }
finds() { [[ $(teahouse ctl --why "test of the package" message search "$1") == *"$1"* ]]; }

echo "-- started at boot by systemd $(systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p'), ready, used"
becomes ActiveState active
[ "$(property StatusText)" = "Serving on 0.0.0.0:7677" ] || fail "its status is $(property StatusText)"
teahouse ctl user add ming
teahouse ctl user add lan
teahouse ctl send --from ming --to lan "first words"
reaches 127.0.0.1 7677 || fail "it cannot be reached"

echo "-- a guided first run finds the service, and restarts it with what was answered"
before=$(property MainPID)
teahouse --lang en setup --yes --name 茶馆 --admin lady --password-stdin <<<"a cup of longjing" >/root/invitation 2>/root/told ||
    fail "$(cat /root/told)"
grep -q "/join/" /root/invitation || fail "nobody is invited: $(cat /root/told)"
grep -q '^name = "茶馆"$' /etc/teahouse/teahouse.toml || fail "its name is not in the configuration"
[ "$(property MainPID)" != "$before" ] || fail "it goes on with its old settings"
before=$(property MainPID)
teahouse --lang en setup --yes </dev/null >/root/invitation 2>/root/told || fail "$(cat /root/told)"
[ "$(property MainPID)" = "$before" ] && [ ! -s /root/invitation ] || fail "a second run without answers changes something"

echo "-- the sandbox holds it"
status=/proc/$(property MainPID)/status
grep -q "^CapBnd:[[:space:]]*0*$" "$status" || fail "it may have capabilities"
grep -q "^NoNewPrivs:[[:space:]]*1$" "$status" || fail "it may get privileges"
grep -q "^Seccomp:[[:space:]]*2$" "$status" || fail "it has every system call"
[ "$(stat -c '%U %a' /var/lib/teahouse)" = "teahouse 700" ] || fail "the data folder is not its own alone"

echo "-- the internet is out of reach, private networks are not"
# Addresses on this machine: one for documentation, which stands for the internet, and one of a private network.
ip link set lo up
ip address add 203.0.113.1/32 dev lo
ip address add 10.1.2.3/32 dev lo
teahouse serve --data /root/free --listen 0.0.0.0:7678 >/root/ready 2>/root/log &
free=$!
until grep -q ready /root/ready; do kill -0 "$free" || fail "$(cat /root/log)"; sleep 0.1; done
reaches 203.0.113.1 7678 || fail "a server without the sandbox is not reached either"
reaches 10.1.2.3 7677 || fail "a private network is shut out"
if reaches 203.0.113.1 7677; then fail "it talks to the internet"; fi
kill "$free"
wait "$free"

echo "-- a drop-in lets another network in"
mkdir -p /etc/systemd/system/teahouse.service.d
printf '[Service]\nIPAddressAllow=203.0.113.0/24\nWatchdogSec=4\nTimeoutAbortSec=2\n' \
    >/etc/systemd/system/teahouse.service.d/test.conf
systemctl daemon-reload
systemctl restart teahouse
reaches 203.0.113.1 7677 || fail "the drop-in lets nobody in"

echo "-- it is told to read again, and lives longer than its watchdog waits"
systemctl reload teahouse
sleep 10
[ "$(property NRestarts)" = 0 ] || fail "the watchdog restarted it"

echo "-- hung, it is restarted, and has everything"
kill -STOP "$(property MainPID)"
becomes NRestarts 1
becomes ActiveState active
finds "first words" || fail "a message is gone"

echo "-- upgraded while it runs, it is restarted, and has everything"
before=$(property MainPID)
dpkg --install /newer.deb >/root/dpkg.log 2>&1 || fail "$(cat /root/dpkg.log)"
becomes ActiveState active
[ "$(property MainPID)" != "$before" ] || fail "the old version goes on running"
finds "first words" || fail "a message is gone"

echo "-- what a restart cannot mend is not restarted"
systemctl stop teahouse
[ "$(property Result)" = success ] || fail "it did not stop well: $(property Result)"
echo "nonsense = 1" >>/etc/teahouse/teahouse.toml
if systemctl start teahouse 2>/dev/null; then fail "it started with a configuration that does not hold"; fi
becomes ActiveState failed
[ "$(property ExecMainStatus)" = 78 ] || fail "it ended with $(property ExecMainStatus)"

echo "-- a port below 1024, by a drop-in"
# The first of that name, the server's own; metrics have one too.
sed -i -e '$d' -e '0,/^# listen = .*/s//listen = ["0.0.0.0:443"]/' /etc/teahouse/teahouse.toml
if systemctl start teahouse 2>/dev/null; then fail "it may open port 443 without the drop-in"; fi
printf '[Service]\nAmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nPrivateUsers=no\n' \
    >/etc/systemd/system/teahouse.service.d/port.conf
systemctl daemon-reload
systemctl reset-failed teahouse
systemctl start teahouse || fail "it may not open port 443"
reaches 127.0.0.1 443 || fail "it cannot be reached at port 443"

echo "-- the same port, opened by systemd, without the drop-in and without a capability"
systemctl stop teahouse
rm /etc/systemd/system/teahouse.service.d/port.conf
systemctl daemon-reload
systemctl start teahouse.socket
systemctl start teahouse || fail "it does not serve the socket of systemd"
reaches 127.0.0.1 443 || fail "it cannot be reached at port 443 of systemd"
grep -q "^CapBnd:[[:space:]]*0*$" "/proc/$(property MainPID)/status" || fail "it may have capabilities"
if reaches 203.0.113.1 443; then fail "the socket of systemd is open to the internet"; fi

echo "-- removed, it is stopped"
before=$(property MainPID)
dpkg --purge teahouse >/root/dpkg.log 2>&1 || fail "$(cat /root/dpkg.log)"
[ ! -e "/proc/$before" ] || fail "it goes on running"
if reaches 127.0.0.1 443; then fail "its socket goes on listening"; fi
[ -e /var/lib/teahouse/teahouse.db ] || fail "its data is gone"

touch /inside.passed
echo "the unit under systemd: passed"
