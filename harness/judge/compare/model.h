/*
 * The model behind a comparison: the growth of one subject as estimated from runs, and its
 * uncertainty.
 *
 * A subject is a function, a group of functions or the whole program; its input is one number of
 * samples per run, k_r, out of n_r, in a run of cost C_r. There are two sides, before (A) and after
 * (B), and three modes of how they were measured. Each gives L = ln(after / before) and its
 * variance V_e, estimated from the runs, with d degrees of freedom; the rest is common to all
 * modes.
 *
 * Stored mode: the stable rest. Machines are faster on one day than on another, so a subject is
 * compared with the functions that did not change: L = ln(K_Bf / K_Af) - ln(K_BR / K_AR), with K
 * sums over a side's runs and R the stable functions less the subject itself. R is found from the
 * log ratios of the functions' shares: the cost-weighted median, then four rounds that keep what
 * lies within 2.5 standard errors of the sum of those kept (trimming as in Robinson and Oshlack, "A
 * scaling normalization method for differential expression analysis", Genome Biology 11, 2010). In
 * the median no function weighs more than a fifth, and "the machine did not change" a quarter of
 * all: otherwise a function that makes up most of the program would be its own reference. Where the
 * rest has less than a tenth of the samples, plain costs (k_r / n_r) C_r are compared, and the
 * machine's spread is added to the uncertainty.
 *
 * Where runs have no cost, samples stand for it. If both sides have equally many, the captures may
 * have been of fixed length, and C_r does not show the machine's speed: "the machine did not
 * change" has no weight then, and a subject that has nearly all of the rest in it is compared with
 * all of the rest.
 *
 * V_e is that of a ratio estimator, from the residuals e_r = k_r - (K_f / K_R) k_rR within each
 * session (Cochran, Sampling Techniques, 3rd edition 1977, chapter 6): the machine's drift from run
 * to run cancels in it, the function's own variation does not. b = 1/K_Af + 1/K_Bf + 1/K_AR +
 * 1/K_BR is what a multinomial draw would give, and V_m = b.
 *
 * Paired mode: N pairs of runs taken side by side. Nothing but time lies between their sides, so
 * plain costs are compared, a_r = (k_r / n_r) C_r: L = ln(mean a_B / mean a_A). A machine's speed
 * drifts slowly (lag-1 correlation of ln CPU time 0.5), so that the runs of a pair share much of
 * it, and V_e = s2(d) / N of the differences d_j = a_Bj / mean a_B - a_Aj / mean a_A is less than
 * that of two samples apart: the delta method for a ratio of correlated means (Cochran, chapter 6),
 * N - 1 degrees of freedom. b = (1 - p_A) / K_A + (1 - p_B) / K_B with p = K / n, and V_m = b + V_C
 * with V_C = s2(ln C_B - ln C_A) / N. Whole cost is Student's paired test of ln C_B - ln C_A.
 * Runs whose partner is missing are left out.
 *
 * For paired functions, p and the detectable effect refer to growth worth more than w = 0.125 % of
 * the whole program, ln(1 + w / share): an eighth of the default floor of a gate. Most false alarms
 * are too small to act on, as small functions are many and uncertain (McCarthy and Smyth, "Testing
 * significance relative to a fold-change threshold is a TREAT", Bioinformatics 25, 2009). The
 * interval is extended by as much on both sides.
 *
 * Exact mode: k_r are counts in the metric's own unit, and counts of the same program differ only
 * through addresses and the environment: L = ln(mean k_B / mean k_A), of whole cost ln(mean C_B /
 * mean C_A). V_e = s2(k_A) / mean_A^2 + s2(k_B) / mean_B^2 is that of single runs, not of means: a
 * difference between runs may be a permanent one between two builds, which no number of runs
 * averages out. Degrees of freedom are Welch's. A side of one run is assumed to have the spread of
 * the other: V_e is twice that, with the degrees of freedom of the other. If neither has one, V_e
 * is 0 and any growth is certain. No b, and nothing is shrunk.
 *
 * Variance. q = V_e / V_m is the over-dispersion. Where eight or more functions are tested, q is
 * shrunk towards their mean: with m the mean and c the squared coefficient of variation of q,
 * x = (c - 2/d) / (1 + 2/d), d0 = 2/x, at most 60 (x is what the spread of q exceeds that of a
 * chi-square by; Smyth, "Linear models and empirical Bayes methods", Statistical Applications in
 * Genetics and Molecular Biology 3, 2004, with moments for logarithms): V = max(b, V_m (d0 m + d q)
 * / (d0 + d)), with d0 + d degrees of freedom. In paired mode a d0 below 4 counts as 0: functions
 * that agree so little have no over-dispersion in common.
 *
 * Sessions, in stored mode. Two sessions differ by more than their runs do. S = sigma^2 (1/O_A +
 * 1/O_B), O being the number of sessions of a side. Sigma is learned from a baseline of five or
 * more sessions, from the median over the functions and the function's own spread, and else
 * assumed. A change of the program slows few functions; a machine on another day moves most of
 * them, up and down. So with five functions or more, if the median of L^2 / (V + S) exceeds that of
 * chi-square with the assumed S (at the 0.5 % level; a median of n squares has 0.367 n degrees of
 * freedom), S is raised until they are equal. The interval, p and the detectable effect are those
 * of V + S (degrees of freedom after Satterthwaite), so a failure allows for the spread, and a pass
 * excludes only growth that is detectable between runs of different days. The detectable effect,
 *
 *     (1 + margin) exp((t_alpha/2 + t_0.05) sqrt(V + S)) - 1,
 *
 * with a margin for paired functions alone (w / share), and alpha divided by the number of tests,
 * is the smallest growth that stays significant under Holm's correction with 95 % power
 * (Bonferroni's level is Holm's first step).
 *
 * p is two-sided, and after Holm's correction the interval is at the level at which Holm tests the
 * subject (alpha p / p_adjusted): it excludes no change exactly where p_adjusted < alpha. An effect
 * outside a family keeps an interval at the function's level.
 *
 * Simulated, stored mode (tests/bench/judge_rates.c; 400 gates of ten workloads, 190 tests, 10 + 10
 * runs of a second, the built-in policy): of unchanged programs none failed or warned and 1.5 % of
 * the gates were inconclusive; with q = 1.5 18 %, with q = 2.5 84 %, and 0 and 4 % where the
 * baseline has five sessions. Functions that really differ by 2 % (SD) between the days on both
 * sides: none failed, 1.5 % warned, 55 % were inconclusive, 22 % with three sessions (48 and 8 % if
 * S is not raised); by 5 %: 5.5 % failed (14 %), by 10 % 20 % (98 %). A function of 30 % share that
 * slowed by 30 % failed in all, and was named first in all; where days differ by 2 % it failed in
 * all and was named first in 81 %, by 5 % in 99 % and 28 %.
 *
 * Simulated, paired mode (tests/unit/judge/compare/rates_test.c; one program of 50 functions, 18
 * tested, 10 + 10 runs of 1.2 s at 4999 Hz, machine noise of 1.8 % with lag-1 correlation 0.5): a
 * function that did not change showed 3 % and more with p <= 0.05, or the whole 2 %, in 0.06 % of
 * the suites; in 0.1 % with q = 2.5 and in 0.4 % where a third of the functions varied by 15 % from
 * run to run. A function of 30 % share that slowed by 5 % was found in 86 %, in 99.6 % of 20 + 20
 * runs; by 10 % at 999 Hz in 91 %. Whole gates, whose pairs are tested block by block
 * (gate/looks.c; tests/unit/judge/gate/staged_rates_test.c): 0.0, 0.0 and 0.2 % failed falsely,
 * and the 5 % were found in 100 %, with q = 2.5 in 96 %.
 */
#ifndef COMPARE_MODEL_H
#define COMPARE_MODEL_H

#include "compare/effect.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer samples than this on both sides are not tested. */
#define MODEL_MIN_SAMPLES 50
/* With fewer than this on one side there is no ratio: the function is new or gone. */
#define MODEL_MIN_RATIO_SAMPLES 5
/* Sessions from which a baseline's own spread is used. */
#define MODEL_MIN_SESSIONS 5

/* Growth of a function that counts as none in paired mode: a share of the whole program before. */
#define MODEL_PAIRED_WORTH 0.00125
/* Fewer pairs than this have no spread of their own: nothing is tested. */
#define MODEL_MIN_PAIRS 2

/* How the two sides were measured, which decides what may be compared. */
enum comparison_mode {
	COMPARISON_STORED, /* on different days: relative to the stable rest, with its spread */
	COMPARISON_PAIRED, /* alternating on one machine: plain costs, pair by pair; run.pair */
	COMPARISON_EXACT,  /* counted, not sampled: the same program costs the same */
};

/* Source of the spread between sessions. */
enum model_spread_source {
	SPREAD_ASSUMED,
	SPREAD_OF_SESSIONS,  /* those of the baseline: it has MODEL_MIN_SESSIONS */
	SPREAD_OF_FUNCTIONS, /* most functions of this comparison changed by more than is assumed */
};

struct model_options {
	enum comparison_mode mode;
	double alpha;
	double min_share;
	double session_spread;    /* SD of ln cost between sessions, relative to the stable rest */
	double session_df;        /* of session_spread; 0: INFINITY, as where it is assumed */
	double machine_spread;    /* the same of plain cost */
	bool spread_of_functions; /* see "Sessions": taken from the change of most functions */
	bool one_yardstick;       /* nothing falls back to plain costs: comparison.h */
};

enum { MODEL_BEFORE, MODEL_AFTER, MODEL_SIDES };

/* Which runs: all, or those of one stage. Except in paired mode, all before belong to both. */
enum model_stage { MODEL_SCREEN, MODEL_CONFIRM, MODEL_ALL_STAGES };

/*
 * One run as the model sees it. Runs are in an order that follows from their contents alone, so
 * that no sum depends on the order in which they came; runs without any weight are left out.
 */
struct model_run {
	size_t column; /* of the profile */
	uint32_t session;
	uint32_t pair;
	uint32_t stage;
	double samples;    /* n_r; in exact mode what was counted */
	double weight;     /* of the column, in its unit */
	double scale;      /* samples per unit of weight */
	double cost;       /* C_r */
	uint64_t contents; /* of stacks and weights, to put runs in order */
};

struct model {
	struct model_options options;
	/*
	 * Owned; before's, then after's. In paired mode those with a partner: that of runs[j] is
	 * runs[npairs + j]. Where none has one, all are here, but nothing is tested.
	 */
	struct model_run *runs;
	size_t nruns;
	size_t first[MODEL_SIDES + 1]; /* runs[first[side]] .. runs[first[side + 1]] */
	size_t npairs;                 /* 0 unless paired */
	size_t nsessions[MODEL_SIDES];
	double samples[MODEL_SIDES];   /* of a whole side */
	double mean_cost[MODEL_SIDES]; /* of a run */
	double min_samples;            /* MODEL_MIN_SAMPLES; 1 for counts */
	double min_ratio_samples;      /* MODEL_MIN_RATIO_SAMPLES; 1 for counts */

	bool *stable;           /* owned; by frame_id: part of the stable rest; stored mode only */
	double *reference;      /* owned; samples of the stable rest, by run */
	double reference_share; /* of the stable rest, before; NAN if there is none */
	double machine_speed;   /* cost of the stable rest, after / before; NAN likewise */
	bool fixed_length; /* the captures may have been ended by a clock: costs tell nothing */
	bool shares; /* the whole program is the stable rest: changes are those of shares of it */

	/* Over-dispersion common to the tested functions; prior_df 0: not shrunk. */
	double prior_q;
	double prior_df;
	double cost_variance; /* of ln(C_B / C_A), for plain costs */

	/* Between sessions; df INFINITY where assumed. 0 but in stored mode. */
	double session_spread;
	double session_df;
	enum model_spread_source session_spread_from;
	double machine_spread; /* of plain costs; learned from as many sessions */
	double machine_df;
};

/* `profile` holds both sides: nbefore columns, then the others. */
void model_init(struct model *model, const struct profile *profile, size_t nbefore,
	enum model_stage stage, const struct model_options *options);
void model_release(struct model *model);

/*
 * The non-empty runs of a stage, in an order that depends on their contents alone. In paired mode
 * only those with a partner, pair by pair on both sides. Fills runs (which must have room for all),
 * nruns, first and npairs; options must be set.
 */
void model_choose_runs(
	struct model *model, const struct profile *profile, size_t nbefore, enum model_stage stage);

/* Samples by run, in the model's order, from weights by column. out[nruns]. */
void model_samples(const struct model *model, const double *weights, double *out);

/* Finds the stable rest among the functions' self weights; for stored mode only. */
void model_find_reference(struct model *model, const struct functions *functions);

/* Makes the whole program the reference for functions, in stored mode. */
void model_compare_shares(struct model *model, size_t nframes);

/* The subject of an estimate. Arrays are by run and borrowed. */
struct model_subject {
	const double *samples; /* of the subject */
	const double *own;     /* its part of the reference, to be left out; NULL: none */
	bool encloses; /* the reference may lie within the subject: its share of noise is not added
			*/
};

/* An estimate before it is shrunk. */
struct model_estimate {
	bool known;    /* false: not enough samples on a side */
	bool relative; /* to the stable rest */
	double log_change;
	double variance;        /* V_e */
	double df;              /* d; 0: one run a session, no V_e */
	double floor;           /* b; 0: none */
	double expected;        /* V_m; 0: nothing to shrink towards */
	double spread_variance; /* between the sessions before, unshrunk; NAN if not known */
};

struct model_estimate model_estimate(
	const struct model *model, const struct model_subject *subject);

/* The same of whole cost, from C alone. */
struct model_estimate model_estimate_whole(const struct model *model);

/* Learns over-dispersion and, of a baseline with enough sessions, the spread between them. */
void model_learn(struct model *model, const struct model_estimate *estimates, size_t count);

/* Costs, shares and samples of a subject into `effect`; all else is cleared. */
void model_describe(const struct model *model, const double *samples, struct effect *effect);

/* 1/O_A + 1/O_B: the factor of the variance between sessions in a difference of both sides. */
double model_sessions_apart(const struct model *model);

/*
 * The subject's cost after, the machine's speed divided out, as a share of the whole cost before:
 * comparable with before_share. after_share where there was nothing before.
 */
double model_share_of_before(const struct model *model, const struct effect *effect);

/* V of an estimate, shrunk; *df: its degrees of freedom. */
double model_shrunk_variance(
	const struct model *model, const struct model_estimate *estimate, double *df);

/*
 * sqrt(V + S), the standard error of log_change, with its degrees of freedom and the part of it
 * that sessions add; `estimate` must be known.
 */
double model_error(const struct model *model, const struct model_estimate *estimate, double *df,
	double *spread);

/* Change, interval and p of `estimate` into `effect`; `detectable` is set by Holm's correction. */
void model_conclude(
	const struct model *model, const struct model_estimate *estimate, struct effect *effect);

/*
 * effect->low and high at confidence 1 - alpha, margin included: no change lies outside exactly
 * where p < alpha.
 */
void model_set_interval(struct effect *effect, double alpha);

/* The growth that is exceeded with probability alpha at most: one-sided, without the margin. */
double model_upper_limit(const struct effect *effect, double alpha);

/* t_alpha/2 + t_0.05: how many standard errors the detectable effect lies above the margin. */
double model_detectable_reach(double df, double alpha);
/* (1 + margin) exp((t_alpha/2 + t_0.05) se) - 1: the detectable effect. */
double model_detectable(double margin, double standard_error, double df, double alpha);

/*
 * The ratio estimator of the model and its variance, as the formulas above have them.
 */

/* The sum over the runs of one side of values[nruns]. */
double model_side_sum(const struct model *model, const double *values, int side);
/* Whether rest[nruns], samples by run, is large enough on both sides to compare a subject with. */
bool model_rest_is_large(const struct model *model, const double *rest);

/* Weight, in degrees of freedom, of the spread common to all functions against a function's own. */
#define MODEL_SPREAD_PRIOR_DF 8
/* However alike the sessions of a baseline were, the next one may differ by this much. */
#define MODEL_LEAST_SPREAD 0.0025

/* ln(sum of numerator / sum of denominator) of each side, with its variance. */
struct model_ratio {
	double log_ratio[MODEL_SIDES];
	double variance[MODEL_SIDES]; /* from residuals within sessions; 0 where df is 0 */
	double df[MODEL_SIDES];
	double size[MODEL_SIDES]; /* sum of the denominator: variances go with its inverse */
};

/* `numerator` and `denominator` are by run; a NULL denominator is 1 for each. */
void model_ratio(const struct model *model, const double *numerator, const double *denominator,
	struct model_ratio *ratio);

/*
 * The difference of both sides, its variance and degrees of freedom; a side whose variance is not
 * known gets that of the other, scaled by size.
 */
void model_pool(const struct model_ratio *ratio, struct model_estimate *estimate);

/*
 * The variance of ln(numerator / denominator) between the sessions before, less the part that the
 * variance within them explains; NAN if not known. May be negative.
 */
double model_session_variance(
	const struct model *model, const double *numerator, const double *denominator);

#endif
