#include "gate/policy_from.h"

#include "builds/git_fixture.h"

void suite_gate_policy_from(void);

#define CONFIG "config/profile_run.yaml"
#define WAIVER(name, max) \
	"- {function: " name ", max: " max ", reason: r, owner: o, expires: 2099-01-01}\n"

/* The commit `one` has a policy; each test changes the working tree. */
static const char base[] =
	"mkdir config workloads\n"
	"echo 'gate: {functions: {warn: 5%, fail: 10%}}' >" CONFIG "\n"
	"printf '%s\\n' '" WAIVER("kept",
		"5%") "' >config/waivers.yaml\n"
		      "echo '{name: parse, run: a, gate: {total: {fail: 20%}}}' >workloads/p.yaml\n"
		      "echo '{name: gone, run: a}' >workloads/gone.yaml\n"
		      "git add .; git commit -q -m policy; git tag -f one >/dev/null\n";

struct fixture {
	struct git_fixture git;
	const char *started;
	struct config config;
	struct policy_from from;
	struct workload_list list;
	struct buf changes; /* "FILE KEY BEFORE>AFTER HOLDS", a line each */
};

static int
read_all(struct fixture *f)
{
	const struct policy_place place = {.path = CONFIG, .started = f->started};
	struct err *err = &f->git.err;

	config_init(&f->config);
	if (file_exists(CONFIG))
		CU_ASSERT_EQUAL_FATAL(config_read(&f->config, CONFIG, err), 0);
	if (policy_from_read_config(&f->from, "one", &place, &f->config, err) < 0 ||
		policy_from_read_workloads(&f->from, &f->list, NULL, 0, &f->config, err) < 0)
		return -1;
	for (size_t i = 0; i < f->from.changes.count; i++) {
		const struct policy_change *change = &f->from.changes.items[i];

		buf_printf(&f->changes, "%s %s %s>%s%s%s\n", change->file, change->key,
			change->before, change->after, change->holds ? " " : "",
			change->holds ? change->holds : "");
	}
	return 0;
}

/* The same in the root `folder`, entered from the folder `started` below it. */
static bool
begin_in(struct fixture *f, const char *script, const char *folder, const char *started,
	int expected)
{
	*f = (struct fixture){.started = started};
	if (!git_fixture_init(&f->git))
		return false;
	git_fixture_sh(&f->git, base);
	git_fixture_sh(&f->git, script);
	CU_ASSERT_EQUAL_FATAL(chdir(folder), 0);
	CU_ASSERT_EQUAL(read_all(f), expected);
	return true;
}

static bool
begin(struct fixture *f, const char *script, int expected)
{
	return begin_in(f, script, ".", "", expected);
}

static void
end(struct fixture *f)
{
	workload_list_release(&f->list);
	config_release(&f->config);
	policy_from_release(&f->from);
	buf_release(&f->changes);
	git_fixture_release(&f->git);
}

static void
without_a_difference_there_is_none_to_tell(void)
{
	struct fixture f;

	if (!begin(&f, "sed -i '1i # a comment' " CONFIG, 0))
		return;
	UNIT_STR_EQ(buf_text(&f.changes), "");
	CU_ASSERT_EQUAL(f.list.nworkloads, 2);
	CU_ASSERT(strncmp(f.from.name, "one (", 5) == 0);
	end(&f);
}

static void
thresholds_are_those_of_the_commit(void)
{
	struct fixture f;

	if (!begin(&f, "sed -i 's/10%/90%/' " CONFIG "; sed -i 's/20%/80%/' workloads/p.yaml", 0))
		return;
	const struct workload *parse = &f.list.workloads[1];

	UNIT_STR_EQ(parse->name, "parse");
	UNIT_NEAR(parse->gate.functions.fail, 0.1, 1e-12);
	UNIT_NEAR(parse->gate.total.fail, 0.2, 1e-12);
	UNIT_STR_EQ(buf_text(&f.changes),
		CONFIG " gate.functions.fail 10%>90%\nworkloads/p.yaml gate.total.fail 20%>80%\n");
	end(&f);
}

static void
a_policy_that_is_removed_holds(void)
{
	struct fixture f;

	if (!begin(&f, "rm -r config", 0))
		return;
	UNIT_NEAR(f.config.gate.functions.fail, 0.1, 1e-12);
	CU_ASSERT_EQUAL(f.list.workloads[0].gate.nwaivers, 1);
	UNIT_CONTAINS(f.list.workloads[0].gate.waivers_list[0].file, "one:config/waivers.yaml");
	UNIT_CONTAINS(buf_text(&f.changes), CONFIG " gate.functions.fail 10%>\n");
	end(&f);
}

static void
waivers_of_the_head_alone_do_not_count(void)
{
	struct fixture f;

	if (!begin(&f, "printf '%s\\n' '" WAIVER("mine", "500%") "' >>config/waivers.yaml", 0))
		return;
	CU_ASSERT_EQUAL(f.config.gate.nwaivers, 1);
	CU_ASSERT_EQUAL(f.list.workloads[0].gate.nwaivers, 1);
	UNIT_STR_EQ(f.list.workloads[0].gate.waivers_list[0].pattern, "kept");
	UNIT_CONTAINS(buf_text(&f.changes), "config/waivers.yaml waivers >{function: mine");
	end(&f);
}

static void
they_do_where_the_commit_allows_it(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo 'allow_head_waivers: true' >>" CONFIG "\n"
		    "git commit -q -a -m allow; git tag -f one >/dev/null\n"
		    "printf '%s\\n' '" WAIVER("mine", "500%") "' >config/waivers.yaml",
		    0))
		return;
	const struct gate_policy *gate = &f.list.workloads[0].gate;

	CU_ASSERT_EQUAL_FATAL(gate->nwaivers, 2);
	UNIT_STR_EQ(gate->waivers_list[0].pattern, "kept");
	UNIT_STR_EQ(gate->waivers_list[1].pattern, "mine");
	UNIT_STR_EQ(gate->waivers_list[1].file, "config/waivers.yaml");
	UNIT_CONTAINS(buf_text(&f.changes), "expires: 2099-01-01} allow_head_waivers\n");
	end(&f);
}

static void
the_head_cannot_allow_it_to_itself(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo 'allow_head_waivers: true' >>" CONFIG "\n"
		    "printf '%s\\n' '" WAIVER("mine", "500%") "' >config/waivers.yaml",
		    0))
		return;
	CU_ASSERT_EQUAL(f.config.gate.nwaivers, 1);
	UNIT_CONTAINS(buf_text(&f.changes), CONFIG " allow_head_waivers >true\n");
	end(&f);
}

static void
a_workload_is_known_by_its_name_and_by_its_file(void)
{
	struct fixture f;

	if (!begin(&f,
		    "mv workloads/p.yaml workloads/q.yaml; sed -i s/20/70/ workloads/q.yaml\n"
		    "echo '{name: renamed, run: a, gate: {total: {fail: 60%}}}' >workloads/gone.yaml",
		    0))
		return;
	UNIT_STR_EQ(f.list.workloads[0].name, "parse");
	UNIT_NEAR(f.list.workloads[0].gate.total.fail, 0.2, 1e-12);
	UNIT_STR_EQ(f.list.workloads[1].name, "renamed");
	CU_ASSERT(f.list.workloads[1].gate.total.fail < 0.5);
	UNIT_STR_EQ(buf_text(&f.changes),
		"workloads/q.yaml gate.total.fail 20%>70%\n"
		"workloads/gone.yaml gate.total.fail >60%\n"
		"workloads/gone.yaml name gone>renamed measured as in the "
		"working tree\n");
	end(&f);
}

static void
a_new_workload_keeps_its_gate_and_a_removed_one_is_told(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo '{name: new, run: a, gate: {total: {fail: 60%}}}' >workloads/new.yaml\n"
		    "rm workloads/gone.yaml",
		    0))
		return;
	UNIT_STR_EQ(f.list.workloads[0].name, "new");
	UNIT_NEAR(f.list.workloads[0].gate.total.fail, 0.6, 1e-12);
	UNIT_STR_EQ(buf_text(&f.changes), "workloads/new.yaml gate.total.fail >60% a new workload\n"
					  "workloads/gone.yaml name gone> a removed workload\n");
	end(&f);
}

/*
 * The folders of the policy are links in the commit; the working tree loosens the files behind
 * them.
 */
static void
links_of_the_commit_lead_to_its_policy(void)
{
	struct fixture f;

	if (!begin(&f,
		    "git mv workloads bench; git mv config conf; ln -s bench workloads\n"
		    "ln -s conf config; git add .; git commit -q -m links; git tag -f one >/dev/null\n"
		    "sed -i s/20/80/ bench/p.yaml; sed -i s/10/90/ conf/profile_run.yaml\n"
		    "printf '%s\\n' '" WAIVER("mine", "500%") "' >>conf/waivers.yaml",
		    0))
		return;
	const struct workload *parse = &f.list.workloads[1];

	UNIT_NEAR(parse->gate.functions.fail, 0.1, 1e-12);
	UNIT_NEAR(parse->gate.total.fail, 0.2, 1e-12);
	CU_ASSERT_EQUAL(parse->gate.nwaivers, 1);
	UNIT_CONTAINS(buf_text(&f.changes), CONFIG " gate.functions.fail 10%>90%\n");
	UNIT_CONTAINS(buf_text(&f.changes), "workloads/p.yaml gate.total.fail 20%>80%\n");
	end(&f);
}

static void
a_link_that_the_head_makes_leads_to_no_policy(void)
{
	struct fixture f;

	if (!begin(&f,
		    "mv workloads bench; mv config conf; ln -s bench workloads; ln -s conf config\n"
		    "sed -i s/20/80/ bench/p.yaml; sed -i s/10/90/ conf/profile_run.yaml",
		    0))
		return;
	UNIT_NEAR(f.list.workloads[1].gate.functions.fail, 0.1, 1e-12);
	UNIT_NEAR(f.list.workloads[1].gate.total.fail, 0.2, 1e-12);
	end(&f);
}

static void
a_policy_behind_a_broken_link_is_an_error(void)
{
	struct fixture f;

	if (!begin(&f,
		    "git mv workloads bench; ln -s ../repo/bench workloads; git add .\n"
		    "git commit -q -m links; git tag -f one >/dev/null",
		    -1))
		return;
	UNIT_CONTAINS(f.git.err.text, "outside of the repository");
	end(&f);
}

static void
a_file_that_takes_another_name_removes_its_workload(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo '{name: gone, run: a, gate: {total: {fail: 20%}}}' >workloads/p.yaml\n"
		    "rm workloads/gone.yaml",
		    0))
		return;
	CU_ASSERT_EQUAL(f.list.nworkloads, 1);
	UNIT_CONTAINS(buf_text(&f.changes), "workloads/p.yaml name parse> a removed workload\n");
	end(&f);
}

static void
another_way_of_measuring_is_told(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo '{name: parse, summary: s, run: [sleep, \"1\"], env: {A: b}, "
		    "gate: {total: {fail: 20%}}}' >workloads/p.yaml",
		    0))
		return;
	UNIT_CONTAINS(f.list.workloads[1].changed, "'run' and 'env' differ from one (");
	CU_ASSERT_PTR_NULL(f.list.workloads[0].changed);
	UNIT_STR_EQ(buf_text(&f.changes),
		"workloads/p.yaml run a>[sleep, 1] measured as in the working tree\n"
		"workloads/p.yaml env.A >b measured as in the working tree\n");
	end(&f);
}

static void
a_workload_whose_changes_are_refused_cannot_be_removed(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo 'gate: {policy: {changed_workload: error}}' >" CONFIG "\n"
		    "git commit -q -a -m strict; git tag -f one >/dev/null; rm workloads/gone.yaml",
		    -1))
		return;
	UNIT_CONTAINS(f.git.err.text, "the workload 'gone' of one (");
	UNIT_CONTAINS(f.git.err.text, "('workloads/gone.yaml') is removed");
	end(&f);
}

static void
a_broken_policy_is_located_in_the_commit(void)
{
	struct fixture f;

	if (!begin(&f,
		    "echo 'gate: {funktions: 1%}' >" CONFIG "; git commit -q -a -m broken\n"
		    "git tag -f one >/dev/null; rm " CONFIG,
		    -1))
		return;
	UNIT_CONTAINS(f.git.err.text, "one:" CONFIG ":1:8: error: ");
	end(&f);
	if (!begin(&f,
		    "echo '{name: parse, run: a, gate: {total: {fail: 2x}}}' >workloads/p.yaml\n"
		    "git commit -q -a -m broken; git tag -f one >/dev/null\n"
		    "echo '{name: parse, run: a}' >workloads/p.yaml",
		    -1))
		return;
	UNIT_CONTAINS(f.git.err.text, "one:workloads/p.yaml:1:");
	end(&f);
}

static void
thresholds_need_only_go_together_on_their_own_side(void)
{
	struct fixture f;

	/*
	 * A warning from 20 % on is valid beside the working tree's 50 %, not beside the commit's
	 * 10 %.
	 */
	if (!begin(&f,
		    "sed -i 's/10%/50%/' " CONFIG "\n"
		    "echo '{name: parse, run: a, gate: {functions: {warn: 20%}}}' >workloads/p.yaml",
		    0))
		return;
	UNIT_NEAR(f.list.workloads[1].gate.functions.warn, 0.05, 1e-12);
	end(&f);
}

static void
a_workload_cannot_let_itself_be_skipped(void)
{
	struct fixture f;

	if (!begin(&f, "echo 'requires: [no-such]\nname: parse\nrun: a\n' >workloads/p.yaml", 0))
		return;
	CU_ASSERT_PTR_NULL(f.list.workloads[1].requires);
	UNIT_CONTAINS(buf_text(&f.changes), "workloads/p.yaml requires >");
	end(&f);
}

#define COPY "cp -r config workloads sub; sed -i s/[12]0%/90%/ sub/*/*.yaml\n"

/*
 * Benchmarks that the working tree adds in a folder below would be entered in place of the root's.
 */
static void
benchmarks_that_the_head_adds_in_a_folder_below_are_refused(void)
{
	struct fixture f;

	if (!begin_in(&f, COPY, "sub", "", -1))
		return;
	UNIT_CONTAINS(f.git.err.text, ") are in '.' of the repository, not in 'sub'");
	UNIT_CONTAINS(f.git.err.text, "start profile_run in '.'");
	end(&f);
	if (!begin_in(&f,
		    COPY
		    "git add .; git commit -q -m sub; git tag -f one >/dev/null; rm -r sub/[cw]*",
		    ".", "sub/", -1))
		return;
	UNIT_CONTAINS(f.git.err.text, ") are in 'sub' of the repository, not in '.'");
	end(&f);
	if (!begin_in(&f, "", ".", "sub/", 0))
		return;
	CU_ASSERT_EQUAL(f.list.nworkloads, 2);
	end(&f);
}

/* `cd bench` enters another folder than the commit has there. */
static void
a_folder_that_became_a_link_is_refused(void)
{
	static const char move[] =
		"mkdir bench; git mv config workloads bench; git commit -q -m m\n"
		"git tag -f one >/dev/null; cp -r bench evil; rm -r bench\n"
		"sed -i s/[12]0%/90%/ evil/*/*.yaml; ln -s evil bench\n";
	struct fixture f;

	if (!begin_in(&f, move, "bench", "", -1))
		return;
	UNIT_CONTAINS(f.git.err.text, ") are in 'bench' of the repository, not in 'evil'");
	end(&f);
}

static void
the_first_benchmarks_of_a_repository_are_new(void)
{
	static const char other[] =
		"git rm -q -r config workloads; mkdir -p k8s/workloads config\n"
		"echo '{kind: Job}' >k8s/workloads/job.yaml; git add .\n"
		"git commit -q -m none; git tag -f one >/dev/null\n"
		"mkdir -p workloads; echo '{name: a, run: a}' >workloads/a.yaml\n";
	struct fixture f;

	if (!begin(&f, other, 0))
		return;
	CU_ASSERT_EQUAL(f.list.nworkloads, 1);
	end(&f);
}

static void
a_configuration_that_is_named_must_be_in_the_commit(void)
{
	struct fixture f;

	if (!begin_in(&f,
		    "git rm -q " CONFIG "; git commit -q -m no; git tag -f one >/dev/null\n"
		    "echo 'gate: {total: {fail: 90%}}' >" CONFIG,
		    ".", NULL, -1))
		return;
	UNIT_CONTAINS(f.git.err.text, ") has no file '" CONFIG "' (--config, --policy-from)");
	end(&f);
}

static void
a_branch_of_a_submodule_is_no_policy(void)
{
	static const char script[] =
		"git clone -q . bench; git -C bench fetch -q --tags; git add bench 2>/dev/null\n"
		"git commit -q -m sub";
	struct fixture f;

	if (!begin_in(&f, script, "bench", "", -1))
		return;
	UNIT_CONTAINS(f.git.err.text, "' is a submodule: its commit 'one' may be any");
	end(&f);
}

/* A folder of the pull request that is a repository by its contents. */
static void
a_bare_repository_among_the_files_is_not_entered(void)
{
	static const char script[] =
		"git clone -q --bare . evil; cd evil; git fetch -q --tags ..; cp -r ../workloads .\n"
		"git config core.bare false; git config core.worktree .";
	struct fixture f;

	if (!begin_in(&f, script, "evil", "", -1))
		return;
	UNIT_CONTAINS(f.git.err.text, "bare");
	end(&f);
}

/* git replace would show other contents than those that the hash of the commit names. */
static void
objects_that_replace_those_of_the_commit_are_ignored(void)
{
	static const char loose[] =
		"sed -i s/20%/80%/ workloads/p.yaml; git commit -q -a -m loose\n"
		"git replace -f one HEAD\n";
	struct fixture f;

	if (!begin(&f, loose, 0))
		return;
	UNIT_NEAR(f.list.workloads[1].gate.total.fail, 0.2, 1e-12);
	end(&f);
}

static void
paths_are_found_whatever_the_syntax_of_the_environment(void)
{
	struct fixture f;

	setenv("GIT_LITERAL_PATHSPECS", "1", 1);
	if (begin(&f, "sed -i s/20%/80%/ workloads/p.yaml", 0)) {
		UNIT_NEAR(f.list.workloads[1].gate.total.fail, 0.2, 1e-12);
		end(&f);
	}
	unsetenv("GIT_LITERAL_PATHSPECS");
}

void
suite_gate_policy_from(void)
{
	static const struct unit_case cases[] = {
		{"without_a_difference_there_is_none_to_tell",
			without_a_difference_there_is_none_to_tell},
		{"thresholds_are_those_of_the_commit", thresholds_are_those_of_the_commit},
		{"a_policy_that_is_removed_holds", a_policy_that_is_removed_holds},
		{"waivers_of_the_head_alone_do_not_count", waivers_of_the_head_alone_do_not_count},
		{"they_do_where_the_commit_allows_it", they_do_where_the_commit_allows_it},
		{"the_head_cannot_allow_it_to_itself", the_head_cannot_allow_it_to_itself},
		{"a_workload_is_known_by_its_name_and_by_its_file",
			a_workload_is_known_by_its_name_and_by_its_file},
		{"a_new_workload_keeps_its_gate_and_a_removed_one_is_told",
			a_new_workload_keeps_its_gate_and_a_removed_one_is_told},
		{"links_of_the_commit_lead_to_its_policy", links_of_the_commit_lead_to_its_policy},
		{"a_link_that_the_head_makes_leads_to_no_policy",
			a_link_that_the_head_makes_leads_to_no_policy},
		{"a_policy_behind_a_broken_link_is_an_error",
			a_policy_behind_a_broken_link_is_an_error},
		{"a_file_that_takes_another_name_removes_its_workload",
			a_file_that_takes_another_name_removes_its_workload},
		{"another_way_of_measuring_is_told", another_way_of_measuring_is_told},
		{"a_workload_whose_changes_are_refused_cannot_be_removed",
			a_workload_whose_changes_are_refused_cannot_be_removed},
		{"a_broken_policy_is_located_in_the_commit",
			a_broken_policy_is_located_in_the_commit},
		{"thresholds_need_only_go_together_on_their_own_side",
			thresholds_need_only_go_together_on_their_own_side},
		{"a_workload_cannot_let_itself_be_skipped",
			a_workload_cannot_let_itself_be_skipped},
		{"benchmarks_that_the_head_adds_in_a_folder_below_are_refused",
			benchmarks_that_the_head_adds_in_a_folder_below_are_refused},
		{"a_folder_that_became_a_link_is_refused", a_folder_that_became_a_link_is_refused},
		{"the_first_benchmarks_of_a_repository_are_new",
			the_first_benchmarks_of_a_repository_are_new},
		{"a_configuration_that_is_named_must_be_in_the_commit",
			a_configuration_that_is_named_must_be_in_the_commit},
		{"a_branch_of_a_submodule_is_no_policy", a_branch_of_a_submodule_is_no_policy},
		{"a_bare_repository_among_the_files_is_not_entered",
			a_bare_repository_among_the_files_is_not_entered},
		{"objects_that_replace_those_of_the_commit_are_ignored",
			objects_that_replace_those_of_the_commit_are_ignored},
		{"paths_are_found_whatever_the_syntax_of_the_environment",
			paths_are_found_whatever_the_syntax_of_the_environment},
		{NULL, NULL},
	};

	unit_suite("gate/policy_from", cases);
}
