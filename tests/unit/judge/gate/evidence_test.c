/* Findings and their causes, over a small tree: main calls parse and print, and what is below them.
 */
#include "gate/evidence.h"

#include "base/mem.h"
#include "gate/stacked_bench.h"

#include <math.h>
#include <stdlib.h>

void suite_gate_evidence(void);

static struct finding
judged(const struct stacked *stacks, const char *subject)
{
	struct bench bench;

	stacked_init(&bench, stacks);
	judge(&bench);
	struct finding finding = finding_about(&bench, "functions", subject);

	finding.causes = NULL;
	finding.reason = NULL;
	bench_release(&bench);
	return finding;
}

static void
growth_that_only_moved_warns(void)
{
	/* What convert did, parse does now. */
	const struct stacked moved[] = {{"main;run;parse", 3000, 4500},
		{"main;run;parse;convert", 2000, 500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	const struct stacked grown[] = {{"main;run;parse", 3000, 4500},
		{"main;run;parse;convert", 2000, 2000}, {"main;print", 5000, 5000}, {NULL, 0, 0}};

	CU_ASSERT_EQUAL(judged(moved, "parse").status, STATUS_WARN);
	CU_ASSERT_EQUAL(judged(grown, "parse").status, STATUS_FAIL);
}

static void
a_new_function_fails_where_its_callers_grew(void)
{
	const struct stacked added[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	const struct stacked renamed[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2500}, {"main;run;parse;verify", 2500, 0},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};
	const struct stacked split[] = {{"main;run;parse", 5000, 2500},
		{"main;run;parse;check", 0, 2500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};

	const struct stacked chain[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check;verify", 0, 2500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};

	CU_ASSERT_EQUAL(judged(added, "check").status, STATUS_FAIL);
	CU_ASSERT_EQUAL(judged(chain, "verify").status, STATUS_FAIL);
	CU_ASSERT_EQUAL(judged(renamed, "check").status, STATUS_PASS);
	/* Another name, and a fifth more. */
	const struct stacked dearer[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 3000}, {"main;run;parse;verify", 2500, 0},
		{"main;print", 5000, 5000}, {NULL, 0, 0}};

	CU_ASSERT_EQUAL(judged(split, "check").status, STATUS_PASS);
	CU_ASSERT_EQUAL(judged(dearer, "check").status, STATUS_WARN);
}

static const struct stacked grown_print[] = {{"main;run;parse", 3000, 3000},
	{"main;run;print", 3000, 4500}, {"main;write", 5000, 5000}, {NULL, 0, 0}};

/* The finding about `print` where the code of `changed` is another one and, unless `after` is NAN,
 * print's instructions go from a million to that. */
static struct finding
judged_with_code(
	struct bench *bench, const struct stacked *stacks, const char *changed, double after)
{
	struct judgement *judgement = &bench->judgement;
	struct instruction_counts counts = {0};
	struct code_states code;

	stacked_init(bench, stacks);
	bench->workload.gate.functions.fail = 0.03;
	bench->workload.gate.decide = DECIDE_INSTRUCTIONS;
	judge_tests(&judgement, 1);
	CU_ASSERT(judgement_wants_code(judgement));
	code = code_where(&judgement->comparison, changed);
	judgement->input.code = &code;
	if (!isnan(after)) {
		counts.nframes = code.nframes;
		counts.before = mem_zalloc(code.nframes, sizeof(*counts.before));
		counts.after = mem_zalloc(code.nframes, sizeof(*counts.after));
		for (size_t i = 0; i < counts.nframes; i++) {
			counts.before[i] = 1e6;
			counts.after[i] = after;
		}
		judgement->input.instructions = &counts;
	}
	judge_decide(&judgement, 1, &bench->overall);
	free(code.by_frame);
	instruction_counts_release(&counts);
	return finding_about(bench, "functions", "print");
}

static enum status
status_with_code(const char *changed, bool *unreachable)
{
	struct bench bench;
	const struct finding finding = judged_with_code(&bench, grown_print, changed, NAN);
	const enum status status = finding.status;

	*unreachable = finding.causes && finding.causes->unreachable;
	CU_ASSERT_PTR_NOT_NULL(finding.causes);
	bench_release(&bench);
	return status;
}

static void
growth_that_no_change_can_reach_warns(void)
{
	bool unreachable;

	CU_ASSERT_EQUAL(status_with_code("print", &unreachable), STATUS_FAIL);
	CU_ASSERT(!unreachable);
	/* The same code, called otherwise. */
	CU_ASSERT_EQUAL(status_with_code("run", &unreachable), STATUS_FAIL);
	CU_ASSERT(!unreachable);
	CU_ASSERT_EQUAL(status_with_code("parse", &unreachable), STATUS_WARN);
	CU_ASSERT(unreachable);
}

static void
new_functions_are_confirmed_too(void)
{
	const struct stacked added[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	const struct stacked once[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	const struct stacked not_again[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 10}, {"main;print", 5000, 5000}, {NULL, 0, 0}};

	for (int again = 0; again < 3; again++) {
		struct bench bench;

		stacked_init(&bench, added);
		bench.judgement.input.mode = GATE_PAIRED;
		bench.judgement.input.may_confirm = true;
		if (again > 0) {
			add_stacked(
				&bench.baseline.profile, again == 1 ? once : not_again, false, 1);
			add_stacked(&bench.candidate, again == 1 ? once : not_again, true, 1);
		}
		judge(&bench);
		struct finding finding = finding_about(&bench, "functions", "check");

		CU_ASSERT_EQUAL(finding.status, again == 0   ? STATUS_INCONCLUSIVE
						: again == 1 ? STATUS_FAIL
							     : STATUS_WARN);
		CU_ASSERT_EQUAL(bench.judgement.verdict.unconfirmed, again == 0);
		bench_release(&bench);
	}
}

/* 1e6 instructions of each function before and after, and `added` of the new one, check(). */
static struct instruction_counts
counts_with(const struct comparison *comparison, double added)
{
	const struct profile *profile = &comparison->profile;
	struct instruction_counts counts = {.nframes = comparison->nframes};

	counts.before = mem_zalloc(counts.nframes, sizeof(*counts.before));
	counts.after = mem_zalloc(counts.nframes, sizeof(*counts.after));
	counts.before[0] = 10e6;
	counts.after[0] = 10e6 + added;
	for (frame_id frame = 1; frame < counts.nframes; frame++) {
		bool is_new = strcmp(profile_frame_name(profile, frame), "check") == 0;

		counts.before[frame] = is_new ? NAN : 1e6;
		counts.after[frame] = is_new ? added : 1e6;
	}
	return counts;
}

/* A new function that executes a part of the whole program's instructions. */
static void
new_functions_are_confirmed_by_instructions(void)
{
	static const struct stacked stacks[] = {{"main;run;parse", 3000, 3000},
		{"main;run;parse;check", 0, 2500}, {"main;print", 5000, 5000}, {NULL, 0, 0}};
	static const struct {
		double added; /* NAN: not counted */
		enum status status;
	} cases[] = {
		{NAN, STATUS_INCONCLUSIVE},
		{0.01e6, STATUS_INCONCLUSIVE},
		{2e6, STATUS_FAIL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;
		struct judgement *judgement = &bench.judgement;
		struct instruction_counts counts = {0};

		stacked_init(&bench, stacks);
		judgement->input.mode = GATE_PAIRED;
		judgement->input.may_confirm = true;
		judge_tests(&judgement, 1);
		if (!isnan(cases[i].added)) {
			counts = counts_with(&judgement->comparison, cases[i].added);
			judgement->input.instructions = &counts;
		}
		judge_decide(&judgement, 1, &bench.overall);
		const struct finding finding = finding_about(&bench, "functions", "check");

		CU_ASSERT_EQUAL(finding.status, cases[i].status);
		CU_ASSERT_EQUAL(finding.unconfirmed, cases[i].status == STATUS_INCONCLUSIVE);
		CU_ASSERT(!finding.unconfirmed || judgement_wants_instructions(judgement));
		instruction_counts_release(&counts);
		bench_release(&bench);
	}
}

static enum status
judged_with_counts(const char *changed, double after)
{
	struct bench bench;
	const struct finding finding = judged_with_code(&bench, grown_print, changed, after);
	const enum status status = finding.status;

	CU_ASSERT(finding.causes && finding.causes->instructions_after == after);
	bench_release(&bench);
	return status;
}

static void
the_same_code_and_work_warns(void)
{
	CU_ASSERT_EQUAL(judged_with_counts("run", 1.0005e6), STATUS_WARN);
	CU_ASSERT_EQUAL(judged_with_counts("run", 1.05e6), STATUS_FAIL);
	/* Other code that takes as many instructions may be worse code. */
	CU_ASSERT_EQUAL(judged_with_counts("print", 1e6), STATUS_FAIL);
}

/* What time leaves undecided, though the code of another function changed. */
static void
the_same_code_and_work_decide_what_time_cannot(void)
{
	static const struct {
		const char *changed;
		double after;
		enum status status;
	} cases[] = {{"run", NAN, STATUS_WARN}, {"run", 1e6, STATUS_PASS},
		{"print", 1e6, STATUS_WARN},
		/* The change does not reach it: nothing waits for it. */
		{"parse", NAN, STATUS_PASS}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;
		const struct finding finding =
			judged_with_code(&bench, vague_print, cases[i].changed, cases[i].after);

		CU_ASSERT_EQUAL(finding.status, cases[i].status);
		bench_release(&bench);
	}
}

static void
an_undecided_test_says_how_many_runs_it_takes(void)
{
	struct bench bench;

	stacked_init(&bench, vague_print);
	bench.workload.gate.functions.fail = 0.02;
	bench.judgement.input.mode = GATE_PAIRED;
	bench.judgement.input.may_confirm = true;
	judge(&bench);
	const struct finding finding = finding_about(&bench, "functions", "print");

	CU_ASSERT(finding_is_open(&finding));
	UNIT_CONTAINS(finding.reason, "take about ");
	bench_release(&bench);
}

/* Puts the functions of a side into files: what is below main into libp.so, the rest into app. */
static void
place_functions(struct profile *profile, const char *files)
{
	str_id library = strtab_intern_str(&profile->strings, "/lib/libp.so");
	str_id program = strtab_intern_str(&profile->strings, "/src/app");

	profile->files = strtab_intern_str(&profile->strings, files);
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const char *name = profile_frame_name(profile, id);

		profile->frames.frames[id].module =
			strcmp(name, "main") == 0 || strcmp(name, "write") == 0 ? program : library;
	}
}

/* What becomes of `print`, which is in libp.so, where these files ran; its reason has this part. */
static enum status
status_with_files(
	const struct stacked *stacks, const char *before, const char *after, const char *part)
{
	struct bench bench;

	stacked_init(&bench, stacks);
	place_functions(&bench.baseline.profile, before);
	place_functions(&bench.candidate, after);
	bench.judgement.input.program = same_program(&bench.baseline.profile, &bench.candidate);
	judge(&bench);
	const struct finding finding = finding_about(&bench, "functions", "print");
	const enum status status = finding.status;

	UNIT_CONTAINS(finding.reason, part);
	bench_release(&bench);
	return status;
}

/* Below the process, p. */
static const struct stacked by_main[] = {{"p;main;run;parse", 3000, 3000},
	{"p;main;run;print", 3000, 4500}, {"p;main;write", 5000, 5000}, {NULL, 0, 0}};

static void
growth_in_a_file_that_is_the_same_says_so(void)
{
	/* Called by the program, which changed. */
	CU_ASSERT_EQUAL(status_with_files(by_main, "aa  app\nbb  /lib/libp.so\n",
				"ab  app\nbb  /lib/libp.so\n",
				"libp.so is the same file on both sides: changed code calls it"),
		STATUS_FAIL);
	/* Called only by what is in the same file; main is the process here. */
	CU_ASSERT_EQUAL(status_with_files(grown_print, "aa  app\nbb  /lib/libp.so\n",
				"ab  app\nbb  /lib/libp.so\n",
				"Only a warning: libp.so is the same file on both sides, and no "
				"changed code"),
		STATUS_WARN);
	/* The library changed. */
	CU_ASSERT_EQUAL(status_with_files(grown_print, "aa  app\nbb  /lib/libp.so\n",
				"aa  app\nbc  /lib/libp.so\n", "Above the 15 % threshold."),
		STATUS_FAIL);
}

static void
a_program_that_is_not_known_explains_nothing(void)
{
	/* The hash of one file is missing. */
	CU_ASSERT_EQUAL(status_with_files(grown_print, "aa  app\nbb  /lib/libp.so\n",
				"-  app\nbb  /lib/libp.so\n", "Above the 15 % threshold."),
		STATUS_FAIL);
}

static void
a_script_that_changed_reaches_all_code(void)
{
	CU_ASSERT_EQUAL(status_with_files(grown_print, "aa  app\nbb  /lib/libp.so\ncc  run.py\n",
				"aa  app\nbb  /lib/libp.so\ncd  run.py\n",
				"libp.so is the same file on both sides: changed code calls it"),
		STATUS_FAIL);
}

void
suite_gate_evidence(void)
{
	static const struct unit_case cases[] = {
		{"the_same_code_and_work_warns", the_same_code_and_work_warns},
		{"an_undecided_test_says_how_many_runs_it_takes",
			an_undecided_test_says_how_many_runs_it_takes},
		{"the_same_code_and_work_decide_what_time_cannot",
			the_same_code_and_work_decide_what_time_cannot},
		{"growth_that_only_moved_warns", growth_that_only_moved_warns},
		{"a_new_function_fails_where_its_callers_grew",
			a_new_function_fails_where_its_callers_grew},
		{"growth_that_no_change_can_reach_warns", growth_that_no_change_can_reach_warns},
		{"growth_in_a_file_that_is_the_same_says_so",
			growth_in_a_file_that_is_the_same_says_so},
		{"a_script_that_changed_reaches_all_code", a_script_that_changed_reaches_all_code},
		{"new_functions_are_confirmed_by_instructions",
			new_functions_are_confirmed_by_instructions},
		{"new_functions_are_confirmed_too", new_functions_are_confirmed_too},
		{"a_program_that_is_not_known_explains_nothing",
			a_program_that_is_not_known_explains_nothing},
		{NULL, NULL},
	};

	unit_suite("gate/evidence", cases);
}
