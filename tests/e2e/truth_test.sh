# Programs whose call stacks are known (tests/truth), in many builds: each sample's stack has to be
# one of the true ones.
#
# TRUTH_MATRIX=full takes all compilers, optimisations and kinds of file, some quarter of an hour
# (E2E_TIMEOUT=1800); otherwise it is a few of them. TRUTH_ONLY is a pattern of the names of those to
# take ("*clang*"), TRUTH_PHASE_MS (40) the CPU time of each phase.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

truth=$ROOT/tests/truth
phase_ms=${TRUTH_PHASE_MS:-40}
export TRUTH_LIBRARY_A='' TRUTH_LIBRARY_B=''

if ! can_capture; then
	skip "stacks are the true ones" "perf_event_open is refused here"
	finish
fi
if ! gcc -std=c11 -O1 -D_GNU_SOURCE -o check_stacks "$truth/check_stacks.c" -lm; then
	skip "stacks are the true ones" "there is no gcc"
	finish
fi

# capture CALL_GRAPH: of ./truth in this folder, into folded.txt and truth.txt.
captured() {
	rm -rf out
	"$PROFILE_RUN" capture --workload "exec ./truth $phase_ms >truth.txt" --frequency 1999 \
		--call-graph "$1" --output out >capture.log && cp out/folded.txt folded.txt
}

recorded() {
	perf record -q -F 1999 -e cpu-clock --call-graph "$1" -o perf.data \
		./truth "$phase_ms" >truth.txt && "$PROFILE_RUN" convert -i perf.data -o folded.txt
}

# are_true LEVEL HOW CALL_GRAPH
are_true() {
	"$2" "$3" && ../check_stacks truth.txt folded.txt "$1"
}

# variant NAME LANGUAGE COMPILERS LEVEL CALL_GRAPH [FLAG...]
variant() {
	local name=$1 language=$2 compilers=$3 level=$4 call_graph=$5
	shift 5
	# shellcheck disable=SC2053 # a pattern
	[[ $name == ${TRUTH_ONLY:-*} ]] || return
	local claim="$name, $call_graph: stacks are the true ones"
	local CC=${compilers%/*} CXX=${compilers#*/}
	if ! command -v "$CC" >/dev/null || ! command -v "$CXX" >/dev/null; then
		skip "$claim" "there is no $CC"
		return
	fi
	mkdir -p variant && cd variant || exit 2
	if ! CC=$CC CXX=$CXX "$truth/build" "$language" "$PWD/truth" "$@" >build.log 2>&1; then
		cat build.log
		skip "$claim" "it cannot be built here"
	else
		TRUTH_LIBRARY_A=$PWD/library_a.so TRUTH_LIBRARY_B=$PWD/library_b.so
		check "$claim" are_true "$level" "${HOW:-captured}" "${call_graph%%/*}"
	fi
	cd ..
	rm -rf variant
}

gcc=gcc/g++ clang=clang/clang++
# gcc leaves the frame out of functions that call nothing even so; TRUTH_FRAMES makes them have one.
frames="-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -DTRUTH_FRAMES"
variant "C, gcc -O2" c $gcc dwarf dwarf -O2
variant "C, gcc -O0" c $gcc dwarf dwarf -O0
variant "C, gcc -O2, static, stripped" c $gcc dwarf dwarf -O2 --static --stripped
variant "C, gcc -O1, rows in .debug_frame only" c $gcc dwarf dwarf -O1 --rows-in-debug
variant "C, gcc -O2, frame pointers" c $gcc fp fp -O2 $frames
variant "C, clang -O3" c $clang dwarf dwarf -O3 -fomit-frame-pointer
variant "C++, gcc -O2" cpp $gcc dwarf dwarf -O2
variant "C++, clang -O2" cpp $clang dwarf dwarf -O2
variant "C++, clang -O2, -flto" cpp $clang dwarf dwarf -O2 -flto
variant "C++, gcc -O2, -fstack-clash-protection" cpp $gcc dwarf dwarf -O2 -fstack-clash-protection
variant "C, gcc -Os, static PIE, compressed" c $gcc dwarf dwarf -Os --static-pie --compressed=zstd
if command -v perf >/dev/null; then
	HOW=recorded variant "C, gcc -O2, by perf record" c $gcc dwarf dwarf,16384 -O2
else
	skip "C, gcc -O2, by perf record: stacks are the true ones" "perf is not installed"
fi
[ "${TRUTH_MATRIX:-}" = full ] || finish

for compilers in $gcc $clang; do
	for level in -O0 -O1 -O2 -O3 -Os; do
		for kept in -fomit-frame-pointer "$frames"; do
			for language in c cpp; do
				variant "$language, ${compilers%/*} $level $kept" $language $compilers \
					dwarf dwarf $level $kept
			done
		done
		variant "c, ${compilers%/*} $level $frames" c $compilers fp fp $level $frames
		variant "c, ${compilers%/*} $level no sibling calls" c $compilers dwarf dwarf \
			$level -fno-optimize-sibling-calls
		variant "c, ${compilers%/*} $level static" c $compilers dwarf dwarf $level --static
		variant "cpp, ${compilers%/*} $level static" cpp $compilers dwarf dwarf $level --static
		variant "c, ${compilers%/*} $level static-pie" c $compilers dwarf dwarf $level --static-pie
		variant "cpp, ${compilers%/*} $level -flto" cpp $compilers dwarf dwarf $level -flto
	done
	for flags in "-no-pie -fno-pie" --stripped "--stripped -no-pie -fno-pie" "-gz" -gdwarf-4 \
		-gdwarf-5 "-Wl,--build-id=none" "-Wl,--no-eh-frame-hdr" "-Wl,-z,noseparate-code" \
		"-Wl,-z,now" "-fcf-protection=full" -fstack-protector-all -ffunction-sections \
		-fstack-clash-protection "--rows-in-debug --stripped" -gsplit-dwarf -fuse-ld=gold \
		-fuse-ld=lld -flto -mno-red-zone -fno-plt -fcf-protection=none \
		"-ffunction-sections -Wl,--gc-sections" "--static-pie --stripped" \
		--compressed=zlib --compressed=zlib-gnu --compressed=zstd \
		"--compressed=zstd --stripped" "-gdwarf-4 --compressed=zstd" "-gdwarf-4 -fuse-ld=lld" \
		"-O3 -flto -fuse-ld=gold"; do
		for language in c cpp; do
			# C++ needs its rows at run time, for exceptions.
			[[ $language$flags =~ ^cpp.*(rows-in-debug|frame-hdr) ]] && continue
			# Inlined functions that only a .dwo file tells of are not shown.
			known=dwarf
			[ "$flags" = -gsplit-dwarf ] && known=names
			# shellcheck disable=SC2086 # flags are words
			variant "$language, ${compilers%/*} -O2 $flags" $language $compilers \
				$known dwarf -O2 $flags
		done
	done
	variant "c, ${compilers%/*} -O2 -g0" c $compilers names dwarf -O2 -g0
done
if command -v perf >/dev/null; then
	HOW=recorded
	for language in c cpp; do
		variant "$language, by perf record" $language $gcc dwarf dwarf,8192 -O2
		variant "$language, by perf record" $language $gcc dwarf dwarf,65528 -O2
	done
	variant "c, by perf record" c $gcc fp fp -O2 $frames
fi
finish
