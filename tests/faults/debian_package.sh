#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Debian packages on a bare Debian 12 that systemd has booted: installation, import of the manual, reload,
# environment variables, an occupied port, a hang, an upgrade, removal and purge; then the program as a container runs
# it; then a plugin built with the development package.
#
# usage: debian_package.sh FOLDER      as root, with debootstrap and systemd-nspawn; FOLDER contains the packages; other
#                                      packages come from this machine's apt sources
set -euo pipefail

fail() {
  printf 'debian_package: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root, to install a Debian"
for program in debootstrap systemd-nspawn dpkg-deb; do
  command -v "$program" >/dev/null || fail "needs $program: apt-get install debootstrap systemd-container dpkg"
done
packages=$(cd "${1:?missing argument: folder of the packages}" && pwd)

work=$(mktemp -d)
root=$work/root
machine_pid=

clean_up() {
  if [ -n "$machine_pid" ]; then
    kill -TERM "$machine_pid" 2>/dev/null || true
    wait "$machine_pid" 2>/dev/null || true
  fi
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

log_step() { printf '==> %s\n' "$*"; }

# wait_until COMMAND...: repeats the command until it succeeds; fails after 20 seconds.
wait_until() {
  local i
  for ((i = 0; i < 100; i++)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  fail "timed out waiting for: $*"
}

# in_root COMMAND...: runs a command in the Debian while it is not booted, with this machine's network.
in_root() {
  chroot "$root" env -i DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

boot() {
  SYSTEMD_NSPAWN_LOCK=0 systemd-nspawn --quiet --boot --register=no --keep-unit --private-network --machine=kbase-fault \
    --directory="$root" >"$work/console" 2>&1 </dev/null &
  machine_pid=$!
  wait_until pgrep -P "$machine_pid"
  init=$(pgrep -P "$machine_pid" | tail -n 1)
  wait_until inside systemctl is-active multi-user.target
}

# inside COMMAND...: runs a command in the booted Debian.
inside() {
  nsenter --target "$init" --mount --uts --ipc --net --pid --root --wd -- \
    env -i DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

health() { inside kbase health --config /etc/kbase/kbase.yaml; }
as_kbase() { inside runuser -u kbase -- kbase "$@" --config /etc/kbase/kbase.yaml; }
status_contains() { inside systemctl show --property StatusText kbase | grep -q "$1"; }
main_pid() { inside systemctl show --property MainPID --value kbase; }
finds_content() { inside curl -sf 'http://127.0.0.1:8080/api/v1/search?q=backup' | grep -q '"backup"'; }
seconds_since() { awk -v began="$1" -v now="$EPOCHREALTIME" 'BEGIN { printf "%.1f", now - began }'; }

# ------------------------------------------------------------------------------------------------------ the machine

log_step "a bare Debian 12"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' | sed -n 1p)
debootstrap --variant=minbase --include=systemd-sysv,dbus,curl bookworm "$root" "${mirror:?apt has no source for Debian 12}" \
  >"$work/debootstrap" || fail "debootstrap failed: $(tail -n 1 "$work/debootstrap")"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
cp "$packages"/kbase_*.deb "$root/root/kbase.deb"
cp "$packages"/kbase-plugin-dev_*.deb "$root/root/kbase-plugin-dev.deb"
in_root apt-get -q update >"$work/apt" 2>&1

log_step "downloading the dependencies"
began=$EPOCHREALTIME
in_root apt-get -q -y --no-install-recommends --download-only install /root/kbase.deb >"$work/apt" 2>&1 ||
  fail "cannot download the dependencies: $(tail -n 3 "$work/apt")"
fetched=$(seconds_since "$began")
boot

# ---------------------------------------------------------------------------------------------------- installation

log_step "from the package to the first response"
began=$EPOCHREALTIME
inside apt-get -q -y --no-install-recommends install /root/kbase.deb >"$work/apt" 2>&1 ||
  fail "apt-get install failed: $(tail -n 5 "$work/apt")"
health
as_kbase import /usr/share/kbase/manual 2>/dev/null
wait_until finds_content
installed=$(seconds_since "$began")
printf 'download %s s, installation, start, import and first response %s s\n' "$fetched" "$installed"
awk -v all="$(awk "BEGIN { print $fetched + $installed }")" 'BEGIN { exit all < 30 ? 0 : 1 }' || fail "took 30 s or more"
inside systemd-analyze security --no-pager kbase.service | tail -n 1
[ "$(inside systemctl show --property User --value kbase)" = kbase ] || fail "does not run as kbase"
[ "$(inside stat -c %U:%a /var/lib/kbase)" = kbase:700 ] || fail "other users can read the data folder"
inside curl -sf -o /dev/null http://127.0.0.1:8080/ || fail "the pages are missing"
inside test -s /usr/share/doc/kbase/examples/cluster.yaml || fail "the examples are missing or compressed"
inside sh -c 'zcat /usr/share/man/man1/kbase.1.gz | grep -q "^.SS "' || fail "kbase.1 lists no commands"

log_step "a reload rejects an invalid configuration and reports the error"
inside sed -i 's/^logging:/loging:/' /etc/kbase/kbase.yaml
inside systemctl reload kbase
wait_until status_contains loging
finds_content || fail "the service stopped"
inside sed -i 's/^loging:/logging:/; s/per_minute: 10,/per_minute: 99,/' /etc/kbase/kbase.yaml
inside systemctl reload kbase
wait_until inside sh -c "curl -si http://127.0.0.1:8080/api/v1/recent | grep -qi 'limit.*99'"
wait_until status_contains 'listening on [^;]*$'

log_step "environment variables reach the service and commands that systemd runs"
echo KBASE_PORT=8081 | inside tee /etc/default/kbase >/dev/null
inside systemctl restart kbase
inside systemd-run --quiet --pipe --wait --collect --uid=kbase --property=EnvironmentFile=-/etc/default/kbase \
  kbase health --config /etc/kbase/kbase.yaml
inside rm /etc/default/kbase

log_step "a server that cannot start is restarted repeatedly"
inside systemctl stop kbase
inside systemd-run --quiet --unit=port_holder --socket-property=ListenStream=127.0.0.1:8080 true
inside systemctl start --no-block kbase
wait_until inside sh -c '[ "$(systemctl show --property NRestarts --value kbase)" -gt 5 ]' # systemd's default limit is 5 restarts
inside systemctl stop port_holder.socket
wait_until health

log_step "a server that hangs is restarted"
inside mkdir -p /run/systemd/system/kbase.service.d
printf '[Service]\nWatchdogSec=2s\n' >"$work/drop-in"
inside tee /run/systemd/system/kbase.service.d/watchdog.conf <"$work/drop-in" >/dev/null
inside systemctl daemon-reload
inside systemctl restart kbase
wait_until health
inside sh -c "kill -STOP $(main_pid)" # the shell's builtin, because /bin/kill is missing
wait_until inside sh -c '[ "$(systemctl show --property NRestarts --value kbase)" = 1 ]'
wait_until health
inside rm -r /run/systemd/system/kbase.service.d
inside systemctl daemon-reload

# --------------------------------------------------------------------------------------------------------- upgrade

log_step "an upgrade keeps content and configuration"
dpkg-deb -R "$packages"/kbase_*.deb "$work/next"
sed -i 's/^Version: .*/&+1/' "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/next" "$root/root/next.deb" >/dev/null
before=$(main_pid)
as_kbase keys create --name fault --plan developer >/dev/null 2>&1
inside apt-get -q -y install /root/next.deb >"$work/apt" 2>&1 || fail "the upgrade failed: $(tail -n 5 "$work/apt")"
wait_until health
[ "$(main_pid)" != "$before" ] || fail "the old process still runs"
wait_until finds_content
as_kbase keys list | grep -q fault || fail "the keys are lost"
inside grep -q 'per_minute: 99' /etc/kbase/kbase.yaml || fail "the changed configuration is lost"

# ----------------------------------------------------------------------------------------------------- removal

log_step "removing stops the service, purging keeps the data"
inside apt-get -q -y remove kbase >"$work/apt" 2>&1
if inside systemctl --quiet is-active kbase; then fail "the service still runs"; fi
inside test -e /etc/kbase/kbase.yaml || fail "removing deleted the configuration"
inside apt-get -q -y purge kbase >"$work/apt" 2>&1
left=$(inside find / -xdev -name '*kbase*' -not -path '/root/*' -not -path '/proc/*' -not -path '/var/cache/apt/*' -print)
[ "$left" = /var/lib/kbase ] || fail "purging left: $left"
inside test -s /var/lib/kbase/content.db || fail "purging deleted the content"

log_step "reinstalled, it serves the remaining data"
inside apt-get -q -y --no-install-recommends install /root/kbase.deb >"$work/apt" 2>&1
wait_until health
wait_until finds_content
inside systemctl poweroff || true
wait "$machine_pid" || true
machine_pid=

# ------------------------------------------------------------------------------------------------- as in a container

log_step "process 1, not root, with one writable folder"
mkdir -m 700 "$work/volume"
chown "$(in_root id -u kbase):$(in_root id -g kbase)" "$work/volume"
systemd-nspawn --quiet --register=no --keep-unit --private-network --machine=kbase-fault --read-only --user=kbase \
  --directory="$root" --bind="$work/volume:/var/lib/kbase" --chdir=/var/lib/kbase \
  --setenv=KBASE_ADDRESS=0.0.0.0 --setenv=KBASE_DRAIN_TIMEOUT=6s \
  /usr/bin/kbase serve --config /etc/kbase/kbase.yaml >"$work/console" 2>&1 </dev/null &
machine_pid=$!
wait_until pgrep -P "$machine_pid" -x kbase
init=$(pgrep -P "$machine_pid" -x kbase)
wait_until health
as_kbase import /usr/share/kbase/manual 2>/dev/null
inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080; printf "GET /api/v1/recent HTTP/1.1\r\nHost:" >&3; exec sleep 30' &
half=$!
wait_until inside sh -c 'curl -sf http://127.0.0.1:9464/metrics | grep -q "kbase_http_open_connections 1"'
began=$EPOCHREALTIME
kill -TERM "$init"
wait "$machine_pid" || fail "exited with an error: $(tail -n 3 "$work/console")"
machine_pid=
ended=$(seconds_since "$began")
kill "$half" 2>/dev/null || true
printf 'exited %s s after SIGTERM, with an incomplete request in flight\n' "$ended"
awk -v ended="$ended" 'BEGIN { exit ended < 8 ? 0 : 1 }' || fail "a container engine would have killed it"

# ----------------------------------------------------------------------------------------------- the development package

log_step "a plugin from the template of the development package"
in_root apt-get -q -y --no-install-recommends install /root/kbase-plugin-dev.deb cmake g++ make pkgconf \
  >"$work/apt" 2>&1 || fail "cannot install the development package: $(tail -n 3 "$work/apt")"
mount -t proc proc "$root/proc"
in_root sh -c 'cp -r /usr/share/kbase/plugin-template /root/mycache && cd /root/mycache && cmake -B build &&
  cmake --build build && ctest --test-dir build --output-on-failure' >"$work/kit" 2>&1 ||
  fail "the template does not build or its tests fail: $(tail -n 10 "$work/kit")"
in_root sh -c 'test -x "$(pkg-config --variable=check kbase-plugin)"' || fail "pkg-config does not find the checker"
umount "$root/proc"
