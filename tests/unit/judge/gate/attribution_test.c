/* One finding for one cause: what grew together is a member of the function that changed. */
#include "gate/attribution.h"

#include "gate/known_bench.h"
#include "unit.h"

#include <string.h>

void suite_gate_attribution(void);

/* A finding that fails shows the effect that failed: above the threshold beside it. */
static void
expect_above_threshold(const struct verdict *verdict, const struct finding *finding)
{
	const struct finding *judged = verdict_judged(verdict, finding);

	if (finding->status != STATUS_FAIL || !judged->effect.tested)
		return;
	CU_ASSERT_EQUAL(judged->status, STATUS_FAIL);
	CU_ASSERT(judged->effect.change > judged->fail_at);
}

/* "print +parse" for each finding of a status, in order: its subject and those of its members. */
static void
expect_status(const struct stacked *stacks, const struct known *known, enum status status,
	const char *wanted)
{
	struct bench bench;
	struct buf text = {0};

	judge_known(&bench, stacks, known);
	const struct verdict *verdict = &bench.judgement.verdict;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		expect_above_threshold(verdict, finding);
		if (finding->status != status)
			continue;
		buf_printf(&text, "%s%s%s", text.len > 0 ? "; " : "", finding->subject,
			finding->of == QUANTITY_TOTAL && finding->frame ? " total" : "");
		for (size_t k = 0; k < finding->nmembers; k++)
			buf_printf(&text, " +%s", finding->members[k].subject);
	}
	UNIT_STR_EQ(buf_text(&text), wanted);
	buf_release(&text);
	bench_release(&bench);
}

static void
expect_known(const struct stacked *stacks, const struct known *known, const char *wanted)
{
	expect_status(stacks, known, STATUS_FAIL, wanted);
}

/* The same where the code of these functions changed, and nothing is known of the source. */
static void
expect(const struct stacked *stacks, const char *const *changed, const char *wanted)
{
	struct known known[4] = {{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	for (size_t i = 0; changed[i] && i < 3; i++)
		known[i] = (struct known){changed[i], CODE_CHANGED, SOURCE_UNKNOWN, 0};
	expect_known(stacks, known, wanted);
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
undecided_tests_of_one_cause_are_one_finding(void)
{
	const struct known print[] = {{"print", CODE_CHANGED, SOURCE_UNKNOWN, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct known none[] = {{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_status(few_samples, print, STATUS_INCONCLUSIVE, "print total +digits +divide");
	expect_status(few_samples, none, STATUS_INCONCLUSIVE, "digits; divide");
	expect_known(few_samples, print, "");
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

/* A loop runs longer around code that is inlined nowhere else. */
static void
the_function_with_the_changed_line_is_the_subject(void)
{
	const struct stacked loop[] = {{"main;rest", 4000, 4000}, {"main;walk", 500, 900},
		{"main;walk;step_[i]", 3000, 6500}, {NULL, 0, 0}};
	const struct known around[] = {{"walk", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"step_[i]", CODE_UNKNOWN, SOURCE_SAME, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct known within[] = {{"walk", CODE_CHANGED, SOURCE_SAME, 0},
		{"step_[i]", CODE_UNKNOWN, SOURCE_CHANGED, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	/* A type or a macro changed. */
	const struct known neither[] = {{"walk", CODE_CHANGED, SOURCE_SAME, 0},
		{"step_[i]", CODE_UNKNOWN, SOURCE_SAME, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(loop, around, "walk +whole program");
	expect_known(loop, within, "step_[i] total +walk +whole program");
	expect_known(loop, neither, "step_[i] total +walk +whole program");
}

/* As a worse hash lengthens the loop of a look-up. */
static void
what_an_inlined_function_slows_down_is_the_subject(void)
{
	const struct stacked own[] = {{"main;rest", 4000, 4000}, {"main;find", 1500, 4000},
		{"main;find;hash_[i]", 500, 520}, {"main;find;hash_[i];bits_[i]", 100, 130},
		{NULL, 0, 0}};
	const struct stacked called[] = {{"main;rest", 4000, 4000},
		{"main;find;compare", 1500, 4000}, {"main;find;hash_[i]", 500, 520}, {NULL, 0, 0}};
	const struct stacked below[] = {{"main;rest", 4000, 4000}, {"main;find", 500, 520},
		{"main;find;hash_[i];bits_[i]", 1500, 4000}, {NULL, 0, 0}};
	/* As the runtime's functions that it calls are. */
	const struct stacked added[] = {{"main;rest", 4000, 4000}, {"main;find", 500, 520},
		{"main;find;hash_[i]", 500, 520}, {"main;find;hash_[i];join", 0, 2500},
		{NULL, 0, 0}};
	const struct known hash[] = {{"find", CODE_CHANGED, SOURCE_SAME, 1},
		{"join", CODE_NEW, SOURCE_OUTSIDE, 0}, {"compare", CODE_SAME, SOURCE_SAME, 0},
		{"hash_[i]", CODE_UNKNOWN, SOURCE_CHANGED, 0},
		{"bits_[i]", CODE_UNKNOWN, SOURCE_SAME, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(own, hash, "find +whole program");
	expect_known(called, hash, "find total +compare +whole program");
	/* One cause, where it grew in one function and slowed down another. */
	const struct stacked both[] = {{"main;rest", 4000, 4000}, {"main;find", 500, 2000},
		{"main;find;hash_[i]", 500, 520}, {"main;remove;hash_[i]", 1000, 4500},
		{NULL, 0, 0}};
	const struct known two[] = {{"find", CODE_CHANGED, SOURCE_SAME, 1},
		{"remove", CODE_CHANGED, SOURCE_SAME, 1},
		{"hash_[i]", CODE_UNKNOWN, SOURCE_CHANGED, 1},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(both, two, "hash_[i] total +remove +find +whole program");
	expect_known(below, hash, "hash_[i] total +find +whole program");
	expect_known(added, hash, "hash_[i] total +join +whole program");
}

static void
a_function_inlined_into_many_is_one_cause(void)
{
	const struct stacked many[] = {{"main;rest", 4000, 4000}, {"main;one;step_[i]", 1500, 3500},
		{"main;two;step_[i]", 1500, 3400}, {"main;two;other_[i]", 500, 500}, {NULL, 0, 0}};
	const struct known step[] = {{"one", CODE_CHANGED, SOURCE_SAME, 0},
		{"two", CODE_CHANGED, SOURCE_SAME, 0},
		{"step_[i]", CODE_UNKNOWN, SOURCE_CHANGED, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(many, step, "step_[i] total +one +two +whole program");
}

static void
functions_outside_of_the_repository_are_part_of_their_caller(void)
{
	const struct stacked calls[] = {{"main;rest", 4000, 4000}, {"main;parse", 3000, 3000},
		{"main;parse;strings.Join", 0, 2500}, {"main;parse;strings.Join;grow_[i]", 0, 500},
		{NULL, 0, 0}};
	const struct known outside[] = {{"parse", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"strings.Join", CODE_NEW, SOURCE_OUTSIDE, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	/* A library that changed itself. */
	const struct known library_changed[] = {{"parse", CODE_SAME, SOURCE_SAME, 0},
		{"strings.Join", CODE_CHANGED, SOURCE_OUTSIDE, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	/* One of the repository that is called for the first time, or no longer inlined. */
	const struct known first[] = {{"parse", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"strings.Join", CODE_NEW, SOURCE_SAME, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(calls, outside, "parse total +strings.Join +whole program");
	expect_known(calls, library_changed, "strings.Join +whole program");
	expect_known(calls, first, "parse total +strings.Join +whole program");
}

static void
a_changed_line_decides_where_the_code_is_not_known(void)
{
	const struct stacked calls[] = {{"main;rest", 4000, 4000}, {"main;parse", 3000, 3000},
		{"main;parse;append", 1000, 3500}, {NULL, 0, 0}};
	const struct known unknown[] = {{"parse", CODE_UNKNOWN, SOURCE_CHANGED, 0},
		{"append", CODE_SAME, SOURCE_SAME, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	/* A comment. */
	const struct known same[] = {{"parse", CODE_SAME, SOURCE_CHANGED, 0},
		{"append", CODE_CHANGED, SOURCE_SAME, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(calls, unknown, "parse total +append +whole program");
	expect_known(calls, same, "append +whole program");
}

/* A collector in a thread, and the code around what is inlined. */
static void
growth_that_no_change_reaches_is_part_of_the_largest(void)
{
	const struct stacked stacks[] = {{"main;rest", 4000, 4000}, {"main;parse", 1000, 1400},
		{"main;parse;append_[i]", 1500, 5000}, {"thread;[unknown];collect", 1000, 1900},
		{"main;print", 1000, 2000}, {NULL, 0, 0}};
	const struct known one[] = {{"parse", CODE_CHANGED, SOURCE_SAME, 0},
		{"append_[i]", CODE_UNKNOWN, SOURCE_CHANGED, 0},
		{"print", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"[unknown]", CODE_UNKNOWN, SOURCE_UNKNOWN, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct known none[] = {
		{"collect", CODE_SAME, SOURCE_UNKNOWN, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(stacks, one, "append_[i] total +parse +collect +whole program; print");
	expect_known(stacks, none, "whole program");
}

static void
functions_of_a_changed_type_or_macro_are_one_cause(void)
{
	const struct stacked stacks[] = {{"main;rest", 4000, 4000}, {"main;parse", 1500, 3500},
		{"main;print", 1500, 3000}, {"main;scan", 1000, 2200}, {NULL, 0, 0}};
	const struct known type[] = {{"parse", CODE_CHANGED, SOURCE_SAME, 1},
		{"print", CODE_CHANGED, SOURCE_USES, 1}, {"scan", CODE_CHANGED, SOURCE_CHANGED, 1},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct known none[] = {{"parse", CODE_CHANGED, SOURCE_SAME, 0},
		{"print", CODE_CHANGED, SOURCE_SAME, 0}, {"scan", CODE_CHANGED, SOURCE_CHANGED, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	/* Two of them changed. */
	const struct known two[] = {{"parse", CODE_CHANGED, SOURCE_SAME, 2},
		{"print", CODE_CHANGED, SOURCE_SAME, 1}, {"scan", CODE_CHANGED, SOURCE_SAME, 2},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct stacked held[] = {{"main;rest", 4000, 4000}, {"main;walk", 200, 200},
		{"main;walk;step_[i]", 1500, 4000}, {NULL, 0, 0}};
	const struct known user[] = {{"walk", CODE_CHANGED, SOURCE_USES, 1},
		{"step_[i]", CODE_UNKNOWN, SOURCE_SAME, 1},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(stacks, two, "parse +scan +whole program; print");
	expect_known(stacks, type, "parse +print +whole program; scan");
	expect_known(stacks, none, "parse +whole program; print; scan");
	/* The macro is in the caller of what is inlined. */
	expect_known(held, user, "walk +whole program");
}

static void
functions_made_of_one_template_are_one_cause(void)
{
	const struct stacked made[] = {{"main;rest", 4000, 4000},
		{"main;n::total<unsigned int>(int)", 1500, 3500},
		{"main;n::total<std::pair<a, b> >(int)", 1500, 3000},
		{"main;go.total[go.shape.int]", 1500, 4000},
		{"main;go.total[go.shape.float64]", 1500, 3900}, {NULL, 0, 0}};
	const struct known all[] = {
		{"n::total<unsigned int>(int)", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"n::total<std::pair<a, b> >(int)", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"go.total[go.shape.int]", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"go.total[go.shape.float64]", CODE_CHANGED, SOURCE_CHANGED, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	const struct stacked traits[] = {{"main;rest", 4000, 4000},
		{"main;<A as T>::f", 1500, 3500}, {"main;<B as T>::f", 1500, 3000}, {NULL, 0, 0}};
	const struct known both[] = {{"<A as T>::f", CODE_CHANGED, SOURCE_CHANGED, 0},
		{"<B as T>::f", CODE_CHANGED, SOURCE_CHANGED, 0},
		{NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};

	expect_known(made, all,
		"go.total[go.shape.int] +go.total[go.shape.float64] +whole program; "
		"n::total<unsigned int>(int) +n::total<std::pair<a, b> >(int)");
	expect_known(traits, both, "<A as T>::f +whole program; <B as T>::f");
}

static void
the_whole_program_is_a_finding_where_functions_do_not_explain_it(void)
{
	const struct stacked diffuse[] = {{"main;a", 1000, 1900}, {"main;b", 3000, 3400},
		{"main;c", 3000, 3400}, {"main;d", 3000, 3400}, {NULL, 0, 0}};
	const char *const one[] = {"a", NULL};

	expect(diffuse, one, "a; whole program");
}

/* The caller that the change touched is the finding, and its callee is what fails. */
static void
a_finding_is_judged_by_the_member_that_fails(void)
{
	const struct stacked loads[] = {{"prog;main", 100, 100},
		{"prog;main;read;fill", 14000, 14000}, {"prog;main;load", 500, 1500}, {NULL, 0, 0}};
	const struct known known[] = {
		{"main", CODE_CHANGED, SOURCE_UNKNOWN, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	struct bench bench;

	expect_known(loads, known, "main total +load");
	judge_known(&bench, loads, known);
	const struct verdict *verdict = &bench.judgement.verdict;
	const struct finding *judged = verdict_judged(verdict, &verdict->findings[0]);

	CU_ASSERT_STRING_EQUAL(judged->subject, "load");
	CU_ASSERT(judged->effect.change > 1);
	CU_ASSERT(!(verdict->findings[0].effect.change > judged->fail_at));
	CU_ASSERT_STRING_EQUAL(verdict->findings[0].brief, "");
	bench_release(&bench);
}

static void
check_judged_by(const struct stacked *stacks, const char *subject)
{
	const struct known known[] = {
		{"main", CODE_CHANGED, SOURCE_UNKNOWN, 0}, {NULL, CODE_UNKNOWN, SOURCE_UNKNOWN, 0}};
	struct bench bench;

	judge_known(&bench, stacks, known);
	const struct verdict *verdict = &bench.judgement.verdict;

	CU_ASSERT_STRING_EQUAL(verdict_judged(verdict, &verdict->findings[0])->subject, subject);
	bench_release(&bench);
}

static void
of_two_members_that_fail_the_one_that_grew_more_is_judged(void)
{
	const struct stacked first[] = {{"prog;main", 100, 100},
		{"prog;main;read;fill", 24000, 24000}, {"prog;main;link", 500, 2000},
		{"prog;main;load", 500, 1500}, {NULL, 0, 0}};
	const struct stacked second[] = {{"prog;main", 100, 100},
		{"prog;main;read;fill", 24000, 24000}, {"prog;main;link", 500, 1500},
		{"prog;main;load", 500, 2000}, {NULL, 0, 0}};

	check_judged_by(first, "link");
	check_judged_by(second, "load");
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
		{"undecided_tests_of_one_cause_are_one_finding",
			undecided_tests_of_one_cause_are_one_finding},
		{"a_finding_is_judged_by_the_member_that_fails",
			a_finding_is_judged_by_the_member_that_fails},
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
		{"the_function_with_the_changed_line_is_the_subject",
			the_function_with_the_changed_line_is_the_subject},
		{"what_an_inlined_function_slows_down_is_the_subject",
			what_an_inlined_function_slows_down_is_the_subject},
		{"a_function_inlined_into_many_is_one_cause",
			a_function_inlined_into_many_is_one_cause},
		{"functions_outside_of_the_repository_are_part_of_their_caller",
			functions_outside_of_the_repository_are_part_of_their_caller},
		{"a_changed_line_decides_where_the_code_is_not_known",
			a_changed_line_decides_where_the_code_is_not_known},
		{"growth_that_no_change_reaches_is_part_of_the_largest",
			growth_that_no_change_reaches_is_part_of_the_largest},
		{"functions_of_a_changed_type_or_macro_are_one_cause",
			functions_of_a_changed_type_or_macro_are_one_cause},
		{"functions_made_of_one_template_are_one_cause",
			functions_made_of_one_template_are_one_cause},
		{"the_whole_program_is_a_finding_where_functions_do_not_explain_it",
			the_whole_program_is_a_finding_where_functions_do_not_explain_it},
		{"of_two_members_that_fail_the_one_that_grew_more_is_judged",
			of_two_members_that_fail_the_one_that_grew_more_is_judged},
		{"nothing_is_a_member_where_nothing_fails",
			nothing_is_a_member_where_nothing_fails},
		{NULL, NULL},
	};

	unit_suite("gate/attribution", cases);
}
