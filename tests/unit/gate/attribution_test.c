/* One finding for one cause: what grew together is a member of the function that changed. */
#include "gate/attribution.h"

#include "gate/judge.h"
#include "gate/stacked_bench.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_gate_attribution(void);

/* Judges pairs of which these functions' code changed; NULL-ended. Release the bench. */
static void
judge_changed(struct bench *bench, const struct stacked *stacks, const char *const *changed)
{
	struct judgement *judgement = &bench->judgement;

	stacked_init(bench, stacks);
	judgement->input.mode = GATE_PAIRED;
	judge_tests(&judgement, 1);
	struct code_states code = code_where(&judgement->comparison, "");

	for (frame_id frame = 1; frame < code.nframes; frame++)
		for (size_t i = 0; changed[i]; i++)
			if (strcmp(profile_frame_name(&judgement->comparison.profile, frame),
				    changed[i]) == 0)
				code.by_frame[frame] = CODE_CHANGED;
	judgement->input.code = changed[0] ? &code : NULL;
	judge_decide(&judgement, 1, &bench->overall);
	free(code.by_frame);
}

/* "print +parse" for each finding of a status, in order: its subject and those of its members. */
static void
expect_status(const struct stacked *stacks, const char *const *changed, enum status status,
	const char *wanted)
{
	struct bench bench;
	struct buf text = {0};

	judge_changed(&bench, stacks, changed);
	const struct verdict *verdict = &bench.judgement.verdict;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->status != status)
			continue;
		buf_printf(&text, "%s%s%s", text.len > 0 ? "; " : "", finding->subject,
			finding->of == QUANTITY_TOTAL && finding->frame ? " total" : "");
		for (size_t k = 0; k < finding->nmembers; k++)
			buf_printf(&text, " +%s", finding->members[k].subject);
	}
	CU_ASSERT_STRING_EQUAL(buf_text(&text), wanted);
	buf_release(&text);
	bench_release(&bench);
}

static void
expect(const struct stacked *stacks, const char *const *changed, const char *wanted)
{
	expect_status(stacks, changed, STATUS_FAIL, wanted);
}

static const struct stacked library[] = {{"main;run;parse", 4000, 4000},
	{"main;run;print", 1000, 1050}, {"main;run;print;printf;digits", 1500, 4000},
	{"main;run;print;printf;divide", 1000, 2500}, {"main;run;scan;printf;digits", 500, 500},
	{NULL, 0, 0}};

static void
callees_are_part_of_the_changed_caller(void)
{
	const char *const print[] = {"print", NULL};

	expect(library, print, "print total +digits +divide +whole program");
}

/* Too few samples to be sure of any of them. */
static const struct stacked few_samples[] = {{"main;run;parse", 100, 100},
	{"main;run;print", 20, 20}, {"main;run;print;printf;digits", 20, 27},
	{"main;run;print;printf;divide", 20, 26}, {NULL, 0, 0}};

static void
what_is_undecided_for_one_cause_is_one_finding(void)
{
	const char *const print[] = {"print", NULL};
	const char *const none[] = {NULL};

	expect_status(few_samples, print, STATUS_INCONCLUSIVE, "print total +digits +divide");
	expect_status(few_samples, none, STATUS_INCONCLUSIVE, "digits; divide");
	expect(few_samples, print, "");
}

static void
nothing_is_attributed_without_the_code(void)
{
	const char *const none[] = {NULL};

	expect(library, none, "digits +whole program; divide");
}

static void
a_function_whose_own_cost_grew_most_is_judged_by_it(void)
{
	const struct stacked own[] = {{"main;run;parse", 4000, 4000},
		{"main;run;print", 2000, 5000}, {"main;run;print;copy", 1000, 1600}, {NULL, 0, 0}};
	const char *const print[] = {"print", NULL};

	expect(own, print, "print +copy +whole program");
}

static void
two_causes_are_two_findings(void)
{
	const struct stacked two[] = {{"main;run;parse", 4000, 6000},
		{"main;run;print", 3000, 3000}, {"main;run;print;digits", 1000, 2500},
		{"main;run;scan", 3000, 3000}, {NULL, 0, 0}};
	const char *const both[] = {"parse", "print", NULL};

	expect(two, both, "parse +whole program; print total +digits");
}

static void
the_inlined_leaf_of_changed_code_is_the_subject(void)
{
	const struct stacked inlined[] = {{"main;parse", 4000, 4000},
		{"main;parse;line_[i];is_rule_[i]", 2000, 4500}, {"main;print", 3000, 3000},
		{NULL, 0, 0}};
	const char *const parse[] = {"parse", NULL};

	expect(inlined, parse, "is_rule_[i] total +parse +whole program");
}

static void
a_new_function_that_was_inlined_is_the_subject(void)
{
	const struct stacked inlined[] = {{"main;rest", 4000, 4000}, {"main;parse", 3000, 3000},
		{"main;parse;track_[i]", 0, 2500}, {NULL, 0, 0}};
	const char *const parse[] = {"parse", NULL};

	expect(inlined, parse, "track_[i] total +parse +whole program");
}

static void
a_stub_of_the_linker_is_part_of_its_caller(void)
{
	const struct stacked calls[] = {{"main;rest", 4000, 4000}, {"main;parse", 3000, 3000},
		{"main;parse;append@plt", 0, 2500}, {NULL, 0, 0}};
	const char *const both[] = {"parse", "append@plt", NULL};

	expect(calls, both, "parse total +append@plt +whole program");
}

/* Of a new function and its changed caller the one that grew more stands for both. */
static void
a_new_function_and_its_changed_caller_are_one(void)
{
	const struct stacked added[] = {{"main;rest", 4000, 4000}, {"main;parse", 3000, 3900},
		{"main;parse;track", 0, 2500}, {NULL, 0, 0}};
	const struct stacked caller[] = {{"main;rest", 4000, 4000}, {"main;parse", 3000, 5900},
		{"main;parse;track", 0, 1500}, {NULL, 0, 0}};
	const char *const both[] = {"parse", "track", NULL};

	expect(added, both, "track +parse +whole program");
	expect(caller, both, "parse +track +whole program");
}

static void
an_inlined_function_that_grew_in_one_caller_only_is_not_the_subject(void)
{
	const struct stacked calls[] = {{"main;fifty;advance_[i]", 5000, 5000},
		{"main;thirty;advance_[i]", 3000, 4500}, {"main;twenty;advance_[i]", 2000, 2000},
		{NULL, 0, 0}};
	const struct stacked body[] = {{"main;fifty;advance_[i]", 5000, 7500},
		{"main;thirty;advance_[i]", 3000, 4500}, {"main;rest", 2000, 2000}, {NULL, 0, 0}};
	const char *const thirty[] = {"thirty", NULL};
	const char *const both[] = {"fifty", "thirty", NULL};

	expect(calls, thirty, "thirty +whole program");
	expect(body, both, "advance_[i] total +fifty +thirty +whole program");
}

static void
the_whole_program_is_a_finding_where_functions_do_not_explain_it(void)
{
	const struct stacked diffuse[] = {{"main;a", 1000, 1900}, {"main;b", 3000, 3400},
		{"main;c", 3000, 3400}, {"main;d", 3000, 3400}, {NULL, 0, 0}};
	const char *const one[] = {"a", NULL};

	expect(diffuse, one, "a; whole program");
}

static void
nothing_is_a_member_where_nothing_fails(void)
{
	const struct stacked same[] = {
		{"main;parse", 4000, 4000}, {"main;print", 3000, 3000}, {NULL, 0, 0}};
	const char *const one[] = {"parse", NULL};

	expect(same, one, "");
}

void
suite_gate_attribution(void)
{
	static const struct unit_case cases[] = {
		{"callees_are_part_of_the_changed_caller", callees_are_part_of_the_changed_caller},
		{"what_is_undecided_for_one_cause_is_one_finding",
			what_is_undecided_for_one_cause_is_one_finding},
		{"nothing_is_attributed_without_the_code", nothing_is_attributed_without_the_code},
		{"a_function_whose_own_cost_grew_most_is_judged_by_it",
			a_function_whose_own_cost_grew_most_is_judged_by_it},
		{"two_causes_are_two_findings", two_causes_are_two_findings},
		{"the_inlined_leaf_of_changed_code_is_the_subject",
			the_inlined_leaf_of_changed_code_is_the_subject},
		{"a_new_function_that_was_inlined_is_the_subject",
			a_new_function_that_was_inlined_is_the_subject},
		{"a_stub_of_the_linker_is_part_of_its_caller",
			a_stub_of_the_linker_is_part_of_its_caller},
		{"a_new_function_and_its_changed_caller_are_one",
			a_new_function_and_its_changed_caller_are_one},
		{"an_inlined_function_that_grew_in_one_caller_only_is_not_the_subject",
			an_inlined_function_that_grew_in_one_caller_only_is_not_the_subject},
		{"the_whole_program_is_a_finding_where_functions_do_not_explain_it",
			the_whole_program_is_a_finding_where_functions_do_not_explain_it},
		{"nothing_is_a_member_where_nothing_fails",
			nothing_is_a_member_where_nothing_fails},
		{NULL, NULL},
	};

	unit_suite("gate/attribution", cases);
}
