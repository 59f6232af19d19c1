#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Keeps the plugin headers of this tree, and the source of a plugin, in the folder of their version beside this script:
# what each later version has to load, or refuse with the right sentence. To be run when a version is released.
set -eu
here=$(dirname "$0")
headers=$here/../../../plugins/sdk/include/kbase
number() { sed -n "s/^#define KB_ABI_$1 //p" "$headers/base.h"; }
version=$(number MAJOR).$(number MINOR)
mkdir -p "$here/$version/kbase"
cp "$headers"/*.h "$here/$version/kbase"
cp "$here/forgetful_cache.c" "$here/$version"
