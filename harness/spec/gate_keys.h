/*
 * The section `gate` of workloads and of the configuration.
 */
#ifndef SPEC_GATE_KEYS_H
#define SPEC_GATE_KEYS_H

#include "spec/keys.h"
#include "spec/policy.h"

/*
 * Reads the mapping `node` over what `gate` and `overlays` hold; rules and branches are added to
 * theirs. What the mapping says outside of `paired` and `stored` goes before what these held, for
 * the nearer file is the one that was written for the case. What `counted` held stays, for
 * what is said of all metrics is not meant for counts.
 */
int gate_section_read(const struct key_reader *reader, const struct yaml_node *node,
	struct gate_policy *gate, struct gate_overlays *overlays);

struct gate_policy gate_policy_defaults(void);
struct gate_overlays gate_overlays_defaults(void);

/*
 * `from` with its strings, rules and branches copied into `arena`; waivers are left out. Without
 * `costs` so are min_cost and max_cost, which mean nothing in another metric's unit.
 */
struct gate_policy gate_policy_copy(
	struct arena *arena, const struct gate_policy *from, bool costs);
struct gate_overlays gate_overlays_copy(
	struct arena *arena, const struct gate_overlays *from, bool costs);

#endif
