# SPDX-License-Identifier: Apache-2.0
"""An image for containers, written without a container engine: OCI Image Layout and Image Format 1.0.

It has no shell and no package manager: the archive of kbase, glibc, the certificate authorities and the dictionaries of
this Debian, and two users.
"""

import gzip
import hashlib
import io
import json
import pathlib
import shutil
import tarfile

import archive
from platform_names import PLATFORMS

# The packages of the files that the image has in addition to the archive.
PACKAGES = ("libc6", "ca-certificates", "hunspell-en-us")
_GLIBC = ("libc.so.6", "libm.so.6", "libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2", "libdl.so.2",
          "libpthread.so.0", "librt.so.1")
# A fixed number, so that later images can use existing volumes.
_USER = 10001
# Variables that the installed configuration reads. Container engines kill a container ten seconds after the stop signal.
_VARIABLES = {"PATH": "/usr/bin", "KBASE_ADDRESS": "0.0.0.0", "KBASE_DRAIN_TIMEOUT": "6s"}
_CONFIGURATION = "/etc/kbase/kbase.yaml"


def _copy(path, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(pathlib.Path(path).resolve(), to)
    to.chmod(0o755 if ".so" in to.name else 0o644)


def _fill(root, archive_root, triplet):
    """Writes the file system of the image."""
    shutil.copytree(archive_root, root / "usr", symlinks=True)
    shutil.move(root / "usr/etc", root / "etc")
    (root / "usr/README").unlink()  # about the archive
    libraries = pathlib.Path("/lib") / triplet
    _copy(pathlib.Path("/") / PLATFORMS[triplet].loader, root / PLATFORMS[triplet].loader)
    for name in _GLIBC:
        _copy(libraries / name, root / "lib" / triplet / name)
    _copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs/ca-certificates.crt")
    for dictionary in sorted(pathlib.Path("/usr/share/hunspell").glob("en_US.*")):
        _copy(dictionary, root / "usr/share/hunspell" / dictionary.name)
    for package in PACKAGES:
        _copy(f"/usr/share/doc/{package}/copyright", root / "usr/share/doc/kbase/licenses" / package)
    (root / "etc/passwd").write_text(f"root:x:0:0:root:/:/nologin\nkbase:x:{_USER}:{_USER}:kbase:/var/lib/kbase:/nologin\n")
    (root / "etc/group").write_text(f"root:x:0:\nkbase:x:{_USER}:\n")
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")
    (root / "var/lib/kbase").mkdir(parents=True, mode=0o700)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)


def _digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _config(layer, version, time, triplet):
    created = archive.timestamp(time)
    return {
        "created": created,
        "architecture": PLATFORMS[triplet].debian_name,
        "os": "linux",
        "config": {
            "User": f"{_USER}:{_USER}",
            "Env": [f"{name}={value}" for name, value in _VARIABLES.items()],
            "Entrypoint": ["/usr/bin/kbase"],
            "Cmd": ["serve", "--config", _CONFIGURATION],
            "WorkingDir": "/var/lib/kbase",
            "Volumes": {"/var/lib/kbase": {}},
            "ExposedPorts": {"8080/tcp": {}},
            "Labels": {
                "org.opencontainers.image.title": "kbase",
                "org.opencontainers.image.description": "Knowledge base server with full-text search over HTTP",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
            # Not part of the OCI format; docker and podman read it.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/kbase", "health", "--config", _CONFIGURATION],
                "Interval": 10_000_000_000,
                "Timeout": 6_000_000_000,
                "StartPeriod": 30_000_000_000,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        "history": [{"created": created, "created_by": "kbase release"}],
    }


def _descriptor(kind, data, **more):
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": _digest(data), "size": len(data), **more}


def _encode(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def write(path, archive_root, work, options):
    """Writes the image of an archive's files to `path`. `work` is a folder that does not exist yet."""
    name = f"localhost/kbase:{options.version}"
    _fill(work, archive_root, options.triplet)
    layer = io.BytesIO()
    archive.write_tar(layer, work, "", options.time, owners={"var/lib/kbase": _USER})
    packed = gzip.compress(layer.getvalue(), compresslevel=9, mtime=0)
    config = _encode(_config(layer.getvalue(), options.version, options.time, options.triplet))
    manifest = _encode({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": _descriptor("config.v1+json", config),
        "layers": [_descriptor("layer.v1.tar+gzip", packed)],
    })
    index = _encode({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [_descriptor("manifest.v1+json", manifest,
                                  platform={"architecture": PLATFORMS[options.triplet].debian_name, "os": "linux"},
                                  annotations={"org.opencontainers.image.ref.name": name})],
    })
    # For `docker load`, which reads the layout only with the image store of containerd.
    paths = {data: f"blobs/sha256/{_digest(data).split(':')[1]}" for data in (packed, config, manifest)}
    docker = _encode([{"Config": paths[config], "RepoTags": [name], "Layers": [paths[packed]]}])
    files = {"manifest.json": docker, "oci-layout": _encode({"imageLayoutVersion": "1.0.0"}), "index.json": index}
    files |= {path: data for data, path in paths.items()}
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mtime = options.time
            tar.addfile(info, io.BytesIO(data))
