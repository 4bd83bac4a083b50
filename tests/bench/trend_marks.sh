#!/bin/bash
# Detected change points beside those that people marked in histories of a real product.
#
# usage: trend_marks.sh MARKS [ANNOTATIONS]
#
# Prints how many of the points that most annotators agree on are found, how many are found that nobody
# marked, in how many series without any mark, and F1 with ANNOTATIONS. trend_marks.py describes
# both files. CC is the compiler. Judges nothing.
set -u -o pipefail

if [ $# -lt 1 ]; then
	echo "trend_marks: no file of marks"
	exit 0
fi
marks=$(realpath "$1") annotations=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

read -ra includes <<<"$(make -s includes)"
"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE "${includes[@]}" -o "$dir/trend_marks" tests/bench/trend_marks.c \
	harness/judge/history/{change_points,latest_nights,noise,partition,step}.c harness/judge/compare/stats.c \
	harness/base/{mem,buf,number}.c -lm || exit 2
"$dir/trend_marks" "$marks" | tests/bench/trend_marks.py "$marks" ${annotations:+"$annotations"}
