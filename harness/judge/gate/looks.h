/*
 * Looks: when a workload that is measured in pairs is tested, and with how much of the error.
 *
 * Pairs are added block by block. After each block, at a look, all tests of the workload are made
 * with all its pairs, and measuring ends as soon as they decide (decide.h). Each look has a part of
 * alpha; looks.c says which, and why.
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

#endif
