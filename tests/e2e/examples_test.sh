#!/bin/bash
# The examples at the head of the manual page of each verb, and README's: every command works, on a small
# repository that has what they name. The files that other pages open with are read.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "the examples of the manual" git gcc make

export PATH="$PWD/bin:$PATH" HOME=$PWD/home XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME GITHUB_SHA
mkdir -p bin home/.zsh repository/config repository/workloads
ln -s "$PROFILE_RUN" bin/profile_run
cd repository || exit 2

git init -q -b main .
git config user.email test@example.org
git config user.name test
printf 'parse: parse.c\n\t$(CC) -O1 -g -fno-omit-frame-pointer -o $@ $<\n' >Makefile
cat >parse.c <<'END'
#define ROUNDS 0
static unsigned sum;

__attribute__((noinline)) static void
read_token(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum = sum * 1664525u + i;
}

__attribute__((noinline)) static void
parse_value(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		sum = sum * 22695477u + i;
}

int
main(void)
{
	for (int i = 0; i < 800; i++) {
		read_token(20000);
		parse_value();
	}
	return sum == 0;
}
END
cat >workloads/parse.yaml <<'END'
name: parse
build: make
run: [./parse, big.json]
capture: {runs: 3, max_runs: 4, warmup: 0, frequency: 4999, repeat: 1}
gate: {decide: none}
END
echo 'budget: 20s' >config/profile_run.yaml
printf '%s\n' /parse /reports/ /out /old '/*.folded' '/*.pb.gz' /bench.json /base '/*.log' /waits /baselines >.gitignore
echo '{}' >big.json
# A suite of benchmarks, whose program says and writes what google-benchmark does.
mkdir build
cat >build/bench <<'END'
#!/bin/sh
case "$*" in
*--help*) echo "benchmark [--benchmark_list_tests={true|false}]" ;;
*--benchmark_list_tests*) echo BM_parse ;;
*)
	cat >bench.json <<-'JSON'
		{"context": {"date": "2026-04-01T10:00:00+00:00"}, "benchmarks": [
		{"name": "BM_parse", "run_name": "BM_parse", "run_type": "iteration", "iterations": 1000,
		"real_time": 61.5, "cpu_time": 61.25, "time_unit": "ns"}]}
	JSON
	;;
esac
END
chmod +x build/bench
commit_rounds() { # ROUNDS MESSAGE
	sed -i "s/^#define ROUNDS.*/#define ROUNDS $1/" parse.c
	commit "$2"
}
{
	commit_rounds 10000 first
	git tag v1.0
	commit_rounds 10001 second
	commit_rounds 30000 "parse deeper values"
	git update-ref refs/remotes/origin/main v1.0
	git checkout -q v1.0 && make && mkdir base && mv parse base && profile_run capture -F 999 --output old -- base/parse
	git checkout -q main && make && profile_run capture -F 999 --output out -- ./parse
	profile_run convert --input old --output old.folded
	profile_run convert --input out --output new.folded
	profile_run convert --input out --output production.pb.gz
	for i in 1 2 3; do
		cp old.folded "old-$i.folded"
		cp new.folded "new-$i.folded"
	done
	profile_run gate --against v1.0 --reports reports
	for i in 1 2; do
		profile_run gate --against v1.0 --shard "$i/2" --reports "shards/$i"
	done
} >setup.log 2>&1
check "the repository of the examples has a report" test -s reports/latest/parse/replay.bin || cat setup.log

# run_example COMMAND: as the page has it, but that folders of the system are ours, that a watch ends, and
# that a first workload is the first.
run_example() {
	local status command=${1//\/var\/lib/$PWD/lib}
	case $command in
	*"watch --every"*) command="timeout --preserve-status --signal INT 2 $command" ;;
	*" init "*)
		rm -rf ../first && mkdir ../first && cp -r parse big.json build ../first
		command="cd ../first && git init -q . && $command"
		;;
	*bash\)) command+="; complete -p profile_run" ;;
	esac
	bash -c "$command" </dev/null
	status=$?
	echo "status $status"
	case $status in
	0 | 1 | 3) ;;
	*) return 1 ;;
	esac
}

examples() { # PAGE: the commands of its first display
	awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { exit } on { sub(/  +#.*/, ""); print }' "$1"
}

for page in "$ROOT"/harness/doc/profile_run-*.1; do
	verb=${page##*/profile_run-}
	verb=${verb%.1}
	case $verb in
	waive) profile_run gate --against v1.0 >waive.log 2>&1 ;;
	crosscheck) command -v valgrind >/dev/null || continue ;;
	esac
	n=0
	while IFS= read -r command; do
		n=$((n + 1))
		check "$verb: $command" run_example "$command"
	done < <(examples "$page")
	check "$verb: the page opens with two examples" test "$n" -ge 2
done

# The steps of README.md for a program of one's own, but for the first, which init's page has.
while IFS= read -r command; do
	check "README: $command" run_example "$command"
done < <(awk '/^## Your own program/ { on = 1 } on && /^```$/ { exit }
	on && /^profile_run (gate|baseline)/ { sub(/  +#.*/, ""); print }' "$ROOT/README.md")

# The files that pages of section 5 open with, or show: YAML of ours.
is_read() { # COMMAND...
	"$@" >out.txt 2>&1
	lacks out.txt "error:"
}
first_display() {
	awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { exit } on' "$ROOT/harness/doc/profile_run-$1"
}
mkdir read
first_display workload.5 >read/workload.yaml
first_display service.5 >read/service.yaml
{ printf 'name: policy\nrun: [./parse]\n' && first_display policy.5; } >read/policy.yaml
first_display config.5 >read/config.yaml
for file in workload service policy; do
	check "$file(5): its first example is read" is_read profile_run gate --plan "read/$file.yaml"
done
check "config(5): its first example is read" is_read profile_run gate --plan --config read/config.yaml parse
finish
