#!/bin/sh
# Fails where the core crate depends on pyo3, directly or through another crate: it must build and run without Python.
set -eu
tree=$(cargo tree --locked --package ostinato-core --edges normal,build --prefix none)
if echo "$tree" | grep -q '^pyo3'; then
    echo "ostinato-core must not depend on pyo3; see: cargo tree -p ostinato-core -i pyo3" >&2
    exit 1
fi
