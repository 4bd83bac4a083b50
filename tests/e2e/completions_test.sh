# Completion in shells: the scripts that the program prints, used by the shells themselves.
# shellcheck disable=SC2016 # expanded by the shell that completes
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

mkdir workloads reports
touch workloads/parse.yaml 'workloads/$(touch ran).yaml' notes.txt
for shell in bash zsh fish; do
	"$PROFILE_RUN" completions $shell >script.$shell
done
# Whatever the help of a verb lists.
has_all() { # SHELL PREFIX
	local verb option status=0
	for verb in $("$PROFILE_RUN" --help | awk '/^  [a-z]/ { print $1 }'); do
		awk -v verb="$verb" '$1 == verb ")" { inside = 1 } inside || index($0, "_verb " verb "'"'"'")
			/^\t\t;;/ { inside = 0 }' "script.$1" >of_verb
		for option in $("$PROFILE_RUN" "$verb" --help | grep -oE '^ .{4} --[a-z-]+' | grep -oE '[a-z-]{3,}$'); do
			option=${option#--}
			[ "$option" != help ] || continue
			grep -qE -- "(--| -l )$option\b" of_verb || { echo "$verb $option"; status=1; }
		done
	done
	return $status
}

# completes WORD...: what bash offers for the last of them, one a line. As readline calls it.
completes() {
	bash --norc -c '
		. ./script.bash
		eval "spec=($(complete -p profile_run))"
		COMP_WORDS=(profile_run "$@")
		COMP_CWORD=$#
		"${spec[2]}" profile_run "${COMP_WORDS[$#]}" "${COMP_WORDS[$# - 1]}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' _ "$@" 2>&1 | sort | paste -sd ' '
}
offers() { # EXPECTED WORD...
	local expected=$1
	shift
	exits 0 completes "$@"
	contains <(echo "<$(cat out.txt)>") "<$expected>"
}
check "bash has every option" has_all bash
check "bash completes verbs" offers "calibrate capture" ca
check "options of a verb" offers "--max-runs --measure-anyway" gate --m
check "and of no other" offers "" doctor --m
check "the values of an option are offered" offers "always auto" capture --color a
check "also after an equals sign" offers "always auto never" capture --color = ""
check "a word beside a number is offered" offers "auto" capture --repeat ""
check "folders" offers "reports workloads" gate --baselines ""
check "files" offers "notes.txt" analyze -i no
check "nothing is offered for a number" offers "" gate --runs ""
check "actions" offers "check convert list show update" baseline ""
check "behind an action workloads" offers "parse" baseline update p
check "verbs to get help for" offers "diff doctor" help d
check "a workload of any name" offers '$(touch ran)' gate '$'
check "which is not run" test ! -e ran

if command -v fish >/dev/null; then
	# fish_completes LINE
	fish_completes() {
		HOME=$PWD fish --no-config -c 'source script.fish; complete -C "$argv[1]"' "$1" >out.txt 2>&1
		cut -f 1 out.txt | sort | paste -sd ' ' | tee all.txt
	}
	fish_offers() { # EXPECTED LINE
		fish_completes "$2"
		grep -qxF -- "$1" all.txt
	}
	check "fish has every option" has_all fish
	check "fish completes verbs" fish_offers "calibrate capture" "profile_run ca"
	check "options of a verb in fish" fish_offers "--max-runs --measure-anyway" "profile_run gate --m"
	check "values in fish" fish_offers "always auto never" "profile_run capture --color "
	check "actions in fish" fish_offers "check list show update" "profile_run baseline "
	check "workloads in fish" fish_offers "parse" "profile_run baseline update p"
else
	skip "completion in fish" "fish is not installed"
fi

if command -v zsh >/dev/null; then
	# zsh_completes LINE: what a zsh at a terminal makes of the line and a tab.
	zsh_completes() {
		mkdir -p functions
		cp script.zsh functions/_profile_run
		HOME=$PWD zsh -f -c '
			zmodload zsh/zpty
			zpty -b shell zsh -f -i
			zpty -w shell "PS1= ; TERM=dumb; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=0; zstyle \":completion:*\" list-colors \"\"; echo re\"\"ady"
			wait_for() { local text all=""; repeat 200; do
				zpty -r -t shell text && all+=$text || sleep 0.02
				[[ $all = *$1* ]] && break
			done; print -r -- "$all" }
			wait_for ready >/dev/null
			zpty -w -n shell "$1"$'"'\\t'"'
			sleep 0.3
			zpty -w -n shell $'"'\\x15'"'"echo do\"\"ne"$'"'\\n'"'
			wait_for done
			zpty -d shell' _ "$1" >out.txt 2>&1
		cat -v out.txt
	}
	zsh_offers() { # TEXT LINE
		zsh_completes "$2"
		grep -qF -- "$1" out.txt
	}
	check "zsh has every option" has_all zsh
	check "zsh completes verbs" zsh_offers "profile_run calibrate" "profile_run cal"
	check "options of a verb in zsh" zsh_offers "--keep-perfdata" "profile_run gate --kee"
	check "values in zsh" zsh_offers "--color never" "profile_run capture --color n"
	check "actions in zsh" zsh_offers "baseline update" "profile_run baseline up"
	check "workloads in zsh" zsh_offers "gate parse" "profile_run gate par"
else
	skip "completion in zsh" "zsh is not installed"
fi
finish
