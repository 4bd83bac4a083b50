# `export --to openmetrics` is read by the parsers of others, also with names that look like its
# syntax: the Python client's, which is strict, and Prometheus' own.
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
finish
