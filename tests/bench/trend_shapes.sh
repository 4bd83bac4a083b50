#!/bin/bash
# Simulated histories of thirty shapes (trend_shapes.c): how many `trend` reads rightly.
#
# usage: trend_shapes.sh [SEEDS]
#
# SEEDS (200) histories of each shape. Then one of 2,000 nights of 200 functions, with its CPU time and
# memory. CC names the compiler. Prints the rates and judges none of them.
set -u

cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

read -ra includes <<<"$(make -s includes)"
"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -ffunction-sections -Wl,--gc-sections "${includes[@]}" \
	-o "$dir/trend_shapes" tests/bench/trend_shapes.c \
	harness/judge/history/{change_points,entry,latest_nights,noise,partition,series_kind,step,trend}.c \
	harness/judge/compare/stats.c harness/model/format/figures.c \
	harness/base/{arena,buf,err,escape,mem,number}.c -lm || exit 2
"$dir/trend_shapes" "${1:-200}" || exit
for functions in 100 200; do
	/usr/bin/time -f '%U s of CPU time, %M KiB' "$dir/trend_shapes" 1 2000 $functions || exit
done
