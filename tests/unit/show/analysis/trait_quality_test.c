#include "sample.h"

void suite_analysis_trait_quality(void);

static void
code_without_names_is_reported_with_what_would_name_it(void)
{
	struct stack stacks[] = {
		{"app;main;[libx.so.1]", 4},
		{"node;[unknown]", 1},
		{"app;main;work", 95},
		{NULL, 0},
	};
	static const struct stack lua[] = {{"luajit;[unknown]", 1}, {NULL, 0}};
	struct profile profile;
	struct buf out = {0};

	check_trait(trait_unknown, stacks,
		"5.0 % of the samples are in code without names\n"
		"4.0 % [libx.so.1]: its debug package or a build that is not stripped has the "
		"names\n"
		"1.0 % [unknown]: code that no file and no map of JIT code names; run node with "
		"--perf-basic-prof --interpreted-frames-native-stack\n");
	stacks_fill(&profile, stacks);
	struct frame *module =
		&profile.frames.frames[profile_frame_text(&profile, "[libx.so.1]", 11)];

	module->module = strtab_intern_str(&profile.strings, "/usr/lib/libx.so.1");
	trait_says(trait_unknown, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "install its debug package, or read with --debuginfod\n");
	module->module = strtab_intern_str(&profile.strings, "/opt/app/lib/libx.so.1");
	trait_says(trait_unknown, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "link it without -s and do not strip it; -g adds lines\n");
	module->module = strtab_intern_str(&profile.strings, "//anon");
	trait_says(trait_unknown, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "code that no file and no map of JIT code names\n");
	profile_release(&profile);
	stacks_fill(&profile, lua);
	trait_says(trait_unknown, &profile, &out);
	UNIT_CONTAINS(
		buf_text(&out), "no map of JIT code names; use its own profiler, luajit -jp=fl");
	profile_release(&profile);
	buf_release(&out);
	stacks[2].weight = 96;
	check_trait(trait_unknown, stacks, "");
}

static void
a_kernel_without_names_wants_rights(void)
{
	static const struct stack stacks[] = {
		{"app;main;[kernel]_[k]", 4},
		{"app;main;work", 4},
		{NULL, 0},
	};

	check_trait(trait_unknown, stacks,
		"50.0 % of the samples are in code without names\n"
		"50.0 % [kernel]_[k]: capture as root, or with kernel.kptr_restrict=0\n");
}

static void
incomplete_stacks_are_reported_with_what_would_mend_them(void)
{
	struct stack stacks[] = {
		{"app;[truncated];walk;walk", 2},
		{"app;[broken];emit;put", 2},
		{"app;main;work", 96},
		{NULL, 0},
	};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.stack_bytes = 8192;
	profile.callgraph = strtab_intern_str(&profile.strings, "dwarf");
	trait_says(trait_incomplete, &profile, &out);
	CU_ASSERT_STRING_EQUAL(buf_text(&out),
		"4.0 % of the stacks are incomplete: they are missing from the totals of what "
		"called them\n"
		"2.0 % are truncated: capture with --stack-size 16KiB: 8 KiB were copied\n"
		"Most of the broken ones begin at emit: its callers are not known; "
		"compile with -fasynchronous-unwind-tables or with frame pointers\n");
	profile.stack_bytes = 65528;
	profile.callgraph = strtab_intern_str(&profile.strings, "fp");
	trait_says(trait_incomplete, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "the kernel copies no more than 64 KiB");
	UNIT_CONTAINS(buf_text(&out), "capture with --call-graph dwarf, or compile with "
				      "-fno-omit-frame-pointer\n");
	profile.stack_bytes = 0;
	trait_says(trait_incomplete, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "they have more frames than the kernel records: `sysctl "
				      "kernel.perf_event_max_stack=1024`");
	profile_release(&profile);
	buf_release(&out);
	stacks[2].weight = 140;
	check_trait(trait_incomplete, stacks, "");
}

static void
code_of_a_jit_cannot_be_compiled_otherwise(void)
{
	struct stack stacks[] = {
		{"app;[broken];JIT$work_[j]", 30},
		{"app;main;work", 70},
		{NULL, 0},
	};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.callgraph = strtab_intern_str(&profile.strings, "dwarf");
	trait_says(trait_incomplete, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "begin at JIT$work_[j]: its callers are not known: its "
				      "compiler keeps frame pointers only");
	profile_release(&profile);
	stacks[0].frames = "app;[broken];[anon]";
	stacks_fill(&profile, stacks);
	profile.callgraph = strtab_intern_str(&profile.strings, "dwarf");
	profile.frames.frames[profile_frame_text(&profile, "[anon]", 6)].module =
		strtab_intern_str(&profile.strings, "[anon]");
	trait_says(trait_incomplete, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "begin at [anon]: its callers are not known: its compiler");
	profile_release(&profile);
	buf_release(&out);
}

static void
stacks_of_one_function_are_no_call_graph(void)
{
	struct stack stacks[] = {
		{"app;a", 1},
		{"app;b", 1},
		{"app;c", 1},
		{"app;d", 1},
		{"app;e", 1},
		{NULL, 0},
	};

	check_trait(trait_flat, stacks,
		"No stack has more than 2 frames: the callers of the 6 functions are not known\n"
		"Capture with --call-graph fp, or dwarf where there are no frame pointers\n");
	stacks[4].frames = "app;d;e";
	check_trait(trait_flat, stacks, "");
}

static void
few_samples_are_reported_with_how_uncertain_they_are(void)
{
	struct stack stacks[] = {
		{"app;main;a", 100},
		{"app;main;b", 75},
		{"app;main;c", 75},
		{"app;main;d", 75},
		{"app;main;e", 74},
		{NULL, 0},
	};

	/* 1.96 * sqrt(0.2506 * 0.7494 / 399) = 0.0425, which is 2.1 times 0.02: 5 times as many */
	check_trait(trait_few, stacks,
		"There are only 399 samples: a share of 25.1 % is known to within 4.3 points\n"
		"5 times as many would make that 2 points\n");
	stacks[4].weight = 75;
	check_trait(trait_few, stacks, "");
	stacks[0] = (struct stack){"app;main;a", 2};
	stacks[1].frames = NULL;
	check_trait(trait_few, stacks, "There are only 2 samples: too few for shares\n");
	stacks[0].weight = 1;
	check_trait(trait_few, stacks, "There is only 1 sample: too few for shares\n");
}

static void
few_waits_are_as_certain_as_many(void)
{
	static const struct stack stacks[] = {{"app;main;sleep_[w]", 3}, {NULL, 0}};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.runs[0].samples = 3;
	profile.unit = strtab_intern_str(&profile.strings, "ns");
	trait_says(trait_few, &profile, &out);
	UNIT_STR_EQ(buf_text(&out), "");
	profile_release(&profile);
	buf_release(&out);
}

static void
few_samples_of_a_short_command_ask_for_its_repetition(void)
{
	static const struct stack stacks[] = {{"app;main;a", 100}, {"app;main;b", 75}, {NULL, 0}};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.runs[0].executions = 1;
	profile.runs[0].wall_ns = 40000000;
	trait_says(trait_few, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "Capture with --repeat auto --frequency 4999");
	buf_clear(&out);
	profile.runs[0].wall_ns = 4000000000;
	trait_says(trait_few, &profile, &out);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "--repeat"));
	profile_release(&profile);
	buf_release(&out);
}

static void
what_is_counted_has_no_uncertainty(void)
{
	static const struct stack stacks[] = {{"app;main", 10}, {NULL, 0}};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.metric = profile.unit = strtab_intern_str(&profile.strings, "instructions");
	trait_says(trait_few, &profile, &out);
	CU_ASSERT_EQUAL(out.len, 0);
	profile.unit = strtab_intern_str(&profile.strings, "cycles");
	trait_says(trait_few, &profile, &out);
	CU_ASSERT_EQUAL(out.len, 0);
	profile_release(&profile);
	buf_release(&out);
}

static void
other_processes_are_reported_where_one_has_most(void)
{
	struct stack stacks[] = {
		{"app;main;work", 95},
		{"sh;main", 4},
		{"cat;main", 1},
		{NULL, 0},
	};

	check_trait(trait_processes, stacks,
		"app has 95.0 % of the samples, 2 other processes and threads share 5.0 %\n"
		"4.0 % sh, 1.0 % cat; --comm NAME selects one\n");
	stacks[0].weight = 96;
	check_trait(trait_processes, stacks, "");
	/* None has most. */
	stacks[0].weight = 4;
	check_trait(trait_processes, stacks, "");
}

/* Also of one that begins with the name of another. */
static void
values_of_the_first_label_are_told_as_such(void)
{
	struct stack stacks[] = {
		{"threadpool=a;main;work", 95},
		{"threadpool=b;main;work", 5},
		{NULL, 0},
	};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.by = strtab_intern_str(&profile.strings, "threadpool");
	trait_says(trait_processes, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "1 other value of 'threadpool' has 5.0 %");
	UNIT_CONTAINS(buf_text(&out), "; --only threadpool=VALUE selects one");
	profile_release(&profile);
	buf_release(&out);
}

static void
functions_at_the_root_are_no_processes(void)
{
	static const struct stack stacks[] = {
		{"main;work", 9},
		{"main", 1},
		{"start;work", 1},
		{"start", 1},
		{NULL, 0},
	};

	check_trait(trait_processes, stacks, "");
}

void
suite_analysis_trait_quality(void)
{
	static const struct unit_case cases[] = {
		{"code_without_names_is_reported_with_what_would_name_it",
			code_without_names_is_reported_with_what_would_name_it},
		{"a_kernel_without_names_wants_rights", a_kernel_without_names_wants_rights},
		{"code_of_a_jit_cannot_be_compiled_otherwise",
			code_of_a_jit_cannot_be_compiled_otherwise},
		{"incomplete_stacks_are_reported_with_what_would_mend_them",
			incomplete_stacks_are_reported_with_what_would_mend_them},
		{"stacks_of_one_function_are_no_call_graph",
			stacks_of_one_function_are_no_call_graph},
		{"few_samples_are_reported_with_how_uncertain_they_are",
			few_samples_are_reported_with_how_uncertain_they_are},
		{"few_waits_are_as_certain_as_many", few_waits_are_as_certain_as_many},
		{"few_samples_of_a_short_command_ask_for_its_repetition",
			few_samples_of_a_short_command_ask_for_its_repetition},
		{"what_is_counted_has_no_uncertainty", what_is_counted_has_no_uncertainty},
		{"other_processes_are_reported_where_one_has_most",
			other_processes_are_reported_where_one_has_most},
		{"values_of_the_first_label_are_told_as_such",
			values_of_the_first_label_are_told_as_such},
		{"functions_at_the_root_are_no_processes", functions_at_the_root_are_no_processes},
		{NULL, NULL},
	};

	unit_suite("analysis/trait_quality", cases);
}
