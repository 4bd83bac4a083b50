#include "gate/reason_remedy.h"

#include "gate/reason_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_reason_remedy(void);

#define COARSE_BECAUSE "Too coarse for the 15 % threshold: it may be up to 17.5 % slower"

/* The advice for a growth of 2 % that time leaves undecided. */
static void
expect_remedy(struct reason_bench *bench, const char *remedy)
{
	struct buf text = {0};

	bench->effect.change = 0.02;
	reason_bench_decide(bench, STATUS_INCONCLUSIVE);
	buf_printf(&text, "%s%s", COARSE_BECAUSE, remedy);
	reason_bench_expect(bench, buf_text(&text));
	buf_release(&text);
}

static void
more_runs_are_advised_unless_the_workload_fails_already(void)
{
	const char *add = "; take about 1,200 more runs (--max-runs 1229).";
	const char *none = "; no more runs were taken, because the workload fails already.";
	struct reason_bench bench;
	struct test others[2];

	reason_bench_init(&bench);
	bench.test.decision.more_runs = 1200;
	bench.judgement.criteria.runs_after = 39;
	for (int i = 0; i < 2; i++) {
		others[i] = bench.test;
		others[i].decision.status = STATUS_INCONCLUSIVE;
	}
	bench.judgement.input.may_confirm = true;
	bench.judgement.tests = others;
	bench.judgement.ntests = 2;
	expect_remedy(&bench, add);
	for (int i = 0; i < 2; i++) {
		others[i].decision.status = STATUS_FAIL;
		others[1 - i].decision.status = STATUS_PASS;
		expect_remedy(&bench, none);
	}
	/* 40 runs less 10 new ones are the 30 first ones that there may be. */
	bench.judgement.criteria.runs_after = 40;
	expect_remedy(&bench, "; take about 1,200 more runs (--max-runs 1230).");
	bench.judgement.criteria.runs_after = 39;
	bench.judgement.input.may_confirm = false;
	expect_remedy(&bench, "; take about 1,200 more runs.");
	bench.judgement.tests = NULL;
	bench.judgement.ntests = 0;
	reason_bench_release(&bench);
}

static void
where_runs_do_not_help_what_does_is_advised(void)
{
	struct reason_bench bench;
	struct gate_input *input = &bench.judgement.input;
	struct criteria *criteria = &bench.judgement.criteria;

	reason_bench_init(&bench);
	bench.test.decision.more_runs = INFINITY;
	expect_remedy(&bench, "; measure both builds here (--against HEAD~1).");
	criteria->most_changed = 0.034;
	expect_remedy(&bench,
		", because most functions changed, by 3.4 % (SD), as on another day; measure both builds here (--against HEAD~1).");
	criteria->disturbed_before = true;
	expect_remedy(&bench,
		", because most runs of the baseline were disturbed by other load; measure both builds here (--against HEAD~1).");
	criteria->disturbed_before = false;
	criteria->disturbed_after = true;
	expect_remedy(&bench,
		", because most runs of the candidate were disturbed by other load; measure both builds here (--against HEAD~1).");
	criteria->disturbed_after = false;
	input->mode = GATE_FILES;
	expect_remedy(&bench, "; capture longer runs.");
	criteria->single_runs = true;
	expect_remedy(&bench, "; compare at least 3 files a side.");
	input->mode = GATE_PAIRED;
	expect_remedy(&bench, "; take at least 3 runs (--runs 3).");
	/* 'compare --paired' has no option of a gate. */
	input->machine_class = "";
	expect_remedy(&bench, "; compare at least 3 files a side.");
	criteria->single_runs = false;
	expect_remedy(&bench, "; capture longer runs.");
	input->machine_class = "x86_64-here";
	expect_remedy(&bench, "; measure on a quieter machine (--wait-quiet 10m).");
	criteria->counted = true;
	expect_remedy(&bench, "; find out why the count differs between runs of one build.");
	criteria->counted = false;
	/* Runs of a machine that was quiet. */
	struct profile quiet;

	profile_init(&quiet);
	profile_add_run(&quiet);
	quiet.runs[0].measured = true;
	quiet.runs[0].program_cpus = 1;
	quiet.runs[0].wall_ns = 1000000000;
	bench.policy.disturbed = 0.1;
	input->candidate = input->before = &quiet;
	expect_remedy(&bench, "; measure longer runs (capture.repeat).");
	quiet.runs[0].others_ns = 200000000;
	expect_remedy(&bench, "; measure on a quieter machine (--wait-quiet 10m).");
	input->candidate = input->before = NULL;
	profile_release(&quiet);
	reason_bench_release(&bench);
}

void
suite_gate_reason_remedy(void)
{
	static const struct unit_case cases[] = {
		{"more_runs_are_advised_unless_the_workload_fails_already",
			more_runs_are_advised_unless_the_workload_fails_already},
		{"where_runs_do_not_help_what_does_is_advised",
			where_runs_do_not_help_what_does_is_advised},
		{NULL, NULL},
	};

	unit_suite("gate/reason_remedy", cases);
}
