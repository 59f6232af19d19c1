# SPDX-License-Identifier: Apache-2.0
"""The tools of package.json, from npm.

KBASE_BROWSER_TOOLS  folder in which they are kept; they are installed again only after a change of package.json
"""
import os
import pathlib
import shutil
import subprocess

import visits


def install():
    """Returns the folder that has `node_modules`. Ends the program as skipped if npm cannot install them."""
    manifest = visits.HERE / "package.json"
    folder = pathlib.Path(os.environ.get("KBASE_BROWSER_TOOLS", "build/tests/site/tools"))
    installed = folder / "node_modules/package.json"
    if not installed.exists() or installed.read_bytes() != manifest.read_bytes():
        if shutil.which("npm") is None:
            visits.skip("npm is not installed")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(manifest, folder)
        done = subprocess.run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error",
                               "--fetch-retries=1"], cwd=folder, check=False)
        if done.returncode != 0:
            visits.skip("npm could not install the tools of package.json")
        shutil.copy(manifest, installed)
    return folder
