# SPDX-License-Identifier: Apache-2.0
"""The platforms of a release, by the triplet of Debian."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Platform:
    file_name: str  # in the names of the archive and the image
    debian_name: str  # of Debian, and of OCI images
    loader: str  # path of the loader of glibc, from the root


PLATFORMS = {
    "x86_64-linux-gnu": Platform("x86_64", "amd64", "lib64/ld-linux-x86-64.so.2"),
    "aarch64-linux-gnu": Platform("arm64", "arm64", "lib/ld-linux-aarch64.so.1"),
}
