# SPDX-License-Identifier: Apache-2.0
"""Archives whose bytes depend on their content alone."""

import datetime
import gzip
import pathlib
import tarfile


def timestamp(time):
    """Returns a time in the format of RFC 3339."""
    return datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _entries(root):
    return [pathlib.Path(each) for each in sorted(str(path.relative_to(root)) for path in root.rglob("*"))]


def write_tar(to, root, prefix, time, owners=None):
    """Writes the files below `root` to the open binary file `to`, below `prefix` ("" for none). `owners` maps paths in
    the archive to user ids; all others belong to 0."""
    with tarfile.open(fileobj=to, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for each in ([pathlib.Path(".")] if prefix else []) + _entries(root):
            name = str(pathlib.PurePosixPath(prefix) / each)
            info = tar.gettarinfo(str(root / each), arcname=name)
            info.mtime = time
            info.uid = info.gid = (owners or {}).get(name, 0)
            info.uname = info.gname = ""
            if info.isreg():
                info.mode = 0o755 if info.mode & 0o100 else 0o644
                with open(root / each, "rb") as file:
                    tar.addfile(info, file)
            else:
                tar.addfile(info)


def write(path, root, prefix, time, owners=None):
    """Writes a compressed archive, see write_tar()."""
    with open(path, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=9, mtime=0) as packed:
        write_tar(packed, root, prefix, time, owners)
