# Names made to do harm, in every format that is read, do nothing in whatever is written: a terminal, a
# CI log, a browser, Markdown, readers of JUnit, JSON, SARIF.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
names=$ROOT/tests/e2e/names.py

mkdir in
python3 "$names" make in

# One format through everything that reads it; the files are judged by what they are.
written() { # FORMAT
	local f=$1 root=(--symfs in/root)
	[ "$f" = perfdata ] || root=()
	"$PROFILE_RUN" analyze "${root[@]}" -i "in/$f.after.0" >"$f.analyze.txt" 2>"$f.analyze.err" || return 1
	"$PROFILE_RUN" flamegraph "${root[@]}" -i "in/$f.after.0" -o "$f.flamegraph.svg" >"$f.flamegraph.txt" 2>&1 || return 1
	"$PROFILE_RUN" diff "${root[@]}" --before "in/$f.before.0" --after "in/$f.after.0" -o "$f.diff.svg" >"$f.diff.txt" 2>&1 ||
		return 1
	"$PROFILE_RUN" convert "${root[@]}" -i "in/$f.after.0" -o "$f.speedscope.json" --to speedscope >"$f.convert.txt" 2>&1 ||
		return 1
	"$PROFILE_RUN" compare "${root[@]}" --before "in/$f".before.* --after "in/$f".after.* --output "$f.report" \
		--name "$f" >"$f.compare.txt" 2>&1
	[ $? -le 3 ] && [ -e "$f.report/verdict.json" ] || { cat "$f.compare.txt"; return 1; }
	"$PROFILE_RUN" export "$f.report" --to sarif --output "$f.sarif" >"$f.sarif.txt" 2>&1 || return 1
	"$PROFILE_RUN" export "$f.report" --to bencher --output "$f.bencher.json" >"$f.bencher.txt" 2>&1 || return 1
	"$PROFILE_RUN" export "$f.report" --to openmetrics --output "$f.metrics" >"$f.metrics.txt" 2>&1 || return 1
	"$PROFILE_RUN" export "$f.report" --to comment --output "$f.comment.md" >"$f.comment.txt" 2>&1 || return 1
}

harmless() { # FORMAT
	local files=()
	mapfile -d '' files < <(find . -maxdepth 1 -name "$1.*" -type f -print0
		find "./$1.report" -type f ! -name '*.bin' ! -name folded.txt -print0)
	[ ${#files[@]} -gt 15 ] || { echo "only ${#files[@]} files"; return 1; }
	python3 "$names" check "${files[@]}"
}

for format in folded script callgrind speedscope cpuprofile firefox pprof gprof offcputime bpf perfdata; do
	check "$format: what is read is written in every way" written "$format"
	check "$format: and no name does anything in it" harmless "$format"
done

# What only a capture has: times, phases, threads.
timed() {
	local to
	"$PROFILE_RUN" heatmap --symfs in/root -i in/perfdata.after.0 -o perfdata.heatmap.html >perfdata.heatmap.txt 2>&1 &&
		"$PROFILE_RUN" flamegraph --symfs in/root -i in/perfdata.after.0 --chart -o perfdata.chart.svg \
			>perfdata.chart.txt 2>&1 || return 1
	for to in firefox chrome-trace pprof; do
		"$PROFILE_RUN" convert --symfs in/root -i in/perfdata.after.0 --to "$to" -o "$to.json" \
			>"perfdata.$to.txt" 2>&1 || return 1
	done
	contains perfdata.analyze.txt title=m && python3 "$names" check perfdata.heatmap.* perfdata.chart.* perfdata.*.txt \
		firefox.json chrome-trace.json
}
check "views of time are harmless, and the names of maps and dumps are there" timed

printed() { # COMMAND...
	"$PROFILE_RUN" "$@" -i in/folded.after.0 >stdout.txt || return 1
	contains stdout.txt "title=root" && ! grep -e '^[[:space:]]*::' -e '##\[' stdout.txt
}
check "no line of folded text on standard output is a command" printed convert
check "nor is one of speedscope" printed convert --to speedscope
check "nor is one of a picture" printed flamegraph

trend() {
	exits 1 "$PROFILE_RUN" trend --alert-nights 30 --history in/history --output trend.html || return 1
	cat out.txt err.txt >trend.txt
	"$PROFILE_RUN" trend --alert-nights 30 --history in/history --json >trend.json
	contains trend.txt "title=m" && contains trend.json "title=m" && python3 "$names" check trend.*
}
check "so is a trend" trend

# Errors show the line that they are about.
told() { # TEXT NAME
	printf '%s' "$1" >"$2"
	"$PROFILE_RUN" analyze -i "$2" >err.txt 2>&1
	[ $? -eq 2 ] && python3 "$names" check err.txt
}
check "a line of folded text that is shown is no command" told '::error title=x::y z
' bad.folded
excerpt() {
	printf 'name: x\n   ::error title=forged::x ##[add-mask]y\n' >bad.yaml
	"$PROFILE_RUN" gate bad.yaml --baselines b --reports r >err.txt 2>&1
	[ $? -eq 2 ] && contains err.txt "bad.yaml:" && python3 "$names" check err.txt
}
check "nor is a line of YAML" excerpt
finish
