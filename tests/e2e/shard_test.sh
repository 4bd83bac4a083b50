# `gate --shard` measures parts of the workloads, and `merge` judges them as one gate: the same
# workloads, one correction, and errors that travel with them.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME CI_NODE_INDEX CI_NODE_TOTAL
if ! can_capture; then
	skip "a gate is measured in shards" "perf_event_open is refused here"
	finish
fi
mkdir -p workloads base
cat >work.c <<'END_C'
static volatile unsigned sink;
__attribute__((noinline)) void scan(void) { for (unsigned i = 0; i < 3000000; i++) sink += i; }
__attribute__((noinline)) void parse(void) { for (unsigned i = 0; i < ROUNDS; i++) sink += i; }
int main(void) { for (int i = 0; i < 10; i++) { scan(); parse(); } return 0; }
END_C
build() { # FILE ROUNDS
	"${CC:-cc}" -O1 -g -fno-inline -fno-omit-frame-pointer -DROUNDS="$2" work.c -o "$1" ||
		exit 2
}
build base/work 2000000
build work 12000000
for name in alpha beta; do
	printf 'name: %s\nrun: [./work]\ncapture: {runs: 3, max_runs: 6, repeat: 1}\n' $name \
		>workloads/$name.yaml
done
printf 'name: broken\nrun: [/bin/false]\n' >workloads/broken.yaml
# By these, each has its own shard, and the fourth shard has none.
cat >durations.json <<'END'
{"workloads": [{"name": "alpha", "measure_s": 3}, {"name": "beta", "measure_s": 2},
{"name": "broken", "measure_s": 1}]}
END

shard() { # STATUS ARGUMENTS...
	local status=$1
	shift
	exits "$status" "$PROFILE_RUN" gate --against base --durations durations.json "$@"
}

check "a shard without workloads passes" shard 0 --shard 4/4 --reports r4
check "and says so" contains out.txt "Shard 4 of 4 has no workloads"
check "it leaves its file" test -s r4/latest/shard.bin
check "a shard whose workload cannot be measured says so" shard 2 --shard=3/4 --reports r3
check "and leaves its file" test -s r3/latest/shard.bin
for index in 1 2; do
	CI_NODE_INDEX=$index CI_NODE_TOTAL=4 "$PROFILE_RUN" gate --against base --shard auto \
		--durations durations.json --reports r$index >shard$index.txt 2>&1
	echo $? >status$index
done
check "the variables of the CI choose a shard" contains shard1.txt "shard 1 of 4 has 1 of 3 workloads"
check "its report is of its workload" test -d r1/latest/alpha
check "and of no other" test ! -e r1/latest/beta
check "so is that of another" test -d r2/latest/beta

status=1
[ "$(cat status1)" = 1 ] || [ "$(cat status2)" = 1 ] || status=2
check "three of four shards are no gate" exits 2 "$PROFILE_RUN" merge r[134]/latest --output merged
check "the missing one is named" contains err.txt "1 of 4 shards is missing: 2"
check "and nothing is written" test ! -e merged
check "all of them are one" exits $status "$PROFILE_RUN" merge r4/latest r2/latest/shard.bin \
	r[13]/latest --output merged
check "which has all workloads" ls merged/alpha/replay.bin merged/beta/replay.bin \
	merged/broken/replay.bin
check "and tells why one could not be measured" contains merged/report.txt \
	"'/bin/false' exited with status 1"
check "its command is that of the whole gate" lacks merged/report.txt "shard"
check "replay makes the same files" exits $status "$PROFILE_RUN" replay merged --output again
check "with the same bytes" diff -r merged again
check "a verdict.json of a gate shares out its workloads" exits 2 "$PROFILE_RUN" gate broken \
	--against base --shard 1/1 --durations merged --reports one
check "another gate's shard is refused" exits 2 "$PROFILE_RUN" merge one/latest r[1234]/latest \
	--output foreign
check "with its reason" contains err.txt "shards of different plans"
finish
