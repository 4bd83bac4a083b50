/*
 * Counters of the runs against gate.counters: growth by the test of the whole program, with a
 * counter in the place of CPU time; and limits of the candidate alone.
 */
#include "compare/stats.h"
#include "gate/rules.h"
#include "profile/counters.h"
#include "profile/metric.h"

#include <math.h>
#include <string.h>

/* Hardware counters that ran for less of the time are not judged, or with a warning. */
#define RUNNING_LEAST 0.5
#define RUNNING_GOOD 0.9
/* Runs whose values differ by no more than this repeat. */
#define SAME_VALUE 1e-3
/* Costs of an operation may be less than one. */
#define PER_OP_SCALE 1e6
/*
 * SD of ln latency between sessions, of the median and of all else. It follows other load far more
 * than CPU time does: tests/unit/judge/gate/latency_rates_test.c.
 */
#define MEDIAN_SPREAD 0.15
#define TAIL_SPREAD 0.5
/* Weight of a run of which only one scalar is compared: enough not to be too few samples. */
#define WHOLE_WEIGHT 1e6

/* The value that may be judged; NAN where there is none. */
static double
judged_value(const struct run *run, enum counter_id id)
{
	if (counter_kinds[id].needs_pmu &&
		!(counter_value(run, COUNTER_PMU_RUNNING) >= RUNNING_LEAST))
		return NAN;
	return counter_value(run, id);
}

static size_t
count_known(const struct profile *profile, enum counter_id id)
{
	size_t known = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		known += !isnan(judged_value(&profile->runs[i], id));
	return known;
}

static double
mean_of(const struct profile *profile, enum counter_id id)
{
	double sum = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		double value = judged_value(&profile->runs[i], id);

		sum += isnan(value) ? 0 : value;
	}
	return sum / (double)count_known(profile, id);
}

/* The runs in which it is known as a profile of one function whose cost is the counter. */
static void
fill(struct profile *into, const struct profile *from, enum counter_id id)
{
	profile_init(into);
	node_id node =
		ctree_child(&into->tree, CTREE_ROOT, profile_frame(into, "run", 3, FRAME_USER));

	for (size_t i = 0; i < from->nruns; i++) {
		double value = judged_value(&from->runs[i], id);

		if (isnan(value))
			continue;
		size_t column = profile_add_run(into);

		into->runs[column] = from->runs[i];
		if (counter_kinds[id].per_op)
			value *= PER_OP_SCALE;
		/* A growth from 0 has no ratio: it is one from the smallest amount. */
		into->runs[column].cost_total = fmax(value, 1);
		ctree_add(&into->tree, (unsigned)column, node, WHOLE_WEIGHT);
	}
}

static struct effect *
keep_effect(struct judgement *judgement, const struct effect *whole)
{
	struct effect *effect = arena_alloc(&judgement->verdict.arena, sizeof(*effect));

	*effect = *whole;
	/* They are shares of the counter, not of the program. */
	effect->before_share = effect->after_share = NAN;
	return effect;
}

/* Whether all runs of a side, filled in, have the same value. */
static bool
repeats(const struct profile *side)
{
	double least = INFINITY;
	double most = 0;

	for (size_t i = 0; i < side->nruns; i++) {
		least = fmin(least, side->runs[i].cost_total);
		most = fmax(most, side->runs[i].cost_total);
	}
	return most <= least * (1 + SAME_VALUE);
}

/* The model's mode: the same work has the same value, or runs spread. */
static enum comparison_mode
mode_of(const struct judgement *judgement, const struct counter_kind *kind,
	const struct profile *before, const struct profile *after)
{
	if (kind->exact && (!kind->per_op || (repeats(before) && repeats(after))))
		return COMPARISON_EXACT;
	return judgement->input.mode == GATE_PAIRED ? COMPARISON_PAIRED : COMPARISON_STORED;
}

/* Only times, and how requests come together, depend on the machine's speed on the day. */
static double
assumed_spread(const struct counter_kind *kind)
{
	if (kind->of_latency)
		return kind == &counter_kinds[COUNTER_LATENCY_P50] ? MEDIAN_SPREAD : TAIL_SPREAD;
	if (kind->unit && strcmp(kind->unit, "ns") == 0)
		return 0; /* that of times */
	return kind->per_op ? COMPARISON_SESSION_SPREAD : 1e-9;
}

static void
add_growth(struct judgement *judgement, const struct counter_limit *limit, enum counter_id id)
{
	const struct counter_kind *kind = &counter_kinds[id];
	const struct gate_input *input = &judgement->input;
	const double spread = input->same_session ? 1e-9 : assumed_spread(kind);
	struct profile before;
	struct profile after;

	fill(&before, input->before, id);
	fill(&after, input->candidate, id);
	const struct comparison_options options = {
		.mode = mode_of(judgement, kind, &before, &after),
		.alpha = judgement_policy(judgement)->alpha,
		.plain_costs = true,
		.session_spread = spread,
		.machine_spread = spread,
	};
	struct comparison comparison;

	comparison_make(&comparison, &before, &after, &options);
	struct test test = test_of(
		comparison.whole.tested ? TEST_GROWTH : TEST_TOO_FEW, FINDING_COUNTERS, kind->name);

	test.of = QUANTITY_TOTAL;
	test.counter = kind;
	test.limits = limits_of(&comparison.whole, &limit->threshold, 0, 0);
	test.all = keep_effect(judgement, &comparison.whole);
	test.all->before_cost = mean_of(input->before, id);
	test.all->after_cost = mean_of(input->candidate, id);
	for (int stage = 0; stage < COMPARISON_STAGES && comparison.staged; stage++)
		test.stages[stage] = keep_effect(judgement, &comparison.stages[stage].whole);
	judgement_add_test(judgement, &test);
	comparison_release(&comparison);
	profile_release(&before);
	profile_release(&after);
}

/* The mean of the candidate's runs and its one-sided lower limit. */
static void
add_budget(struct judgement *judgement, const struct counter_limit *limit, enum counter_id id)
{
	const struct profile *candidate = judgement->input.candidate;
	struct test test = test_of(TEST_COST_BUDGET, FINDING_COUNTERS,
		judgement_text(judgement, "%s (limit)", limit->name));
	const double n = (double)count_known(candidate, id);
	const double mean = mean_of(candidate, id);
	double squares = 0;

	for (size_t i = 0; i < candidate->nruns; i++) {
		double value = judged_value(&candidate->runs[i], id);

		squares += isnan(value) ? 0 : (value - mean) * (value - mean);
	}
	test.of = QUANTITY_TOTAL;
	test.counter = &counter_kinds[id];
	test.budget = (struct budget){.value = mean, .least = mean, .limit = limit->max};
	if (n > 1 && squares > 0)
		test.budget.least -= stats_t_quantile(judgement_policy(judgement)->alpha, n - 1) *
				     sqrt(squares / (n - 1) / n);
	judgement_add_test(judgement, &test);
}

/* The least share of the time in which the hardware counters of a side ran. */
static double
least_running(const struct profile *profile)
{
	double least = 1;

	for (size_t i = 0; i < profile->nruns; i++)
		least = fmin(least, counter_value(&profile->runs[i], COUNTER_PMU_RUNNING));
	return least;
}

static void
check_running(struct judgement *judgement, const struct counter_limit *limit)
{
	const double running = least_running(judgement->input.candidate);

	if (running < RUNNING_GOOD)
		judgement_add_condition(judgement, FINDING_COUNTERS,
			judgement_text(judgement, "%s (running)", limit->name), CONDITION_DOUBTFUL,
			judgement_text(judgement,
				"The hardware counter was running for %s of the time only; the rest is "
				"estimated.",
				judgement_percent(judgement, running)));
}

/*
 * A limit of the workload must be judged. One of the configuration is for all workloads, and holds
 * for those whose metric or machine has the counter.
 */
static void
add_unknown(struct judgement *judgement, const struct counter_limit *limit, const char *reason)
{
	if (strcmp(limit->file, judgement->input.workload->path) == 0)
		judgement_add_condition(
			judgement, FINDING_COUNTERS, limit->name, CONDITION_UNUSABLE, reason);
}

static const char *
unknown_reason(struct judgement *judgement, const struct counter_kind *kind)
{
	const struct metric *metric = metric_find(judgement->input.workload->capture.metric);

	if (kind->needs_pmu)
		return "Not counted: this machine offers no hardware counters, or they ran for less "
		       "than 50 % of the time.";
	if (kind->per_op)
		return "Not known: the number of operations was not reported (`latency` in the "
		       "workload), or the metric is another.";
	if (kind->of_latency && metric && metric->counted)
		return "Not known: counting slows operations down. Measure a metric of time.";
	if (kind->of_latency)
		return "Not known: the driver, named in `latency`, does not report it.";
	return judgement_text(judgement, "Not counted by the metric '%s' on this machine.",
		judgement->input.workload->capture.metric);
}

static void
add_counter(struct judgement *judgement, const struct counter_limit *limit)
{
	const struct gate_input *input = &judgement->input;
	const bool has_threshold = !isnan(limit->threshold.warn) || !isnan(limit->threshold.fail);
	int id = counter_find(limit->name);

	if (id < 0)
		return;
	if (count_known(input->candidate, (enum counter_id)id) == 0) {
		add_unknown(judgement, limit, unknown_reason(judgement, &counter_kinds[id]));
		return;
	}
	if (counter_kinds[id].needs_pmu)
		check_running(judgement, limit);
	if (!isnan(limit->max))
		add_budget(judgement, limit, (enum counter_id)id);
	if (!has_threshold || !judgement->compared)
		return;
	if (count_known(input->before, (enum counter_id)id) > 0)
		add_growth(judgement, limit, (enum counter_id)id);
	else
		judgement_add_condition(judgement, FINDING_COUNTERS, limit->name,
			CONDITION_UNUSABLE,
			judgement_text(judgement, "The %s not have it.%s",
				input->mode == GATE_STORED ? "baseline does" : "runs before do",
				judgement_update_advice(judgement, "Record a new one")));
}

static void
add_counters(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct gate_input *input = &judgement->input;

	if (input->error || !input->candidate || input->candidate->nruns == 0)
		return;
	for (size_t i = 0; i < policy->ncounters; i++)
		add_counter(judgement, &policy->counters[i]);
}

const struct gate_rule rule_counters = {
	.rule = FINDING_COUNTERS,
	.summary = "counters of the runs: memory, page faults, bytes written and others",
	.add = add_counters,
};
