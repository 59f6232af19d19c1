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

. tests/support/debian_root.sh

root=$(mktemp -d)
server=

clean_up() {
  if [ -n "$server" ] && kill -TERM -- "-$server" 2>/dev/null; then wait "$server" || true; fi
  remove_debian_root "$root"
}
trap clean_up EXIT

make_debian_root "$root" || fail "no bare Debian"
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
