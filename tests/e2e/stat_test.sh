# `stat`: the counters of a command, against what the command says of itself and against wait(2).
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

# counter NAME FIELD: of stat.json.
counter() {
	python3 -c "import json
c = json.load(open('stat.json'))['counters']['$1']
print('null' if c is None else c['$2'])"
}

cat >work.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	/* MiB of memory and calls of 100 bytes each; says its own largest memory. */
	int main(int argc, char **argv)
	{
		size_t bytes = (size_t)atoi(argv[1]) << 20;
		char *memory = malloc(bytes), line[256];
		FILE *out = fopen("/dev/null", "w"), *status;
		memset(memory, 1, bytes);
		setvbuf(out, NULL, _IONBF, 0);
		for (int i = 0; i < atoi(argv[2]); i++)
			fwrite(memory, 1, 100, out);
		status = fopen("/proc/self/status", "r");
		while (fgets(line, sizeof(line), status))
			if (argc > 3 && strncmp(line, "VmHWM:", 6) == 0 && (out = fopen(argv[3], "w")))
				fprintf(out, "%ld\n", 1024 * atol(line + 6));
		return 0;
	}
END
gcc -O1 -o work work.c || exit 2
gcc -O1 -static -o work_static work.c 2>/dev/null || cp work work_static

# is WANTED FOUND
is() {
	echo "expected $1, found $2"
	[ "$1" = "$2" ]
}

# stat ARGS...: into stat.json, with its errors in the output.
stat_json() {
	"$PROFILE_RUN" stat --json "$@" >stat.json
}

for program in ./work ./work_static; do
	for mib in 1 20; do
		stat_json -n 3 -- $program $mib 1000 truth
		check "max_rss of $program with $mib MiB is its own" python3 -c "import sys
print($(counter max_rss mean), $(cat truth))
sys.exit(abs($(counter max_rss mean) - $(cat truth)) > 0.2 * 2**20)"
	done
done
stat_json -n 3 -- ./work 1 1000
check "every byte written is counted, in every run" \
	is "100000 100000" "$(counter write_bytes least) $(counter write_bytes most)"
check "every write call is counted" is 1000 "$(counter write_calls mean)"
stat_json -n 2 -- sh -c './work 1 10 & ./work 1 20; wait'
check "descendants count" is 30 "$(counter write_calls most)"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . && cp "$PROFILE_RUN" pr && chmod 755 pr work
	setpriv --reuid nobody --clear-groups ./pr stat --json -- ./work 1 7 >stat.json
	check "without rights too" is 7 "$(counter write_calls mean)"
else
	skip "without rights" "no root to give up"
fi

check "a command is counted" exits 0 "$PROFILE_RUN" stat -- ./work 1 5
check "with a line for each counter" grep -qE 'max_rss +[0-9.]+ MiB' out.txt
if [ "$(counter cycles mean)" = null ]; then
	check "what is missing is said once" is 1 "$(grep -c 'not counted: cycles' out.txt)"
else
	skip "what is missing is said once" "this machine has hardware counters"
fi
check "a command that fails is an error" exits 2 "$PROFILE_RUN" stat -- false
check "so is one that is not there" exits 2 "$PROFILE_RUN" stat -- ./none
finish
