#!/bin/bash
# HOWTO_ADD_FORMAT.md and HOWTO_ADD_RULE.md, followed: the sources that they show, in the places that they
# name, in a copy of harness/. What changed is compiled, and linked with the objects that the program has.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

objects=$(dirname "$(readlink -f "$PROFILE_RUN")")
[ -e "$objects/harness/main.o" ] || {
	skip "the pages of how to add" "the objects of the program are not kept"
	finish
}
mkdir tests
cp -R "$ROOT/harness" "$ROOT/Makefile" "$ROOT/.ci" . && cp "$ROOT/tests/tests.mk" tests

# show PAGE: writes the sources that it shows, each of which begins with its path.
show() {
	awk '/^```/ { on = !on; path = ""; next }
		on && !path { path = $2; sub(/:$/, "", path); print path }
		on { print >path }' "harness/doc/$1"
}
insert() { # FILE PATTERN LINE: the line goes ahead of the first one that matches
	grep -q -- "$2" "$1" || { echo "$1 has no $2"; return 1; }
	sed -i "0,/$2/s//$3\n&/" "$1"
}
append() { # FILE PATTERN LINE: behind it
	grep -q -- "$2" "$1" || { echo "$1 has no $2"; return 1; }
	sed -i "0,/$2/s//&\n$3/" "$1"
}

format() {
	show HOWTO_ADD_FORMAT.md
	append harness/read/ingest/ingest.h 'extern const struct input_format ingest_folded;' \
		'extern const struct input_format ingest_counts;' &&
		insert harness/read/ingest/ingest.c '	&ingest_folded,' '	\&ingest_counts,'
}
rule() {
	local gate=harness/judge/gate file
	show HOWTO_ADD_RULE.md
	append $gate/verdict.h '	FINDING_WAIVERS,.*' '	FINDING_FEW_RUNS,' &&
		append $gate/verdict.c '\[FINDING_WAIVERS\] = .*' '[FINDING_FEW_RUNS] = "few runs",' &&
		append $gate/rules.h 'extern const struct gate_rule rule_waivers;' \
			'extern const struct gate_rule rule_few_runs;' &&
		append $gate/rules.c '	&rule_waivers,' '	\&rule_few_runs,' &&
		append harness/show/output/export_sarif.c '	FINDING_WAIVERS,' '	FINDING_FEW_RUNS,' &&
		sed -i 's/, FINDING_WAIVERS)/, FINDING_FEW_RUNS)/' harness/judge/replay/record_input.c || return
	for file in reason rehearsal; do
		append $gate/$file.c 'case FINDING_WAIVERS:' 'case FINDING_FEW_RUNS:' || return
	done
}
build() {
	local flags libraries path changed=() kept
	flags="-D_GNU_SOURCE $(make -s includes) -std=c11 -O0 -Wall -Wextra -Wswitch-enum -Werror"
	libraries=$(make -s libraries)
	case $objects in
	*/asan) flags+=" -fsanitize=address,undefined -no-pie" ;;
	esac
	while read -r path; do
		# shellcheck disable=SC2086 # one option a word
		"${CC:-gcc}" $flags -c -o "${path%.c}.o" "$path" || return
		changed+=("${path%.c}.o")
	done < <(diff -rq "$ROOT/harness" harness | sed -nE \
		-e 's|^Only in (harness[^:]*): (.*\.c)$|\1/\2|p' -e 's|^Files .* and (harness/.*\.c) differ$|\1|p')
	# What shim/ has runs in other programs; of it the program has only the bytes.
	kept=$(cd harness && find . \( -name '*.c' -o -name '*.S' \) ! -path './measure/shim/*.c' |
		sed -E 's|^\.(.*)\.[cS]$|harness\1.o|' | grep -vxF "$(printf '%s\n' "${changed[@]}")" |
		while read -r path; do [ ! -e "$objects/$path" ] || echo "$objects/$path"; done)
	# shellcheck disable=SC2086
	"${CC:-gcc}" $flags -pthread -o profile_run "${changed[@]}" $kept $libraries
}

check "the format of the page is put where the page says" format
check "the rule as well" rule
check "both are compiled without a warning, and linked" build

printf '# counts 1\nparse 30\nlex 12\n' >counts.txt
check "a file of the format is read" exits 0 ./profile_run convert --input counts.txt
check "with its functions" contains out.txt "(program);parse 30"
printf '# counts 1\nparse many\n' >broken.txt
check "and a broken one is an error with its place" exits 2 ./profile_run convert --input broken.txt
check "that names the line" contains err.txt "broken.txt:2:"
check "a verdict has the finding of the rule" exits 0 ./profile_run compare --output report \
	--before counts.txt counts.txt counts.txt --after counts.txt counts.txt counts.txt
check "in its report" contains report/report.txt "There are only 3 runs"
check "and the report can be replayed" exits 0 ./profile_run replay report --output again
finish
