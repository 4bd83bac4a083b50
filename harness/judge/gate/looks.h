/*
 * Looks: when a workload that is measured in pairs is tested, and with how much of the error.
 *
 * Pairs are added block by block. After each block, at a look, all tests of the workload are made
 * with all its pairs, and measuring ends as soon as they decide (decide.h). The error is spent over
 * the looks (Lan and DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70,
 * 1983) by the function alpha t^2 (Kim and DeMets, "Design and analysis of group sequential tests
 * based on the type I error spending rate function", Biometrika 74, 1987): after n of at most N
 * pairs alpha (n / N)^2 is spent, a look has what is added to that since the one before, and the
 * last one all that is left. A look is the last where no further pairs can come, whatever it shows:
 * there are N, or time is up. N is max_runs, or fewer where the first look finds that there is no
 * time for so many. With alpha t, which spends more at first, noisy functions failed
 * falsely after the first pairs, as their spread is hardly known then.
 *
 * The parts are added up as they are (Bonferroni's inequality over the looks): the correlation of
 * the looks, from which a boundary could be computed that is lower by some percent, is not used.
 * That needs no assumption on how the tests of different looks depend on one another, and none of
 * normal distributions: p is multiplied by 1 / part, which makes it a p-value that is valid at
 * whatever look measuring ended, and Holm's correction applies to it as to any other.
 *
 * Simulated (tests/unit/judge/gate/staged_rates_test.c; 1,500 gates each, at most 30 pairs,
 * thresholds of 3 %; in parentheses two fixed stages of 10 pairs or more, at most 30 each):
 * unchanged programs failed in 0.0 % (0.0), with over-dispersion 2.5 in 0.1 % (0.0), where a third
 * of the functions varied by 15 % from run to run in 0.1 % (0.0); a function of 30 % that slowed by
 * 5 % was found in 99.9 % (99.0), with over-dispersion in 96.3 % (94.8). It took 11.5 pairs (12.6),
 * 24.0 (22.6), 28.9 (26.4), 25.4 (35.8) and 28.4 (42.2). Without a budget there are 18 pairs at
 * most: the third of noisy functions then fails falsely in 0.2 % of gates (3 of 1,500), and 5 % of
 * 30 % is found in 99 % (297 of 300). No run confirms what fails at a look, so that the policy's
 * `confirm` makes no difference to it.
 *
 * With its expected excess taken from the estimate at the last look, too, as many failed falsely
 * there, and with over-dispersion 94.0 % were found.
 *
 * The looks grow by half: many small blocks would spend the error on looks that add little. As they
 * depend on the policy and the clock and on no result, the tests at each are valid.
 *
 * Estimates of what failed before the last look are selected for being large. They are reduced by
 * their expected excess, E[x - mu | x > b] for a normal x with the mean that was estimated, b being
 * the smallest estimate that fails (Whitehead, "On the bias of maximum likelihood estimation
 * following a sequential test", Biometrika 73, 1986: the bias at the estimate is subtracted). That
 * is at most 0.8 of a standard error, and next to nothing for an estimate far above b. The interval
 * needs no such correction: it is that of the level at which the test was made at this look (a
 * repeated confidence interval; Jennison and Turnbull, Journal of the Royal Statistical Society B
 * 51, 1989).
 */
#ifndef GATE_LOOKS_H
#define GATE_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

/* From 3 pairs to 1000 and more. */
#define LOOKS_MAX 20

struct looks {
	unsigned most;             /* pairs: N */
	size_t count;              /* 0: there is one test only, not planned by looks */
	unsigned pairs[LOOKS_MAX]; /* taken at each; ascending */
	bool last; /* of the latest look: no more pairs can come, or could when it was made */
	/*
	 * No more pairs are taken after the latest look, as those that there may be seem not to
	 * decide: instructions are counted instead. That follows from results, so that it has its
	 * own part of alpha and no more, and pairs may go on after it (more_runs.h).
	 */
	bool stopped;
};

/* After how many pairs the first look is, and the one after `pairs`: at most `most`. */
unsigned looks_first(unsigned runs, unsigned most);
unsigned looks_next(unsigned pairs, unsigned most);

/*
 * Adds a look after `pairs`; none where the latest was after as many. `more` is how many further
 * pairs there is time for; INFINITY: any number. The first one lowers `most` to that.
 */
void looks_add(struct looks *looks, unsigned pairs, double more);

/* All looks of at most `most` pairs, of a plan of `runs`. */
struct looks looks_planned(unsigned runs, unsigned most);

/* The part of alpha of look `i`, from 0; and of the latest one. 1 where there are no looks. */
double looks_part_of(const struct looks *looks, size_t i);
double looks_part(const struct looks *looks);

/* The part of alpha that the looks before the latest left; the last look has all of it. */
double looks_rest(const struct looks *looks);

/* Whether there are looks, and pairs may be taken after the latest. */
bool looks_are_early(const struct looks *looks);

/*
 * The estimate with this standard error, less its expected excess where it was selected for being
 * above `boundary`.
 */
double looks_unselected(double estimate, double error, double boundary);

#endif
