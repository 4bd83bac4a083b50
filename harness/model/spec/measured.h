/*
 * The metrics that a workload is measured in: its key `measure`, and the sections of `gate` that
 * are one metric's.
 *
 * The first metric of the list is the workload's own: it has its name, and the thresholds directly
 * in `gate`. Each other is measured and judged as a separate workload, NAME.METRIC, by what
 * gate.METRIC says.
 */
#ifndef SPEC_MEASURED_H
#define SPEC_MEASURED_H

#include "spec/keys.h"
#include "spec/policy.h"

#define MEASURE_METRICS_MAX 16

/* The `read` of `measure`: checks the list, and fills in a NULL-ended array of names. */
int measure_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

/* Says that there is no metric of this name, which one may be meant, and which there are. */
int measure_refuse_metric(
	const struct key_reader *reader, const struct yaml_node *node, const char *name);

/*
 * The `index`-th metric of a file's `measure`, which need not be valid yet; NULL if it has not so
 * many.
 */
const char *measure_metric(const struct yaml_file *file, size_t index);

/*
 * The mapping `gate` without the sections of metrics, and for a further metric of the list
 * without the thresholds that are the first one's. Of `per_op`, what is named as a metric is that
 * metric's; all is kept where `metric` is NULL. The arena's.
 */
const struct yaml_node *measure_common_gate(
	const struct yaml_node *gate, const char *metric, bool is_further, struct arena *arena);

/* The section of a metric in `gate`; NULL if there is none. */
const struct yaml_node *measure_gate_of(const struct yaml_node *gate, const char *metric);

/* Refuses sections in `gate`, and entries of its `per_op`, of metrics not among `measured`. */
int measure_check_gate(
	const struct key_reader *reader, const struct yaml_node *gate, const char *const *measured);

#endif
