#!/bin/sh
# make_venv.sh DIR [GROUP...]: makes the environment DIR, or keeps it where it still runs,
# and installs the named dependency groups of pyproject.toml into it.
set -eu
cd "$(dirname "$0")/.."
dir=$1
shift

if ! "$dir/bin/python" -m pip --version >/dev/null 2>&1; then
    python=$(sh scripts/check_machine.sh)
    echo "ostinato: making $dir with $python"
    "$python" -m venv --clear "$dir"
fi

install() {
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@" && return
    cat >&2 <<MESSAGE
ostinato: pip could not install: $*
          If the lines above speak of connections or of no matching distribution, no package index is in reach.
          Check the network and any proxy; behind a mirror, set PIP_INDEX_URL, or PIP_FIND_LINKS to a folder of wheels.
MESSAGE
    exit 1
}

groups=
for group in "$@"; do
    groups="$groups --group $group"
done
if [ -n "$groups" ]; then
    # `pip install --group` came with pip 25.1; a new environment starts with the pip of its Python.
    install 'pip>=25.1'
    # Group names hold no spaces.
    # shellcheck disable=SC2086
    install $groups
fi
