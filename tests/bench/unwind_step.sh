#!/bin/bash
# What unwinding costs: the rows of a file, and a step beside one of libdw (unwind_step.c).
#
# usage: unwind_step.sh [FILE...]
#
# Makes the rows of the C library and of each FILE (libLLVM, libstdc++, python3 and node where they
# are installed), then walks stacks of its own with both. Fails unless a step takes less than a tenth
# of libdw's, and 99 % of the stacks end at their root. CC names the compiler.
set -u

cd "$(dirname "$0")/../.." || exit 2
if [ "$(uname -m)" != x86_64 ]; then
	echo "the registers are those of x86-64: left out"
	exit 0
fi

if [ $# -eq 0 ]; then
	for file in /usr/lib/*/libLLVM-*.so.1 /usr/lib/*/libstdc++.so.6 /usr/bin/python3 /usr/bin/node; do
		[ -e "$file" ] && set -- "$@" "$file"
	done
fi
make -s build/bench/unwind_step || exit 2
build/bench/unwind_step "$@"
