/* With fixtures of a store and of a repository: git is needed where the test uses the latter. */
#include "measurement/session.h"

#include "baseline/baseline_fixture.h"
#include "builds/git_fixture.h"
#include "measurement/measurement.h"

#include <fcntl.h>
#include <unistd.h>

void suite_measurement_session(void);

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

/* A variable of the environment, set for the time of a test. */
struct variable {
	const char *name;
	char *before; /* NULL: it was not set */
};

static struct variable
variable_set(const char *name, const char *value)
{
	const char *before = getenv(name);
	struct variable variable = {name, before ? strdup(before) : NULL};

	setenv(name, value, 1);
	return variable;
}

static void
variable_restore(struct variable *variable)
{
	if (variable->before)
		setenv(variable->name, variable->before, 1);
	else
		unsetenv(variable->name);
	free(variable->before);
}

/* The commit where there is no repository and CI says `told`. */
static void
expect_commit(const char *told, const char *expected)
{
	int old_folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct variable ci = variable_set("GITHUB_SHA", told);
	struct session session;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(chdir("/"), 0);
	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	CU_ASSERT_EQUAL(fchdir(old_folder), 0);
	close(old_folder);
	UNIT_STR_EQ(session.commit, expected);
	CU_ASSERT(session.started > 0);
	CU_ASSERT(session.machine.cpus > 0);
	variable_restore(&ci);
}

static void
the_commit_of_ci_counts_where_no_repository_is(void)
{
	expect_commit(COMMIT, COMMIT);
	/* A repository with SHA-256. */
	expect_commit(COMMIT "0123456789abcdef01234567", COMMIT "0123456789abcdef01234567");
}

static void
a_text_that_is_no_commit_is_unknown(void)
{
	expect_commit("", "");
	expect_commit("refs/heads/main", "");
	expect_commit("0123abc", "");
	expect_commit(COMMIT "x", "");
	expect_commit(COMMIT COMMIT, "");
}

static void
the_repository_counts_before_ci(void)
{
	struct git_fixture f;
	struct session session;
	struct err err = {0};

	if (!git_fixture_init(&f))
		return;
	struct variable ci = variable_set("GITHUB_SHA", COMMIT);

	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	CU_ASSERT_EQUAL(strlen(session.commit), 40);
	CU_ASSERT_NOT_EQUAL(strcmp(session.commit, COMMIT), 0);
	char *head = git_fixture_ask("git rev-parse HEAD");

	UNIT_STR_EQ(session.commit, head);
	free(head);
	variable_restore(&ci);
	git_fixture_release(&f);
}

static void
a_hook_s_repository_is_that_of_its_folder(void)
{
	struct git_fixture f;
	struct session session;
	struct err err = {0};

	if (!git_fixture_init(&f))
		return;
	struct variable hook = variable_set("GIT_DIR", "/nonexistent");
	struct variable base = variable_set("GITHUB_BASE_REF", "");
	struct variable name = variable_set("GITHUB_REF_NAME", "");

	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	CU_ASSERT_EQUAL(strlen(session.commit), 40);
	UNIT_STR_EQ(session.branch, "main");
	variable_restore(&name);
	variable_restore(&base);
	variable_restore(&hook);
	git_fixture_release(&f);
}

static void
the_branch_of_a_pull_request_counts_before_all(void)
{
	struct git_fixture f;
	struct session session;
	struct err err = {0};

	if (!git_fixture_init(&f))
		return;
	struct variable base = variable_set("GITHUB_BASE_REF", "release");
	struct variable name = variable_set("GITHUB_REF_NAME", "7/merge");

	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	UNIT_STR_EQ(session.branch, "release");
	setenv("GITHUB_BASE_REF", "", 1);
	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	UNIT_STR_EQ(session.branch, "7/merge");
	setenv("GITHUB_REF_NAME", "gh-readonly-queue/release/2/pr-7-0123abcd", 1);
	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	UNIT_STR_EQ(session.branch, "release/2");
	setenv("GITHUB_REF_NAME", "gh-readonly-queue/", 1);
	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	UNIT_STR_EQ(session.branch, "gh-readonly-queue/");
	setenv("GITHUB_REF_NAME", "", 1);
	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	UNIT_STR_EQ(session.branch, "main");
	git_fixture_sh(&f, "git checkout -q --detach");
	CU_ASSERT_EQUAL(session_begin(&session, &(struct config){0}, &err), 0);
	UNIT_STR_EQ(session.branch, "");
	variable_restore(&name);
	variable_restore(&base);
	git_fixture_release(&f);
}

/* A measurement of the workload whose baseline the fixture has stored. */
struct stored {
	struct baseline_fixture fixture;
	struct session session;
	struct config config;
	struct workload workload;
	struct measurement measurement;
};

static void
stored_init(struct stored *stored)
{
	*stored = (struct stored){.session = {.started = 1}};
	baseline_fixture_init(&stored->fixture);
	stored->config.baselines_dir = stored->fixture.dir;
	stored->config.machine_class = "x86_64-a-b";
	stored->workload.name = stored->workload.stored_name = "parse";
	stored->workload.capture.metric = "cpu";
	stored->measurement.workload = &stored->workload;
	snprintf(stored->measurement.event.name, sizeof(stored->measurement.event.name),
		"cpu-clock");
	stored->session.config = &stored->config;
}

static void
a_measurement_is_held_against_its_class_workload_and_metric(void)
{
	struct stored stored;

	stored_init(&stored);
	char *folder = session_baseline_folder(&stored.session, &stored.measurement);

	UNIT_STR_EQ(folder, stored.fixture.folder);
	free(folder);
	baseline_fixture_release(&stored.fixture);
}

static void
the_class_has_the_event_unless_configured(void)
{
	struct stored stored;

	stored_init(&stored);
	snprintf(stored.session.machine.arch, sizeof(stored.session.machine.arch), "x86_64");
	struct baseline_info configured = session_info(&stored.session, &stored.measurement);

	UNIT_STR_EQ(configured.machine_class, "x86_64-a-b");
	stored.config.machine_class = NULL;
	struct baseline_info found = session_info(&stored.session, &stored.measurement);

	UNIT_CONTAINS(found.machine_class, "x86_64");
	UNIT_CONTAINS(found.machine_class, "cpu-clock");
	baseline_fixture_release(&stored.fixture);
}

static void
runs_are_captured_as_the_baseline_s_were(void)
{
	struct stored stored;
	struct measurement *m = &stored.measurement;

	stored_init(&stored);
	/* No baseline is stored yet. */
	session_look_back(&stored.session, m);
	CU_ASSERT_PTR_NULL(m->callgraph_before);
	CU_ASSERT_EQUAL(m->executions_before, 0);
	CU_ASSERT_EQUAL(baseline_fixture_write(&stored.fixture), 0);
	session_look_back(&stored.session, m);
	UNIT_STR_EQ(m->callgraph_before ? m->callgraph_before : "(none)", "dwarf");
	CU_ASSERT_EQUAL(m->executions_before, 40);
	free(m->callgraph_before);
	baseline_fixture_release(&stored.fixture);
}

/* The error is reported later, when the baseline is compared with. */
static void
a_broken_baseline_tells_nothing_of_stacks(void)
{
	struct stored stored;
	char path[256];

	stored_init(&stored);
	CU_ASSERT_EQUAL(baseline_fixture_write(&stored.fixture), 0);
	snprintf(path, sizeof(path), "%s/baseline.json", stored.fixture.folder);
	CU_ASSERT_EQUAL(truncate(path, 10), 0);
	session_look_back(&stored.session, &stored.measurement);
	CU_ASSERT_PTR_NULL(stored.measurement.callgraph_before);
	baseline_fixture_release(&stored.fixture);
}

static const struct unit_case cases[] = {
	{"the_commit_of_ci_counts_where_no_repository_is",
		the_commit_of_ci_counts_where_no_repository_is},
	{"a_text_that_is_no_commit_is_unknown", a_text_that_is_no_commit_is_unknown},
	{"the_repository_counts_before_ci", the_repository_counts_before_ci},
	{"a_hook_s_repository_is_that_of_its_folder", a_hook_s_repository_is_that_of_its_folder},
	{"the_branch_of_a_pull_request_counts_before_all",
		the_branch_of_a_pull_request_counts_before_all},
	{"a_measurement_is_held_against_its_class_workload_and_metric",
		a_measurement_is_held_against_its_class_workload_and_metric},
	{"the_class_has_the_event_unless_configured", the_class_has_the_event_unless_configured},
	{"runs_are_captured_as_the_baseline_s_were", runs_are_captured_as_the_baseline_s_were},
	{"a_broken_baseline_tells_nothing_of_stacks", a_broken_baseline_tells_nothing_of_stacks},
	{NULL, NULL},
};

void
suite_measurement_session(void)
{
	unit_suite("measurement/session", cases);
}
