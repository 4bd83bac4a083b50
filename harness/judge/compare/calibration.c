#include "compare/calibration.h"

#include "base/mem.h"
#include "base/sort.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

/* t_0.025 of the normal distribution. */
#define NORMAL_95 1.959963984540054

/* Running mean and spread: Welford's update, Technometrics 4 (1962). */
struct moments {
	double count;
	double mean;
	double squares;
};

static void
add_value(struct moments *moments, double value)
{
	double step = value - moments->mean;

	moments->count++;
	moments->mean += step / moments->count;
	moments->squares += step * (value - moments->mean);
}

static double
mean_of(const struct moments *moments)
{
	return moments->count > 0 ? moments->mean : NAN;
}

static double
sd_of(const struct moments *moments)
{
	return moments->count > 1 ? sqrt(moments->squares / (moments->count - 1)) : NAN;
}

static double
cv_of(const struct moments *moments)
{
	return moments->mean > 0 ? sd_of(moments) / moments->mean : NAN;
}

struct sums {
	struct moments cost;
	struct moments cpu;
	struct moments wall;
	struct moments switches;
	struct moments migrations;
	struct moments samples;
};

static void
add_side(struct sums *sums, const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];

		if (run->cost_total > 0)
			add_value(&sums->cost, run->cost_total);
		if (run->cpu_ns != 0)
			add_value(&sums->cpu, (double)run->cpu_ns / 1e9);
		if (run->wall_ns != 0)
			add_value(&sums->wall, (double)run->wall_ns / 1e9);
		if (!run->measured)
			continue;
		add_value(&sums->switches, (double)run->context_switches);
		add_value(&sums->migrations, (double)run->migrations);
		add_value(&sums->samples, (double)run->samples);
	}
}

static const struct run *
partner_of(const struct run *run, const struct profile *side)
{
	for (size_t i = 0; i < side->nruns && run->pair != 0; i++) {
		if (side->runs[i].pair == run->pair && side->runs[i].cost_total > 0)
			return &side->runs[i];
	}
	return NULL;
}

/* The correlation is about the mean of all that are paired: products of neighbours over squares. */
static void
compare_pairs(
	const struct profile *before, const struct profile *after, struct calibration_noise *noise)
{
	double(*logs)[2] = mem_zalloc(before->nruns, sizeof(*logs)); /* of the costs of a pair */
	struct moments differences = {0};
	struct moments all = {0};
	double products = 0;
	double squares = 0;

	for (size_t i = 0; i < before->nruns; i++) {
		const struct run *run = &before->runs[i];
		const struct run *partner = run->cost_total > 0 ? partner_of(run, after) : NULL;
		double *pair = logs[noise->npairs];

		if (!partner)
			continue;
		pair[0] = log(run->cost_total);
		pair[1] = log(partner->cost_total);
		add_value(&differences, log(partner->cost_total / run->cost_total));
		add_value(&all, pair[0]);
		add_value(&all, pair[1]);
		noise->npairs++;
	}
	for (size_t i = 0; i < noise->npairs; i++) {
		double a = logs[i][0] - all.mean;
		double b = logs[i][1] - all.mean;

		products += 2 * a * b;
		squares += a * a + b * b;
	}
	noise->pair_sd = sd_of(&differences);
	noise->neighbours = noise->npairs > 1 && squares > 0 ? products / squares : NAN;
	free(logs);
}

void
calibration_noise(
	const struct profile *before, const struct profile *after, struct calibration_noise *noise)
{
	struct sums sums = {0};

	add_side(&sums, before);
	add_side(&sums, after);
	*noise = (struct calibration_noise){
		.cost = mean_of(&sums.cost),
		.cost_cv = cv_of(&sums.cost),
		.cpu_s = mean_of(&sums.cpu),
		.wall_s = mean_of(&sums.wall),
		.wall_cv = cv_of(&sums.wall),
		.context_switches = mean_of(&sums.switches),
		.migrations = mean_of(&sums.migrations),
		.samples = mean_of(&sums.samples),
	};
	compare_pairs(before, after, noise);
}

static int
by_dispersion(const void *left, const void *right)
{
	const struct calibration_function *a = left;
	const struct calibration_function *b = right;
	int order = sort_order(b->q, a->q);

	return order != 0 ? order : sort_order(a->frame, b->frame);
}

void
calibration_dispersion(
	const struct comparison *comparison, struct calibration_dispersion *dispersion)
{
	struct calibration_function *functions =
		mem_zalloc(comparison->nframes, sizeof(*functions));
	double *q = mem_zalloc(comparison->nframes, sizeof(*q));
	size_t count = 0;

	for (frame_id frame = 0; frame < comparison->nframes; frame++) {
		const struct effect *effect = &comparison->self[frame];

		if (!effect->tested || !isfinite(effect->overdispersion))
			continue;
		q[count] = effect->overdispersion;
		functions[count++] = (struct calibration_function){
			.frame = frame,
			.share = (effect->before_share + effect->after_share) / 2,
			.q = effect->overdispersion,
		};
	}
	qsort(functions, count, sizeof(*functions), by_dispersion);
	*dispersion = (struct calibration_dispersion){
		.functions = functions,
		.nfunctions = count,
		.median = stats_median(q, count),
	};
	free(q);
}

void
calibration_dispersion_release(struct calibration_dispersion *dispersion)
{
	free(dispersion->functions);
	*dispersion = (struct calibration_dispersion){0};
}

double
calibration_detectable(const struct effect *effect, size_t npairs, size_t n, double level)
{
	/* The degrees of freedom of the prior common to all functions stay the same. */
	double df = effect->df + (double)n - (double)npairs;
	double error = effect->standard_error * sqrt((double)npairs / (double)n);

	if (!effect->tested)
		return NAN;
	return model_detectable(effect->margin, error, df, level);
}

struct calibration_interval
calibration_rate(size_t count, size_t trials)
{
	const double z2 = NORMAL_95 * NORMAL_95;
	double n = (double)trials;

	if (trials == 0)
		return (struct calibration_interval){0, 1};
	double p = (double)count / n;
	double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
	double half = NORMAL_95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));

	/* Exact at the ends, where rounding would not be. */
	return (struct calibration_interval){
		.low = count == 0 ? 0 : fmax(0, centre - half),
		.high = count == trials ? 1 : fmin(1, centre + half),
	};
}
