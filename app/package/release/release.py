#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of a release from a build tree: an archive that runs on any newer Linux, an image for containers, a
bill of materials, and the checksums of all. `./dev release` calls it.

The same sources, Debian packages and tools make the same bytes: names are sorted, owners are 0, and all times are that
of the commit.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import archive
import bundle
import image
import materials
from platform_names import PLATFORMS


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree, configured with the prefix /usr")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the checkout")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the release; packages in it are kept")
    parser.add_argument("--version", required=True)
    parser.add_argument("--time", type=int, required=True, help="seconds since 1970, for all files")
    parser.add_argument("--manual-pages", type=pathlib.Path, help="folder of the manual pages that the build tree lacks")
    parser.add_argument("--triplet", choices=PLATFORMS, default="x86_64-linux-gnu")
    return parser.parse_args()


def install(build, to):
    """Installs the server and the plugin kit of a build tree below a folder."""
    for component in ("server", "plugin-sdk"):
        subprocess.run(["cmake", "--install", build, "--component", component, "--strip"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": str(to)})


def lay_out(installed, root, source, version):
    """Moves the installed files to their places in the archive."""
    shutil.move(installed / "usr", root)
    shutil.move(installed / "etc", root / "etc")
    # What belongs to a service of the system is in the Debian package, which knows its paths.
    for each in ("lib/sysusers.d", "lib/systemd"):
        shutil.rmtree(root / each, ignore_errors=True)
    shutil.copy(source / "LICENSE", root / "LICENSE")
    changes = (source / "CHANGELOG.md").read_text()
    (root / "CHANGELOG.md").write_text(changes.replace("](docs/", "](share/kbase/manual/"))
    text = (source / "app/package/release/README.in").read_text()
    (root / "README").write_text(text.replace("@VERSION@", version))


def write_sums(folder):
    """Writes SHA256SUMS, in the format of sha256sum, for all other files of a folder."""
    sums = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n"
            for each in sorted(folder.iterdir()) if each.name != "SHA256SUMS"]
    (folder / "SHA256SUMS").write_text("".join(sums))


def main():
    options = read_arguments()
    name = f"kbase-{options.version}-linux-{PLATFORMS[options.triplet].file_name}"
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        install(options.build, work / "installed")
        root = work / name
        lay_out(work / "installed", root, options.source, options.version)
        if options.manual_pages:
            shutil.copytree(options.manual_pages, root / "share/man")
        bundled = bundle.add_libraries(root, options.triplet, options.source)
        parts = materials.find_packages(bundled, options.triplet)
        materials.copy_licenses(parts, root / "share/doc/kbase/licenses")
        (options.out / f"{name}.cdx.json").write_text(
            materials.describe(name, options.version, options.time, parts, options.triplet))
        glibc = bundle.newest_glibc(root)
        archive.write(options.out / f"{name}.tar.gz", root, name, options.time)
        image.write(options.out / f"{name}.oci.tar", root, work / "image", options)
    write_sums(options.out)
    print(f"{name}: needs glibc {glibc} or newer; contains {len(parts)} packages of Debian")


if __name__ == "__main__":
    main()
