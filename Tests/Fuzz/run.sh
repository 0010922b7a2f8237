#!/bin/sh
# Runs one fuzz target: Tests/Fuzz/run.sh NAME SECONDS
#
# The sources of a target and Tests/Fuzz/NAME/fuzz.swift are compiled as one module with libFuzzer and
# AddressSanitizer. New inputs are kept in .build/fuzz/NAME-corpus, a crash in .build/fuzz/NAME-crash-*.
set -eu
cd "$(dirname "$0")/../.."

sources() {
    T=Sources/Transport
    case "$1" in
    HTTP)
        echo $T/HTTP/HTTPHeaders.swift $T/HTTP/HTTPRequestHead.swift $T/HTTP/HTTPHeadParser.swift \
            $T/HTTP/HTTPRequestParser.swift $T/HTTP/Authority.swift
        ;;
    WebSocket)
        echo $T/WebSocket/WebSocketFrame.swift $T/WebSocket/WebSocketReader.swift \
            $T/Bytes/ByteQueue.swift $T/Bytes/UTF8Check.swift
        ;;
    *)
        echo "run.sh: no fuzz target named $1" >&2
        return 64
        ;;
    esac
}

[ $# -eq 2 ] || { echo "usage: Tests/Fuzz/run.sh NAME SECONDS" >&2; exit 64; }
name=$1 seconds=$2
files=$(sources "$name")
out=.build/fuzz
mkdir -p "$out/$name-corpus"

# shellcheck disable=SC2086 # the list is meant to be split
swiftc -O -g -parse-as-library -sanitize=fuzzer,address -package-name teahouse -swift-version 6 \
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
    -module-name "Fuzz$name" $files "Tests/Fuzz/$name/fuzz.swift" -o "$out/$name" 2>"$out/$name.log" ||
    { cat "$out/$name.log" >&2; exit 1; }

# The crash handler of the Swift runtime would trip the sanitizer and hide the finding.
SWIFT_BACKTRACE=enable=no exec "$out/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$out/$name-crash-" "$out/$name-corpus" "Tests/Fuzz/$name/corpus"
