#include "measurement/suite_run.h"

#include "spec/suite.h"
#include "unit.h"

#include <unistd.h>

void suite_measurement_suite_run(void);

static const struct suite_preset *
google(void)
{
	return suite_presets[0];
}

/* Adds a stack, its frames separated by ';'; one that begins with '@' is of the suite's library. */
static void
add_stack(struct profile *profile, const char *text, double weight)
{
	node_id node = CTREE_ROOT;

	while (*text) {
		const bool of_library = *text == '@';
		const size_t len = strcspn(text, ";");
		const frame_id frame =
			profile_frame(profile, text + of_library, len - of_library, FRAME_USER);

		profile->frames.frames[frame].module = strtab_intern_str(&profile->strings,
			of_library ? "/usr/lib/libbenchmark.so.1" : "/src/bench");
		node = ctree_child(&profile->tree, node, frame);
		text += len + (text[len] == ';');
	}
	ctree_add(&profile->tree, 0, node, weight);
}

/* The weight at a path; 0: there is none. */
static double
weight_at(const struct profile *profile, const char *text)
{
	node_id node = CTREE_ROOT;

	while (*text) {
		const size_t len = strcspn(text, ";");
		node_id child = profile->tree.nodes[node].first_child;

		while (child != CTREE_NONE) {
			const char *name =
				profile_frame_name(profile, profile->tree.nodes[child].frame);

			if (strlen(name) == len && strncmp(name, text, len) == 0)
				break;
			child = profile->tree.nodes[child].next_sibling;
		}
		if (child == CTREE_NONE)
			return 0;
		node = child;
		text += len + (text[len] == ';');
	}
	return ctree_weight(&profile->tree, 0, node);
}

static void
cut(struct profile *profile)
{
	struct suite suite = {.preset = google()};
	struct suite_unit unit = {.suite = &suite, .benchmark = "BM_A"};
	const struct workload workload = {.suite = &suite, .unit = &unit};

	suite_cut(&workload, profile);
}

static void
begin(struct profile *profile)
{
	profile_init(profile);
	profile_add_run(profile);
	profile->runs[0].cost_total = 1000;
	profile->runs[0].samples = 100;
}

static void
only_work_of_the_benchmark_is_left(void)
{
	struct profile profile;

	begin(&profile);
	add_stack(&profile, "b;_start;main;load_data", 30);
	add_stack(&profile, "b;_start;main;benchmark::internal::BenchmarkInstance::Run;BM_A", 20);
	add_stack(&profile,
		"b;_start;main;benchmark::internal::BenchmarkInstance::Run(long);BM_A;work", 40);
	add_stack(&profile, "b;start_thread;worker", 10);
	cut(&profile);
	UNIT_NEAR(weight_at(&profile, "b;BM_A"), 20, 0);
	UNIT_NEAR(weight_at(&profile, "b;BM_A;work"), 40, 0);
	UNIT_NEAR(weight_at(&profile, "b;start_thread;worker"), 10, 0);
	UNIT_NEAR(profile_total(&profile), 70, 0);
	UNIT_NEAR(profile.runs[0].cost_total, 700, 1e-9);
	CU_ASSERT_EQUAL(profile.runs[0].samples, 70);
	profile_release(&profile);
}

static void
a_library_without_names_is_cut_by_its_file(void)
{
	struct profile profile;

	begin(&profile);
	add_stack(&profile, "b;_start;main;@[libbenchmark.so.1];BM_A;work", 50);
	add_stack(&profile, "b;[broken];@[libbenchmark.so.1];BM_A;work", 10);
	add_stack(&profile, "b;_start;main;@[libbenchmark.so.1]", 15);
	add_stack(&profile, "b;[broken];@[libbenchmark.so.1]", 25);
	profile.runs[0].broken_stacks = 35;
	cut(&profile);
	CU_ASSERT_EQUAL(profile.runs[0].broken_stacks, 0);
	UNIT_NEAR(weight_at(&profile, "b;BM_A;work"), 60, 0);
	UNIT_NEAR(profile_total(&profile), 60, 0);
	profile_release(&profile);
}

static void
a_profile_without_a_benchmark_stays(void)
{
	struct profile profile;

	begin(&profile);
	add_stack(&profile, "b;_start;main;work", 50);
	cut(&profile);
	UNIT_NEAR(weight_at(&profile, "b;_start;main;work"), 50, 0);
	UNIT_NEAR(profile.runs[0].cost_total, 1000, 0);
	profile_release(&profile);
}

static void
costs_are_those_of_an_iteration(void)
{
	static const char printed[] = "-- LOG(2): Running BM_A for 250\n";
	struct suite suite = {.preset = google()};
	struct suite_unit unit = {.suite = &suite, .benchmark = "BM_A"};
	const struct workload workload = {.suite = &suite, .unit = &unit};
	struct capture_request request = {0};
	struct suite_output output;
	struct run run = {.executions = 2, .cost_total = 1000, .measured = true};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(suite_output_begin(&output, &workload, &request, &err), 0);
	CU_ASSERT_TRUE(request.stderr_too);
	CU_ASSERT_EQUAL(suite_output_take(&output, &run, &err), -1);
	UNIT_CONTAINS(err.text, "'BM_A' printed no result");
	CU_ASSERT_EQUAL(run.executions, 0);
	run.executions = 2;
	CU_ASSERT_EQUAL(write(request.stdout_fd, printed, strlen(printed)), strlen(printed));
	CU_ASSERT_EQUAL(suite_output_take(&output, &run, &err), 0);
	CU_ASSERT_EQUAL(run.executions, 250);
	/* 1000 is of one of two executions. */
	UNIT_NEAR(run.cost_total, 8, 1e-9);
	suite_output_end(&output);
}

static const struct unit_case cases[] = {
	{"only_work_of_the_benchmark_is_left", only_work_of_the_benchmark_is_left},
	{"a_library_without_names_is_cut_by_its_file", a_library_without_names_is_cut_by_its_file},
	{"a_profile_without_a_benchmark_stays", a_profile_without_a_benchmark_stays},
	{"costs_are_those_of_an_iteration", costs_are_those_of_an_iteration},
	{NULL, NULL},
};

void
suite_measurement_suite_run(void)
{
	unit_suite("measurement/suite_run", cases);
}
