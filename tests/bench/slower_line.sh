#!/bin/bash
# How often a gate of two commits names the line that became slower, where the source was edited
# elsewhere, too.
#
# usage: slower_line.sh [TRIALS [SEED]]
#
# Wants 40 of 40.
set -u

cd "$(dirname "$0")/../.." || exit 2
python3 tests/bench/slower_line.py "${PROFILE_RUN:-build/profile_run}" "${1:-40}" "${2:-1}"
