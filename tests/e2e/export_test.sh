# What `export` writes is read by the parsers of others, or by their rules, also with names that look
# like its syntax: OpenMetrics by the Python client, which is strict, and by Prometheus' own reader.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

# As text; backslashes stand for themselves.
hostile='say "hi" \n\\{workload="x"} 1 # EOF é'
pair=$ROOT/tests/fixtures/pairs/tokenizer
mkdir before after
for file in "$pair"/*-*.folded; do
	side=${file##*/} side=${side%%-*}
	NAME=$hostile awk '{ gsub(/next_token/, "\001"); n = split($0, parts, "\001")
		for (i = 1; i <= n; i++) printf "%s%s", parts[i], i < n ? ENVIRON["NAME"] : "\n" }' \
		"$file" >"$side/${file##*/}"
done
check "profiles with a hostile name are judged" exits 1 "$PROFILE_RUN" compare --quiet \
	--output report --before before/* --after after/*
check "they are exported" exits 0 "$PROFILE_RUN" export report --to openmetrics
cp out.txt metrics.txt

cat >read.py <<'EOF'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families

families = {}
for family in text_string_to_metric_families(open("metrics.txt", encoding="utf-8").read()):
    families[family.name] = family
print({name: family.type for name, family in families.items()})
assert families["profile_run_verdict"].type == "stateset"
assert families["profile_run_change_ratio"].unit == "ratio"
failed = [s.labels["profile_run_verdict"] for s in families["profile_run_verdict"].samples if s.value]
assert failed == ["fail"], failed
changes = {s.labels.get("function"): s.value for s in families["profile_run_change_ratio"].samples}
assert changes[sys.argv[1]] > 0.5, changes
EOF
python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && python=$candidate
done
if [ -n "$python" ]; then
	check "the Python client reads them as written" "$python" read.py "$hostile"
else
	skip "the Python client reads them as written" "python3-prometheus-client is not installed"
fi

# It takes no samples without a time.
prometheus() {
	sed '/^#/!s/$/ 1795222800/' metrics.txt >timed.txt
	promtool tsdb create-blocks-from openmetrics timed.txt blocks || return 1
	mkdir -p blocks/wal && promtool tsdb dump blocks >dump.txt || return 1
	contains dump.txt "profile_run_verdict=\"fail\", workload=\"compare\"} 1 "
}
if command -v promtool >/dev/null; then
	check "Prometheus reads them" prometheus
else
	skip "Prometheus reads them" "promtool is not installed"
fi

# As GitLab's reader takes a line apart (Parsers::Metrics::Generic), whose words are a shell's.
cat >gitlab.py <<'EOF'
import re, shlex
metrics = {}
for line in open("gitlab.txt", encoding="utf-8"):
    words = shlex.split(re.sub("#.*", "", line))
    if words:
        name, value = words
        metrics[name] = float(value)
assert any(". EOF" in name for name in metrics), metrics
print(len(metrics), "metrics")
EOF
gitlab_metrics() {
	"$PROFILE_RUN" export report --to gitlab-metrics -o gitlab.txt && python3 gitlab.py
}
check "GitLab's reader of metrics splits each line" gitlab_metrics

# The keys that we write, by the schemas of their readers: CTRF's, GitLab's codeclimate.json and
# GitHub's description of its REST API, whose keys that are not written are left out.
cat >ctrf.schema <<'EOF'
{"type": "object", "required": ["results", "reportFormat", "specVersion"], "additionalProperties": false,
 "properties": {
  "reportFormat": {"const": "CTRF"}, "specVersion": {"pattern": "^[0-9]+[.][0-9]+[.][0-9]+$"},
  "timestamp": {"type": "string"}, "generatedBy": {"type": "string"},
  "results": {"type": "object", "required": ["tool", "summary", "tests"], "additionalProperties": false,
   "properties": {
    "tool": {"required": ["name"], "additionalProperties": {"type": "string", "minLength": 1}},
    "summary": {"required": ["tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"],
     "additionalProperties": {"type": "integer", "minimum": 0}},
    "tests": {"type": "array", "minItems": 2, "items": {"type": "object",
     "required": ["name", "status", "duration"], "additionalProperties": false, "properties": {
      "testId": {"type": "string", "minLength": 1}, "name": {"type": "string", "minLength": 1},
      "status": {"enum": ["passed", "failed", "skipped", "pending", "other"]},
      "duration": {"type": "integer"}, "suite": {"type": "array", "minItems": 1},
      "message": {"type": "string"}, "trace": {"type": "string"}, "rawStatus": {"type": "string"},
      "tags": {"type": "array"}, "type": {"type": "string"}, "filePath": {"type": "string"},
      "line": {"type": "integer"}}}},
    "environment": {"type": "object"}}}}}
EOF
cat >gitlab-code-quality.schema <<'EOF'
{"type": "array", "minItems": 1, "items": {"type": "object",
 "required": ["description", "fingerprint", "severity", "location"], "properties": {
  "description": {"type": "string"}, "check_name": {"type": "string"}, "fingerprint": {"type": "string"},
  "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
  "location": {"type": "object", "required": ["path", "lines"], "properties": {
   "path": {"type": "string", "minLength": 1, "pattern": "^[^/]"},
   "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}}}}}}}
EOF
cat >github-check.schema <<'EOF'
{"type": "object", "required": ["name", "status", "conclusion", "output"], "properties": {
 "status": {"const": "completed"}, "conclusion": {"enum": ["success", "failure"]},
 "output": {"type": "object", "required": ["title", "summary"], "properties": {
  "title": {"type": "string"}, "summary": {"type": "string", "maxLength": 65535},
  "annotations": {"type": "array", "maxItems": 50, "items": {"type": "object", "required":
   ["path", "start_line", "end_line", "annotation_level", "message"]}}}}}}
EOF
valid() { # FORMAT
	"$PROFILE_RUN" export report --to "$1" -o "$1.json" && jsonschema -i "$1.json" "$1.schema"
}
refused() { # FORMAT KEY
	sed "0,/\"$2\"/s//\"x$2\"/" "$1.json" >broken.json
	! jsonschema -i broken.json "$1.schema" 2>/dev/null
}
for format in ctrf:status gitlab-code-quality:fingerprint github-check:conclusion; do
	if command -v jsonschema >/dev/null; then
		check "${format%:*} is valid" valid ${format%:*}
		check "${format%:*} without ${format#*:} is not" refused ${format%:*} ${format#*:}
	else
		skip "${format%:*} is valid" "jsonschema is not installed"
	fi
done

# fingerprints GATE: those of another report of the same workload.
fingerprints() {
	"$PROFILE_RUN" compare --quiet --output "$1" --before before/* --after after/* >/dev/null
	"$PROFILE_RUN" export "$1" --to gitlab-code-quality | grep fingerprint
}
stable() {
	fingerprints first >first.txt
	fingerprints second >second.txt
	[ -s first.txt ] && diff first.txt second.txt && [ -z "$(sort first.txt | uniq -d)" ]
}
check "fingerprints are the same in the next report, and each is of one finding" stable

# A gate tells its verdict to the CI system that it runs in, and to one only.
write_spins
tells() { # COUNT PREFIX VARIABLE... -- OPTION...: so many lines of the output begin with it
	local count=$1 prefix=$2
	shift 2
	local variables=()
	while [ "$1" != -- ]; do variables+=("$1"); shift; done
	shift
	exits 0 env "${variables[@]}" "$PROFILE_RUN" gate --quiet spins.yaml "$@" || return 1
	[ "$(grep -c "^$prefix" out.txt)" -eq "$count" ]
}
if can_capture; then
	check "a gate prints Azure's commands" tells 2 '##vso\[task.logissue type=warning\]' TF_BUILD=True --
	check "TeamCity's" tells 1 '##teamcity\[testSuiteStarted ' TEAMCITY_VERSION=2026.1 --
	check "GitHub's" tells 2 '::warning ' GITHUB_ACTIONS=true --
	check "those of one system" tells 0 '##' GITHUB_ACTIONS=true TF_BUILD=True TEAMCITY_VERSION=1 --
	check "none where that is wanted" tells 0 '##' TF_BUILD=True -- --ci none
	check "none in JSON" tells 0 '##' TF_BUILD=True -- --json -
	check "those that are named" tells 2 '##vso\[' TEAMCITY_VERSION=1 -- --ci azure
else
	skip "a gate prints the commands of its CI system" "perf_event_open is refused here"
fi
finish
