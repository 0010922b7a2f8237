# What the scripts of this folder share. Sourced, never run.

# Debian packages the build needs: the archives of the C libraries that are linked into the binary.
build_packages="gcc libc6-dev libsqlite3-dev libssl-dev libsodium-dev zlib1g-dev libncurses-dev"

# Installs what is missing of the named Debian packages: as root at once, otherwise it says what to run.
need_packages() {
    missing=""
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "These packages are missing. Install them, then run this again:" >&2
        echo "    sudo apt-get install$missing" >&2
        exit 1
    fi
    echo "installing:$missing"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# Checks that a Swift 6.2 or newer toolchain is on the path.
need_swift() {
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
    set -- $version
    if [ "${1:-0}" -lt 6 ] || { [ "${1:-0}" -eq 6 ] && [ "${2:-0}" -lt 2 ]; }; then
        echo "teahouse is built with Swift 6.2 or newer, and 'swift' on your PATH is ${version:-missing}." >&2
        echo "Install a toolchain for Debian 12 and put its usr/bin first in PATH." >&2
        exit 1
    fi
}

# Builds the product as it is installed: one file, the Swift and C libraries inside. What nothing calls is left out, function
# by function; no symbol is offered to other programs; the relocations are packed, which needs the glibc 2.36 of Debian 12.
# `.build/PRODUCT.map` says which bytes came from where, for binary_size.py. What stands behind the product goes to `swift build`.
build_release() {
    swift build -c release --static-swift-stdlib --product "$1" "${@:2}" -Xswiftc -Xfrontend -Xswiftc -function-sections \
        -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
        -Xlinker "-Map=.build/$1.map"
}
