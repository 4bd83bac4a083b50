#!/bin/bash
# What a pull request may try against --policy-from: each attack is a commit that allocates a tenth more
# than the policy of the base allows, and something that is to hide it. None may pass.
# shellcheck source-path=SCRIPTDIR
. "$ROOT/tests/e2e/lib.sh"

enter_repository
mkdir bench conf sub
cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	FILE *file = fopen("count", "r");
	int n = 0;

	if (!file || fscanf(file, "%d", &n) != 1)
		return 1;
	for (int i = 0; i < n; i++) {
		void *volatile p = malloc(1000);

		free(p);
	}
	return 0;
}
END
echo 1000 >count
cat >bench/work.yaml <<'END'
name: work
build: gcc -O0 -g -o work work.c
run: [./work]
inputs: [count]
capture: {metric: alloc, runs: 3, max_runs: 3, warmup: 0, repeat: 1}
gate: {total: {warn: 1%, fail: 2%}, functions: {warn: 1%, fail: 2%}}
END
echo 'gate: {functions: {warn: 1%, fail: 2%}, policy: {changed_workload: error}}' >conf/profile_run.yaml
echo '[]' >conf/waivers.yaml
touch sub/file
ln -s bench workloads
ln -s conf config
printf '%s\n' /work /reports/ '/*.txt' /.check.log >.gitignore
git add . && git commit -qm base
check "a baseline of the base is made" "$PROFILE_RUN" baseline update
git add -f . ':!*.txt' ':!.check.log' && git commit -qm baseline && git tag base

loosen() {
	sed -i 's/[12]%/900%/g' bench/work.yaml conf/profile_run.yaml
}

# Replaces a link by a copy of the folder that it leads to.
own_folder() {
	rm "$1" && cp -r "$2" "$1"
}

waive() {
	echo '- {function: "*", max: 900%, reason: r, owner: o, expires: 2099-01-01}' >"${1:-conf}/waivers.yaml"
}

# Each is one attack. Its name is the claim.
attack_nothing() { :; }
attack_loosened_behind_links() { loosen; }
attack_folder_in_place_of_a_link() { own_folder workloads bench && loosen && sed -i s/2%/900%/ workloads/work.yaml; }
attack_configuration_in_place_of_a_link() { own_folder config conf && sed -i s/2%/900%/ config/profile_run.yaml; }
attack_link_to_another_folder() {
	cp -r bench other && loosen && sed -i s/2%/900%/ other/work.yaml && ln -sfn other workloads
}
attack_file_is_a_link() { mv bench/work.yaml free.yaml && ln -s ../free.yaml bench/work.yaml && sed -i s/2%/900%/ free.yaml; }
attack_renamed_file() { git mv bench/work.yaml bench/other.yaml && sed -i s/2%/900%/ bench/other.yaml; }
attack_renamed_workload() { sed -i 's/^name: work/name: other/; s/2%/900%/' bench/work.yaml; }
attack_both_renamed() { git mv bench/work.yaml bench/w.yaml && sed -i 's/^name: work/name: other/; s/2%/900%/' bench/w.yaml; }
attack_other_ending() { git mv bench/work.yaml bench/work.yml && sed -i s/2%/900%/ bench/work.yml; }
attack_other_case() { git mv bench/work.yaml bench/Work.yaml && sed -i 's/^name: work/name: Work/; s/2%/900%/' bench/Work.yaml; }
attack_unicode_twin() { git mv bench/work.yaml "bench/wоrk.yaml" && sed -i 's/2%/900%/' "bench/wоrk.yaml"; }
attack_carriage_returns() { sed -i 's/2%/900%/; s/$/\r/' bench/work.yaml conf/profile_run.yaml; }
attack_waiver() { waive; }
attack_waivers_file_elsewhere() { echo 'waivers: more.yaml' >>conf/profile_run.yaml && waive . && mv waivers.yaml more.yaml; }
attack_waivers_of_the_head_allowed() { echo 'allow_head_waivers: true' >>conf/profile_run.yaml && waive; }
attack_removed_configuration() { rm -r config conf; }
attack_removed_workload() { sed 's/^name: work/name: idle/; s/2%/900%/' bench/work.yaml >bench/idle.yaml && rm bench/work.yaml; }
attack_workloads_elsewhere() { mkdir -p mine && sed 's/2%/900%/' bench/work.yaml >mine/work.yaml && echo 'workloads: mine' >>conf/profile_run.yaml; }
attack_environment() { echo 'env: {LD_PRELOAD: /nowhere.so}' >>bench/work.yaml; }
attack_requirement() { echo 'requires: [no-such-program]' >>bench/work.yaml; }
attack_attributes() { echo '*.yaml filter=loose text eol=crlf ident' >.gitattributes && loosen; }
attack_submodule() {
	rm workloads && git init -q workloads && cp bench/work.yaml workloads && sed -i s/2%/900%/ workloads/work.yaml &&
		git -C workloads add . && git -C workloads -c user.name=t -c user.email=t@l commit -qm sub
}
attack_huge_file() { { cat bench/work.yaml; yes '# more' | head -c 20000000; } >big && mv big bench/work.yaml; }
attack_sparse_checkout() { loosen; SPARSE=1; }
attack_replaced_object() { loosen; REPLACE=1; }
attack_grafted_parent() { loosen; GRAFT=1 REF=HEAD^1; }
attack_pathspecs_of_the_environment() { loosen; SET=GIT_LITERAL_PATHSPECS=1; }
attack_other_objects_in_the_environment() { loosen; SET=GIT_OBJECT_DIRECTORY=$PWD/.git/other; }
attack_worktree_configuration() { loosen; WORKTREE=1; }
attack_benchmarks_in_the_folder_we_start_in() {
	cp -r bench sub/workloads && cp -r conf sub/config && cp -r baselines work.c count sub && HERE=sub &&
		sed -i 's/[12]%/900%/g' sub/*/*.yaml
}
attack_links_in_the_folder_we_start_in() {
	loosen && ln -s ../bench sub/workloads && ln -s ../conf sub/config && ln -s ../count ../work.c sub && HERE=sub
}
attack_folder_we_start_in_is_a_link() {
	mkdir linked && cp -r bench linked/workloads && cp -r conf linked/config && cp -r baselines work.c count linked &&
		sed -i 's/[12]%/900%/g' linked/*/*.yaml && rm -r sub && ln -s linked sub && HERE=sub
}
attack_folder_we_start_in_is_a_submodule() {
	attack_benchmarks_in_the_folder_we_start_in && git rm -rqf --cached sub && git -C sub init -q && git -C sub add -f . &&
		git -C sub -c user.name=t -c user.email=t@l commit -qm sub && git -C sub tag base
}
attack_folder_we_start_in_is_a_bare_repository() {
	git clone -q --bare . evil && loosen && cp -r bench evil/workloads && cp -r baselines work.c count evil &&
		git -C evil config core.bare false && git -C evil config core.worktree "$PWD/evil" && HERE=evil
}
attack_anchors() {
	sed -i 's/^gate:.*/env: {A: \&x "900%"}\ngate: {total: {warn: *x, fail: *x}, functions: {warn: *x, fail: *x}}/' \
		bench/work.yaml
}
attack_a_key_twice() { echo 'gate: {total: {fail: 900%}, functions: {fail: 900%}}' >>bench/work.yaml; }
attack_byte_order_mark() { loosen && sed -i '1s/^/\xef\xbb\xbf/' bench/work.yaml; }
attack_decomposed_unicode() {
	mkdir wörk && cp bench/work.yaml wörk && sed -i 's/[12]%/900%/g' wörk/work.yaml && ln -sfn wörk workloads
}
attack_second_workload_of_the_name() { cp bench/work.yaml bench/a.yaml && sed -i 's/[12]%/900%/g' bench/a.yaml; }

# attempt NAME: makes the commit of the attack, and gates it as CI does.
attempt() {
	local status expected=1 HERE=. REF=base SET=A=1 SPARSE='' REPLACE='' WORKTREE='' GRAFT=''
	rm -rf sub && git reset -q --hard base && git clean -qffdx -e '*.txt' -e .check.log || return 9
	echo 1100 >count
	"attack_$1" || return 9
	git add -f . ':!*.txt' ':!.check.log' 2>/dev/null
	git commit -qm "$1" || return 9
	[ -z "$SPARSE" ] || git sparse-checkout set --no-cone '/*' '!/conf/' || return 9
	[ -z "$REPLACE" ] || git replace -f base HEAD || return 9
	[ -z "$GRAFT" ] || echo "$(git rev-parse HEAD) $(git commit-tree -m loose "HEAD^{tree}")" >.git/info/grafts
	[ -z "$WORKTREE" ] || { git config extensions.worktreeConfig true &&
		git config --worktree core.symlinks false; } || return 9
	(cd "$HERE" && env "$SET" "$PROFILE_RUN" gate --policy-from "$REF") >out.txt 2>err.txt </dev/null
	status=$?
	rm -f .git/info/grafts
	[ -z "$SPARSE" ] || git sparse-checkout disable
	[ -z "$REPLACE" ] || git replace -d base >/dev/null
	[ -z "$WORKTREE" ] || git config --worktree --unset core.symlinks
	cat out.txt err.txt
	case $1 in
	both_renamed | other_case | removed_workload) expected=2; contains err.txt "is removed" || return 9 ;;
	renamed_workload | environment) expected=2; contains err.txt "measuring" || return 9 ;;
	huge_file) expected=2; contains err.txt "work.yaml' is larger" || return 9 ;;
	a_key_twice) expected=2; contains err.txt "work.yaml:" || return 9 ;;
	anchors) expected=2; contains err.txt "anchors" || return 9 ;;
	second_workload*) expected=2; contains err.txt "two workloads are named" || return 9 ;;
	folder_we_start_in_is_a_submodule) expected=2; contains err.txt "is a submodule" || return 9 ;;
	folder_we_start_in_is_a_bare*) expected=2; contains err.txt "bare repository" || return 9 ;;
	*_we_start_in*) expected=2; contains err.txt "start profile_run in '.'" || return 9 ;;
	esac
	echo "status $status, expected $expected"
	[ $status -eq $expected ]
}

# What the attacks are worth without the policy of the base.
git reset -q --hard base && echo 1100 >count && loosen
check "a loosened gate passes by its own policy" exits 0 "$PROFILE_RUN" gate

# THOROUGH=1: all of them, else every fourth, those by links, and those by the folder.
n=0
for name in $(declare -F | sed -n 's/^declare -f attack_//p'); do
	n=$((n + 1))
	[ "${THOROUGH:-0}" = 1 ] || [ $((n % 4)) -eq 0 ] || [[ $name = *link* || $name = *start_in* ]] || continue
	check "refused: ${name//_/ }" attempt "$name"
done
finish
