# SPDX-License-Identifier: Apache-2.0
"""What a release needs of ELF files: the libraries they need, the versions of glibc's symbols, and how to lower those.

Layouts: System V ABI, chapters 4 and 5; symbol versions: Linux Standard Base, Core 5.0, chapter 10.7.
"""

import pathlib
import re
import struct
import subprocess

_GLOBAL = 1  # VER_NDX_GLOBAL: the symbol has no version
_COUNT, _FIRST = 2, 8  # offsets in Verneed: the number of its versions, and the distance to the first one
_NEXT = 12  # offset in Vernaux: the distance to the next version; 0: the last one


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed_libraries(path):
    """Returns the names of the shared libraries that a file needs."""
    dynamic = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)


def _number(version):
    return tuple(int(part) for part in version.split("."))


def glibc_symbols(path):
    """Returns {symbol: version} of the symbols of glibc that a file needs. Symbols without a version are left out."""
    table = subprocess.run(["readelf", "--dyn-syms", "-W", path], check=True, capture_output=True, text=True).stdout
    return {name: version for name, version in re.findall(r"UND (\w+)@GLIBC_([0-9.]+)", table)}


def newest_glibc(paths):
    """Returns the newest version of glibc that the files need, such as "2.34"."""
    versions = {version for path in paths for version in glibc_symbols(path).values()}
    return max(versions, key=_number, default="2.2.5")


def symbols_above(path, version):
    """Returns the names of the symbols of glibc that are newer than a version."""
    return {name for name, needs in glibc_symbols(path).items() if _number(needs) > _number(version)}


class _Sections:
    """The section headers of a 64-bit little-endian file."""

    def __init__(self, image):
        if image[4:6] != b"\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        begin = struct.unpack_from("<Q", image, 0x28)[0]
        size, count, names = struct.unpack_from("<HHH", image, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQQ", image, begin + i * size) for i in range(count)]
        name_bytes = headers[names][4]
        self._by_name = {_text(image, name_bytes + each[0]): each for each in headers}

    def span(self, name):
        """Returns the offset and the size of a section."""
        header = self._by_name[name]
        return header[4], header[5]


def _text(image, at):
    return image[at : image.index(b"\0", at)].decode()


def drop_newer(path, version):
    """Lets a file load with a glibc that has no symbols newer than `version`. Its newer symbols then have no version, so
    that any library of the program can define them. Returns their names."""
    symbols = symbols_above(path, version)
    if not symbols:
        return symbols
    image = bytearray(pathlib.Path(path).read_bytes())
    sections = _Sections(image)
    names, _ = sections.span(".dynstr")
    newer = _drop_versions(image, sections.span(".gnu.version_r")[0], names, version)
    table, size = sections.span(".dynsym")
    versions, _ = sections.span(".gnu.version")
    for i in range(size // 24):
        if struct.unpack_from("<H", image, versions + i * 2)[0] in newer:
            struct.pack_into("<H", image, versions + i * 2, _GLOBAL)
    pathlib.Path(path).write_bytes(image)
    return symbols


def _drop_versions(image, needs, names, version):
    """Takes the versions of glibc above `version` out of the list of needed versions. Returns their indices."""
    indices = set()
    at = needs
    while True:
        _, count, _, first, following = struct.unpack_from("<HHIII", image, at)
        link, entry = at + _FIRST, at + first  # `link` has the distance to `entry`
        for _ in range(count):
            _, _, index, name, step = struct.unpack_from("<IHHII", image, entry)
            found = re.fullmatch(r"GLIBC_([0-9.]+)", _text(image, names + name))
            if found and _number(found[1]) > _number(version):
                indices.add(index)
                before = struct.unpack_from("<I", image, link)[0]
                struct.pack_into("<I", image, link, before + step if step else 0)
                struct.pack_into("<H", image, at + _COUNT, struct.unpack_from("<H", image, at + _COUNT)[0] - 1)
            else:
                link = entry + _NEXT
            entry += step
        if following == 0:
            return indices
        at += following
