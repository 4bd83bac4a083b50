/* The example gates of agreement_test.c. */
#ifndef OUTPUT_AGREEMENT_GATES_H
#define OUTPUT_AGREEMENT_GATES_H

#include "gate/stacked_bench.h"

#include <math.h>

enum example {
	EXAMPLE_PASS,
	EXAMPLE_WARN,
	EXAMPLE_FAIL,
	EXAMPLE_COARSE,
	EXAMPLE_UNDECIDED,
	EXAMPLE_ERROR,
	EXAMPLE_WAIVED,
	EXAMPLE_BY_POLICY,
	EXAMPLE_SAME_PROGRAM,
	EXAMPLE_REPEATED,
	EXAMPLE_TWO_FAIL,
	EXAMPLE_NEW,
	EXAMPLE_INLINED, /* before, and not after */
	EXAMPLE_MOVED,
	EXAMPLES,
};

static const struct waiver accepts_parse = {
	.kind = RULE_EACH,
	.pattern = "parse",
	.workload = "*",
	.max_effect = 0.6,
	.reason = "a new check",
	.owner = "ann",
	.expires = 1798761600,
	.last_day = "2026-12-31",
	.file = "waivers.yaml",
	.line = 1,
};

static inline void
prepare(struct bench *bench, enum example example)
{
	static const struct sampled grown[] = {
		{"parse", 3000, 4500}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled same[] = {
		{"parse", 3000, 3000}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled few[] = {
		{"parse", 60, 60}, {"print", 70, 70}, {"read", 70, 70}, {NULL, 0, 0}};
	static const struct sampled two[] = {{"parse", 2000, 3000}, {"print", 2000, 3000},
		{"read", 2000, 2000}, {"scan", 2000, 2000}, {"store", 2000, 2000}, {NULL, 0, 0}};
	static const struct sampled added[] = {
		{"walk", 0, 3000}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct stacked inlined[] = {{"main;run;parse_[i]", 3000, 0},
		{"main;run;parse", 0, 4500}, {"main;run;print", 3500, 3500},
		{"main;read", 3500, 3500}, {NULL, 0, 0}};
	static const struct stacked moved[] = {{"main;run;parse", 1500, 1000},
		{"main;run;parse;check", 500, 1000}, {"main;read", 3000, 3000},
		{"main;scan", 3000, 3000}, {"main;store", 3000, 3000}, {NULL, 0, 0}};
	struct gate_input *input = &bench->judgement.input;
	struct gate_policy *policy = &bench->workload.gate;

	if (example == EXAMPLE_INLINED || example == EXAMPLE_MOVED)
		stacked_init(bench, example == EXAMPLE_INLINED ? inlined : moved);
	else
		bench_init(bench, example == EXAMPLE_PASS       ? same
				  : example == EXAMPLE_COARSE   ? few
				  : example == EXAMPLE_TWO_FAIL ? two
				  : example == EXAMPLE_NEW      ? added
								: grown);
	/* The machine is 20 % slower now. */
	for (size_t run = 0; run < bench->candidate.nruns; run++)
		bench->candidate.runs[run].cost_total *= 1.2;
	for (struct profile *side = &bench->candidate; side;
		side = side == &bench->candidate ? &bench->baseline.profile : NULL)
		side->cost_unit = strtab_intern_str(&side->strings, "ns");
	bench->workload.path = "parse.yaml";
	bench->workload.summary = "";
	policy->total = (struct threshold){.warn = NAN, .fail = NAN};
	switch (example) {
	case EXAMPLE_WARN:
		policy->functions = (struct threshold){.warn = 0.1, .fail = 0.9};
		break;
	case EXAMPLE_ERROR:
		input->candidate = NULL;
		input->error = "parse: exit code 3";
		break;
	case EXAMPLE_WAIVED:
		policy->waivers_list = &accepts_parse;
		policy->nwaivers = 1;
		break;
	case EXAMPLE_BY_POLICY:
		policy->regression = POLICY_PASS;
		break;
	case EXAMPLE_UNDECIDED:
		input->may_confirm = true;
		break;
	case EXAMPLE_SAME_PROGRAM:
		input->program = PROGRAM_SAME;
		break;
	case EXAMPLE_REPEATED:
		for (size_t run = 0; run < bench->candidate.nruns; run++)
			bench->candidate.runs[run].executions = 60;
		break;
	case EXAMPLE_PASS:
	case EXAMPLE_FAIL:
	case EXAMPLE_COARSE:
	case EXAMPLE_TWO_FAIL:
	case EXAMPLE_NEW:
	case EXAMPLE_INLINED:
	case EXAMPLE_MOVED:
	case EXAMPLES:
		break;
	}
}

#endif
