# A slow function of a Go program is one finding, on its changed line: the runtime that it uses more is
# not beside it.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

CLAIM="a slow function of a Go program is one finding"
if ! can_capture; then
	skip "$CLAIM" "perf_event_open is refused here"
	finish
fi
needs "$CLAIM" go git python3
mkdir repository && cd repository || exit 2
git init -q . && git config user.email a@example.org && git config user.name a
export GOFLAGS=-mod=mod GOTOOLCHAIN=local
mkdir workloads
cat >workloads/app.yaml <<'END'
name: app
summary: words in lower case
build: go build -buildvcs=false -trimpath -o app .
run: [./app]
END
printf 'app\nreports/\n' >.gitignore
printf 'module example.com/tool\n\ngo 1.19\n' >go.mod
cat >main.go <<'END'
package main

import (
	"fmt"
	"strings"
)

func lower(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

func count(lines []string) map[string]int {
	found := map[string]int{}
	for _, line := range lines {
		for _, word := range strings.Fields(line) {
			found[lower(word)]++
		}
	}
	return found
}

func main() {
	var lines []string
	for i := 0; i < 3000; i++ {
		lines = append(lines, fmt.Sprintf("Alpha Beta%d GAMMA delta Line%d of the Text %d", i%97, i, i*7))
	}
	n := 0
	for i := 0; i < 20; i++ {
		n += len(count(lines))
	}
	fmt.Println(n)
}
END
git add -A && git commit -qm base
slower() {
	sed -i 's/var out strings.Builder/out := ""/; s/out.WriteRune(r)/out += string(r)/; s/return out.String()/return out/' main.go
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
alone() {
	python3 - <<-'END'
		import json
		found = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"]
		failed = [f for f in found if f["status"] == "fail"]
		print([(f["subject"], [m["subject"] for m in f["grew_with_it"]]) for f in failed])
		assert [f["subject"].removesuffix("_[i]") for f in failed] == ["main.lower"]
	END
}
marked() {
	local line
	line=$(grep -nF 'out += string(r)' main.go | cut -d: -f1)
	contains reports/latest/annotations.txt "::error file=main.go,line=$line,title=profile_run%3A app"
}
commented() {
	sed -i 's|^func lower|// lower returns the text\n// in lower case.\n&|' main.go
	exits 0 "$PROFILE_RUN" gate --against HEAD --quiet && contains out.txt "same program in both builds" &&
		git checkout -q main.go
}
check "a Go program of which only comments changed is the same" commented
check "a slow function of a Go program fails" slower
check "$CLAIM" alone
check "its changed line is marked" marked
check "the first screen has it" grep -qE "^ +main[.]go:14" out.txt
finish
