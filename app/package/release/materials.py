# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a release: the Debian packages whose libraries it contains, in CycloneDX 1.5."""

import json
import re
import shutil
import subprocess
import uuid

import archive
import image
from platform_names import PLATFORMS

# Packages that are compiled into the program and the pages, and so have no file of their own.
_COMPILED_IN = ("libcli11-dev", "libtomlplusplus-dev", "node-prismjs", "nlohmann-json3-dev")


def _query(package, field):
    return subprocess.run(["dpkg-query", "-W", f"-f=${{{field}}}", package], check=True, capture_output=True,
                          text=True).stdout


def _owner(path):
    """Returns the package that a file belongs to. Debian's list has the path as it was before /lib became a link."""
    for name in (str(path), str(path).removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0]
    raise LookupError(f"no package has {path}")


def find_packages(bundled, triplet):
    """Returns {package: version} of the files in `bundled`, see bundle.add_libraries(), of what is compiled in, and of what
    the image has in addition."""
    packages = {_owner(path) for path in bundled} | set(_COMPILED_IN) | set(image.PACKAGES)
    return {name: _query(name, "Version") for name in sorted(packages)}


def _copyright(package):
    return f"/usr/share/doc/{package.split(':')[0]}/copyright"


def _licenses(package):
    """Returns the short names of the licenses that the package's copyright file has, if it is machine-readable."""
    with open(_copyright(package), encoding="utf-8", errors="replace") as file:
        text = file.read()
    return sorted(set(re.findall(r"^License: *(\S.*?) *$", text, re.MULTILINE))) if text.startswith("Format:") else []


def copy_licenses(packages, folder):
    folder.mkdir(parents=True)
    for package in packages:
        shutil.copyfile(_copyright(package), folder / package.split(":")[0])


def _component(package, version, architecture):
    name = package.split(":")[0]
    component = {"type": "library", "bom-ref": f"{name}@{version}", "name": name, "version": version,
                 "supplier": {"name": "Debian"},
                 "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}&distro=debian-12"}
    if licenses := _licenses(package):
        component["licenses"] = [{"license": {"name": each}} for each in licenses]
    return component


def describe(name, version, time, packages, triplet):
    """Returns the bill of materials as text."""
    components = [_component(each, found, PLATFORMS[triplet].debian_name) for each, found in packages.items()]
    program = {"type": "application", "bom-ref": "kbase", "name": "kbase", "version": version,
               "licenses": [{"license": {"id": "Apache-2.0"}}]}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": archive.timestamp(time), "component": program},
        "components": components,
        "dependencies": [{"ref": "kbase", "dependsOn": [each["bom-ref"] for each in components]}],
    }
    # The serial number names the content, so that a second build has the same one.
    content = name + json.dumps(document, sort_keys=True)
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, content).urn
    return json.dumps(document, indent=2) + "\n"
