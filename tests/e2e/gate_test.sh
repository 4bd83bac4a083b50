# The gate on shipped workloads whose truth is known, against a baseline taken a moment before.
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "the gate reads what is known" "perf_event_open is refused here"
	finish
fi
# Runs of half a second, or a second, have samples enough. The shares of known_split are judged closely by a gate; of the
# others one execution tells.
mkdir workloads
for name in known_split deep_recursion threads short_lived; do
	rounds=
	case $name in
	known_split) rounds=', --rounds, "40000"' ;;
	deep_recursion) rounds=', --rounds, "20000"' ;;
	threads) rounds=', --rounds, "50"' ;;
	esac
	sed "s|^run: .*bin/$name|&$rounds|" "$ROOT/workloads/$name.yaml" >workloads/$name.yaml
	[ $name = known_split ] && continue
	echo 'capture: {repeat: 1}' >>workloads/$name.yaml
	# A process that ends within one sampling period has no sample.
	check "$name is captured" exits 0 env -C "$ROOT" "$PROFILE_RUN" capture --workload "$PWD/workloads/$name.yaml" \
		--frequency 999 --output "$PWD/$name"
done

# They are built where their sources are.
check "a baseline is stored" exits 0 env -C "$ROOT" "$PROFILE_RUN" baseline update --no-counts \
	"$PWD/workloads/known_split.yaml" --runs 3 --baselines "$PWD/baselines"
env -C "$ROOT" "$PROFILE_RUN" gate "$PWD/workloads/known_split.yaml" --runs 3 --max-runs 3 --measure-anyway \
	--baselines "$PWD/baselines" --reports "$PWD/reports" --keep-perfdata >gate.txt 2>gate.err
status=$?
check "the same program passes, or says it could not see" test $status -eq 0 -o $status -eq 3
report=reports/latest
folded=$report/known_split/folded.txt

# Of these three: on a busy machine the kernel takes some of the program's time as well.
of_three() { # FUNCTION
	local name all=0
	for name in fifty_percent thirty_percent twenty_percent; do
		all=$(awk "BEGIN { print $all + $(share $folded $name) }")
	done
	awk "BEGIN { print 100 * $(share $folded "$1") / $all }"
}
check "known_split reads 50 %" near "$(of_three fifty_percent)" 50 2
check "known_split reads 30 %" near "$(of_three thirty_percent)" 30 2
check "known_split reads 20 %" near "$(of_three twenty_percent)" 20 2

levels_complete() {
	local level=1 stack
	# For the stacks that end in it (or in what it inlines) the one that was seen most.
	stack=$(sed 's/;[^; ]*_\[i\]//g' deep_recursion/folded.txt |
		awk '/level_20 [0-9.]*$/ && $NF > most { most = $NF; stack = $0 } END { print stack }')
	while [ $level -le 20 ]; do
		case ";${stack% *};" in
		*";level_$(printf %02d $level);"* | *";level_$level;"*) ;;
		*) echo "no level $level in $stack"; return 1 ;;
		esac
		level=$((level + 1))
	done
}
check "deep_recursion shows all twenty levels" levels_complete

threads_are_roots() {
	local roots
	roots=$(cut -d';' -f1 threads/folded.txt | sort -u)
	echo "$roots"
	[ "$(echo "$roots" | wc -l)" -ge 4 ]
}
check "each of four threads is a root" threads_are_roots

# One exit record a process: the parent and the 220 it starts.
processes_are_all_there() {
	local exits
	exits=$(perf script -i short_lived/perf.data --show-task-events |
		grep -c PERF_RECORD_EXIT)
	echo "$exits exits"
	[ "$exits" -eq 221 ]
}
if command -v perf >/dev/null; then
	check "short_lived loses no process" processes_are_all_there
else
	skip "short_lived loses no process" "perf is not installed"
fi

for file in verdict.json junit.xml report.txt summary.md index.html \
	known_split/folded.txt known_split/flamegraph.svg known_split/baseline.svg \
	known_split/diff.svg known_split/report.txt known_split/run-01.perf.data; do
	check "the report has $file" test -s "$report/$file"
done

if command -v xmllint >/dev/null; then
	check "junit.xml satisfies its schema" xmllint --noout \
		--schema "$ROOT/tests/fixtures/junit/junit.xsd" $report/junit.xml
	check "the pictures are well-formed" xmllint --noout $report/known_split/*.svg
else
	skip "junit.xml satisfies its schema" "xmllint is not installed"
fi
if command -v jsonschema >/dev/null; then
	check "verdict.json satisfies its schema" jsonschema -i $report/verdict.json \
		"$ROOT/harness/show/output/schema/verdict.schema.json"
else
	skip "verdict.json satisfies its schema" "jsonschema is not installed"
fi
check "no temporary file is left" test -z "$(find reports -name '.*' ! -name . ! -name .gitignore | head -n 1)"
finish
