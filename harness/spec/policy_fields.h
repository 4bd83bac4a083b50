/*
 * The settings of a gate that a mode or a branch may set for itself: what struct gate_overlay and
 * struct gate_policy have in common, as a table of where each stands in both and in YAML.
 */
#ifndef SPEC_POLICY_FIELDS_H
#define SPEC_POLICY_FIELDS_H

#include "spec/policy.h"
#include "spec/yaml.h"

#include <stddef.h>

enum policy_field_kind {
	POLICY_NUMBER, /* double in both; below 0: not set, NAN: never */
	POLICY_SWITCH, /* int -1, 0, 1; bool in the policy */
	POLICY_CHOICE, /* int, -1: not set; enum policy_action in the policy */
};

struct policy_field {
	const char *section; /* of `gate` that the key stands in; NULL: `gate` itself */
	const char *key;
	enum policy_field_kind kind;
	size_t in_overlay; /* offsets */
	size_t in_policy;
};

extern const struct policy_field policy_fields[]; /* ends with a NULL key */

/* Lays what `overlay` sets over `policy`. */
void gate_overlay_apply(const struct gate_overlay *overlay, struct gate_policy *policy);

/* Lays it over another overlay. */
void gate_overlay_lay(const struct gate_overlay *overlay, struct gate_overlay *over);

/*
 * Unsets what the mapping `gate` says outside of overlays: what stands in a nearer file holds in
 * every mode, unless that file says otherwise for one.
 */
void gate_overlay_set_aside(struct gate_overlay *overlay, const struct yaml_node *gate);

#endif
