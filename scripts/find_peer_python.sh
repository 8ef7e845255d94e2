#!/bin/sh
# Prints the path of a Python 3.13, which the peers (fast-agent 0.10.48 among them) need.
set -u
for candidate in "${PEER_PYTHON:-python3.13}" "$HOME"/.pyenv/versions/3.13*/bin/python3.13; do
    version=$("$candidate" -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue
    case $version in
        3.13.*)
            "$candidate" -c 'import sys; print(sys.executable)'
            exit 0
            ;;
    esac
done
cat >&2 <<'MESSAGE'
ostinato: missing: Python 3.13, which the peers need (fast-agent 0.10.48 runs on no older one).
          Looked for python3.13 on PATH and in ~/.pyenv/versions. Install it (pyenv install 3.13),
          or name it: make test-peers PEER_PYTHON=/path/to/python3.13
          The comparison with the peers was NOT run.
MESSAGE
exit 1
