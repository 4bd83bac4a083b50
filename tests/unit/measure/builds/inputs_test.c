#include "builds/inputs.h"

#include "builds/worktree.h"
#include "git_fixture.h"

#include <string.h>
#include <sys/stat.h>

void suite_builds_inputs(void);

/* A workload with inputs, and the commit `one` that it is compared with. */
struct bench {
	struct git_fixture f;
	struct build_side side;
	struct arena arena;
	const char *words[2];
	const char *env[1];
	const char *inputs[3];
	struct workload here;
	struct workload there;
};

static bool
bench_init(struct bench *bench, const char *input)
{
	*bench = (struct bench){.words = {"./program"}, .inputs = {input}};
	if (!git_fixture_init(&bench->f))
		return false;
	bench->here = (struct workload){.name = "work",
		.path = "work.yaml",
		.run = bench->words,
		.env = bench->env,
		.inputs = bench->inputs};
	git_fixture_sh(&bench->f,
		"mkdir -p data/deep; echo here >data/a.bin; echo here >data/deep/b.bin\n"
		"echo here >data/c.txt; echo data/ >.git/info/exclude");
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench->side, "one", false, &bench->f.err), 0);
	return true;
}

static int
link_inputs(struct bench *bench)
{
	CU_ASSERT_EQUAL_FATAL(build_side_workload(&bench->side, &bench->here, &bench->there, NULL,
				      &bench->arena, &bench->f.err),
		0);
	return inputs_link(&bench->side, &bench->here, &bench->there, &bench->f.err);
}

static void
bench_release(struct bench *bench)
{
	build_side_release(&bench->side);
	arena_release(&bench->arena);
	git_fixture_release(&bench->f);
}

/* Runs a script in the base. */
static void
change_there(struct bench *bench, const char *script)
{
	char *all = mem_printf("cd '%s'; %s", bench->side.root, script);

	git_fixture_sh(&bench->f, all);
	free(all);
}

/* The first line of a file of the base; "" if there is none. free() it. */
static char *
read_there(const struct bench *bench, const char *name)
{
	char *command = mem_printf("cat '%s/%s' 2>/dev/null", bench->side.root, name);
	char *line = git_fixture_ask(command);

	free(command);
	return line;
}

static void
check_there(const struct bench *bench, const char *name, const char *text)
{
	char *line = read_there(bench, name);

	UNIT_STR_EQ(line, text);
	free(line);
}

static void
files_by_a_pattern_are_in_both_builds(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/*.bin"))
		return;
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	check_there(&bench, "data/a.bin", "here");
	check_there(&bench, "data/c.txt", "");
	/* For the next workload, or run, again. */
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	bench_release(&bench);
}

static void
a_folder_is_linked_file_by_file(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data"))
		return;
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	check_there(&bench, "data/deep/b.bin", "here");
	/* A file that a run makes there is not made here. */
	change_there(&bench, "touch data/deep/new");
	CU_ASSERT_FALSE(file_exists("data/deep/new"));
	bench_release(&bench);
}

static void
paths_start_from_the_folder_of_the_workload(void)
{
	struct bench bench;

	if (!bench_init(&bench, "a.bin"))
		return;
	bench.here.cwd = "data";
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	check_there(&bench, "data/a.bin", "here");
	bench_release(&bench);
}

static void
links_are_gone_when_the_commit_is_opened_again(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/a.bin"))
		return;
	bench.inputs[1] = "program.sh";
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	check_there(&bench, "program.sh", "echo two");
	CU_ASSERT_EQUAL(worktree_note_programs(bench.side.worktree, &bench.f.err), 0);
	build_side_release(&bench.side);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "one", false, &bench.f.err), 0);
	check_there(&bench, "data/a.bin", "");
	/* What a link replaced is the commit's again. */
	check_there(&bench, "program.sh", "echo one");
	CU_ASSERT_TRUE(file_exists("data/a.bin"));
	bench_release(&bench);
}

/* A build may replace a link with its own file, or a folder with a link out of the checkout. */
static void
only_links_within_the_checkout_are_removed(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/*.bin"))
		return;
	bench.inputs[1] = "data/deep/b.bin";
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	change_there(&bench, "rm data/a.bin; echo own >data/a.bin\n"
			     "mkdir \"$HOME/outside\"; ln -s /nowhere \"$HOME/outside/b.bin\"\n"
			     "rm -r data/deep; ln -s \"$HOME/outside\" data/deep");
	CU_ASSERT_EQUAL(worktree_note_programs(bench.side.worktree, &bench.f.err), 0);
	build_side_release(&bench.side);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "one", false, &bench.f.err), 0);
	check_there(&bench, "data/a.bin", "own");
	git_fixture_sh(&bench.f, "test -L ../outside/b.bin");
	bench_release(&bench);
}

static void
nothing_is_linked_without_the_lock_of_builds(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/a.bin"))
		return;
	change_there(&bench, "rm -f ../$(basename \"$PWD\").builds/lock\n"
			     "ln -s nowhere ../$(basename \"$PWD\").builds/lock");
	CU_ASSERT_EQUAL(link_inputs(&bench), -1);
	UNIT_CONTAINS(bench.f.err.text, "cannot lock '");
	check_there(&bench, "data/a.bin", "");
	/* Without inputs it is not taken. */
	bench.inputs[0] = NULL;
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	bench_release(&bench);
}

static void
a_pattern_without_a_file_is_an_error(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/*.none"))
		return;
	CU_ASSERT_EQUAL(link_inputs(&bench), -1);
	UNIT_CONTAINS(bench.f.err.text,
		"there is no file 'data/*.none', which is in the 'inputs' of work");
	UNIT_CONTAINS(bench.f.err.text, "take it out of 'work.yaml'");
	bench_release(&bench);
}

/* The user's own folder is left as it is. */
static void
a_folder_without_an_input_is_an_error(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/a.bin"))
		return;
	build_side_release(&bench.side);
	git_fixture_sh(&bench.f, "mkdir ../base");
	CU_ASSERT_EQUAL_FATAL(build_side_against(&bench.side, "../base", false, &bench.f.err), 0);
	CU_ASSERT_EQUAL(link_inputs(&bench), -1);
	UNIT_CONTAINS(bench.f.err.text, "'../base' lacks the input '");
	git_fixture_sh(&bench.f, "cp -r data ../base");
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	bench_release(&bench);
}

/* The commit has a link out of it where the input is to be. */
static void
nothing_is_replaced_outside_of_the_checkout(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/a.bin"))
		return;
	git_fixture_sh(&bench.f, "mkdir ../outside; echo safe >../outside/a.bin");
	change_there(&bench, "ln -s \"$HOME/outside\" data");
	char *link = file_join(bench.side.root, "data");

	CU_ASSERT_TRUE_FATAL(file_exists(link));
	CU_ASSERT_EQUAL(link_inputs(&bench), -1);
	UNIT_CONTAINS(bench.f.err.text, "is not within the checkout of the commit");
	git_fixture_sh(&bench.f, "test \"$(cat ../outside/a.bin)\" = safe");
	free(link);
	bench_release(&bench);
}

static void
a_change_of_an_input_is_seen(void)
{
	struct bench bench;
	char hashes[3][SHA256_TEXT_SIZE];

	if (!bench_init(&bench, "data"))
		return;
	CU_ASSERT_EQUAL(link_inputs(&bench), 0);
	CU_ASSERT_TRUE(inputs_hash(&bench.here, hashes[0]));
	CU_ASSERT_TRUE(inputs_hash(&bench.there, hashes[1]));
	UNIT_STR_EQ(hashes[0], hashes[1]);
	/* By its contents, not its time. */
	git_fixture_sh(&bench.f, "touch -d @1 data/deep/b.bin");
	CU_ASSERT_TRUE(inputs_hash(&bench.here, hashes[1]));
	git_fixture_sh(&bench.f, "echo more >>data/deep/b.bin");
	CU_ASSERT_TRUE(inputs_hash(&bench.here, hashes[2]));
	UNIT_STR_EQ(hashes[0], hashes[1]);
	CU_ASSERT_NOT_EQUAL(strcmp(hashes[0], hashes[2]), 0);
	git_fixture_sh(&bench.f, "ln -s ../.. data/deep/up");
	CU_ASSERT_FALSE(inputs_hash(&bench.here, hashes[2]));
	/* A file may be below 32 folders. */
	git_fixture_sh(&bench.f,
		"rm data/deep/up; mkdir -p data$(printf '/n%.0s' $(seq 31)); cd data\n"
		"while cd n 2>/dev/null; do :; done; echo x >f");
	CU_ASSERT_TRUE(inputs_hash(&bench.here, hashes[2]));
	git_fixture_sh(
		&bench.f, "cd data; while cd n 2>/dev/null; do :; done; mkdir n; echo x >n/f");
	CU_ASSERT_FALSE(inputs_hash(&bench.here, hashes[2]));
	bench_release(&bench);
}

static void
a_file_below_an_input_is_shared(void)
{
	struct bench bench;

	if (!bench_init(&bench, "data/deep"))
		return;
	char *input = realpath("data/deep/b.bin", NULL);
	char *other = realpath("data/a.bin", NULL);

	CU_ASSERT_TRUE(inputs_cover(&bench.here, input));
	CU_ASSERT_FALSE(inputs_cover(&bench.here, other));
	bench.here.inputs = NULL;
	CU_ASSERT_FALSE(inputs_cover(&bench.here, input));
	free(input);
	free(other);
	bench_release(&bench);
}

static void
an_input_that_changes_is_found(void)
{
	struct bench bench;
	struct input_states states;

	if (!bench_init(&bench, "data"))
		return;
	input_states_take(&states, &bench.here);
	CU_ASSERT_EQUAL(states.count, 3);
	/* With the same contents, and beside the others. */
	git_fixture_sh(&bench.f, "echo here >data/a.bin; touch data/c.txt; echo new >data/new");
	CU_ASSERT_PTR_NULL(input_states_find_changed(&states));
	git_fixture_sh(&bench.f, "echo more >>data/deep/b.bin");
	UNIT_CONTAINS(input_states_find_changed(&states), "/data/deep/b.bin");
	git_fixture_sh(&bench.f, "echo here >data/deep/b.bin; echo HERE >data/a.bin");
	UNIT_CONTAINS(input_states_find_changed(&states), "/data/a.bin");
	git_fixture_sh(&bench.f, "echo here >data/a.bin; rm data/c.txt");
	UNIT_CONTAINS(input_states_find_changed(&states), "/data/c.txt");
	input_states_release(&states);
	/* Files by a pattern, too, and none where one of the inputs is missing. */
	bench.inputs[0] = "data/*.bin";
	input_states_take(&states, &bench.here);
	CU_ASSERT_EQUAL(states.count, 1);
	CU_ASSERT_PTR_NULL(input_states_find_changed(&states));
	git_fixture_sh(&bench.f, "echo more >>data/a.bin");
	UNIT_CONTAINS(input_states_find_changed(&states), "/data/a.bin");
	input_states_release(&states);
	bench.inputs[1] = "data/*.none";
	input_states_take(&states, &bench.here);
	CU_ASSERT_EQUAL(states.count, 0);
	input_states_release(&states);
	bench_release(&bench);
}

/* Its contents are not known, so that only its time tells. */
static void
an_input_that_is_too_large_to_hash_changes_when_it_is_written(void)
{
	struct bench bench;
	struct input_states states;

	if (!bench_init(&bench, "data"))
		return;
	git_fixture_sh(&bench.f, "truncate -s 65M data/a.bin");
	input_states_take(&states, &bench.here);
	CU_ASSERT_PTR_NULL(input_states_find_changed(&states));
	git_fixture_sh(&bench.f, "touch -d @1 data/a.bin");
	UNIT_CONTAINS(input_states_find_changed(&states), "/data/a.bin");
	input_states_release(&states);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"an_input_that_is_too_large_to_hash_changes_when_it_is_written",
		an_input_that_is_too_large_to_hash_changes_when_it_is_written},
	{"an_input_that_changes_is_found", an_input_that_changes_is_found},
	{"files_by_a_pattern_are_in_both_builds", files_by_a_pattern_are_in_both_builds},
	{"a_folder_is_linked_file_by_file", a_folder_is_linked_file_by_file},
	{"paths_start_from_the_folder_of_the_workload",
		paths_start_from_the_folder_of_the_workload},
	{"links_are_gone_when_the_commit_is_opened_again",
		links_are_gone_when_the_commit_is_opened_again},
	{"only_links_within_the_checkout_are_removed", only_links_within_the_checkout_are_removed},
	{"nothing_is_linked_without_the_lock_of_builds",
		nothing_is_linked_without_the_lock_of_builds},
	{"a_pattern_without_a_file_is_an_error", a_pattern_without_a_file_is_an_error},
	{"a_folder_without_an_input_is_an_error", a_folder_without_an_input_is_an_error},
	{"nothing_is_replaced_outside_of_the_checkout",
		nothing_is_replaced_outside_of_the_checkout},
	{"a_change_of_an_input_is_seen", a_change_of_an_input_is_seen},
	{"a_file_below_an_input_is_shared", a_file_below_an_input_is_shared},
	{NULL, NULL},
};

void
suite_builds_inputs(void)
{
	unit_suite("builds/inputs", cases);
}
