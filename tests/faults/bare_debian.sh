#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a bare Debian 12 to an answer: installs one in a folder of its own, clones the last commit into it, and does there
# what the README begins with. Every request that `./dev serve` names has to succeed.
#
# usage: bare_debian.sh      as root, with debootstrap; packages come from where this machine's apt has them from
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
debootstrap --variant=minbase bookworm "$root" "${mirror:?apt knows no Debian 12}" >"$root.log" ||
  fail "debootstrap failed: $(tail -n 1 "$root.log")"
rm "$root.log"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
mount -t proc proc "$root/proc"
git clone -q . "$root/kbase"

# A session of its own, so that the server in it can be ended with the script that started it.
exec 3< <(exec setsid chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  KBASE_JOBS="${KBASE_JOBS:-2}" /kbase/dev serve --set server.port=0 2>"$root/log")
server=$!

# The tour, printed once the server answers, says what to type first.
requests=()
while read -r line <&3 && [[ $line != Stop* ]]; do
  [[ $line != curl* ]] || requests+=("$line")
done
[ ${#requests[@]} -gt 0 ] || fail "./dev serve named no request: $(tail -n 5 "$root/log")"
for request in "${requests[@]}"; do
  bash -c "${request/#curl/curl -sf}" >"$root/answer" || fail "no answer to: $request"
  printf '%7d bytes  %s\n' "$(stat -c %s "$root/answer")" "${request##* }"
done
