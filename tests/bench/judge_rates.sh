#!/bin/bash
# How often the judgement errs: simulated gates whose truth is known (judge_rates.c).
#
# usage: judge_rates.sh [GATES [PART]]
#
# Simulates GATES (100) gates a condition, of those whose names have PART in them;
# harness/compare/model.h quotes what 400 of them gave. CC names the compiler. Prints the rates and
# judges none of them: the unit tests hold the limits.
set -u

cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -Iharness -Itests/unit -o "$dir/judge_rates" \
	tests/bench/judge_rates.c harness/{base,format}/*.c harness/profile/*.c harness/compare/*.c \
	harness/gate/*.c -lmd -lz -lm || exit 2
"$dir/judge_rates" "${1:-100}" "${2:-}"
