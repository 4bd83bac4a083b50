/*
 * The test: one subject of a workload, with its limits, its effects by stage, and further evidence.
 * All of a gate is made of these, in three steps:
 *
 *     make      rules add a test for every subject, with its limits and effects (tests.h)
 *     correct   Holm over the tests of all workloads of the gate (tests.h)
 *     decide    each gets its status (decide.h)
 *
 * Conditions that must hold before costs are compared are tests without an effect.
 */
#ifndef GATE_TEST_H
#define GATE_TEST_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "gate/verdict.h"
#include "profile/counters.h"
#include "spec/policy.h"

#include <stdbool.h>
#include <stddef.h>

enum test_kind {
	TEST_GROWTH,       /* the effect against the limits */
	TEST_NEW,          /* there was nothing before to compare with, and its cost matters */
	TEST_GONE,         /* it is no longer there, and its cost mattered */
	TEST_TOO_FEW,      /* samples, or no costs, to compare */
	TEST_NEGLIGIBLE,   /* it has next to no cost */
	TEST_SHARE_BUDGET, /* of the candidate alone */
	TEST_COST_BUDGET,
	TEST_CONDITION, /* `condition` */
};

/* Growth that matters; NAN: none. */
struct limits {
	double asked; /* the threshold that must be detectable: fail_at, or else warn_at */
	double warn_at;
	double fail_at;
};

/* The candidate's value of a limited quantity. */
struct budget {
	double value; /* NAN: not known */
	double least; /* one-sided lower limit of it, at the gate's alpha */
	double limit;
};

enum test_condition {
	CONDITION_MET,
	CONDITION_DOUBTFUL,  /* warns */
	CONDITION_UNUSABLE,  /* nothing can be concluded */
	CONDITION_NOT_MET,   /* an error */
	CONDITION_NOT_HERE,  /* the workload is skipped */
	CONDITION_BY_POLICY, /* `action` says what it does */
	CONDITION_DIFFERS,   /* the base differs from itself; `action` says what it does */
};

/* Why a growth is doubted although its runs show it. */
enum weakness {
	WEAKNESS_NONE,
	WEAKNESS_MOVED,        /* the cost was elsewhere in the program before */
	WEAKNESS_LAYOUT,       /* no changed code is on any sampled path to it */
	WEAKNESS_SAME_WORK,    /* the same code executes the same instructions */
	WEAKNESS_DISTURBED,    /* most runs of a side were, or they spread too far */
	WEAKNESS_SAME_PROGRAM, /* both sides ran the same program */
	WEAKNESS_OTHER_BUILD,  /* the baseline's commit, built here, is the candidate's program */
	WEAKNESS_SINGLE_RUNS,  /* one run a side: how much runs differ is not known */
};

enum waiver_use {
	WAIVER_NONE,
	WAIVER_ACCEPTS,
	WAIVER_EXCEEDED, /* it accepts less */
	WAIVER_EXPIRED,
};

/* Counted instructions of an undecided subject. */
struct counted_work {
	double change;  /* of its instructions: 0.05 for 5 % more */
	bool same_code; /* its machine code is known and the same; of the program, all of it is */
	/* For a function of the kernel: whose work it is, which called it; else NULL. Borrowed. */
	const char *caller;
};

/* Evidence gathered before the decision; all zero: none. */
struct test_evidence {
	const struct causes *causes; /* NULL: not looked for */
	const struct test *callers;  /* of a new function, as one group; NULL: none known */
	bool was_called; /* only its own cost is new: `callers` is itself with all it calls */
	const struct waiver *waiver; /* about it; NULL: none */
	enum waiver_use waiver_use;
	/* Number, from 1, of the accepted test that it grew with, and how much of its growth is
	 * accepted with that; 0: none. */
	size_t accepted_with;
	double accepted;
	bool base_differs; /* runs of the base differ among themselves, and that counts */
	/*
	 * No code that differs is on any sampled path to it, nor data that is known to: looked for
	 * where its pairs, tested by looks, are undecided. Of the whole program, also where it
	 * fails: the functions that have such a path grew by less than its threshold.
	 */
	bool unreachable;
	const struct counted_work *work; /* NULL: not counted, or decided by time */
};

/* Whether load on the machine explains a growth, of runs that it disturbed. */
enum load_weighed {
	LOAD_NONE,     /* they were not disturbed, or it would not fail */
	LOAD_EXPLAINS, /* it may be due to load, or not enough is known */
	LOAD_BEFORE,   /* load made the runs before slower, and the growth is in addition */
	LOAD_EXCEEDED, /* it grew by far more than the rest of the program */
};

/* How far load may explain a growth: compare/rest_spread.h. */
struct load_evidence {
	double explained; /* ln(1 + change), of `all` and each stage; NAN: not known */
	double spread;    /* D beside it; NAN likewise */
};

struct decision {
	enum status status;
	enum status by_runs;    /* before the policy, the evidence and waivers */
	bool unconfirmed;       /* would fail, and has not been measured again yet */
	bool doubted;           /* would fail, but for evidence.base_differs */
	enum weakness weakness; /* that made it warn */
	enum load_weighed load;
	bool unreached;       /* undecided by runs, and not waited for: evidence.unreachable */
	double more_runs;     /* as in struct finding */
	bool by_instructions; /* time left it undecided, and they decided it */
	bool open;            /* it only warns or passes, and more runs could decide it */
};

static inline bool
decision_is_open(const struct decision *decision)
{
	return status_is_open(decision->status, decision->open);
}

struct test {
	enum test_kind kind;
	enum finding_rule rule;
	enum quantity of;
	frame_id frame;                     /* of the comparison's profile; 0: it is no function */
	const struct gate_rule_spec *named; /* growth of an entry of gate.rules; NULL: it is none */
	const struct counter_kind *counter; /* that costs and limits are of; NULL: of the metric */
	const char *subject;                /* NULL: the name of the function */
	const char *source;                 /* NULL: that of the function, if any */

	struct limits limits;
	struct budget budget;
	double worth; /* of a new or gone function: share of the whole program's cost before */
	/*
	 * By all runs and by those of each stage; borrowed from the comparison or the judgement.
	 * NULL: a condition; there is one stage only.
	 */
	struct effect *all;
	struct effect *stages[COMPARISON_STAGES];
	bool flagged;  /* by the first stage, after correction: to be measured again, or to fail */
	bool screened; /* it passed the screen, and pairs do not decide it: screen.h */
	bool small_after; /* what it costs now is less than the floor of the whole cost before */
	struct load_evidence load; /* used where runs were disturbed */

	enum test_condition condition;
	enum policy_action action;
	const char *reason; /* of a condition, a sentence; else NULL */

	struct test_evidence evidence;
	struct decision decision;
	/* Number, from 1, of the test that has the cause of its growth: attribution.h. 0: itself.
	 */
	size_t part_of;
	bool added; /* for the function that others' growth is attributed to, with all it calls */
	/* It was added for growths that are undecided: it is as they are, whatever its own is. */
	bool by_members;
};

/* A test with only these fields set. */
struct test test_of(enum test_kind kind, enum finding_rule rule, const char *subject);

/* Whether Holm's correction covers it: it has an effect that was tested for growth. */
bool test_is_corrected(const struct test *test);
/* The effect that the first stage has, or all runs where there is one stage. */
const struct effect *test_first_effect(const struct test *test);
/* The effect that decides: if flagged, that of the confirming runs, if there are any. */
const struct effect *test_effect(const struct test *test);
/* Whether an effect is significant after correction. */
bool test_is_significant(const struct effect *effect, double level);
/* Whether confirming runs decide it. */
bool test_is_confirmed(const struct test *test);

/*
 * Whether a growth is above a limit, and whether it is that or more: not by a rounding error, for
 * counts may be at it exactly, as 107 is 7 % more than 100. False for NAN.
 */
bool growth_exceeds(double growth, double limit);
bool growth_reaches(double growth, double limit);

/*
 * Limits for a subject with this effect: a growth matters when it is worth `floor` of the whole
 * program, and `min_cost` of its own unit per execution. All NAN for a subject that was not there
 * before.
 */
struct limits limits_of(const struct effect *effect, const struct threshold *threshold,
	double floor, double min_cost);

#endif
