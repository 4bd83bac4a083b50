/*
 * The keys of gate.paired, gate.stored, gate.counted and the entries of gate.branches.
 */
#ifndef SPEC_OVERLAY_KEYS_H
#define SPEC_OVERLAY_KEYS_H

#include "spec/keys.h"
#include "spec/policy.h"

extern const struct key overlay_keys[]; /* fill a struct gate_overlay */

/* Adds the entries of a list to those that the struct gate_overlays `overlays` holds. */
int branches_read(const struct key_reader *reader, const struct yaml_node *node, void *overlays);

/*
 * Refuses thresholds that do not go together once they are laid over each other: in either mode,
 * and there on each branch by itself; and in a gate of what is counted, if `gate` says anything of
 * that. `gate` is the section, as far as this file has one.
 */
int overlays_check(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_policy *general, const struct gate_overlays *overlays);

#endif
