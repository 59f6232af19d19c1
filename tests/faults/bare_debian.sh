#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a bare Debian 12 in a folder, clones the last commit into it, and follows the first steps of the README
# there. Every request that `./dev serve` prints must succeed.
#
# usage: bare_debian.sh      as root, with debootstrap; packages come from this machine's apt sources
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  printf 'bare_debian: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root, to install a Debian"
command -v debootstrap >/dev/null || fail "needs the package debootstrap"

root=$(mktemp -d)
server=

clean_up() {
  if [ -n "$server" ] && kill -TERM -- "-$server" 2>/dev/null; then wait "$server" || true; fi
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' | sed -n 1p)
debootstrap --variant=minbase bookworm "$root" "${mirror:?apt has no source for Debian 12}" >"$root.log" ||
  fail "debootstrap failed: $(tail -n 1 "$root.log")"
rm "$root.log"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
mount -t proc proc "$root/proc"
git clone -q . "$root/kbase"

# A separate session, so that the server is stopped together with the script that started it.
exec 3< <(exec setsid chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  KBASE_JOBS="${KBASE_JOBS:-2}" /kbase/dev serve --set server.port=0 2>"$root/log")
server=$!

# When the server is ready, the script prints example requests.
requests=()
while read -r line <&3 && [[ $line != Stop* ]]; do
  [[ $line != curl* ]] || requests+=("$line")
done
[ ${#requests[@]} -gt 0 ] || fail "./dev serve printed no request: $(tail -n 5 "$root/log")"
for request in "${requests[@]}"; do
  bash -c "${request/#curl/curl -sf}" >"$root/answer" || fail "request failed: $request"
  printf '%7d bytes  %s\n' "$(stat -c %s "$root/answer")" "${request##* }"
done
