#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds kbase-rust_cache.so in the current folder. It takes cargo and nothing else: no crate, and not the kit either.
set -eu
source=$(dirname "$0")
cargo test --quiet --offline --manifest-path "$source/Cargo.toml" --target-dir target
cargo build --quiet --offline --release --manifest-path "$source/Cargo.toml" --target-dir target
cp target/release/libkbase_rust_cache.so kbase-rust_cache.so
