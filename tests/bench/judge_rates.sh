#!/bin/bash
# How often the judgement errs: simulated gates whose truth is known (judge_rates.c).
#
# usage: judge_rates.sh [GATES [SEED [SEEDS [PART]]]]
#
# Simulates GATES (100) gates a condition and seed, of SEEDS (1) seeds from SEED (42) on, of the conditions
# whose names have PART in them: against a baseline whose commit cannot be built, without counts, so that the
# candidate alone is measured again. CC names the compiler. Prints the rates and
# judges none of them: the unit tests hold the limits.
set -u

cd "$(dirname "$0")/../.." || exit 2

make -s build/bench/judge_rates || exit 2
build/bench/judge_rates "${1:-100}" "${2:-42}" "${3:-1}" "${4:-}"
