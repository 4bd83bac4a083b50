/*
 * The keys of the sections `capture` and `gate`, which workloads and the configuration share, and
 * the built-in defaults.
 */
#ifndef SPEC_POLICY_KEYS_H
#define SPEC_POLICY_KEYS_H

#include "spec/keys.h"
#include "spec/policy.h"

extern const struct key capture_keys[]; /* fill a struct capture_policy */
extern const struct key gate_keys[];    /* fill a struct gate_policy; rules are added to its own */

/* Checks across the keys of `capture`; to be the section's `read`. */
int capture_keys_check(
	const struct key_reader *reader, const struct yaml_node *node, void *capture_policy);

struct capture_policy capture_policy_defaults(void);
struct gate_policy gate_policy_defaults(void);

/* `from` with its strings and rules copied into `arena`. */
struct capture_policy capture_policy_copy(struct arena *arena, const struct capture_policy *from);
struct gate_policy gate_policy_copy(struct arena *arena, const struct gate_policy *from);

#endif
