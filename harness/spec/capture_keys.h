/*
 * The keys of the section `capture`, which workloads and the configuration share, and the built-in
 * defaults.
 */
#ifndef SPEC_CAPTURE_KEYS_H
#define SPEC_CAPTURE_KEYS_H

#include "spec/keys.h"
#include "spec/policy.h"

extern const struct key capture_keys[]; /* fill a struct capture_policy */

/* Checks across the keys of `capture`; to be the section's `read`. */
int capture_keys_check(
	const struct key_reader *reader, const struct yaml_node *node, void *capture_policy);

struct capture_policy capture_policy_defaults(void);

/* `from` with its strings copied into `arena`. */
struct capture_policy capture_policy_copy(struct arena *arena, const struct capture_policy *from);

#endif
