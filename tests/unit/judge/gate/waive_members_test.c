/* What a waiver accepts of what grew with the function that it is about. */
#include "gate/waive.h"

#include "gate/known_bench.h"
#include "unit.h"

void suite_gate_waive_members(void);

static const struct known print_changed[] = {
	{"print", CODE_CHANGED, SOURCE_UNKNOWN, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

static struct waiver
waiver_of(const char *pattern, double most)
{
	return (struct waiver){
		.kind = RULE_EACH,
		.pattern = pattern,
		.workload = "*",
		.max_effect = most,
		.reason = "checks that were missing",
		.owner = "ann",
		.expires = 1,
		.last_day = "2026-12-31",
	};
}

static void
judge_waived(struct bench *bench, const struct stacked *stacks, const struct known *known,
	const struct waiver *waivers, size_t n)
{
	stacked_init(bench, stacks);
	bench->workload.gate.total = (struct threshold){NAN, 0.1};
	bench->workload.gate.waivers_list = waivers;
	bench->workload.gate.nwaivers = n;
	judge_known_pairs(bench, known);
}

/* "print accepted +copy accepted; scan fail": findings that do not simply pass, in order. */
static void
expect_findings(const struct bench *bench, const char *wanted)
{
	const struct verdict *verdict = &bench->judgement.verdict;
	struct buf text = {0};

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->status == STATUS_PASS && !finding->accepted)
			continue;
		buf_printf(&text, "%s%s %s", text.len > 0 ? "; " : "", finding->subject,
			finding_verdict(finding));
		for (size_t k = 0; k < finding->nmembers; k++)
			buf_printf(&text, " +%s %s", finding->members[k].subject,
				finding_verdict(&finding->members[k]));
	}
	UNIT_STR_EQ(buf_text(&text), wanted);
	buf_release(&text);
}

/* Neither the function nor what it calls has all of the whole program's growth. */
static void
the_whole_program_is_accepted_with_all_that_is(void)
{
	const struct stacked stacks[] = {{"main;run;parse", 4000, 4000},
		{"main;run;print", 2000, 4000}, {"main;run;print;copy", 1000, 2500}, {NULL, 0, 0}};
	const struct waiver waiver = waiver_of("print", 2);
	struct bench bench;

	judge_waived(&bench, stacks, print_changed, &waiver, 1);
	CU_ASSERT_EQUAL(bench.overall, STATUS_PASS);
	expect_findings(&bench, "print accepted +copy accepted +whole program accepted");
	UNIT_STR_EQ(finding_about(&bench, "total", "whole program").reason,
		"Above the 10 % threshold. Accepted with print by ann until 2026-12-31: checks that "
		"were missing.");
	UNIT_CONTAINS(finding_about(&bench, "functions", "print").reason,
		"Accepted by ann until 2026-12-31, up to 200 %");
	bench_release(&bench);
}

/* Functions that each grew by less than their threshold. */
static const struct stacked diffuse[] = {{"main;print", 1000, 2400}, {"main;b", 3000, 3400},
	{"main;c", 3000, 3400}, {"main;d", 3000, 3400}, {NULL, 0, 0}};

static void
the_rest_of_the_whole_program_fails_with_its_size(void)
{
	const struct waiver waiver = waiver_of("print", 2);
	struct bench bench;

	judge_waived(&bench, diffuse, print_changed, &waiver, 1);
	CU_ASSERT_EQUAL(bench.overall, STATUS_FAIL);
	expect_findings(&bench, "whole program fail; b warn; c warn; d warn; print accepted");
	const struct finding whole = finding_about(&bench, "total", "whole program");

	UNIT_STR_EQ(whole.brief,
		"+280,700,000 samples is accepted with print, and the rest of +240,600,000 samples "
		"(+12.0 %) is not");
	UNIT_STR_EQ(whole.reason,
		"Above the 10 % threshold. Of its growth, +280,700,000 samples is accepted with "
		"print, and the rest of +240,600,000 samples (+12.0 %) is not.");
	bench_release(&bench);
}

static void
the_rest_belongs_to_the_function_that_fails(void)
{
	const struct stacked stacks[] = {{"main;print", 1000, 3000}, {"main;b", 3000, 4500},
		{"main;c", 3000, 3000}, {"main;d", 3000, 3000}, {NULL, 0, 0}};
	const struct known two[] = {{"print", CODE_CHANGED, SOURCE_UNKNOWN, 0},
		{"b", CODE_CHANGED, SOURCE_UNKNOWN, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct waiver waiver = waiver_of("print", 3);
	struct bench bench;

	judge_waived(&bench, stacks, two, &waiver, 1);
	expect_findings(&bench, "b fail +whole program fail; print accepted");
	bench_release(&bench);
}

static void
a_waiver_of_the_member_decides_first(void)
{
	const struct stacked stacks[] = {{"main;run;parse", 4000, 4000},
		{"main;run;print", 2000, 4000}, {"main;run;print;copy", 1000, 2500}, {NULL, 0, 0}};
	const struct waiver waivers[] = {waiver_of("print", 2), waiver_of("copy", 0.3)};
	struct bench bench;

	judge_waived(&bench, stacks, print_changed, waivers, 2);
	expect_findings(&bench, "copy fail +whole program fail; print accepted");
	UNIT_STR_EQ(
		finding_about(&bench, "functions", "copy").brief, "the waiver of ann accepts 30 %");
	bench_release(&bench);
}

void
suite_gate_waive_members(void)
{
	static const struct unit_case cases[] = {
		{"the_whole_program_is_accepted_with_all_that_is",
			the_whole_program_is_accepted_with_all_that_is},
		{"the_rest_of_the_whole_program_fails_with_its_size",
			the_rest_of_the_whole_program_fails_with_its_size},
		{"the_rest_belongs_to_the_function_that_fails",
			the_rest_belongs_to_the_function_that_fails},
		{"a_waiver_of_the_member_decides_first", a_waiver_of_the_member_decides_first},
		{NULL, NULL},
	};

	unit_suite("gate/waive_members", cases);
}
