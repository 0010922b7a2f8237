#!/usr/bin/env bash
# Builds .build/release/teahouse as it is installed: one file that needs nothing but the C runtime of Debian 12.
# Installs the packages that the build needs, or says which.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/common.sh
need_packages $build_packages
need_swift
build_release teahouse
