# `gate --watch` repeats the gate on each save, and prints the lines of the verdict that changed.
#
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "the gate is repeated on a save" "perf_event_open is refused here"
	finish
fi
needs "the gate is repeated on a save" gcc git
enter_repository
write_mix
commit_work "runs: 5"
"$PROFILE_RUN" gate --against HEAD --watch >screen.txt 2>log.txt &
watch=$!
check "the first verdict comes at once" soon grep -q '^PASS  work  ' screen.txt
sed -i 's/i < 900/i < 2400/' work.c
check "another one comes with a save" soon grep -q '^FAIL  work  mix' screen.txt
check "with the lines of source that grew" soon grep -q 'work.c:[67] +' screen.txt
lines=$(wc -l <screen.txt)
touch work.c
sleep 2
check "a file with the same contents is no save" test "$(wc -l <screen.txt)" -eq "$lines"
check "a verdict has three lines at most" test "$lines" -le 6
kill -INT $watch
wait $watch
check "it ends with a signal" test $? -eq 130
git init -q "../empty" && cd ../empty || exit 2
check "without a commit it is an error" exits 2 "$PROFILE_RUN" gate --watch
check "with others that need one gate it is one, too" exits 64 "$PROFILE_RUN" gate --watch --plan
finish
