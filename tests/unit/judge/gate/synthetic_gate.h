/*
 * Simulated gates: several workloads with known truth, judged as the program judges them.
 */
#ifndef GATE_SYNTHETIC_GATE_H
#define GATE_SYNTHETIC_GATE_H

#include "compare/synthetic.h"
#include "gate/judge.h"

#define GATE_WORKLOADS_MAX 10

struct synthetic_gate {
	size_t nworkloads;
	struct synthetic programs[GATE_WORKLOADS_MAX];
	struct synthetic_side before;
	struct synthetic_side after;
	size_t nsessions; /* of the baseline; 0 is 1 */
	bool waits;       /* which functions wait for memory is drawn anew for each gate */

	struct workload workloads[GATE_WORKLOADS_MAX];
	struct baseline baselines[GATE_WORKLOADS_MAX];
	struct profile candidates[GATE_WORKLOADS_MAX];
	struct judgement judgements[GATE_WORKLOADS_MAX];
	struct judgement *all[GATE_WORKLOADS_MAX]; /* of these */
	enum status overall;
};

/* The built-in defaults, of stored mode, as spec/gate_keys.c has them. */
static inline struct gate_policy
synthetic_policy(void)
{
	return (struct gate_policy){
		.total = {.warn = 0.10, .fail = 0.20},
		.functions = {.warn = 0.08, .fail = 0.15},
		.min_share = 0.01,
		.floor = 0.01,
		.alpha = 0.05,
		.strict = true,
		.disturbed = 0.10,
		.confirm = true,
		.regression = POLICY_FAIL,
		.new_functions = POLICY_FAIL,
		.gone_functions = POLICY_PASS,
		.waivers = POLICY_WARN,
		.self_check = POLICY_PASS,
		.inconclusive = POLICY_FAIL,
		.missing_baseline = POLICY_WARN,
		.other_machine = POLICY_WARN,
		.changed_program = POLICY_PASS,
		.changed_workload = POLICY_WARN,
	};
}

/* Ten programs of 5 to 50 functions, 10 + 10 runs of a second each. */
static inline void
synthetic_gate_init(struct synthetic_gate *gate, size_t nworkloads)
{
	*gate = (struct synthetic_gate){.nworkloads = nworkloads};
	for (size_t i = 0; i < nworkloads; i++) {
		gate->programs[i] = synthetic_program(5 + 5 * i);
		gate->workloads[i].name = "synthetic";
		gate->workloads[i].capture.metric = "cpu";
		gate->workloads[i].gate = synthetic_policy();
		gate->all[i] = &gate->judgements[i];
	}
	gate->before.nruns = gate->after.nruns = 10;
}

static inline void
synthetic_gate_measure(struct synthetic_gate *gate, struct rng *rng)
{
	for (size_t i = 0; i < gate->nworkloads; i++) {
		if (gate->waits)
			synthetic_draw_waits(&gate->programs[i], rng);
		profile_init(&gate->baselines[i].profile);
		for (uint32_t o = 0; o < (gate->nsessions ? gate->nsessions : 1); o++) {
			gate->before.session = o;
			synthetic_add(&gate->baselines[i].profile, &gate->programs[i],
				&gate->before, rng);
		}
		profile_init(&gate->candidates[i]);
		synthetic_add(&gate->candidates[i], &gate->programs[i], &gate->after, rng);
		gate->judgements[i] = (struct judgement){
			.input =
				{
					.workload = &gate->workloads[i],
					.candidate = &gate->candidates[i],
					.before = &gate->baselines[i].profile,
					.before_info = &gate->baselines[i].info,
					.machine_class = "x86_64-test",
				},
		};
	}
}

static inline void
synthetic_gate_release(struct synthetic_gate *gate)
{
	for (size_t i = 0; i < gate->nworkloads; i++) {
		judgement_release(&gate->judgements[i]);
		profile_release(&gate->baselines[i].profile);
		profile_release(&gate->candidates[i]);
	}
}

/* How often findings of a status occurred, over many gates; coarse ones count as undecided. */
struct synthetic_count {
	size_t gates[STATUS_ERROR + 1];    /* with at least one */
	size_t findings[STATUS_ERROR + 1]; /* in all */
	size_t named_first;                /* fail, the first of its workload about f00 */
};

static inline void
synthetic_gate_count(const struct synthetic_gate *gate, struct synthetic_count *count)
{
	bool seen[STATUS_ERROR + 1] = {false};

	for (size_t i = 0; i < gate->nworkloads; i++) {
		const struct verdict *verdict = &gate->judgements[i].verdict;

		for (size_t f = 0; f < verdict->nall; f++) {
			const struct finding *finding = &verdict->findings[f];
			const enum status status =
				finding_is_open(finding) ? STATUS_INCONCLUSIVE : finding->status;

			seen[status] = true;
			count->findings[status]++;
		}
	}
	for (int status = 0; status <= STATUS_ERROR; status++)
		count->gates[status] += seen[status];
	const struct verdict *first = &gate->judgements[0].verdict;

	count->named_first += first->nfindings > 0 && first->status == STATUS_FAIL &&
			      strcmp(first->findings[0].subject, "f00") == 0;
}

static inline struct synthetic_count
synthetic_gates(struct synthetic_gate *gate, size_t ngates, uint64_t seed)
{
	struct synthetic_count count = {0};
	struct rng rng = {.state = seed};

	for (size_t i = 0; i < ngates; i++) {
		synthetic_gate_measure(gate, &rng);
		judge_gate(gate->all, gate->nworkloads, &gate->overall);
		synthetic_gate_count(gate, &count);
		synthetic_gate_release(gate);
	}
	return count;
}

#endif
