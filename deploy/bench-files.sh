#!/usr/bin/env bash
# Times uploads and downloads of the built server on loopback, beside gzip -4, sha256sum and nginx with the same files.
#   deploy/bench-files.sh [MEGABYTES]     needs curl and nginx; prints MB/s, 10^6 bytes of plain content per second
# The server has one core and its clients the other, so that a figure is what one core does.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh
need_packages curl nginx-light
teahouse=$PWD/.build/release/teahouse
[ -x "$teahouse" ] || build_release teahouse
megabytes=${1:-200}
work=$(mktemp -d)
server= web=
trap 'kill $server $web 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT

# Text as people have it: what lies on this machine, cut to one length. And bytes that do not shrink.
find /usr/include /usr/share/doc /usr/lib/python3 -type f \( -name '*.h' -o -name '*.py' -o -name 'copyright' \) -print0 2>/dev/null |
    sort -z | xargs -0 cat 2>/dev/null >"$work/some" || true
: >"$work/text"
while [ "$(stat -c %s "$work/text")" -lt $((megabytes * 1000000)) ]; do cat "$work/some" >>"$work/text"; done
truncate -s $((megabytes * 1000000)) "$work/text"
head -c $((megabytes * 1000000)) /dev/urandom >"$work/noise"

cat >"$work/teahouse.toml" <<'TOML'
[files]
day_bytes = 0
hour_uploads = 0
person_bytes = 0
stop_free_bytes = 0
[wukong]
api_requests_per_second = 1000000
api_request_burst = 1000000
TOML
taskset -c 0 "$teahouse" serve --data "$work/data" --listen 127.0.0.1:0 --config "$work/teahouse.toml" \
    >"$work/ready" 2>"$work/log" &
server=$!
until grep -q ready "$work/ready"; do sleep 0.1; done
address=$(sed -n 's/teahouse ready on //p' "$work/ready")
"$teahouse" ctl --data "$work/data" user add ming >/dev/null
token=$("$teahouse" ctl --data "$work/data" user token ming --device desktop | awk '{ print $NF }')

mkdir -p "$work/www" && ln "$work/text" "$work/noise" "$work/www/"
gzip -4 -c "$work/text" >"$work/www/text.gz"
cat >"$work/nginx.conf" <<NGINX
daemon off; master_process off; error_log $work/nginx.log; pid $work/nginx.pid;
events {}
http { access_log off; sendfile on; gzip_static on;
  client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s;
  server { listen 127.0.0.1:17688; root $work/www; } }
NGINX
taskset -c 0 nginx -c "$work/nginx.conf" 2>/dev/null &
web=$!
until curl -s -o /dev/null http://127.0.0.1:17688/; do sleep 0.1; done

# Seconds that a command takes, the best of three.
best() {
    local result=999999 begun ended
    for _ in 1 2 3; do
        begun=$(date +%s%N)
        "$@" >/dev/null
        ended=$(date +%s%N)
        [ $(((ended - begun) / 1000)) -lt "$((result * 1000))" ] && result=$(((ended - begun) / 1000000))
    done
    echo "$result"
}
rate() { awk -v m="$megabytes" -v ms="$2" 'BEGIN { printf "%-58s %8.0f MB/s\n", "'"$1"'", m * 1000 / (ms > 0 ? ms : 1) }'; }
client() { taskset -c 1 curl -sS --fail -H "token: $token" "$@"; }
upload() { client -T "$1" "http://$address/api/v1/files?name=$(basename "$1")" -o "$work/answer"; }
key() { grep -o 'th-f[a-z2-7]*' "$work/answer" | head -n 1; }
ranges() { # a hundred pieces of one megabyte from all over the file
    local config="$work/ranges" i
    : >"$config"
    for i in $(seq 0 99); do
        local from=$(((i * 7919 % (megabytes - 1)) * 1000000 + i * 137))
        printf 'url = "%s"\nrange = "%s-%s"\noutput = "/dev/null"\n' "$1" "$from" $((from + 999999)) >>"$config"
    done
    client -K "$config"
}

echo "$megabytes MB each, the best of three"
rate "gzip -4, text" "$(best taskset -c 0 gzip -4 -c "$work/text")"
rate "upload, text" "$(best upload "$work/text")"
text=$(key)
rate "sha256sum, noise" "$(best taskset -c 0 sha256sum "$work/noise")"
rate "upload, noise" "$(best upload "$work/noise")"
noise=$(key)
files=http://$address/api/v1/files nginx=http://127.0.0.1:17688
rate "download, noise" "$(best client -o /dev/null "$files/$noise")"
rate "  nginx, sendfile" "$(best client -o /dev/null "$nginx/noise")"
rate "download, text, inflated by the server" "$(best client -o /dev/null "$files/$text")"
rate "  nginx, the plain file, sendfile" "$(best client -o /dev/null "$nginx/text")"
rate "download, text, gzip as it is kept (plain bytes per s)" "$(best client -H 'Accept-Encoding: gzip' -o /dev/null "$files/$text")"
rate "  nginx, gzip_static (plain bytes per s)" "$(best client -H 'Accept-Encoding: gzip' -o /dev/null "$nginx/text")"
megabytes_before=$megabytes
whole=$(best ranges "$files/$text")
other=$(best ranges "$nginx/text")
megabytes=100
rate "100 ranges of 1 MB, text" "$whole"
rate "  nginx, the plain file" "$other"
megabytes=$megabytes_before
echo "peak memory of the server: $(awk '/VmHWM/ { print int($2 / 1024) " MiB" }' "/proc/$server/status")"
