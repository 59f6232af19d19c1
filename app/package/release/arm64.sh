#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the archive and the image of a release for arm64 with Debian's cross compiler, in a bare Debian 12 that has the
# libraries for this architecture. Nothing is run, because this machine has another processor.
#
# usage: arm64.sh FOLDER TIME PACKAGE...     as root, with debootstrap; FOLDER has the release for x86-64
#
# PACKAGEs are those of a build. Those with libraries are installed for arm64.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tests/support/debian_root.sh

release=$(realpath "$1") time=$2
shift 2
root=$(mktemp -d)
trap 'umount "$root/source" "$root/release" 2>/dev/null || true; remove_debian_root "$root"' EXIT

packages=(crossbuild-essential-arm64 binutils patchelf)
for package; do
  case $package in
    g++) ;;
    nlohmann-json3-dev | libcli11-dev) packages+=("$package") ;;
    *-dev) packages+=("$package:arm64") ;;
    *) packages+=("$package") ;;
  esac
done

make_debian_root "$root"
add_network_settings "$root"
mkdir "$root/source" "$root/release"
mount --bind "$PWD" "$root/source"
mount --bind "$release" "$root/release"

inside() { run_in_debian_root "$root" DEBIAN_FRONTEND=noninteractive -- "$@"; }
inside dpkg --add-architecture arm64
inside apt-get update -q
inside apt-get install -q -y --no-install-recommends "${packages[@]}"
inside cmake -C /source/cmake/release.cmake -S /source -B /build -G Ninja \
  -DCMAKE_TOOLCHAIN_FILE=/source/cmake/arm64.cmake -DCMAKE_INSTALL_LIBDIR=lib/aarch64-linux-gnu
inside cmake --build /build --parallel "${KBASE_JOBS:-2}"
version=$(sed -n 's/^project(kbase VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# The manual pages are made by the program, which does not run here.
tar -xf "$release/kbase-$version-linux-x86_64.tar.gz" -C "$root/build" --strip-components=1 "kbase-$version-linux-x86_64/share/man"
inside python3 -B /source/app/package/release/release.py --build /build --source /source --out /release \
  --version "$version" --time "$time" --triplet aarch64-linux-gnu --manual-pages /build/share/man
