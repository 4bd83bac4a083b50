#!/bin/bash
# How a mixed fleet is judged: simulated gates of jobs that get any of six machines, against a baseline
# of one of them (fleet_rates.c, fleet.h).
#
# usage: fleet_rates.sh [GATES [SEED [SEEDS [PART]]]]
#
# Simulates GATES (200) gates a condition and seed, of SEEDS (1) seeds from SEED (42) on, of the conditions
# whose names have PART in them, and prints how they ended and by what, with exact 95 % limits. CC names the
# compiler. Fails where an unchanged gate fails, 5 % or more of these are undecided, or less than 95 % of the
# regressions fail, each where counts can be had and the compiler is the same. A gate that warns as it is too
# coarse is undecided, too.
set -u

cd "$(dirname "$0")/../.." || exit 2

make -s build/bench/fleet_rates || exit 2
build/bench/fleet_rates "${1:-200}" "${2:-42}" "${3:-1}" "${4:-}"
