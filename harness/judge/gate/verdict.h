/*
 * Findings and the verdict: one rule applied to one subject, and all of them together.
 */
#ifndef GATE_VERDICT_H
#define GATE_VERDICT_H

#include "base/arena.h"
#include "compare/causes.h"
#include "compare/comparison.h"
#include "compare/effect.h"
#include "profile/counters.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* In order of severity, but for the last one: that of a workload, and of nothing else in it. */
enum status {
	STATUS_PASS,
	STATUS_WARN,
	STATUS_INCONCLUSIVE,
	STATUS_FAIL,
	STATUS_ERROR,   /* could not be measured */
	STATUS_SKIPPED, /* not measured, and the gate is of the others */
};

/*
 * The rule that a finding is of, in the order in which findings of one status are listed: those
 * that tell how far to trust the others come first, a function before the whole that it is part of.
 */
enum finding_rule {
	FINDING_MEASUREMENT, /* the workload was measured */
	FINDING_BASELINE,    /* there is a baseline, and it is comparable */
	FINDING_VALIDITY,    /* the runs of either side */
	FINDING_SELF_CHECK,  /* runs of the base against one another */
	FINDING_FUNCTIONS,   /* one function */
	FINDING_NAMED,       /* an entry of gate.rules */
	FINDING_TOTAL,       /* the whole program */
	FINDING_COUNTERS,    /* an entry of gate.counters */
	FINDING_WAIVERS,     /* a waiver that is no longer needed */
};

/* "functions", as configuration and reports call it. */
const char *finding_rule_name(enum finding_rule rule);

/* "pass", "warn", "inconclusive", "fail", "error", "skipped": in files, and as a key. */
const char *status_name(enum status status);
/* The same for people, who read "undecided". */
const char *status_word(enum status status);

/*
 * Whether more runs could decide what has this status: a suspected regression, or a measurement
 * that is coarse. `open` says it of what only warns or passes.
 */
static inline bool
status_is_open(enum status status, bool open)
{
	return status == STATUS_INCONCLUSIVE || open;
}

/* "self" or "total". */
const char *quantity_name(enum quantity of);

struct finding {
	enum status status;
	enum quantity of;
	frame_id frame; /* of the comparison's profile, for a function; 0: it is none */
	enum finding_rule rule;
	const char *subject;  /* function name with suffix, pattern, or "whole program" */
	struct effect effect; /* effect.tested is false where nothing was tested */
	double asked;   /* the threshold that must be detectable for this subject; NAN if none */
	double warn_at; /* thresholds that applied; NAN if none */
	double fail_at;
	const char *reason;  /* two sentences at most; the effect's numbers are not in it */
	const char *brief;   /* it in a phrase; "", or NULL: as reason_brief() has it */
	const char *options; /* of 'gate', that decide it: "--max-runs 40"; NULL: none do */
	const char *source;  /* "file.c:120" of the function; NULL if not known */

	const struct gate_rule_spec *named; /* growth of a rule of the policy; NULL: it is none */
	const struct counter_kind *counter; /* that its costs are of; NULL: of the metric */
	/*
	 * If it was measured again, `effect` is from the new runs and this from the first ones;
	 * else this is not tested.
	 */
	struct effect first;
	double more_runs; /* it needs about as many per side to be decided, new ones if `first` is
			     tested; INFINITY: no number is enough; NAN: it is decided */
	const struct causes *causes; /* NULL: not looked for */
	double instructions;         /* if `by_instructions`: they changed by so much */
	bool by_instructions; /* time left it undecided, and counted instructions decided it */
	bool unconfirmed;     /* would fail, and has not been measured again yet */
	bool open;            /* it only warns or passes, and more runs could decide it */
	bool accepted;        /* it passes only because a waiver or the policy accepts a growth */
	bool added;           /* it was not tested for itself, but because of its members */
	const struct waiver *waiver; /* that accepts it; NULL: none */
	/* Findings that grew with it, from one cause; largest growth first. They have none
	 * themselves.
	 */
	const struct finding *members;
	size_t nmembers;
	size_t id;              /* a number, from 1; 0: it has no members, and is none */
	size_t part_of;         /* the id of the finding that it is a member of; 0: none */
	const char *by_members; /* the reason if its members are severer than it; NULL: none are */
	size_t judged_by;       /* the id of the member that it is judged by then; 0: by itself */
};

/*
 * The judgement of one workload. Findings are sorted: the severest first; among those the ones that
 * tell how far to trust the others (measurement, baseline, validity), functions, named rules and
 * the whole program; then by how much of the program's cost the effect is.
 */
struct verdict {
	struct arena arena; /* owns the strings */
	enum status status;
	struct finding *findings;
	size_t nfindings;
	size_t nall;         /* the members of findings are behind them */
	size_t ntested;      /* effects tested in this workload */
	bool unconfirmed;    /* some finding is */
	double detectable;   /* largest detectable / asked over the tested subjects; <= 1 is good */
	const char *mode;    /* "stored", "paired", "files"; "none" without a baseline */
	const char *limited; /* why no finding fails (other machine, ...); NULL if they do not */
};

void verdict_init(struct verdict *verdict);
/*
 * Sorts and sums up findings[nfindings], which is the verdict's to free from then on. Those that
 * are part of another one become its members, and it is as severe as they are unless it is
 * accepted.
 */
void verdict_end(struct verdict *verdict, struct finding *findings, size_t nfindings);
void verdict_release(struct verdict *verdict);
/* How many of its findings have this status. */
size_t verdict_findings_with(const struct verdict *verdict, enum status status);
/* The finding whose effect and thresholds a finding is judged by: a severer member, else itself. */
const struct finding *verdict_judged(const struct verdict *verdict, const struct finding *finding);
/* The first of its findings that more runs could decide; NULL: there is none. */
const struct finding *verdict_find_open(const struct verdict *verdict);

static inline bool
finding_is_open(const struct finding *finding)
{
	return status_is_open(finding->status, finding->open);
}

/* Its cost less that before, in the metric's unit; for something new, all that it costs. */
double finding_growth(const struct finding *finding);

/* The word for its status, or "accepted". */
const char *finding_verdict(const struct finding *finding);

/* A finding without results yet: it has an empty effect. */
struct finding finding_of(enum finding_rule rule, const char *subject);

#endif
