/*
 * The sections of workloads and of the configuration: the tables of their keys, and what several of
 * them share. Each group of declarations names the file that defines it.
 */
#ifndef SPEC_SECTIONS_INTERNAL_H
#define SPEC_SECTIONS_INTERNAL_H

#include "spec/keys.h"
#include "spec/policy.h"

/* The tables; each is in the file of its name. */
extern const struct key config_keys[];   /* fill a struct config */
extern const struct key workload_keys[]; /* fill a struct that begins with a struct workload */
extern const struct key capture_keys[];  /* fill a struct capture_policy */
extern const struct key rule_keys[];     /* of an entry of gate.rules */
extern const struct key counter_keys[];  /* of an entry of gate.counters */
extern const struct key waiver_keys[];   /* of a waiver */

#define THRESHOLD_AT(at) .type = KEY_THRESHOLD, .offset = (at), .min = 0.0001, .max = 100

/* Runs of a counted metric: two that agree will do. */
#define CAPTURE_RUNS_COUNTED 2

/*
 * The section `gate` (gate_keys.c).
 */

/* Where a key of `gate` may stand. */
enum gate_scope {
	IN_GATE = 1,   /* in `gate` itself */
	IN_MODE = 2,   /* in `paired`, `stored` and `counted` */
	IN_BRANCH = 4, /* in an entry of `branches` */
};

/*
 * Every field of a gate, once: read in IN_GATE the table fills a struct gate_section, otherwise a
 * struct gate_overlay; both begin with a struct gate_policy. The defaults are those of every gate,
 * of paired ones and of what is counted.
 */
extern const struct key gate_fields[];

struct gate_section {
	struct gate_policy gate;
	struct gate_overlays overlays;
};

/*
 * Reads the mapping `node` over what `gate` and `overlays` hold; rules and branches are added to
 * theirs. Fields that the mapping sets outside of `paired` and `stored` override the previous ones
 * in these: the nearer file was written for the case. Those in `counted` stay: settings for all
 * metrics are not meant for counts.
 */
int gate_section_read(const struct key_reader *reader, const struct yaml_node *node,
	struct gate_policy *gate, struct gate_overlays *overlays);

/* Sets in `policy` all fields that `overlay` sets. */
void gate_overlay_apply(const struct gate_overlay *overlay, struct gate_policy *policy);

/*
 * The thresholds of a gate (gate_thresholds.c).
 */

/* Refuses `warn` above `fail` in the mapping `node`, which sets at least one of them. */
int threshold_check_mapping(const struct key_reader *reader, const struct yaml_node *node,
	const struct threshold *threshold);

/*
 * Refuses thresholds that cross once overlays are applied: in either mode, with each branch by
 * itself; and in a gate of counted metrics, if `gate` has `counted`. For counted metrics branches
 * are not checked, since a branch may be written for other metrics: thresholds that cross there are
 * lowered. `inherited` of the branches are not of this file.
 */
int thresholds_check_overlays(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_section *section, size_t inherited);

/*
 * The costs in a gate (gate_costs.c).
 */

/* Whether costs of both metrics are in one unit. */
bool cost_same_unit(const char *metric, const char *other);

/*
 * Refuses costs in the section `gate` (NULL: there is none) whose unit is not that of `metric`.
 * Metrics that are not known here may have any.
 */
int cost_check_units(
	const struct key_reader *reader, const struct yaml_node *gate, const char *metric);

/* Unsets min_cost in all branches. */
void branches_drop_costs(struct arena *arena, struct gate_overlays *overlays);

/*
 * Unsets min_cost and max_cost, which mean nothing in another metric's unit; except in the overlay
 * `counted`, which has its own unit.
 */
void gate_drop_costs(struct arena *arena, struct gate_policy *gate, struct gate_overlays *overlays);

/*
 * Turns the settings for the metric `from` into those that `metric` starts from. Costs in another
 * unit are dropped. A counted metric starts from the settings in `counted`, in every mode: its own
 * settings override these, and have to be consistent with these only. Costs in `counted` are of
 * instructions. `event` is the event of the capture.
 */
void gate_begin_metric(struct arena *arena, struct gate_section *section, const char *from,
	const char *metric, const char *event);

/*
 * The sections of `gate` for single metrics (gate_metrics.c).
 */

/* The metric of a workload that a gate is read for. */
struct gate_metric {
	const char *name;
	const char *first; /* the first metric of the workload */
	bool is_further;   /* not the first one in `measure` */
};

/*
 * Reads a `gate` (NULL: there is none): the settings for `metric` of a workload; without the
 * sections of metrics where `metric` is NULL.
 */
int gate_read(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_metric *metric, struct gate_policy *policy,
	struct gate_overlays *overlays);

/* The section of a metric in `gate`; NULL if there is none. */
const struct yaml_node *gate_of_metric(const struct yaml_node *gate, const char *metric);

/* Refuses sections in `gate`, and entries of its `per_op`, of metrics not among `measured`. */
int gate_check_measured(
	const struct key_reader *reader, const struct yaml_node *gate, const char *const *measured);

/*
 * The hash of a workload's work (workload_hash.c).
 */

struct workload;

/* Sets the workload's `hash` from the keys that say what work is measured. */
void workload_hash_work(struct workload *workload);

/*
 * The other sections.
 */

/*
 * The `read` of a command (service_keys.c): a list is an argv, one text is a line for the shell.
 * Fills in a NULL-ended array, the arena's.
 */
int command_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

#define MEASURE_METRICS_MAX 16

/*
 * The metrics that a workload is measured in: its key `measure`. The first is the workload's own:
 * it has its name. Each other is measured and judged as a separate workload, NAME.METRIC.
 *
 * Its `read`: checks the list, and fills in a NULL-ended array of names.
 */
int measure_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

/*
 * The `index`-th metric of a file's `measure`, which need not be valid yet; NULL if it has not so
 * many.
 */
const char *measure_metric(const struct yaml_file *file, size_t index);

/* Checks across the keys of `capture`; the `read` of its section. */
int capture_keys_check(
	const struct key_reader *reader, const struct yaml_node *node, void *capture_policy);

/* The `read` of gate.rules: adds a list to the rules that the struct gate_policy `gate` holds. */
int rules_read(const struct key_reader *reader, const struct yaml_node *node, void *gate);

/*
 * Refuses rules about system calls or symbols, and limits of allocated memory, in the section
 * `gate` (NULL: there is none) of a workload whose metric has none; rules for another metric that
 * it measures, too (`measured` ends with NULL; NULL: none), are that metric's. Those of the
 * configuration are ignored there.
 */
int rules_check_metric(const struct key_reader *reader, const struct yaml_node *gate,
	const char *metric, const char *const *measured);

/*
 * The `read` of gate.counters, and of the sections that are other names for some counters: leaks
 * and peak for alloc_live and alloc_peak, latency for latency_NAME, per_op for NAME_per_op. Lays
 * the mapping over the limits that the struct gate_policy `gate` holds, counter by counter.
 */
int counters_read(const struct key_reader *reader, const struct yaml_node *node, void *gate);

/*
 * The key `service` of a workload (service_keys.c).
 *
 * Its `read`: makes a struct service (process/service.h) without a driver, and puts a
 * pointer to it `into`. The arena's.
 */
int service_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

/* The key `latency` of a workload. */
extern const struct key latency_keys[];

/*
 * The `read` of `latency`: makes a struct latency_source (profile/latency.h) and puts a pointer to
 * it `into`. The arena's.
 */
int latency_keys_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

/*
 * The keys of a suite (suite_keys.c). The `read` of `suite`: makes a struct suite and puts a
 * pointer to it `into`; that of `include` and `exclude`: NULL-ended patterns. The arena's.
 */
int suite_key_read(const struct key_reader *reader, const struct yaml_node *node, void *into);
int suite_patterns_read(const struct key_reader *reader, const struct yaml_node *node, void *into);
/* Checks across keys, once all are read; the suite has the patterns and its command then. */
int suite_keys_check(const struct key_reader *reader, struct workload *workload);

#endif
