# Names made to do harm, in every format that is read, do nothing in whatever is written: a terminal, a
# CI log, a browser, Markdown, readers of JUnit, JSON, SARIF.
#
# May run beside others.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
names=$ROOT/tests/e2e/names.py

mkdir in
python3 "$names" make in

# One format through everything that reads it; the files are judged by what they are.
written() { # FORMAT
	local f=$1
	"$PROFILE_RUN" analyze -i "in/$f.after.0" >"$f.analyze.txt" 2>"$f.analyze.err" || return 1
	"$PROFILE_RUN" flamegraph -i "in/$f.after.0" -o "$f.flamegraph.svg" >"$f.flamegraph.txt" 2>&1 || return 1
	"$PROFILE_RUN" diff --before "in/$f.before.0" --after "in/$f.after.0" -o "$f.diff.svg" >"$f.diff.txt" 2>&1 ||
		return 1
	"$PROFILE_RUN" convert -i "in/$f.after.0" -o "$f.speedscope.json" --to speedscope >"$f.convert.txt" 2>&1 ||
		return 1
	"$PROFILE_RUN" compare --before "in/$f".before.* --after "in/$f".after.* --output "$f.report" \
		--name "$f" >"$f.compare.txt" 2>&1
	[ $? -le 3 ] && [ -e "$f.report/verdict.json" ] || { cat "$f.compare.txt"; return 1; }
	"$PROFILE_RUN" export "$f.report" --to sarif --output "$f.sarif" >"$f.sarif.txt" 2>&1 || return 1
	"$PROFILE_RUN" export "$f.report" --to comment --output "$f.comment.md" >"$f.comment.txt" 2>&1 || return 1
}

harmless() { # FORMAT
	local files=()
	mapfile -d '' files < <(find . -maxdepth 1 -name "$1.*" -type f -print0
		find "./$1.report" -type f ! -name '*.bin' ! -name folded.txt -print0)
	[ ${#files[@]} -gt 15 ] || { echo "only ${#files[@]} files"; return 1; }
	python3 "$names" check "${files[@]}"
}

for format in folded script callgrind speedscope pprof; do
	check "$format: what is read is written in every way" written "$format"
	check "$format: and no name does anything in it" harmless "$format"
done

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
