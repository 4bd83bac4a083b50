#!/bin/bash
# Simulated histories of thirty shapes (trend_shapes.c): how many `trend` reads rightly.
#
# usage: trend_shapes.sh [SEEDS]
#
# SEEDS (200) histories of each shape. Then one of 2,000 nights of 200 functions, with its CPU time and
# memory. CC names the compiler. Prints the rates and judges none of them.
set -u

cd "$(dirname "$0")/../.." || exit 2

make -s build/bench/trend_shapes || exit 2
build/bench/trend_shapes "${1:-200}" || exit
for functions in 100 200; do
	/usr/bin/time -f '%U s of CPU time, %M KiB' build/bench/trend_shapes 1 2000 $functions || exit
done
