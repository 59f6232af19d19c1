# SPDX-License-Identifier: Apache-2.0
"""Copies into an archive all shared libraries that its programs need, except glibc, and lets them find each other
wherever the archive is unpacked."""

import os
import pathlib
import shutil
import subprocess

import elf

# Libraries of glibc, which must match the running system. Others may not: its loader, its settings.
_GLIBC = ("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so", "libanl.so")

# glibc of Ubuntu 22.04. Of the systems that kbase supports, only Debian 12 and later ones are newer.
OLDEST_GLIBC = "2.35"
_FOLDER = "lib/kbase/bundled"
_SHIM = "libkbase-newer-glibc.so"


def _is_glibc(name):
    return name.startswith(_GLIBC)


def _programs(root):
    """Returns the programs and plugins below a folder."""
    return [path for path in sorted(root.rglob("*"))
            if path.is_file() and not path.is_symlink() and path.suffix != ".a" and elf.is_elf(path)]


def _system_file(name, triplet):
    for folder in ("/usr/lib", "/lib"):
        found = pathlib.Path(folder) / triplet / name
        if found.exists():
            return found
    raise FileNotFoundError(f"{name} is not installed for {triplet}")


def _find_libraries(programs, triplet):
    """Returns {name: file} of all libraries that the programs need, and that those need."""
    found = {}
    left = list(programs)
    while left:
        for name in elf.needed_libraries(left.pop()):
            if name not in found and not _is_glibc(name):
                found[name] = _system_file(name, triplet)
                left.append(found[name])
    return found


def _patch(path, *arguments):
    # 64 KiB is the largest page of Linux on arm64.
    subprocess.run(["patchelf", "--page-size", "65536", *arguments, path], check=True)


def _build_shim(to, triplet, source):
    subprocess.run([f"{triplet}-gcc", "-shared", "-fPIC", "-O2", "-fvisibility=hidden", f"-Wl,-soname,{_SHIM}",
                    "-Wl,-z,max-page-size=65536", "-Wl,--build-id=none", "-s", "-o", to,
                    source / "app/package/release/newer_glibc.c"], check=True)


def _strip(root, programs, triplet):
    """Removes debug information, also where the installation has kept it."""
    subprocess.run([f"{triplet}-strip", "--strip-unneeded", *programs], check=True)
    if libraries := sorted(root.rglob("*.a")):
        subprocess.run([f"{triplet}-strip", "--strip-debug", "--enable-deterministic-archives", *libraries], check=True)


def add_libraries(root, triplet, source):
    """Adds the libraries to the archive below `root`. Returns {file of the system: file in the archive}."""
    folder = root / _FOLDER
    folder.mkdir()
    programs = _programs(root)
    _strip(root, programs, triplet)
    added = {}
    for name, path in sorted(_find_libraries(programs, triplet).items()):
        shutil.copyfile(path, folder / name)
        added[path.resolve()] = folder / name
    needs_shim = False
    for path in [*programs, *added.values()]:
        _patch(path, "--set-rpath", "$ORIGIN/" + os.path.relpath(folder, path.parent))
        if elf.symbols_above(path, OLDEST_GLIBC):
            _patch(path, "--add-needed", _SHIM)
            elf.drop_newer(path, OLDEST_GLIBC)
            needs_shim = True
    if needs_shim:
        _build_shim(folder / _SHIM, triplet, source)
    return added


def newest_glibc(root):
    """Returns the version of glibc that the files below `root` need."""
    return elf.newest_glibc(_programs(root))
