#!/usr/bin/env bash
# Makes an image for containers (OCI image layout, version 1.1) without a daemon, from the package's files and the C libraries that the
# binary needs: no shell, nothing else. Podman, Docker 25 and newer, skopeo and containerd load the archive.
#   deploy/image.sh [--package DEB] [--output FOLDER]
# DEB is made by deploy/package.sh unless it is named. With the same package and SOURCE_DATE_EPOCH (the newest commit's time unless it is
# set), on the same Debian, the archive is the same to the byte.
set -euo pipefail
cd "$(dirname "$0")/.."

package= output=.build/package
while [ $# -gt 0 ]; do
    case $1 in
        --package) package=$2 ;;
        --output) output=$2 ;;
        *)
            sed -n '4,6p' "$0" >&2
            exit 64
            ;;
    esac
    shift 2
done
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C.UTF-8 TZ=UTC
umask 022
mkdir -p "$output"
output=$(realpath "$output")
if [ -z "$package" ]; then
    deploy/package.sh --output "$output"
    package=$(ls -t "$output"/teahouse_*.deb | head -n 1)
fi
version=$(dpkg-deb --field "$package" Version)
architecture=$(dpkg-deb --field "$package" Architecture)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# The server's user has a number that no user of the host is likely to have.
user=7677

layer=$stage/layer
dpkg-deb --extract "$package" "$stage/package"
mkdir -p "$layer/usr/bin" "$layer/etc" "$layer/usr/share/doc"
cp "$stage/package/usr/bin/teahouse" "$layer/usr/bin/"
cp -R "$stage/package/etc/teahouse" "$layer/etc/"
cp -R "$stage/package/usr/share/doc/teahouse" "$layer/usr/share/doc/"
# Each library stands where the loader looks for it, under the name that the binary has.
ldd "$layer/usr/bin/teahouse" | sed -nE 's/.*(=> |^[[:space:]]*)(\/[^ ]+) \(.*/\2/p' | while read -r library; do
    mkdir -p "$layer$(dirname "$library")"
    cp --dereference "$library" "$layer$library"
done
printf 'root:x:0:0:root:/:/usr/sbin/nologin\nteahouse:x:%d:%d:teahouse:/var/lib/teahouse:/usr/sbin/nologin\n' "$user" "$user" \
    >"$layer/etc/passwd"
printf 'root:x:0:\nteahouse:x:%d:\n' "$user" >"$layer/etc/group"
printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$layer/etc/nsswitch.conf"
mkdir -p "$stage/data/var/lib/teahouse"
chmod 700 "$stage/data/var/lib/teahouse"

same=(--sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --format=ustar)
tar -C "$layer" "${same[@]}" --owner=0 --group=0 --create --file "$stage/layer.tar" etc usr $(cd "$layer" && ls -d lib lib64 2>/dev/null)
tar -C "$stage/data" "${same[@]}" --owner="$user" --group="$user" --append --file "$stage/layer.tar" var/lib/teahouse
digest() { sha256sum "$1" | cut -d ' ' -f 1; }
inner=$(digest "$stage/layer.tar")
gzip -9n "$stage/layer.tar"

image=$stage/image
mkdir -p "$image/blobs/sha256"
# Puts a file among the contents and says where: "DIGEST SIZE".
add() {
    local name
    name=$(digest "$1")
    cp "$1" "$image/blobs/sha256/$name"
    echo "$name $(stat -c %s "$1")"
}
read -r layer_digest layer_size < <(add "$stage/layer.tar.gz")
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
# Nobody answers a watchdog here; the runtime restarts what ends.
cat >"$stage/config.json" <<JSON
{"created":"$created","architecture":"$architecture","os":"linux","config":{"User":"$user:$user","ExposedPorts":{"7677/tcp":{}},\
"Env":["PATH=/usr/bin","TEAHOUSE_DATA=/var/lib/teahouse","TEAHOUSE_CONFIG=/etc/teahouse/teahouse.toml"],"Entrypoint":["/usr/bin/teahouse"],\
"Cmd":["serve"],"Volumes":{"/var/lib/teahouse":{}},"WorkingDir":"/var/lib/teahouse","StopSignal":"SIGTERM",\
"Labels":{"org.opencontainers.image.title":"teahouse","org.opencontainers.image.version":"$version"}},\
"rootfs":{"type":"layers","diff_ids":["sha256:$inner"]},"history":[{"created":"$created","created_by":"deploy/image.sh"}]}
JSON
read -r config_digest config_size < <(add "$stage/config.json")
cat >"$stage/manifest.json" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",\
"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config_digest","size":$config_size},\
"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:$layer_digest","size":$layer_size}]}
JSON
read -r manifest_digest manifest_size < <(add "$stage/manifest.json")
printf '{"imageLayoutVersion":"1.0.0"}\n' >"$image/oci-layout"
cat >"$image/index.json" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",\
"digest":"sha256:$manifest_digest","size":$manifest_size,"platform":{"architecture":"$architecture","os":"linux"},\
"annotations":{"org.opencontainers.image.ref.name":"$version","io.containerd.image.name":"localhost/teahouse:$version"}}]}
JSON
# What `docker load` of older versions reads in place of the index.
printf '[{"Config":"blobs/sha256/%s","RepoTags":["localhost/teahouse:%s"],"Layers":["blobs/sha256/%s"]}]\n' \
    "$config_digest" "$version" "$layer_digest" >"$image/manifest.json"
archive=$output/teahouse-$version-$architecture.oci.tar
tar -C "$image" "${same[@]}" --owner=0 --group=0 --create --file "$archive" .
ls -l "$archive"
