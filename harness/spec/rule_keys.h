/*
 * The entries of gate.rules, and what holds for every pair of thresholds.
 */
#ifndef SPEC_RULE_KEYS_H
#define SPEC_RULE_KEYS_H

#include "spec/keys.h"
#include "spec/policy.h"

/* A threshold's line in a table of keys; `at` is the offset of its double. */
#define THRESHOLD_KEY(name_, at)                                                                  \
	{                                                                                         \
		.name = (name_), .type = KEY_THRESHOLD, .offset = (at), .min = 0.0001, .max = 100 \
	}

/* Adds the rules of a list to those that the struct gate_policy `gate` holds. */
int rules_read(const struct key_reader *reader, const struct yaml_node *node, void *gate);

/* `warn` above `fail` is an error; `node` is the mapping that set at least one of them. */
int threshold_check(const struct key_reader *reader, const struct yaml_node *node,
	const struct threshold *threshold);

#endif
