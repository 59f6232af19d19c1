# SPDX-License-Identifier: Apache-2.0
# Functions to run commands in a bare Debian 12, so that no tool of this machine can replace a missing package. Source
# this file as root.

# make_debian_root FOLDER: installs Debian's minbase with debootstrap. Packages come from this machine's apt sources.
make_debian_root() {
  local root=$1 mirror
  if [ "$(id -u)" != 0 ]; then echo "a Debian root needs root rights" >&2 && return 1; fi
  if ! command -v debootstrap >/dev/null; then echo "a Debian root needs the package debootstrap" >&2 && return 1; fi
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' | sed -n 1p)
  if [ -z "$mirror" ]; then echo "apt has no source for Debian 12" >&2 && return 1; fi
  if ! debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1; then
    echo "debootstrap failed: $(tail -n 1 "$root.log")" >&2
    return 1
  fi
  rm "$root.log"
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
  mount -t proc proc "$root/proc"
}

# add_devices FOLDER: mounts /dev with pseudo-terminals and shared memory.
add_devices() {
  mount --rbind /dev "$1/dev"
  mount --make-rslave "$1/dev"
}

# add_network_settings FOLDER: copies what this machine needs to reach package registries.
add_network_settings() {
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs /usr/local/share/ca-certificates /etc/pip.conf ~/.npmrc; do
    [ -e "$file" ] || continue
    mkdir -p "$1$(dirname "$file")"
    cp -rL "$file" "$1$(dirname "$file")"
  done
}

# network_variables: prints the variables of the environment that package managers read, as NAME=VALUE.
network_variables() {
  env | grep -E '^(PIP|NPM|NODE|SSL|CURL|GIT|REQUESTS|CARGO|RUSTUP|GO|HTTPS?|NO)_[A-Z_]*=|^[a-z]+_proxy=|^GOPROXY=' || true
}

# run_in_debian_root FOLDER [NAME=VALUE...] -- COMMAND...
run_in_debian_root() {
  local root=$1 variables=()
  shift
  while [ "$1" != -- ]; do variables+=("$1") && shift; done
  shift
  chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" "$@"
}

# remove_debian_root FOLDER: keeps the folder if something is still mounted in it, because that must not be deleted.
remove_debian_root() {
  local place
  for place in $(awk -v root="$1/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r); do umount -l "$place"; done
  if grep -qF " $1/" /proc/mounts; then echo "something is still mounted in $1" >&2 && return 1; fi
  rm -rf --one-file-system "$1"
}
