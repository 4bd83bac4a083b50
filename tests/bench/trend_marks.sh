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

make -s build/bench/trend_marks || exit 2
build/bench/trend_marks "$marks" | tests/bench/trend_marks.py "$marks" ${annotations:+"$annotations"}
