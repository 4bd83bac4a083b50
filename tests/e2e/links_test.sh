# Symbolic links where others may write: a pull request into baselines, reports and a history, another
# user beside the cache. Nothing outside is written, removed or read.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "links in folders that others may write to" "perf_event_open is refused here"
	finish
fi
write_spins
echo 'gate: {policy: {inconclusive: pass}}' >>spins.yaml
outside() {
	rm -rf outside && mkdir outside && echo mine >outside/file
}
outside_is_as_before() {
	[ "$(ls -A outside)" = file ] && [ "$(cat outside/file)" = mine ]
}
run() {
	timeout 60 "$PROFILE_RUN" "$@"
}
# refused COMMAND...: it fails, speaks of a symbolic link, and outside nothing has changed
refused() {
	local status
	run "$@" >out.txt 2>err.txt
	status=$?
	cat out.txt err.txt
	[ $status -ne 0 ] && contains err.txt "symbolic link" && outside_is_as_before
}
update() {
	run baseline update --no-counts spins.yaml --baselines baselines
}

check "a baseline is stored" update
folder=$(dirname "$(find baselines -name baseline.json)")
mv baselines stored
for part in "$folder" "$(dirname "$folder")" "$(dirname "$(dirname "$folder")")"; do
	level=$(basename "$part")
	outside
	rm -rf baselines && cp -r stored baselines
	rm -rf "$part" && ln -s "$PWD/outside" "$part"
	case $part in
	"$folder")
		# The link itself is what the new baseline takes the place of.
		check "a link in the place of a baseline is replaced" update
		check "(by a folder)" test -d "$folder" -a ! -L "$folder"
		check "(and left alone is where it led)" outside_is_as_before
		;;
	*) check "no baseline is stored through a link ($level)" refused \
		baseline update --no-counts spins.yaml --baselines baselines ;;
	esac
done
outside
cp -r "stored/${folder#baselines/}" outside/copy
rm -rf baselines && cp -r stored baselines && rm -rf "$folder"
ln -s "$PWD/outside/copy" "$folder"
check "no baseline is read through a link" exits 2 run gate spins.yaml --baselines baselines --reports reports
check "(it is named)" contains err.txt "is a symbolic link"
rm -rf baselines && cp -r stored baselines
mv "$folder/runs.stacks" outside/ && ln -s "$PWD/outside/runs.stacks" "$folder/runs.stacks"
check "nor a file of one" exits 2 run gate spins.yaml --baselines baselines --reports reports
check "(it is named)" contains err.txt "runs.stacks' is a symbolic link"
rm -rf baselines && cp -r stored baselines

# --- reports ---

outside
rm -rf reports && mkdir reports
ln -s "$PWD/outside" reports/latest
draft=reports/.2026-01-01T00-00-00Z.00000000-abcdefgh.profile_run
ln -s "$PWD/outside" $draft
touch -h -d '2 days ago' $draft
check "links in reports/ are replaced" run gate spins.yaml --baselines baselines --reports reports
check "(latest is the report)" test -e reports/latest/report.txt
check "(a draft is removed)" test ! -L $draft
check "(and nothing else)" outside_is_as_before
rm -rf reports && mkdir elsewhere && ln -s elsewhere reports
check "reports/ may be a link of the user's" exits 0 run gate spins.yaml --baselines baselines \
	--reports reports
check "(which is said)" contains err.txt "'reports' is a symbolic link: written to 'elsewhere'"
if [ "$(id -u)" -eq 0 ]; then
	outside
	rm -rf reports && ln -s outside reports && chown -h 65534 reports
	check "a link of another user is refused for reports" refused \
		gate spins.yaml --baselines baselines --reports reports
	mv baselines stored2 && ln -s outside baselines && chown -h 65534 baselines
	check "and for baselines" refused baseline update --no-counts spins.yaml --baselines baselines
	rm baselines && mv stored2 baselines
else
	skip "a link of another user is refused" "only root can make one"
fi

# --- a history ---

rm -rf reports
run gate spins.yaml --baselines baselines --reports reports >/dev/null 2>&1
check "a history is begun" run history add reports/latest --history history
class=$(find history -name '*.tsv' -exec dirname {} \;)
mv "$class" kept
outside
ln -s "$PWD/outside" "$class"
check "nothing is added to a history through a link" refused history add reports/latest --history history
rm "$class" && mkdir "$class" && mv kept/*.tsv outside/file
ln -s "$PWD/outside/file" "$class/spins.tsv"
cp outside/file before
check "nor to a file of one" exits 2 run history add reports/latest --history history
check "(it is as before)" cmp outside/file before

# --- the cache ---

git init -q repository && cd repository || exit 2
git config user.name t && git config user.email t@example.org
cp ../spins.yaml . && git add spins.yaml && git commit -qm one && git commit -q --allow-empty -m two
export XDG_CACHE_HOME=$PWD/../cache
against() {
	run gate spins.yaml --against HEAD~1 --reports ../reports
}
mkdir -p ../cache/profile_run && chmod 777 ../cache/profile_run
check "a cache that others may write to is refused" exits 2 against
check "(it is named)" contains err.txt "cache/profile_run' is another user's, or others may write"
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 ../cache/profile_run
	outside
	ln -s "$PWD/outside" ../cache/profile_run/worktrees && chown -h 65534 ../cache/profile_run/worktrees
	check "so is a link of another user in it" refused gate spins.yaml --against HEAD~1 \
		--reports ../reports
fi
rm -rf ../cache
(
	umask 002
	against >out.txt 2>err.txt
)
check "a cache is made for its user alone" test "$(stat -c %a ../cache/profile_run/worktrees)" = 700
finish
