# Profiles that were captured elsewhere, before and after a known change: compare fails the functions
# that changed, first and in the order of what they are worth, and no other.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

pairs=$ROOT/tests/fixtures/pairs

judge() { # PAIR [OPTION...]: the verdict into report, by the policy that is built in
	local pair=$pairs/$1
	shift
	"$PROFILE_RUN" compare --quiet "$@" --before "$pair"/before-*.folded \
		--after "$pair"/after-*.folded --output report >/dev/null
	echo $? >status
}

failed_functions() {
	sed -n 's/^  fail          //p' report/report.txt | sed 's/ (self)$//' |
		grep -vE '^compare  |^whole program$'
}

names_what_changed() { # PAIR
	judge "$1"
	cat report/report.txt
	failed_functions | diff "$pairs/$1/expected" - &&
		if [ -s "$pairs/$1/expected" ]; then
			[ "$(cat status)" -eq 1 ]
		else
			[ "$(cat status)" -ne 1 ] && lacks report/report.txt 'Above the '
		fi
}

# The order of files, and of runs, is none of the verdict's.
does_not_depend_on_order() { # PAIR
	judge "$1"
	sed -n '/^compare:/,/^$/p' report/report.txt >forwards.txt
	# shellcheck disable=SC2046 # one path a word
	"$PROFILE_RUN" compare --quiet --before $(printf '%s\n' "$pairs/$1"/before-* | sort -r) \
		--after $(printf '%s\n' "$pairs/$1"/after-* | sort -r) --output report >/dev/null
	sed -n '/^compare:/,/^$/p' report/report.txt | diff forwards.txt -
}

for pair in "$pairs"/*/; do
	pair=$(basename "$pair")
	check "$pair: what changed is named, and nothing else" names_what_changed "$pair"
done
check "the order of the files changes nothing" does_not_depend_on_order tokenizer
finish
