/*
 * Costs a run as gates name them: "2ms" where the metric is a time, "250k" where it is counted,
 * "64KiB" where it is bytes. Which of them goes with the metric is known when all of a file is
 * read: the metric may stand below.
 */
#ifndef SPEC_COST_KEYS_H
#define SPEC_COST_KEYS_H

#include "spec/keys.h"

/* The `read` of a KEY_CUSTOM: a double, in the metric's unit; ns for a time. */
int cost_read(const struct key_reader *reader, const struct yaml_node *node, void *cost);

/*
 * Refuses costs in the section `gate` (NULL: there is none) whose unit is not that of `metric`.
 * Metrics that are not known here may have any.
 */
int cost_check_units(
	const struct key_reader *reader, const struct yaml_node *gate, const char *metric);

/* Whether costs of both metrics are in one unit. */
bool cost_same_unit(const char *metric, const char *other);

#endif
