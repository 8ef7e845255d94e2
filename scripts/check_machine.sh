#!/bin/sh
# Says what this machine lacks to build and test ostinato: everything at once, and what to do about it.
# Prints the path of the Python to use on standard output. PYTHON=... names one; else the first that fits is taken.
set -u
cd "$(dirname "$0")/.." || exit 1

python_needed=$(sed -n 's/^requires-python = ">=\(.*\)"$/\1/p' pyproject.toml)
rust_needed=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
lacking=0

lack() {
    lacking=1
    printf 'ostinato: missing: %s\n          %s\n' "$1" "$2" >&2
}

# at_least HAVE NEED: compares major and minor.
at_least() {
    echo "$1 $2" | awk '{ split($1, have, "."); split($2, need, ".")
        exit !(have[1] + 0 > need[1] + 0 || (have[1] + 0 == need[1] + 0 && have[2] + 0 >= need[2] + 0)) }'
}

python=
seen=
if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
else
    set -- python3 python3.15 python3.14 python3.13 python3.12 python3.11 python
fi
for candidate in "$@"; do
    # A command that is found may still not run (a version manager's stand-in, say): what counts is its answer.
    version=$("$candidate" -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue
    if at_least "$version" "$python_needed"; then
        python=$("$candidate" -c 'import sys; print(sys.executable)')
        break
    fi
    seen="${seen:+$seen, }$candidate is $version"
done
if [ -z "$python" ]; then
    lack "Python $python_needed or newer${PYTHON:+; asked for: PYTHON=$PYTHON}${seen:+; found: $seen}" \
        "Install one, or name it: make PYTHON=/path/to/python3 ..."
elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    lack "the modules venv and ensurepip of $python" \
        "Debian, Ubuntu: apt-get install python3-venv. Or name another: make PYTHON=/path/to/python3 ..."
fi

if ! command -v cargo >/dev/null 2>&1; then
    lack "cargo, which builds Rust (Rust $rust_needed or newer)" "Install Rust with rustup, see https://rustup.rs, and open a new shell."
else
    rust=$(rustc --version 2>/dev/null | awk '{ print $2 }')
    if [ -z "$rust" ]; then
        lack "rustc, the Rust compiler: not found, or it does not run" "With rustup: rustup default stable"
    elif ! at_least "$rust" "$rust_needed"; then
        lack "Rust $rust_needed or newer; found: $rust" "With rustup: rustup update stable"
    fi
fi

if ! command -v cc >/dev/null 2>&1; then
    lack "cc, the C compiler that Rust links with" "Debian, Ubuntu: apt-get install gcc libc6-dev. macOS: xcode-select --install"
fi

[ "$lacking" -eq 0 ] || exit 1
echo "$python"
