# A baseline that is replaced in a file system which cannot exchange two names, or refuses to rename.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

inject=${FAULT_INJECT:-$ROOT/build/fault/inject.so}
if [ ! -e "$inject" ] || ! can_capture; then
	skip "a baseline is replaced in two steps" "tests/fault is not built, or perf_event_open is refused"
	finish
fi
write_spins
update() {
	timeout 60 env LD_PRELOAD="$inject" "$@" "$PROFILE_RUN" baseline update --no-counts spins.yaml \
		--baselines baselines >out.txt 2>err.txt
}
hidden() {
	find baselines -name '.*'
}

check "a baseline is stored" update FAULT_NO_EXCHANGE=1
check "a second one takes its place" update FAULT_NO_EXCHANGE=1
check "(with both sessions)" grep -qE '"sessions":[[:space:]]*2' "$(find baselines -name baseline.json)"
check "nothing is left beside it" test -z "$(hidden)"
store=$(find baselines -name baseline.json -exec dirname {} \;)
mv "$store" "$(dirname "$store")/.$(basename "$store").previous"
check "one whose replacement was interrupted is put back by a gate" exits 0 timeout 60 "$PROFILE_RUN" \
	gate spins.yaml --baselines baselines --reports reports
check "(which says so)" contains err.txt "has been put back"
check "(and compares)" lacks out.txt "no baseline"
mv "$store" "$(dirname "$store")/.$(basename "$store").previous"
check "and found by a check" exits 0 "$PROFILE_RUN" baseline check --baselines baselines
cp -r "$store" before
refused() {
	! update "$@" && contains err.txt "no baseline could be replaced" && lacks err.txt " runs, "
}
check "where nothing can be renamed is reported before measuring" refused FAULT_POINT=rename:1+:EPERM
check "so is where nothing can be replaced" refused FAULT_NO_EXCHANGE=1 FAULT_POINT=rename:2+:EPERM
check "the baseline is as it was" diff -r before "$store"
check "nothing else is left" test -z "$(hidden)"
finish
