# Nights: a report is added to a history, once however often; damage is an error with its place; two
# branches that added nights merge; a slowdown is found, told and drawn.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a night is added to a history" valgrind git cc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir -p project/workloads
cd project || exit 2
cat >workloads/work.yaml <<-'END'
	name: work
	build: cc -O1 -o work work.c
	run: [./work]
	capture: {metric: instructions, runs: 3, max_runs: 3, repeat: 1}
END
cat >work.c <<-'END'
	static volatile unsigned sink;
	__attribute__((noinline)) static void count(void) { for (int i = 0; i < 30000; i++) sink++; }
	int main(void) { count(); return 0; }
END
git init -q -b main .
git config user.email nobody@example.com
git config user.name nobody
printf 'work\nreports/\n' >.gitignore
git add -A && git commit -qm first
add=("$PROFILE_RUN" history add)

"$PROFILE_RUN" gate work --measure-anyway >gate.txt 2>&1
check "a report is added" exits 0 "${add[@]}" reports/latest
file=$(echo history/*/work.tsv)
check "with the whole program and the function" test "$(grep -vc '^#' "$file")" -ge 2
check "the commit" contains "$file" "$(git rev-parse HEAD)"
check "and the report, where it is" contains "$file" "../reports/20"
cp "$file" before.tsv
check "again it changes nothing" exits 0 "${add[@]}" reports/latest/work/replay.bin --report-url https://ci.example/7
check "not a byte" cmp before.tsv "$file"
check "which is said" contains out.txt "in the history already"
sed -i 's/int i = 0; i < 30000/int i = 0; i < 40000/' work.c
"$PROFILE_RUN" gate work --against HEAD >gate.txt 2>&1
check "a pair is added, with where to read it" exits 0 "${add[@]}" reports/latest --report-url https://ci.example/8
check "its ratio" grep -qP '\tpaired\t[0-9a-f]{40}\t1\.3[0-9]*\t.*https://ci.example/8\tcount\t[0-9a-f]{16}$' "$file"

git add -A && git commit -qm history
git checkout -q -b other
sed '2!d; s/^20/21/' before.tsv >>"$file" && git commit -qam 'a night'
git checkout -q main
sed '2!d; s/^20/22/' before.tsv >>"$file" && git commit -qam 'another night'
check "two branches merge" git merge -q other -m merged
check "with the nights of both" test "$(grep -cE '^2[12]' "$file")" -eq 2
check "and are read" exits 0 "$PROFILE_RUN" trend

cp "$file" good.tsv
sed -i '3s/instructions/many\tmore/' "$file"
check "a damaged line is refused" exits 2 "${add[@]}" reports/latest
check "with its place" contains err.txt "$file:3:"
check "and nothing is written" exits 2 "$PROFILE_RUN" trend -o trend.html
check "no page either" test ! -e trend.html
cp good.tsv "$file"

# Nights that are added at the same time, and by a process that is killed.
night() { # NUMBER
	printf 'BenchmarkA 10 %s ns/op\n' "$1" | "${add[@]}" -H many --machine-class m \
		--time "$((1000000000 + $1 * 86400))" --from go - >/dev/null 2>&1
}
for number in $(seq 12); do
	night "$number" &
done
wait
many=many/m/BenchmarkA.tsv
check "nights that are added at the same time are all there" test "$(grep -vc '^#' $many)" -eq 12
printf '2002-01-01T00:00:00Z\tcut' >>$many
check "a line that a killed process cut is ignored" exits 0 "$PROFILE_RUN" trend -H many
check "with its place" contains err.txt "$many:14: the last line is cut off and ignored"
night 500
check "and removed with the next night" test "$(grep -vc '^#' $many) $(grep -c cut $many)" = "13 0"

# Thirty nights of what was measured, a third more on the last six.
rm -r history && mkdir -p history/m
line=$(sed -n '2s/^[^\t]*//p' before.tsv)
for night in $(seq 10 39); do
	day=$(date -u -d "2026-03-01 + $night days" +%FT03:17:00Z)
	if [ "$night" -lt 34 ]; then
		printf '%s%s\n' "$day" "$line"
	else
		printf '%s%s\n' "$day" "$line" | awk -F'\t' -vOFS='\t' '{ $5 *= 1.333; print }'
	fi
done >history/m/work.tsv
check "a slowdown of the last nights alerts" exits 1 "$PROFILE_RUN" trend -o trend.html
check "with its day and size" grep -q '^2026-04-04  work .*+33' out.txt
check "the page shows it" contains trend.html '+33.3 %'
check "and links the report" contains trend.html 'href="reports/20'
check "an old one does not" exits 0 "$PROFILE_RUN" trend --alert-nights 3
"$PROFILE_RUN" trend -o again.html >out.txt 2>&1
check "the same history gives the same page" cmp again.html trend.html

# The nights since are of later commits, one of which has an owner.
before=$(git rev-parse HEAD)
mkdir -p src .github
echo '/src/ @core' >.github/CODEOWNERS && git add .github && git commit -qm 'say who owns what'
echo 1 >src/a && git add src && git commit -qm "slower $(printf '\033')[2Jpath"
after=$(git rev-parse HEAD)
awk -F'\t' -v OFS='\t' -v before="$before" -v after="$after" \
	'{ $2 = $1 < "2026-04-04" ? before : after; print }' history/m/work.tsv >new.tsv
mv new.tsv history/m/work.tsv
check "an alert has its commits" exits 1 "$PROFILE_RUN" trend -o trend.html
check "and who owns what they changed" grep -q ' 2 commits, owners @core:$' out.txt
check "the newest first, in no terminal's language" \
	grep -q "^  ${after:0:12}  $(git log -1 --format=%an): slower [^[:cntrl:]]*\[2Jpath$" out.txt
check "the page has them" contains trend.html "owners @core"
finish
