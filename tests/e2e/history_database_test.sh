# A history in DuckDB, by the statements that the manual page shows, and back into trend as CSV.
#
# May run beside others.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a history is loaded into DuckDB" node
(cd "$ROOT/tests/e2e/database" && node -e 'require("@duckdb/node-api")' 2>/dev/null) || {
	skip "a history is loaded into DuckDB" "@duckdb/node-api is not installed: npm install in tests/e2e/database"
	finish
	exit
}
mkdir -p history/m1 history/m2
awk -v dir=history -f "$ROOT/tests/golden/trend/nights.awk"
# A name with the character of comments, and a header in the middle, as a merge leaves it.
printf '# profile_run history 1\n2026-03-01T03:17:00Z\tc\tcpu\tns\t5\t-\tstored\t-\t-\t-\t0.1.0\tr\toperator#x\n' \
	>>history/m1/parse.tsv
# sql N: the Nth of the manual page's statements.
sql() {
	awk -v n="$1" '/^\.\\" SQL/ { k++ } on && /^\.Ed/ { exit } on { gsub(/\\e/, "\\"); print }
		/^\.Bd/ { on = k == n }' "$ROOT/harness/doc/profile_run-history.1"
}
{
	sql 1
	echo "SELECT machine_class, workload, count(*), count(function), max(cost) FROM history GROUP BY ALL ORDER BY ALL;"
} >load.sql
check "the statement of the manual page loads a history" node "$ROOT/tests/e2e/database/query.mjs" load.sql
node "$ROOT/tests/e2e/database/query.mjs" load.sql >rows
check "with every line of it" test "$(awk '{ n += $3 } END { print n }' rows)" -eq \
	"$(cat history/*/*.tsv | grep -vc '^#')"
check "class and workload are those of its path" grep -q '^m1 parse ' rows
{
	sql 1
	sql 2
} >export.sql
check "a query is written as CSV" node "$ROOT/tests/e2e/database/query.mjs" export.sql
"$PROFILE_RUN" trend --input query.csv >trend.txt
check "which trend reads: the same step" contains trend.txt "parse  read_token  cpu  +7.9 %"
finish
