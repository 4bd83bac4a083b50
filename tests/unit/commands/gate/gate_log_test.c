#include "gate/gate_log.h"
#include "measurement/measurement.h"
#include "stderr_file.h"
#include "unit.h"

void suite_gate_gate_log(void);

static const struct workload workload = {.name = "parse"};

/* Two functions that look slower by so much. */
static void
slower(struct finding findings[2], struct verdict *verdict, double change)
{
	static const char *const names[] = {"scan", "skip"};

	for (size_t i = 0; i < 2; i++) {
		findings[i] = finding_of(FINDING_FUNCTIONS, names[i]);
		findings[i].status = STATUS_FAIL;
		findings[i].effect.tested = true;
		findings[i].effect.change = change;
		findings[i].unconfirmed = true;
	}
	*verdict = (struct verdict){.status = STATUS_FAIL, .findings = findings, .nfindings = 2};
}

static void
expect_more_runs(const struct measurement *m, const struct run_request *request, int stage,
	const char *expected)
{
	struct stderr_file file;
	char text[512];

	stderr_file_begin(&file);
	gate_log_more_runs(m, request, stage);
	stderr_file_end(&file, text, sizeof(text));
	UNIT_STR_EQ(text, expected);
}

static void
new_runs_name_the_function_and_its_growth(void)
{
	struct measurement m = {.workload = &workload, .nsides = 1, .runs = {.wanted = {10, 0}}};
	struct finding findings[2];
	struct verdict verdict;
	struct run_request request = {.finding = findings, .nfindings = 2, .runs = 12};

	slower(findings, &verdict, 0.183);
	expect_more_runs(&m, &request, COMPARISON_CONFIRM,
		"parse: scan (and 1 more) looks 18.3 % slower; taking 12 new runs to confirm\n");
	request.nfindings = 1;
	m.event.counts_all = true;
	m.nsides = 2;
	expect_more_runs(&m, &request, COMPARISON_CONFIRM,
		"parse: scan looks 18.3 % more costly; taking 12 new pairs to confirm\n");
}

static void
more_runs_name_what_is_undecided(void)
{
	struct measurement m = {.workload = &workload, .nsides = 1, .runs = {.wanted = {10, 10}}};
	struct finding findings[2];
	struct verdict verdict;
	struct run_request request = {.finding = &findings[1], .nfindings = 1, .runs = 5};

	slower(findings, &verdict, 0.05);
	expect_more_runs(&m, &request, COMPARISON_SCREEN,
		"parse: skip is undecided after 10 runs; taking 5 more runs\n");
	request.runs = 10;
	expect_more_runs(&m, &request, COMPARISON_CONFIRM,
		"parse: skip is undecided after 10 new runs; taking 10 more runs to confirm\n");
}

static void
expect_verdict(const struct measurement *m, const struct verdict *verdict, const char *expected)
{
	struct stderr_file file;
	char text[512];

	stderr_file_begin(&file);
	gate_log_verdict(m, verdict);
	stderr_file_end(&file, text, sizeof(text));
	UNIT_STR_EQ(text, expected);
}

static void
a_verdict_names_what_it_is_for(void)
{
	struct measurement m = {.workload = &workload, .nsides = 1};
	struct finding findings[2];
	struct verdict verdict;

	slower(findings, &verdict, 0.183);
	expect_verdict(&m, &verdict, "fail          parse: scan +18.3 %\n");
	findings[0].status = verdict.status = STATUS_PASS;
	expect_verdict(&m, &verdict, "pass          parse\n");
}

static const struct unit_case cases[] = {
	{"new_runs_name_the_function_and_its_growth", new_runs_name_the_function_and_its_growth},
	{"more_runs_name_what_is_undecided", more_runs_name_what_is_undecided},
	{"a_verdict_names_what_it_is_for", a_verdict_names_what_it_is_for},
	{NULL, NULL},
};

void
suite_gate_gate_log(void)
{
	unit_suite("gate/gate_log", cases);
}
