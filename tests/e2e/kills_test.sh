# Verbs with an output are ended by SIGKILL, SIGTERM, SIGINT and SIGHUP, at random moments and at calls
# that leave something behind: nothing is left running, an output is the old one or the new one, and no
# draft is left (after SIGKILL: when the verb has run again). THOROUGH=1: all such verbs, 1,000 kills.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "who is killed leaves nothing behind" python3 "${CC:-cc}"
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -I"$ROOT/tests/fault" -O1 -fPIC -shared -o inject.so \
	"$ROOT/tests/fault/inject.c" "$ROOT/tests/fault/inject_calls.c" || exit 2
export FAULT_INJECT=$PWD/inject.so

options=(--only-kills --seed "${SEED:-1}")
if [ "${THOROUGH:-0}" = 1 ]; then
	options+=(--kills 44)
else
	options+=(--quick --kills 3)
fi
"$ROOT/tests/fault/run" "${options[@]}" >kills.txt 2>kills.err
status=$?
grep -v '^ ' kills.txt | sed -E 's/^(pass|fail) fault ([^:]*):.*; ([0-9]+) kills.*/\1 e2e kills: \3 of \2/; s/^skip fault /skip e2e kills: /'
cat kills.err
grep '^ ' kills.txt
[ $status = 0 ] || E2E_FAILED=1
finish
