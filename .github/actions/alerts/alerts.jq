# What is to be done about issues: from the object of `profile_run trend --json` and, in $issues, those
# that are there already (GitHub's, the newest first), one object a line: {method, path, send}.
#
# The first line of an issue says what it is about and what is known:
#     <!-- profile_run alert KEY SINCE CLEAN NIGHT -->
# KEY is of workload, function and metric, of one change of the event; SINCE the first night on the slower level; CLEAN how many
# nights were back on the earlier one, the last of them NIGHT.

# Names come from profiles: what a terminal or a reader could be misled by is replaced.
def plain($most):
	explode | map(if . < 32 or (. >= 127 and . < 160) or . == 1564 or (. >= 8206 and . <= 8207)
		or (. >= 8234 and . <= 8238) or (. >= 8294 and . <= 8297) then 65533 else . end)
	| if length > $most then .[:$most - 1] + [8230] else . end | implode;

# In <code>, where GitHub looks for no mentions, and without a character that Markdown reads.
def code($most):
	plain($most) | explode | map(if (. >= 48 and . <= 57) or (. >= 65 and . <= 90)
		or (. >= 97 and . <= 122) or . > 127 or . == 32 then [.] | implode else "&#\(.);" end)
	| "<code>\(join(""))</code>";

def percent: (. * 1000 | round) as $tenths
	| "\(if $tenths < 0 then "-" else "" end)\($tenths | fabs / 10 | floor).\($tenths | fabs % 10)";
def day: .[:10];
def commit: if type == "string" and test("^[0-9a-f]{7,64}$") then . else null end;
def key: [.workload, .function // "", .metric] | tojson | @base64;

# The newest change of each series of a key tells on which level it is.
def levels:
	group_by(key) | map(
		{key: (.[0] | key), slow: [group_by([.mode, .machine_class // ""])[]
			| max_by(.first_after.started) | select(.change > 0)] | max_by(.first_after.started)});

# Of an event: its changes, the head first.
def title: .[0] as $head
	| "Slower: \($head.workload)\(if $head.function then ": " + $head.function else "" end)"
	+ (if length > 1 then " and \(length - 1) more" else "" end) | plain(200);

def subject: "\(if .function then (.function | code(400)) + " of " else "" end)\(.workload | code(100))";
def size: "\(.change | percent) % more (\(.metric | code(40)), 95 % CI \(.low // 0 | percent) to"
	+ " \(.high // 0 | percent))";

def body($key; $clean; $night): . as $changes | .[0]
	| (.last_before.commit | commit) as $from | (.first_after.commit | commit) as $to
	| "<!-- profile_run alert \($key) \(.first_after.started) \($clean) \($night) -->\n"
	+ "\(subject) costs \(size) since the night of \(.first_after.started | day).\n\n"
	+ ($changes[1:11] | map("- \(subject): \(size)\n") | join(""))
	+ (if ($changes | length) > 11 then "- \(($changes | length) - 11) more\n" else "" end)
	+ (if ($changes | length) > 1 then "\n" else "" end)
	+ (if $from and $to then
		"Commits: [\($from[:12])...\($to[:12])](\($server)/\($repository)/compare/\($from)...\($to))\n"
	   else "" end)
	+ "Measured: \(if .mode == "paired" then "in pairs with the last release"
		elif .machine_class then "on " + (.machine_class | code(100))
		else "on all classes of machines" end)\n"
	+ "Found by: [the night's history](\($url))\n\n"
	+ "This issue is kept up to date, and closed after \($clean_nights) nights on the earlier level.\n";

def marker: (.body // "" | split("\n")[0]
	| capture("^<!-- profile_run alert (?<key>[A-Za-z0-9+/=]+) (?<since>[0-9TZ:-]+) (?<clean>[0-9]+) (?<night>[0-9TZ:-]+) -->\\s*$"))
	// empty;

def nearly($a; $b): ($a | fromdateiso8601) - ($b | fromdateiso8601) | fabs <= 7 * 86400;

# An event of the last nights: a new issue, or what is known of it. One that somebody closed stays so.
def of_event($known; $night): . as $changes
	| (map(key) | map(select($known[.]))) as $keys
	| ($keys | map($known[.]) | (map(select(.state == "open")) + .)[0]) as $issue
	| if $issue == null
		or ($issue.state == "closed" and (nearly($changes[0].first_after.started; $issue.known.since) | not))
	  then ($changes[0] | key) as $key | {method: "POST", path: "issues",
		send: {title: title, body: body($key; 0; $night), labels: [$name]}}
	  elif $issue.state == "closed" then empty
	  else {title: title, body: body($issue.known.key; 0; $night)} as $send
		| select($send.body != $issue.body or $send.title != $issue.title)
		| {method: "PATCH", path: "issues/\($issue.number)", $send}
	  end;

# An event that somebody accepted: its open issue is closed.
def of_accepted($known): map($known[key] // empty | select(.state == "open"))[0] // empty
	| {method: "PATCH", path: "issues/\(.number)", send: {state: "closed", state_reason: "completed"}};

# A night on the earlier level is counted once.
def of_clean($issue; $night):
	if $issue.known.night == $night then empty else
		($issue.known.clean | tonumber + 1) as $clean
		| ($issue.body | split("\n")[1:]) as $rest
		| ("<!-- profile_run alert \($issue.known.key) \($issue.known.since) \($clean) \($night) -->") as $first
		| {method: "PATCH", path: "issues/\($issue.number)",
			send: ({body: ([$first] + $rest | join("\n"))}
				+ if $clean >= $clean_nights then {state: "closed", state_reason: "completed"}
				  else {} end)}
	end;

. as $trend
| ([$issues[] | select(.user.login == $author and (has("pull_request") | not))
	| . + {known: marker}] | group_by(.known.key)
	| map({key: .[0].known.key, value: max_by(.number)}) | from_entries) as $known
| ([.changes[]] | levels) as $levels
| (.last | fromdateiso8601 - $trend.alert_days * 86400) as $from
| ([.events // [] | to_entries[] | .key as $event | .value.changes | to_entries[]
	| {key: ($trend.changes[.value] // empty | tojson), value: {event: $event, place: .key}}]
	| from_entries) as $places
| ([$levels[].slow // empty | select(.first_after.started | fromdateiso8601 > $from)]
	| group_by($places[tojson].event // key)
	| map(sort_by($places[tojson].place)) | .[]
	| if $trend.events[$places[.[0] | tojson].event // -1].accepted then of_accepted($known)
	  else of_event($known; $trend.last) end),
  ($known[] | select(.state == "open") | . as $issue
	| select(any($levels[]; .key == $issue.known.key and .slow) | not)
	| of_clean($issue; $trend.last))
