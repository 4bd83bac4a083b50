/*
 * One workload of three functions with its baseline, for tests of the rules.
 */
#ifndef GATE_JUDGE_BENCH_H
#define GATE_JUDGE_BENCH_H

#include "gate/judge.h"
#include "gate/synthetic_gate.h"
#include "unit.h"

/* A workload with its baseline and candidate, judged by judge(). */
struct bench {
	struct workload workload;
	struct baseline baseline;
	struct profile candidate;
	struct judgement judgement;
	enum status overall;
};

/* Runs with these samples of main;NAME; names and weights end with NULL. */
struct sampled {
	const char *name;
	double before;
	double after;
};

static inline void
add_runs(struct profile *profile, const struct sampled *functions, bool after, size_t nruns)
{
	for (size_t run = 0; run < nruns; run++) {
		size_t column = profile_add_run(profile);
		node_id root = ctree_child(
			&profile->tree, CTREE_ROOT, profile_frame(profile, "main", 4, FRAME_USER));
		double total = 0;

		for (const struct sampled *f = functions; f->name; f++) {
			frame_id frame = profile_frame_text(profile, f->name, strlen(f->name));
			double weight = after ? f->after : f->before;

			ctree_add(&profile->tree, column, ctree_child(&profile->tree, root, frame),
				weight);
			total += weight;
		}
		profile->runs[column].measured = true;
		profile->runs[column].samples = (uint64_t)total;
		profile->runs[column].expected_samples = total;
		profile->runs[column].cost_total = total * 2e5;
	}
}

static inline void
bench_init(struct bench *bench, const struct sampled *functions)
{
	*bench = (struct bench){
		.workload =
			{
				.name = "parse",
				.capture = {.metric = "cpu"},
				.gate = synthetic_policy(),
			},
	};
	profile_init(&bench->baseline.profile);
	profile_init(&bench->candidate);
	add_runs(&bench->baseline.profile, functions, false, 5);
	add_runs(&bench->candidate, functions, true, 5);
	bench->baseline.profile.cost_unit =
		strtab_intern_str(&bench->baseline.profile.strings, "ns");
	bench->candidate.cost_unit = strtab_intern_str(&bench->candidate.strings, "ns");
	bench->judgement = (struct judgement){
		.input =
			{
				.workload = &bench->workload,
				.candidate = &bench->candidate,
				.before = &bench->baseline.profile,
				.before_info = &bench->baseline.info,
				.machine_class = "x86_64-here",
				.update_command = "profile_run baseline update parse",
				.program_hash = "aaaa",
			},
	};
}

static inline void
bench_release(struct bench *bench)
{
	judgement_release(&bench->judgement);
	profile_release(&bench->baseline.profile);
	profile_release(&bench->candidate);
}

static inline int
judge(struct bench *bench)
{
	struct judgement *judgement = &bench->judgement;

	judge_gate(&judgement, 1, &bench->overall);
	return judge_exit_code(&judgement, 1);
}

/* The finding of this rule about this subject; a pass that says nothing if there is none. */
static inline struct finding
finding_about(const struct bench *bench, const char *rule, const char *subject)
{
	const struct verdict *verdict = &bench->judgement.verdict;

	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (strcmp(finding_rule_name(finding->rule), rule) == 0 &&
			strcmp(finding->subject, subject) == 0)
			return *finding;
	}
	return finding_of(FINDING_WAIVERS, "");
}

/* The test of this function as it was judged; NULL if there is none. */
static inline struct test *
test_about(struct bench *bench, const char *function)
{
	struct judgement *judgement = &bench->judgement;

	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		if (test->frame != 0 &&
			strcmp(profile_frame_name(&judgement->comparison.profile, test->frame),
				function) == 0)
			return test;
	}
	return NULL;
}

static const struct sampled unchanged[] = {
	{"parse", 3000, 3000},
	{"print", 4000, 4000},
	{"copy", 3000, 3000},
	{NULL, 0, 0},
};

/* parse takes a half more; the rest is as it was. */
static const struct sampled slower[] = {
	{"parse", 3000, 4500},
	{"print", 4000, 4000},
	{"copy", 3000, 3000},
	{NULL, 0, 0},
};

#endif
