/* Rules about system calls, in profiles whose leaves these are. */
#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_rule_calls(void);

static struct gate_rule_spec
calls(const char *pattern, double max, double fail)
{
	return (struct gate_rule_spec){
		.kind = RULE_CALL,
		.pattern = pattern,
		.threshold = {.warn = NAN, .fail = fail},
		.max_share = NAN,
		.max_cost = max,
	};
}

static void
set_unit(struct profile *profile)
{
	profile->metric = strtab_intern_str(&profile->strings, "syscalls");
	profile->unit = profile->cost_unit = strtab_intern_str(&profile->strings, "calls");
	for (size_t i = 0; i < profile->nruns; i++)
		profile->runs[i].cost_total = profile_column_total(profile, i);
}

/* Two runs a side of these calls. */
static void
begin(struct bench *bench, const struct sampled *functions)
{
	bench_init(bench, functions);
	profile_drop_runs(&bench->baseline.profile, 2);
	profile_drop_runs(&bench->candidate, 2);
	set_unit(&bench->baseline.profile);
	set_unit(&bench->candidate);
	bench->workload.capture.metric = "syscalls";
	bench->workload.gate.min_share = 0.001;
	bench->workload.gate.floor = 0.00001;
	bench->workload.gate.functions = (struct threshold){.warn = 0.0005, .fail = 0.005};
	bench->workload.gate.total = (struct threshold){.warn = 0.001, .fail = 0.005};
}

static void
expect(struct bench *bench, const struct gate_rule_spec *spec, const char *subject,
	enum status status)
{
	bench->workload.gate.rules = spec;
	bench->workload.gate.nrules = 1;
	judge(bench);
	struct finding finding = finding_about(bench, "rule", subject);

	UNIT_STR_EQ(finding.subject, subject);
	CU_ASSERT_EQUAL(finding.status, status);
	judgement_release(&bench->judgement);
}

static const struct sampled one_more[] = {
	{"fdatasync_[k]", 8, 9}, {"read_[k]", 100, 100}, {"readv_[k]", 10, 20}, {NULL, 0, 0}};

static void
test_budget(void)
{
	const struct gate_rule_spec eight = calls("fdatasync", 8, NAN);
	const struct gate_rule_spec nine = calls("fdatasync", 9, NAN);
	const struct gate_rule_spec none = calls("unlink", 0, NAN);
	const struct gate_rule_spec no_reads = calls("read", 0, NAN);
	struct bench bench;

	begin(&bench, one_more);
	expect(&bench, &eight, "call fdatasync (cost budget)", STATUS_FAIL);
	expect(&bench, &nine, "call fdatasync (cost budget)", STATUS_PASS);
	expect(&bench, &none, "call unlink (cost budget)", STATUS_PASS);
	expect(&bench, &no_reads, "call read (cost budget)", STATUS_FAIL);
	bench_release(&bench);
}

/* 9 of 561 calls: by their share of all, a little more than 9. */
static void
test_budget_of_many(void)
{
	const struct sampled many[] = {
		{"fdatasync_[k]", 9, 9}, {"read_[k]", 552, 552}, {NULL, 0, 0}};
	const struct gate_rule_spec nine = calls("fdatasync", 9, NAN);
	struct bench bench;

	begin(&bench, many);
	expect(&bench, &nine, "call fdatasync (cost budget)", STATUS_PASS);
	bench_release(&bench);
}

/* A count repeats: one run tells it. */
static void
test_budget_of_one_run(void)
{
	const struct gate_rule_spec eight = calls("fdatasync", 8, NAN);
	const struct gate_rule_spec nine = calls("fdatasync", 9, NAN);
	struct bench bench;

	begin(&bench, one_more);
	profile_drop_runs(&bench.candidate, 1);
	expect(&bench, &eight, "call fdatasync (cost budget)", STATUS_FAIL);
	expect(&bench, &nine, "call fdatasync (cost budget)", STATUS_PASS);
	bench_release(&bench);
}

static void
test_growth(void)
{
	const struct gate_rule_spec reads = calls("read*", NAN, 0.05);
	const struct gate_rule_spec read = calls("read", NAN, 0.05);
	struct bench bench;

	begin(&bench, one_more);
	expect(&bench, &reads, "call read*", STATUS_FAIL);
	expect(&bench, &read, "call read", STATUS_PASS);
	bench_release(&bench);
}

static void
test_unchanged(void)
{
	const struct sampled same[] = {
		{"fdatasync_[k]", 8, 8}, {"read_[k]", 100, 100}, {NULL, 0, 0}};
	const struct gate_rule_spec spec = calls("fdatasync", 8, 0.005);
	struct bench bench;
	unsigned passed = 0;

	begin(&bench, same);
	bench.workload.gate.rules = &spec;
	bench.workload.gate.nrules = 1;
	for (unsigned i = 0; i < 1000; i++) {
		judge(&bench);
		passed += bench.overall == STATUS_PASS;
		judgement_release(&bench.judgement);
	}
	CU_ASSERT_EQUAL(passed, 1000);
	bench_release(&bench);
}

static void
test_other_metric(void)
{
	const struct gate_rule_spec spec = calls("fdatasync", 0, 0.05);
	struct bench bench;

	bench_init(&bench, one_more);
	bench.workload.gate.rules = &spec;
	bench.workload.gate.nrules = 1;
	judge(&bench);
	struct finding finding = finding_about(&bench, "rule", "call fdatasync");

	UNIT_STR_EQ(finding.subject, "");
	judgement_release(&bench.judgement);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"one_call_more_than_allowed_fails", test_budget},
	{"as_many_calls_as_allowed_pass_among_many", test_budget_of_many},
	{"one_run_tells_a_count", test_budget_of_one_run},
	{"a_pattern_is_judged_as_a_group", test_growth},
	{"an_unchanged_program_passes_1000_times", test_unchanged},
	{"samples_of_time_have_no_calls", test_other_metric},
	{NULL, NULL},
};

void
suite_gate_rule_calls(void)
{
	unit_suite("gate/rule_calls", cases);
}
