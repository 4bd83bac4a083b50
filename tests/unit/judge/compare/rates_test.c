/*
 * How often a comparison is wrong where the truth is known: simulated suites of one program, base
 * and head measured alternately. Limits are those that a gate is promised to keep.
 */
#include "compare/adjust.h"
#include "compare/run_spread.h"
#include "compare/synthetic.h"
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A suite fails falsely by such an estimate of a function or of the whole. */
#define FUNCTION_FAIL 0.03
#define WHOLE_FAIL 0.02

void suite_compare_rates(void);

struct condition {
	const char *name;
	size_t nsuites;
	size_t npairs;
	enum comparison_mode mode;
	double hz;
	double overdispersion;
	double third_noise;  /* SD from run to run of every third function */
	double first_factor; /* on the cost of f00 */
	double speed_range;  /* ln of the second side's machine speed lies in +- it */
};

struct rates {
	double false_fails; /* suites in which anything that did not change fails */
	double found;       /* f00 fails */
};

static bool
fails(const struct effect *effect, double threshold)
{
	return effect->tested && effect->p_adjusted <= 0.05 && effect->change >= threshold;
}

static void
count_suite(const struct comparison *comparison, bool f00_changed, struct rates *rates)
{
	bool false_fail = !f00_changed && fails(&comparison->whole, WHOLE_FAIL);

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		bool failed = fails(&comparison->self[frame], FUNCTION_FAIL);

		if (!failed)
			continue;
		bool f00 = strcmp(profile_frame_name(&comparison->profile, frame), "f00") == 0;

		rates->found += f00;
		false_fail = false_fail || !f00 || !f00_changed;
	}
	rates->false_fails += false_fail;
}

static struct synthetic
program_of(const struct condition *condition)
{
	struct synthetic program = synthetic_program(50);

	/* Runs of 1.2 s. */
	program.hz = 1.2 * condition->hz;
	program.overdispersion = condition->overdispersion;
	for (size_t i = 0; i < program.nfunctions; i += 3)
		program.noise[i] = condition->third_noise;
	return program;
}

/* A false fail of f00 where it did not change counts, too. */
static struct rates
simulate(const struct condition *condition)
{
	const struct comparison_options options = {
		.mode = condition->mode, .alpha = 0.05, .min_share = 0.01};
	const struct synthetic program = program_of(condition);
	struct synthetic_pairs pairs = {.autocorrelation = 0.5};
	struct rng rng = {.state = 42};
	struct rates rates = {0};
	const size_t nsuites = condition->nsuites;
	bool changed = condition->first_factor != 1;

	profile_init(&pairs.sides[0]);
	profile_init(&pairs.sides[1]);
	synthetic_add_pairs(&pairs, &program, condition->npairs, 0);
	for (size_t suite = 0; suite < nsuites; suite++) {
		double speed = exp(condition->speed_range * (2 * rng_uniform(&rng) - 1));
		double factor[SYNTHETIC_MAX];
		struct comparison comparison;

		for (size_t i = 0; i < SYNTHETIC_MAX; i++)
			factor[i] = speed * (i == 0 ? condition->first_factor : 1);
		synthetic_draw_pairs(&pairs, &program, factor, &rng);
		comparison_make(&comparison, &pairs.sides[0], &pairs.sides[1], &options);
		comparison_adjust_alone(&comparison, 0.05);
		count_suite(&comparison, changed, &rates);
		comparison_release(&comparison);
	}
	profile_release(&pairs.sides[0]);
	profile_release(&pairs.sides[1]);
	rates.false_fails /= (double)nsuites;
	rates.found /= (double)nsuites;
	if (getenv("UNIT_RATES"))
		fprintf(stderr, "%-48s false fails %5.2f %%  found %6.2f %%\n", condition->name,
			100 * rates.false_fails, 100 * rates.found);
	return rates;
}

static void
check_false_fails(const struct condition *condition)
{
	CU_ASSERT(simulate(condition).false_fails <= 0.01);
}

static void
check_found(const struct condition *condition, double rate)
{
	const struct rates rates = simulate(condition);

	CU_ASSERT(rates.found >= rate);
	CU_ASSERT(rates.false_fails <= 0.01);
}

/* Ten pairs of Poisson counts at 4999 Hz, without a change. */
static struct condition
usual(const char *name, size_t nsuites)
{
	return (struct condition){
		.name = name,
		.nsuites = nsuites,
		.npairs = 10,
		.mode = COMPARISON_PAIRED,
		.hz = 4999,
		.overdispersion = 1,
		.first_factor = 1,
	};
}

static void
pairs_without_a_change_rarely_fail(void)
{
	const struct condition condition = usual("paired, unchanged", 5000);

	check_false_fails(&condition);
}

static void
pairs_of_overdispersed_functions_rarely_fail(void)
{
	struct condition condition = usual("paired, over-dispersion 2.5", 5000);

	condition.overdispersion = 2.5;
	check_false_fails(&condition);
}

static void
pairs_of_noisy_functions_rarely_fail(void)
{
	struct condition condition = usual("paired, a third of the functions noisy by 15 %", 5000);

	condition.third_noise = 0.15;
	check_false_fails(&condition);
}

static void
another_machine_speed_rarely_fails_what_is_stored(void)
{
	struct condition condition = usual("stored, machine speed +-15 %", 5000);

	condition.mode = COMPARISON_STORED;
	condition.speed_range = log(1.15);
	check_false_fails(&condition);
}

static void
one_that_improves_makes_no_other_look_worse(void)
{
	struct condition condition = usual("paired, f00 30 % faster", 5000);

	condition.first_factor = 0.7;
	check_false_fails(&condition);
	condition.mode = COMPARISON_STORED;
	condition.name = "stored, f00 30 % faster";
	check_false_fails(&condition);
}

static void
five_percent_of_a_third_are_found_by_pairs(void)
{
	struct condition condition = usual("paired, f00 5 % slower, 10 + 10 at 4999 Hz", 5000);

	condition.first_factor = 1.05;
	check_found(&condition, 0.84);
	condition.npairs = 20;
	condition.name = "paired, f00 5 % slower, 20 + 20 at 4999 Hz";
	check_found(&condition, 0.99);
}

static void
ten_percent_are_found_at_a_lower_frequency(void)
{
	struct condition condition = usual("paired, f00 10 % slower, 10 + 10 at 999 Hz", 5000);

	condition.hz = 999;
	condition.first_factor = 1.1;
	check_found(&condition, 0.88);
}

/* Runs of one session: the machine's ln speed drifts, an AR(1) process of this SD. */
static void
draw_session(struct profile *profile, const struct synthetic *program, size_t nruns, double noise,
	struct rng *rng)
{
	const struct synthetic_side side = {.nruns = nruns};
	const double rho = 0.5;
	double seconds[SYNTHETIC_MAX] = {0};
	node_id nodes[SYNTHETIC_MAX] = {0};
	double drift = rng_normal(rng);

	synthetic_seconds(program, &side, rng, seconds);
	for (size_t run = 0; run < nruns; run++) {
		size_t column = synthetic_add_run(profile, program, nodes);

		synthetic_draw(profile, column, program, nodes, seconds, noise * drift, rng);
		drift = rho * drift + sqrt(1 - rho * rho) * rng_normal(rng);
	}
}

/* The part of stored gates whose runs after are said to spread far beyond those before. */
static double
far_spreads(const char *name, double noise_before, double noise_after, size_t ngates)
{
	const struct comparison_options options = {
		.mode = COMPARISON_STORED, .alpha = 0.05, .min_share = 0.01};
	const struct synthetic program = synthetic_program(10);
	struct rng rng = {.state = 42};
	size_t far = 0;

	for (size_t gate = 0; gate < ngates; gate++) {
		struct profile sides[2];
		struct comparison comparison;

		for (int side = 0; side < 2; side++) {
			profile_init(&sides[side]);
			draw_session(&sides[side], &program, 10,
				side == 0 ? noise_before : noise_after, &rng);
		}
		comparison_make(&comparison, &sides[0], &sides[1], &options);
		far += run_spread(&comparison).is_far;
		comparison_release(&comparison);
		profile_release(&sides[0]);
		profile_release(&sides[1]);
	}
	if (getenv("UNIT_RATES"))
		fprintf(stderr, "%-48s far spreads  %6.3f %%\n", name,
			100 * (double)far / (double)ngates);
	return (double)far / (double)ngates;
}

static void
undisturbed_runs_rarely_spread_far(void)
{
	const size_t ngates = 20000;

	CU_ASSERT(far_spreads("noise of 1.8 % on both sides", 0.018, 0.018, ngates) < 0.001);
	CU_ASSERT(far_spreads("noise of 5 % on both sides", 0.05, 0.05, ngates) < 0.001);
}

static void
disturbed_runs_mostly_spread_far(void)
{
	const size_t ngates = 2000;

	CU_ASSERT(far_spreads("noise of 1.8 %, of 15 % after", 0.018, 0.15, ngates) > 0.8);
}

void
suite_compare_rates(void)
{
	static const struct unit_case cases[] = {
		{"pairs_without_a_change_rarely_fail", pairs_without_a_change_rarely_fail},
		{"pairs_of_overdispersed_functions_rarely_fail",
			pairs_of_overdispersed_functions_rarely_fail},
		{"pairs_of_noisy_functions_rarely_fail", pairs_of_noisy_functions_rarely_fail},
		{"another_machine_speed_rarely_fails_what_is_stored",
			another_machine_speed_rarely_fails_what_is_stored},
		{"one_that_improves_makes_no_other_look_worse",
			one_that_improves_makes_no_other_look_worse},
		{"five_percent_of_a_third_are_found_by_pairs",
			five_percent_of_a_third_are_found_by_pairs},
		{"ten_percent_are_found_at_a_lower_frequency",
			ten_percent_are_found_at_a_lower_frequency},
		{"undisturbed_runs_rarely_spread_far", undisturbed_runs_rarely_spread_far},
		{"disturbed_runs_mostly_spread_far", disturbed_runs_mostly_spread_far},
		{NULL, NULL},
	};

	unit_suite("compare/rates", cases);
}
