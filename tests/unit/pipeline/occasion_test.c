/* Beside the fixture of the store, one of a repository: git is asked where it is there. */
#include "pipeline/occasion.h"

#include "baseline/baseline_fixture.h"
#include "capture/process.h"

#include <unistd.h>

void suite_pipeline_occasion(void);

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

/* Sets a variable of the environment for a while. */
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
	struct variable git = variable_set("GIT_DIR", "/nonexistent");
	struct variable ci = variable_set("GITHUB_SHA", told);
	struct occasion occasion;

	occasion_begin(&occasion);
	UNIT_STR_EQ(occasion.commit, expected);
	CU_ASSERT(occasion.started > 0);
	CU_ASSERT(occasion.machine.cpus > 0);
	variable_restore(&ci);
	variable_restore(&git);
}

static void
the_commit_of_ci_counts_where_no_repository_is(void)
{
	expect_commit(COMMIT, COMMIT);
	/* A repository with SHA-256. */
	expect_commit(COMMIT "0123456789abcdef01234567", COMMIT "0123456789abcdef01234567");
}

static void
what_is_no_commit_is_not_known(void)
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
	struct variable ci = variable_set("GITHUB_SHA", COMMIT);
	struct variable git;
	struct occasion occasion;
	char dir[] = "/tmp/occasion-test-XXXXXX";
	char git_dir[64];
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(git_dir, sizeof(git_dir), "%s/.git", dir);
	git = variable_set("GIT_DIR", git_dir);
	if (process_run_shell("repository",
		    "git init -q && git -c user.name=x -c user.email=x@y -c commit.gpgsign=false "
		    "commit -q --allow-empty --no-verify -m x",
		    NULL, dir, 60, &err) < 0) {
		unit_skip("git makes no repository here");
	} else {
		occasion_begin(&occasion);
		CU_ASSERT_EQUAL(strlen(occasion.commit), 40);
		CU_ASSERT_NOT_EQUAL(strcmp(occasion.commit, COMMIT), 0);
	}
	variable_restore(&git);
	variable_restore(&ci);
	file_remove_tree(dir, &err);
}

/* A measurement of what the fixture has stored. */
struct stored {
	struct baseline_fixture fixture;
	struct occasion occasion;
	struct config config;
	struct workload workload;
	struct measurement measurement;
	struct occasion_store store;
};

static void
stored_init(struct stored *stored)
{
	*stored = (struct stored){.occasion = {.started = 1}};
	baseline_fixture_init(&stored->fixture);
	stored->config.baselines_dir = stored->fixture.dir;
	stored->config.machine_class = "x86_64-a-b";
	stored->workload.name = "parse";
	stored->workload.capture.metric = "cpu";
	stored->measurement.workload = &stored->workload;
	snprintf(stored->measurement.event.name, sizeof(stored->measurement.event.name),
		"cpu-clock");
	stored->store = (struct occasion_store){&stored->occasion, &stored->config};
}

static void
a_measurement_is_held_against_its_class_workload_and_metric(void)
{
	struct stored stored;

	stored_init(&stored);
	char *folder =
		occasion_baseline_folder(&stored.occasion, &stored.config, &stored.measurement);

	UNIT_STR_EQ(folder, stored.fixture.folder);
	free(folder);
	baseline_fixture_release(&stored.fixture);
}

static void
the_class_has_the_event_unless_configured(void)
{
	struct stored stored;
	char class[192];

	stored_init(&stored);
	snprintf(stored.occasion.machine.arch, sizeof(stored.occasion.machine.arch), "x86_64");
	occasion_machine_class(&stored.occasion, &stored.config, "cycles", class, sizeof(class));
	UNIT_STR_EQ(class, "x86_64-a-b");
	stored.config.machine_class = NULL;
	occasion_machine_class(&stored.occasion, &stored.config, "cycles", class, sizeof(class));
	UNIT_CONTAINS(class, "x86_64");
	UNIT_CONTAINS(class, "cycles");
	baseline_fixture_release(&stored.fixture);
}

static void
stacks_are_captured_as_the_baseline_s_were(void)
{
	struct stored stored;

	stored_init(&stored);
	/* There is none yet. */
	CU_ASSERT_PTR_NULL(occasion_callgraph(&stored.store, &stored.measurement));
	CU_ASSERT_EQUAL(baseline_fixture_write(&stored.fixture), 0);
	char *callgraph = occasion_callgraph(&stored.store, &stored.measurement);

	UNIT_STR_EQ(callgraph ? callgraph : "(none)", "dwarf");
	free(callgraph);
	baseline_fixture_release(&stored.fixture);
}

/* It is told when the baseline is compared with, and stops nothing before. */
static void
a_broken_baseline_tells_nothing_of_stacks(void)
{
	struct stored stored;
	char path[256];

	stored_init(&stored);
	CU_ASSERT_EQUAL(baseline_fixture_write(&stored.fixture), 0);
	snprintf(path, sizeof(path), "%s/baseline.json", stored.fixture.folder);
	CU_ASSERT_EQUAL(truncate(path, 10), 0);
	CU_ASSERT_PTR_NULL(occasion_callgraph(&stored.store, &stored.measurement));
	baseline_fixture_release(&stored.fixture);
}

static const struct unit_case cases[] = {
	{"the_commit_of_ci_counts_where_no_repository_is",
		the_commit_of_ci_counts_where_no_repository_is},
	{"what_is_no_commit_is_not_known", what_is_no_commit_is_not_known},
	{"the_repository_counts_before_ci", the_repository_counts_before_ci},
	{"a_measurement_is_held_against_its_class_workload_and_metric",
		a_measurement_is_held_against_its_class_workload_and_metric},
	{"the_class_has_the_event_unless_configured", the_class_has_the_event_unless_configured},
	{"stacks_are_captured_as_the_baseline_s_were", stacks_are_captured_as_the_baseline_s_were},
	{"a_broken_baseline_tells_nothing_of_stacks", a_broken_baseline_tells_nothing_of_stacks},
	{NULL, NULL},
};

void
suite_pipeline_occasion(void)
{
	unit_suite("pipeline/occasion", cases);
}
