# Issues about slowdowns, by the script of the action, with a small server in the place of GitHub's API:
# opened, kept up to date, closed after five nights on the earlier level.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a slowdown opens an issue" python3 curl jq
alerts=$ROOT/.github/actions/alerts/alerts.sh
mkdir -p api history/m1 history/m2
python3 "$ROOT/tests/e2e/github_api.py" api >api/log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
echo '[]' >api/issues.json
awk -v dir=history -f "$ROOT/tests/golden/trend/nights.awk"
"$PROFILE_RUN" trend --history history --alert-nights 8 --threshold 5% --json >slow.json

soon test -s api/port
GITHUB_API_URL=http://127.0.0.1:$(cat api/port)
export GITHUB_API_URL GITHUB_REPOSITORY=owner/project GITHUB_OUTPUT=$PWD/output TOKEN=alerter
export AUTHOR='github-actions[bot]' LABEL=performance URL=https://github.example/runs/1
# now FILE [JQ-EDIT]: the alerts of what trend says, with an edit.
now() {
	jq "${2:-.}" "$1" >trend.json && TREND=trend.json "$alerts" >alerts.txt 2>&1
}
issue() { # NUMBER FILTER
	jq -e ".[$(($1 - 1))] | $2" api/issues.json
}

check "a slowdown opens an issue" now slow.json
check "one for each workload and function" test "$(jq length api/issues.json)" -eq 1
check "with its name" issue 1 '.title == "Slower: parse: read_token" and .labels == ["performance"]'
check "size and night" issue 1 '.body | contains("8.0 % more") and contains("95 % CI 7.5 to 8.4")
	and contains("since the night of 2026-04-02")'
check "and commits" issue 1 '.body | contains("compare/0000000000310000000000000000000000000000...")'
cp api/issues.json before.json
check "the same night again" now slow.json
check "changes nothing" cmp before.json api/issues.json
check "a better estimate is taken" now slow.json '.changes[0].change = 0.091'
check "is put into the same issue" issue 1 '(.body | contains("9.1 % more")) and .state == "open"'
check "an old slowdown" now slow.json '.last = "2026-06-01T03:17:00Z"'
check "leaves its issue open" issue 1 '.state == "open" and (.body | contains("9.1 % more"))'

# night N [JQ-EDIT]: of May, on the earlier level.
night() {
	now slow.json ".last = \"2026-05-0$1T03:17:00Z\" | ${2:-.changes = []}"
}
for n in 1 2 2 2; do night $n; done
check "a night is counted once" issue 1 '.body | contains(" 2 2026-05-02T03:17:00Z -->")'
for n in 3 4; do night $n; done
check "four clean nights do not close it" issue 1 '.state == "open"'
better='.changes = [.changes[0] + {change: -0.07, first_after: (.changes[0].first_after +
	{started: "2026-04-29T03:17:00Z"})}] + .changes'
check "the fifth does, be there a change for the better" night 5 "$better"
check "which is what happens" issue 1 '.state == "closed" and .state_reason == "completed"'
check "and is an output" grep -qx closed=1 output
check "somebody's closed issue" now slow.json
check "stays closed" test "$(jq length api/issues.json)" -eq 1
check "a later slowdown" now slow.json '.changes[0].first_after.started = "2026-05-20T03:17:00Z"
	| .last = "2026-05-25T03:17:00Z"'
check "has its own issue" issue 2 '.state == "open"'

# Names are anybody's; issues of others with our marker are not ours.
hostile='.changes[0].function = "@octocat <img src=x> ![x](https://evil.example) `#1` \u001b[2J\u202e </code> -->"'
check "a hostile name" now slow.json "$hostile"
check "cannot mention, link or break out" issue 3 '.body | (contains("@") or contains("<img") or
	contains("![") or contains("\u001b") or contains("\u202e") or contains("`")
	or (contains("https://evil")) or (contains("</code> -->"))) | not'
jq '[.[] | .user.login = "mallory" | .state = "open"]' api/issues.json >forged.json
cp forged.json api/issues.json
: >api/requests
check "a forged issue" now slow.json '.changes = []'
check "is left alone" cmp forged.json api/issues.json
many='.changes = [.changes[0] as $c | range(15) | $c + {function: "f\(.)"}]'
check "fifteen slowdowns" now slow.json "$many"
check "open ten issues" test "$(jq length api/issues.json)" -eq 13
check "and a warning" contains alerts.txt "5 more slowdowns have no issue yet"
check "the next night opens the rest" now slow.json "$many"
check "and no more" test "$(jq length api/issues.json)" -eq 18
cp api/issues.json kept.json
echo '[]' >api/issues.json
two='.changes += [.changes[0] + {function: "skip_blank", change: 0.02}] | .events[0].changes = [0, 1]'
check "two changes of one event" now slow.json "$two"
check "have one issue" test "$(jq length api/issues.json)" -eq 1
check "headed by the first" issue 1 '.title == "Slower: parse: read_token and 1 more"'
check "which lists the other" issue 1 '.body | contains("\n- <code>skip&#95;blank</code> of <code>parse</code>: 2.0 % more")'
check "another head of the event" now slow.json "$two | .events[0].changes = [1, 0]"
check "is still the same issue" test "$(jq length api/issues.json)" -eq 1
check "with its name" issue 1 '.title == "Slower: parse: skip_blank and 1 more" and .state == "open"'
accepted="$two"' | .events[0].accepted = {reason: "wanted", issue: null}'
check "an event that was accepted" now slow.json "$accepted"
check "closes its issue" issue 1 '.state == "closed" and .state_reason == "completed"'
check "the next night" now slow.json "$accepted"
check "opens none" test "$(jq length api/issues.json)" -eq 1
cp kept.json api/issues.json
check "a token that may not is an error" exits 2 env TOKEN=reader TREND=slow.json "$alerts"
echo '[]' >none.json
check "a missing output of trend is an error" exits 2 env TREND=none.json "$alerts"
finish
