#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds kbase-c_rate_limit.so in the current folder. It takes a C compiler and pkg-config, which knows kbase-plugin from
# where the kit is installed (elsewhere than below /usr: PKG_CONFIG_PATH=PREFIX/lib/pkgconfig).
set -eu
# The unquoted answers are lists of arguments.
# shellcheck disable=SC2046
${CC:-cc} -std=c99 -O2 -Wall -Wextra $(pkg-config --cflags kbase-plugin) "$(dirname "$0")/rate_limit.c" \
  -o kbase-c_rate_limit.so $(pkg-config --libs kbase-plugin) -pthread
