#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds kbase-rust_tantivy.so in the current folder. It takes cargo, a C compiler to link with, and the crates that
# Cargo.toml names, which cargo fetches; not the kit.
set -eu
source=$(dirname "$0")
cargo test --quiet --release --manifest-path "$source/Cargo.toml" --target-dir target
cargo build --quiet --release --manifest-path "$source/Cargo.toml" --target-dir target
cp target/release/libkbase_rust_tantivy.so kbase-rust_tantivy.so
