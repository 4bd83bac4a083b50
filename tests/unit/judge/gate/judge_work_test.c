/* What counted instructions decide of the whole program. */
#include "gate/judge.h"

#include "gate/evidence.h"
#include "gate/stacked_bench.h"

#include <math.h>

void suite_gate_judge_work(void);

/*
 * The whole program: time leaves it undecided, and it executes `after` of `before` instructions.
 * They are of a comparison with `more` functions.
 */
static struct finding
judged_whole(struct bench *bench, enum code_state state, double before, double after, size_t more)
{
	struct judgement *judgement = &bench->judgement;
	struct instruction_counts counts = {0};
	struct code_states code;

	stacked_init(bench, vague_print);
	bench->workload.gate.total = (struct threshold){.warn = NAN, .fail = 0.05};
	judge_tests(&judgement, 1);
	CU_ASSERT(judgement_wants_instructions(judgement));
	code = code_where(&judgement->comparison, "");
	code.by_frame[code.nframes - 1] = state;
	counts.nframes = code.nframes;
	counts.before = mem_zalloc(code.nframes, sizeof(*counts.before));
	counts.after = mem_zalloc(code.nframes, sizeof(*counts.after));
	counts.before[0] = before;
	counts.after[0] = after;
	counts.nframes += more;
	judgement->input.code = &code;
	judgement->input.instructions = &counts;
	judge_decide(&judgement, 1, &bench->overall);
	free(code.by_frame);
	instruction_counts_release(&counts);
	/* Again, as of counts that are empty. */
	instruction_counts_release(&counts);
	struct finding finding = finding_about(bench, "total", "whole program");

	finding.reason = "";
	bench_release(bench);
	return finding;
}

/* Whether counts are wanted where a function doubled. */
static bool
wants_counts_of_a_growth(bool base_is_candidate)
{
	static const struct stacked grown[] = {
		{"main;run", 50000, 50000}, {"main;print", 50000, 100000}, {NULL, 0, 0}};
	struct bench bench;
	struct judgement *judgement = &bench.judgement;

	stacked_init(&bench, grown);
	judgement->input.base_is_candidate = base_is_candidate;
	judge_tests(&judgement, 1);
	const bool wants = judgement_wants_instructions(judgement);

	judge_decide(&judgement, 1, &bench.overall);
	CU_ASSERT_EQUAL(bench.overall, base_is_candidate ? STATUS_WARN : STATUS_FAIL);
	bench_release(&bench);
	return wants;
}

static void
counts_are_wanted_of_a_build_that_the_change_did_not_alter(void)
{
	CU_ASSERT_FALSE(wants_counts_of_a_growth(false));
	CU_ASSERT_TRUE(wants_counts_of_a_growth(true));
}

static void
nothing_is_counted_where_all_is_decided(void)
{
	static const struct stacked same[] = {
		{"main;run", 50000, 50000}, {"main;print", 50000, 50000}, {NULL, 0, 0}};
	struct bench bench;
	struct judgement *judgement = &bench.judgement;

	stacked_init(&bench, same);
	judge_tests(&judgement, 1);
	CU_ASSERT_TRUE(judgement->ntests > 0);
	CU_ASSERT_FALSE(judgement_wants_code(judgement));
	CU_ASSERT_FALSE(judgement_wants_instructions(judgement));
	judge_decide(&judgement, 1, &bench.overall);
	CU_ASSERT_EQUAL(bench.overall, STATUS_PASS);
	bench_release(&bench);
}

static void
instructions_decide_the_whole_program_too(void)
{
	static const struct {
		enum code_state state; /* of one function */
		enum status status;
		double before;
		double after;
		size_t more;
	} cases[] = {
		{CODE_SAME, STATUS_PASS, 1e6, 1e6, 0},
		/* The kernel's code is not read. */
		{CODE_UNKNOWN, STATUS_PASS, 1e6, 1e6, 0},
		{CODE_CHANGED, STATUS_WARN, 1e6, 1e6, 0},
		{CODE_NEW, STATUS_WARN, 1e6, 1e6, 0},
		{CODE_CHANGED, STATUS_FAIL, 1e6, 1.051e6, 0},
		{CODE_SAME, STATUS_WARN, 1e6, NAN, 0},
		{CODE_SAME, STATUS_WARN, NAN, 1e6, 0},
		{CODE_SAME, STATUS_WARN, 0, 1e6, 0},
		/* For another comparison. */
		{CODE_SAME, STATUS_WARN, 1e6, 1e6, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;
		const struct finding finding = judged_whole(
			&bench, cases[i].state, cases[i].before, cases[i].after, cases[i].more);

		CU_ASSERT_EQUAL(finding.status, cases[i].status);
		CU_ASSERT_EQUAL(finding.by_instructions, cases[i].status != STATUS_WARN);
	}
}

void
suite_gate_judge_work(void)
{
	static const struct unit_case cases[] = {
		{"counts_are_wanted_of_a_build_that_the_change_did_not_alter",
			counts_are_wanted_of_a_build_that_the_change_did_not_alter},
		{"nothing_is_counted_where_all_is_decided",
			nothing_is_counted_where_all_is_decided},
		{"instructions_decide_the_whole_program_too",
			instructions_decide_the_whole_program_too},
		{NULL, NULL},
	};

	unit_suite("gate/judge_work", cases);
}
