#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the archive of a release in a bare root of other distributions, and the images in their own roots, that for arm64
# with qemu. Each imports the manual, serves it, and answers a search and a page.
#
# usage: release.sh FOLDER [DISTRIBUTION...]     as root, with debootstrap and skopeo; qemu-user-static for arm64
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

# try NAME ROOT FOLDER [USER [EMULATOR]]: imports and serves in a root, with the program below FOLDER.
try() {
  local name=$1 root=$2 folder=$3 user=${4:-0:0} emulator=${5:-} url answer
  local run=(chroot --userspec="$user" "$root" ${emulator:+"$emulator"} "$folder/bin/kbase")
  mount_proc "$root"
  "${run[@]}" import --set data_dir=/tmp/data "$folder/share/kbase/manual" >"$work/log" 2>&1 || fail "$name: no import: $(tail -n 3 "$work/log")"
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
  answer=$("${run[@]}" plugin list --set data_dir=/tmp/data 2>"$work/loader")
  [ ! -s "$work/loader" ] || fail "$name: the loader warns: $(head -n 1 "$work/loader")"
  [ "$(grep -c 'Apache-2.0 .*\.so' <<<"$answer")" = "$(find "$root$folder/lib/kbase/plugins" -name '*.so' | wc -l)" ] ||
    fail "$name: not every plugin can be loaded: $answer"
  stop_server
  umount_proc
  printf '%s: imports, searches and serves pages\n' "$name"
}

archive=$(ls "$release"/kbase-*-linux-x86_64.tar.gz)
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
  try "$name" "$root" /opt/kbase
done

# unpack_image FILE ROOT: checks an image and unpacks its layers.
unpack_image() {
  local layer layout=$2.layout
  skopeo inspect "oci-archive:$1" >/dev/null || fail "$1 is not an OCI image"
  skopeo inspect "docker-archive:$1" >/dev/null || fail "docker could not load $1"
  mkdir "$layout" "$2"
  tar -xf "$1" -C "$layout"
  for layer in $(python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))[0]["Layers"])' "$layout/manifest.json"); do
    tar -xf "$layout/$layer" -C "$2"
  done
}

for image in "$release"/kbase-*.oci.tar; do
  root=$work/$(basename "$image" .oci.tar)
  unpack_image "$image" "$root"
  case $image in
    *-x86_64.oci.tar) try "image for x86-64" "$root" /usr 10001:10001 ;;
    *)
      if ! emulator=$(command -v qemu-aarch64-static); then
        printf 'image for arm64: skipped, because qemu-user-static is not installed\n'
        continue
      fi
      cp "$emulator" "$root/emulator"
      try "image for arm64" "$root" /usr 10001:10001 /emulator
      ;;
  esac
done
