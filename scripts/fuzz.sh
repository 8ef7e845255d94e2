#!/bin/sh
# fuzz.sh SECONDS: fuzzes every target of rust/fuzz for that long each.
set -eu
cd "$(dirname "$0")/.."
seconds=$1

if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "ostinato: missing: cargo-fuzz. Install it: cargo install cargo-fuzz" >&2
    exit 1
fi
# The sanitizers are unstable features; this lets the one stable toolchain use them.
export RUSTC_BOOTSTRAP=1
targets=$(cargo fuzz list --fuzz-dir rust/fuzz)
for target in $targets; do
    echo "ostinato: fuzzing $target for $seconds s"
    # What is found is kept in the first folder; the seeds of a target are its own, or stored texts.
    found=rust/fuzz/corpus/$target
    seeds=rust/fuzz/seeds/$target
    [ -d "$seeds" ] || seeds=rust/fuzz/seeds/stored
    mkdir -p "$found"
    cargo fuzz run --fuzz-dir rust/fuzz "$target" "$found" "$seeds" -- -dict=rust/fuzz/json.dict "-max_total_time=$seconds"
done
