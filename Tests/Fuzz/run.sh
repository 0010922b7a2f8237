#!/bin/sh
# Runs one fuzz target: Tests/Fuzz/run.sh NAME SECONDS
#
# The sources of a target and Tests/Fuzz/NAME/fuzz.swift are compiled as one module with libFuzzer and
# AddressSanitizer. New inputs are kept in .build/fuzz/NAME-corpus, a crash in .build/fuzz/NAME-crash-*.
set -eu
cd "$(dirname "$0")/../.."

# The sources of a target. Where they import another module of the package, `modules` names it, and `parts_NAME` the files
# of that module that are enough.
modules=
sources() {
    T=Sources/Transport
    case "$1" in
    HTTP)
        files="$T/HTTP/HTTPHeaders.swift $T/HTTP/HTTPRequestHead.swift $T/HTTP/HTTPHeadParser.swift
            $T/HTTP/HTTPRequestParser.swift $T/HTTP/Authority.swift"
        ;;
    WebSocket)
        modules=ByteCodec
        files="$T/WebSocket/WebSocketFrame.swift $T/WebSocket/WebSocketReader.swift $T/Bytes/ByteQueue.swift"
        ;;
    JSON)
        files=$(echo Sources/ByteCodec/*.swift)
        ;;
    Binary)
        modules=ByteCodec
        W=Sources/WuKongWire
        files="$W/WuKongConstants.swift $W/ReceivedMessage.swift $(echo $W/Binary/*.swift)"
        ;;
    LeanCloud)
        modules=ByteCodec
        W=Sources/LeanCloudWire
        files="$W/LeanCloudSubprotocol.swift $W/LeanCloudWireError.swift $W/WireLimits.swift
            $(echo $W/Commands/*.swift $W/Protobuf/*.swift)"
        ;;
    Form)
        modules="ByteCodec Transport Transfers"
        parts_Transport="$T/HTTP/HTTPHeaders.swift"
        parts_Transfers=Sources/Transfers/UploadChecksum.swift
        F=Sources/APIGateway/Files
        files="$(echo $F/Multipart/*.swift) $F/Text/FieldParameters.swift $F/Text/TusFields.swift $F/Text/ByteRange.swift
            $F/Text/DisplayName.swift $F/Text/ContentDisposition.swift"
        ;;
    *)
        echo "run.sh: no fuzz target named $1" >&2
        exit 64
        ;;
    esac
}

# Compiles with the package's rules, and with what the sanitizers need.
compile() {
    swiftc -O -g -parse-as-library -package-name teahouse -swift-version 6 \
        -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
        -I "$out" -L "$out" "$@" >"$out/$name.log" 2>&1 || { cat "$out/$name.log" >&2; exit 1; }
}

[ $# -eq 2 ] || { echo "usage: Tests/Fuzz/run.sh NAME SECONDS" >&2; exit 64; }
name=$1 seconds=$2
sources "$name"
out=.build/fuzz
mkdir -p "$out/$name-corpus"

libraries=
for module in $modules; do
    eval "parts=\${parts_$module:-Sources/$module/*.swift}"
    # shellcheck disable=SC2086
    compile -sanitize=address -sanitize-coverage=edge,inline-8bit-counters,pc-table -emit-module -emit-module-path "$out/$module.swiftmodule" \
        -emit-library -static -module-name "$module" $parts -o "$out/lib$module.a"
    libraries="$libraries -l$module"
done
# shellcheck disable=SC2086 # the lists are meant to be split
compile -sanitize=fuzzer,address -module-name "Fuzz$name" $files "Tests/Fuzz/$name/fuzz.swift" $libraries \
    -o "$out/$name"

# The crash handler of the Swift runtime would trip the sanitizer and hide the finding.
SWIFT_BACKTRACE=enable=no exec "$out/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$out/$name-crash-" "$out/$name-corpus" "Tests/Fuzz/$name/corpus"
