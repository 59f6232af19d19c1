#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the archive of a release in a bare root of other distributions, and the image in its own root. Each imports the
# manual, serves it, and answers a search and a page.
#
# usage: release.sh FOLDER [DISTRIBUTION...]     as root, with debootstrap and skopeo
#
# A DISTRIBUTION is a folder with a root of the distribution, or SUITE=MIRROR for debootstrap, such as noble=MIRROR with a
# mirror of Ubuntu. Without one, only the image is run.
set -euo pipefail
cd "$(dirname "$0")/../.."
release=$(realpath "${1:?usage: release.sh FOLDER [DISTRIBUTION...]}")
shift
work=$(mktemp -d)
server=
with_proc=

fail() {
  printf 'release: %s\n' "$*" >&2
  exit 1
}

stop_server() {
  [ -n "$server" ] || return 0
  kill -TERM "$server" 2>/dev/null || true
  wait "$server" || fail "the server ended with status $?: $(tail -n 3 "$work/log")"
  server=
}

clean_up() {
  [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
  umount_proc
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# mount_proc ROOT: the program reads its own path there.
mount_proc() {
  mkdir -p "$1/proc"
  mount -t proc proc "$1/proc"
  with_proc=$1
}

umount_proc() {
  [ -z "$with_proc" ] || umount "$with_proc/proc"
  with_proc=
}

# try NAME ROOT PROGRAM MANUAL [USER]: imports and serves in a root.
try() {
  local name=$1 root=$2 program=$3 manual=$4 user=${5:-0:0} url answer
  local run=(chroot --userspec="$user" "$root" "$program")
  mount_proc "$root"
  "${run[@]}" import --set data_dir=/tmp/data "$manual" >"$work/log" 2>&1 || fail "$name: no import: $(tail -n 3 "$work/log")"
  "${run[@]}" serve --set data_dir=/tmp/data --port 0 >"$work/address" 2>"$work/log" &
  server=$!
  for _ in $(seq 300); do
    grep -q '^listening on ' "$work/address" && break
    kill -0 "$server" 2>/dev/null || fail "$name: the server ended: $(tail -n 3 "$work/log")"
    sleep 0.1
  done
  url=$(sed -n 's/^listening on //p' "$work/address")
  answer=$(curl -sf "$url/search?q=backup")
  [[ $answer == *'"success":true'* && $answer != *'"data":[]'* ]] || fail "$name: no results: $answer"
  answer=$(curl -sf -H 'Accept: text/html' "${url%/api/v1}/item/operations/backup")
  [[ $answer == *'<article'* ]] || fail "$name: no page: $answer"
  answer=$(chroot "$root" "$program" plugin list --set data_dir=/tmp/data 2>"$work/loader")
  [ ! -s "$work/loader" ] || fail "$name: the loader warns: $(head -n 1 "$work/loader")"
  [ "$(grep -c 'Apache-2.0 .*\.so' <<<"$answer")" = "$(find "$root${program%/bin/*}/lib/kbase/plugins" -name '*.so' | wc -l)" ] ||
    fail "$name: not every plugin can be loaded: $answer"
  stop_server
  umount_proc
  printf '%s: imports, searches and serves pages\n' "$name"
}

archive=$(ls "$release"/kbase-*-linux-x86_64.tar.gz)
image=$(ls "$release"/kbase-*-linux-x86_64.oci.tar)
(cd "$release" && sha256sum --quiet -c SHA256SUMS) || fail "the checksums are wrong"

for distribution; do
  name=$(basename "${distribution%%=*}") root=$distribution
  if [ ! -d "$distribution" ]; then
    root=$work/$name script=/usr/share/debootstrap/scripts/$name
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy # that of each Ubuntu
    debootstrap --variant=minbase --no-check-gpg "$name" "$root" "${distribution#*=}" "$script" >"$work/$name.log" 2>&1 ||
      fail "no root of $name: $(tail -n 1 "$work/$name.log")"
  fi
  rm -rf "$root/opt/kbase" "$root/tmp/data"
  mkdir -p "$root/opt/kbase"
  tar -xf "$archive" --strip-components=1 -C "$root/opt/kbase"
  try "$name" "$root" /opt/kbase/bin/kbase /opt/kbase/share/kbase/manual
done

skopeo inspect "oci-archive:$image" >"$work/image.json" || fail "the image is not an OCI image"
skopeo inspect "docker-archive:$image" >"$work/image.json" || fail "docker could not load the image"
mkdir "$work/layout" "$work/root"
tar -xf "$image" -C "$work/layout"
manifest=$(sed -n 's/.*"digest":"sha256:\([0-9a-f]*\)".*/\1/p' "$work/layout/index.json")
for layer in $(python3 -c 'import json, sys; print(*(each["digest"][7:] for each in json.load(open(sys.argv[1]))["layers"]))' \
  "$work/layout/blobs/sha256/$manifest"); do
  tar -xf "$work/layout/blobs/sha256/$layer" -C "$work/root"
done
try image "$work/root" /usr/bin/kbase /usr/share/kbase/manual 10001:10001
