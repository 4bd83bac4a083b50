/*
 * Profiles of one command that several tools measured, compared function by function: shares, how
 * far sampling error explains their differences, one figure of agreement for each pair, and all of
 * it as text.
 *
 * Not every tool sees everything: two are compared by the code that both see.
 */
#ifndef ANALYSIS_CROSSCHECK_H
#define ANALYSIS_CROSSCHECK_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

#define CROSSCHECK_SIDES_MAX 4
/* For the differences of one tool that are marked, a chance for any of them. */
#define CROSSCHECK_ALPHA 0.05

/* The code that a tool sees; each is a part of the one before. */
enum crosscheck_scope {
	CROSSCHECK_ALL,
	CROSSCHECK_USER,    /* without the kernel */
	CROSSCHECK_PROGRAM, /* without the kernel and shared libraries */
};

struct crosscheck_side {
	const char *tool;
	/* Names canonical, inlined functions not apart; all columns count; borrowed. */
	const struct profile *profile;
	enum crosscheck_scope scope;
	bool counts; /* every event, so that it has no sampling error */
};

struct crosscheck_function {
	const char *name;
	bool kernel;
	enum crosscheck_scope narrowest;      /* the narrowest scope that it is in */
	double weights[CROSSCHECK_SIDES_MAX]; /* its own, of each side */
	double largest;                       /* of its shares, as crosscheck_share() has them */
};

struct crosscheck {
	struct crosscheck_side sides[CROSSCHECK_SIDES_MAX]; /* differences are to the first one */
	size_t nsides;
	struct crosscheck_function *functions; /* by largest share, then name */
	size_t nfunctions;
	struct strtab names;
	/* The weight of each side in each scope. */
	double whole[CROSSCHECK_SIDES_MAX][CROSSCHECK_PROGRAM + 1];
};

/*
 * `sides`, at least one, in order of scope, the widest first. `program` is the path of the
 * command's program: what is in no file of that name is not of it.
 */
void crosscheck_init(struct crosscheck *crosscheck, const struct crosscheck_side *sides,
	size_t nsides, const char *program);
void crosscheck_release(struct crosscheck *crosscheck);

/* The part of the first side's weight that is in what `side` sees: 1 for the first one itself. */
double crosscheck_part(const struct crosscheck *crosscheck, size_t side);

/*
 * The share of a function by one side, scaled by crosscheck_part(): all of them are shares of what
 * the first side sees, and can be compared. NAN where the side does not see such code.
 */
double crosscheck_share(const struct crosscheck *crosscheck,
	const struct crosscheck_function *function, size_t side);

/* A function's share by one side, compared with the first side's. */
struct crosscheck_difference {
	double change; /* of the shares; NAN where one side does not see it */
	double error;  /* the standard error of sampling, of the same program in both */
};

struct crosscheck_difference crosscheck_difference(const struct crosscheck *crosscheck,
	const struct crosscheck_function *function, size_t side);

/*
 * Whether sampling error does not explain a difference, at CROSSCHECK_ALPHA, corrected for `ntests`
 * of them by Bonferroni's inequality.
 */
bool crosscheck_is_beyond(struct crosscheck_difference difference, size_t ntests);

/* How far two sides agree about the code that both see. */
struct crosscheck_agreement {
	enum crosscheck_scope scope;
	double overlap; /* the sum of each function's smaller share: 1 the same, 0 nothing shared;
			   NAN where one of them has nothing there */
	/*
	 * What it would be on average if both had drawn their samples from the same shares: half
	 * the sum of the mean absolute differences is missing, sqrt(2/pi) standard errors for each
	 * function (that of a normal distribution), and no more than the function's share.
	 */
	double expected;
};

struct crosscheck_agreement crosscheck_agree(
	const struct crosscheck *crosscheck, size_t a, size_t b);

/*
 * Appends it as text: a table of the `top` functions with the largest share by any side (0: up to
 * 15 that are worth a line), and with two sides or more the differences and a table of how far each
 * pair agrees.
 */
void crosscheck_write(const struct crosscheck *crosscheck, size_t top, struct buf *out);

#endif
