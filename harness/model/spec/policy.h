/*
 * The settings of captures and of the gate: config/profile_run.yaml has them, a workload overrides
 * it, and the command line overrides both.
 *
 * Ratios are fractions: 0.05 is 5 %. NAN is "not set".
 */
#ifndef SPEC_POLICY_H
#define SPEC_POLICY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_policy {
	const char *metric;    /* "cpu" */
	const char *event;     /* "auto", "cycles", "cpu-clock", ... */
	double frequency_hz;   /* nominal */
	const char *callgraph; /* "auto", "fp", "dwarf", "none" */
	unsigned stack_bytes;  /* copied with each sample for "dwarf"; 0: automatic */
	unsigned runs;
	unsigned max_runs;
	unsigned warmup;    /* runs that are not captured */
	unsigned repeat;    /* executions of a run; 0: automatic */
	const char *thread; /* judged by times: "auto", "all", "main" or a thread's name */
	const char *phases; /* "none", or as capture_phases_find() has it */
	const char *pin;    /* "auto", "none" or a CPU list as taskset takes: "2-3,5" */
	double timeout_s;   /* of one execution, or of what follows its skipped beginning */
	double skip_s;      /* of the beginning of each execution, not measured; 0: none */
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
	RULE_MODULE,   /* the functions of the modules (ELF files) that match, as one group */
	RULE_EACH,     /* each function that matches by itself, in place of gate.functions */
	RULE_TOTAL,    /* the whole program; in waivers only */
	RULE_CALL,     /* the system calls that match, as one group; of the metric syscalls only */
	RULE_COUNTER,  /* a counter of the runs; in waivers only */
	RULE_KINDS,
};

/* One entry of gate.rules. */
struct gate_rule_spec {
	const char *pattern; /* fnmatch(3) pattern over names; "[unknown]" means all unnamed code */
	struct threshold threshold;
	double max_share; /* budget: the largest share allowed; NAN: none */
	double max_cost;  /* budget per execution, in the metric's unit (cpu: ns); NAN: none, and 0
			     too but for RULE_CALL */
	const char *metric; /* the only one that it is for, once rules_select() has dropped those
			       of others; NULL: any */
	const char *file;   /* where the rule stands: the workload's file, or the configuration */
	unsigned line;
	enum rule_kind kind;
	enum quantity of; /* self by default; a subtree is always total */
};

/* One entry of gate.counters. */
struct counter_limit {
	const char *name; /* of profile/counters.h */
	struct threshold threshold;
	double max;       /* of one execution, in the counter's unit; NAN: none */
	const char *file; /* where it stands: the workload's file, or the configuration */
	unsigned line;
};

/* The status of a condition in the verdict. */
enum policy_action {
	POLICY_PASS, /* it is reported, and changes nothing */
	POLICY_WARN,
	POLICY_FAIL, /* the job fails: exit 1 for regressions, 3 for inconclusive, 2 for the rest */
};

/* A growth that is accepted for a while. */
struct waiver {
	const char *pattern;  /* as of a rule; "whole program" for RULE_TOTAL */
	const char *workload; /* pattern of workload names; "*" */
	const char *reason;
	const char *owner;
	double max_effect; /* the largest growth of cost that is accepted: 0.12 */
	int64_t expires;   /* the first second after its last day, UTC */
	const char *file;
	enum rule_kind kind; /* RULE_EACH for `function` */
	unsigned line;
	char last_day[11]; /* "2026-12-31" */
};

/* How the two sides of a gate were measured. */
enum gate_mode {
	GATE_STORED, /* against a baseline of another day */
	GATE_PAIRED, /* alternating on one machine */
	GATE_FILES,  /* profiles captured elsewhere */
};

/* The evidence that decides in a paired gate, besides time. */
enum policy_decide {
	DECIDE_NONE,
	/* Both sides' instructions, counted in a run of each, where something grew ... */
	DECIDE_INSTRUCTIONS,
	DECIDE_AUTO, /* ... or if something is undecided, and they can be counted in time */
};

/* How a stored gate judges without a baseline of this machine class, in order. */
enum gate_fallback {
	FALLBACK_DEFAULT, /* not set: FALLBACK_REBUILD_COUNTS */
	FALLBACK_NONE,
	FALLBACK_REBUILD, /* the commit of the baseline is built and measured in pairs with */
	FALLBACK_COUNTS,  /* stored counts */
	FALLBACK_REBUILD_COUNTS,
	FALLBACK_COUNTS_REBUILD,
};

/* Whether the commit of a baseline may be built. */
static inline bool
fallback_rebuilds(enum gate_fallback fallback)
{
	return fallback != FALLBACK_NONE && fallback != FALLBACK_COUNTS;
}

/* Whether stored counts may judge. */
static inline bool
fallback_counts(enum gate_fallback fallback)
{
	return fallback != FALLBACK_NONE && fallback != FALLBACK_REBUILD;
}

struct gate_policy {
	struct threshold total; /* whole CPU time */
	struct threshold functions;
	double min_share; /* functions below it in both sides are not tested */
	double floor;     /* an effect matters only when worth this fraction of the whole cost */
	double min_cost;  /* the same in the metric's unit, per execution (cpu: ns); 0: none */
	const struct gate_rule_spec *rules;
	size_t nrules;
	const struct counter_limit *counters;
	size_t ncounters;
	double disturbed; /* fraction of CPU time: if most runs lost more, nothing fails */
	double alpha;     /* family-wise error of the gate: 0.05 */
	/*
	 * Strict: all of the interval must lie above `fail`; else the estimate must, and be
	 * significant.
	 */
	bool strict;
	bool confirm; /* a failure must be confirmed by new runs */
	bool select;  /* benchmarks that cannot reach the change are not measured */
	enum policy_decide decide;
	enum policy_action regression; /* the most severe status of a growth: FAIL by default */
	enum policy_action new_functions;
	enum policy_action gone_functions;
	enum policy_action inconclusive;
	enum policy_action missing_baseline;
	enum policy_action base_fails;    /* the base of a pair cannot be run */
	enum policy_action other_machine; /* FAIL: refuse to compare; WARN: no finding fails */
	enum policy_action changed_program;
	enum policy_action changed_workload;
	enum policy_action waivers;    /* an expired waiver, or one that is no longer needed */
	enum policy_action self_check; /* when base runs differ from one another */
	const struct waiver *waivers_list;
	size_t nwaivers;
};

/*
 * Some fields of a gate, laid over the others in one mode, for counted metrics or on some branches:
 * keys of `gate.paired`, `gate.stored`, `gate.counted` and the entries of `gate.branches`. All zero
 * sets nothing.
 */
struct gate_overlay {
	struct gate_policy values;   /* of the fields that are set */
	uint64_t set;                /* a bit each, by its index in gate_fields[] */
	const char *branch;          /* fnmatch(3) pattern; NULL: not by branch */
	enum gate_fallback fallback; /* of `stored` */
};

struct gate_overlays {
	struct gate_overlay stored;
	struct gate_overlay paired;
	struct gate_overlay counted; /* its min_cost is a count */
	const struct gate_overlay *branches;
	size_t nbranches;
};

/* The built-in ones, of the table gate_fields[]. */
struct gate_policy gate_policy_defaults(void);
struct gate_overlays gate_overlays_defaults(void);

/* Drops the rules that are for another metric: those about system calls, or about symbols. */
void rules_select(struct arena *arena, struct gate_policy *gate, const char *metric);

/*
 * The policy of one gate: `general`, then the overlay of the mode (files are judged as stored
 * ones), then that of counted metrics if the metric was counted, then every branch overlay whose
 * pattern matches `branch` (NULL: not known), in their order. The result borrows the same data as
 * `general`.
 */
struct gate_policy gate_policy_resolve(const struct gate_policy *general,
	const struct gate_overlays *overlays, enum gate_mode mode, bool counted,
	const char *branch);

#endif
