/*
 * What is to be captured, and what the gate asks: the settings that config/profile_run.yaml gives,
 * a workload overrides and the command line overrides again.
 *
 * Ratios are fractions: 0.05 is 5 %. NAN is "not set".
 */
#ifndef SPEC_POLICY_H
#define SPEC_POLICY_H

#include <stdbool.h>
#include <stddef.h>

struct capture_policy {
	const char *metric;    /* "cpu" */
	const char *event;     /* "auto", "cycles", "cpu-clock", ... */
	double frequency_hz;   /* nominal */
	const char *callgraph; /* "auto", "fp", "dwarf", "none" */
	unsigned stack_bytes;  /* copied with each sample for "dwarf"; 0: found out */
	unsigned runs;
	unsigned max_runs;
	unsigned warmup;  /* runs that are not captured */
	const char *pin;  /* "auto", "none" or a CPU list as taskset takes: "2-3,5" */
	double timeout_s; /* of one run */
};

struct threshold {
	double warn; /* relative growth of cost; NAN: never */
	double fail;
};

/* Which cost of a function is meant. */
enum quantity {
	QUANTITY_SELF,
	QUANTITY_TOTAL,
};

enum rule_kind {
	RULE_FUNCTION, /* the functions that match, as one group */
	RULE_SUBTREE,  /* everything below (and in) the functions that match */
};

/* One entry of gate.rules. */
struct gate_rule_spec {
	const char *pattern; /* fnmatch(3) pattern over names; "[unknown]" means all unnamed code */
	struct threshold threshold;
	double max_share; /* budget: the largest share allowed; NAN: none */
	const char *file; /* where the rule stands: the workload's file, or the configuration */
	unsigned line;
	enum rule_kind kind;
	enum quantity of; /* self unless told; a subtree is always total */
};

/* What a condition does to the verdict. */
enum policy_action {
	POLICY_PASS, /* it is said, and changes nothing */
	POLICY_WARN,
	POLICY_FAIL, /* the job fails: exit 1 for regressions, 3 for inconclusive, 2 for the rest */
};

struct gate_policy {
	struct threshold total; /* whole CPU time */
	struct threshold functions;
	double min_share; /* functions below it in both sides are not tested */
	double floor;     /* an effect matters only when worth this fraction of the whole cost */
	const struct gate_rule_spec *rules;
	size_t nrules;
	double alpha; /* family-wise error of the gate: 0.05 */
	enum policy_action inconclusive;
	enum policy_action missing_baseline;
	enum policy_action other_machine; /* FAIL: refuse to compare; WARN: findings warn at most */
	enum policy_action changed_program;
	enum policy_action changed_workload;
};

#endif
