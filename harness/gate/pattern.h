/*
 * Which functions a pattern of a rule or a waiver is about, and what the group of those costs.
 */
#ifndef GATE_PATTERN_H
#define GATE_PATTERN_H

#include "compare/comparison.h"
#include "spec/policy.h"

#include <stdbool.h>

/*
 * An fnmatch(3) pattern over what the kind of a rule has patterns of.
 *
 * Functions: over the name, with the suffix of its kind or without: its canonical name or the one
 * it had. "foo.part.0" names all of foo, since no build is bound to split it. "[unknown]" is all
 * code without a name. Marks of incomplete stacks are met by their own name alone.
 *
 * Modules: over the file that the function's code lies in: its path or the last part of that.
 * "[kernel]" is the kernel with its modules; other names in brackets ("[vdso]") are met as they
 * are. What has no file is met by no pattern.
 */
bool pattern_matches(
	enum rule_kind kind, const char *pattern, const struct profile *profile, frame_id frame);

/* What stands before a pattern to say its kind: "subtree ", "module "; "" for functions. */
const char *pattern_prefix(enum rule_kind kind);

/* Which cost of the group is meant. */
enum quantity group_quantity(const struct gate_rule_spec *spec);
/* Which frames are of it, by frame_id; free() it. */
bool *group_members(const struct comparison *comparison, const struct gate_rule_spec *spec);
/*
 * The effect of each of the policy's rules by the runs of `model`, in their order; empty for those
 * that are about each function by itself. free() it.
 */
struct effect *group_effects(const struct comparison *comparison, const struct gate_policy *policy,
	const struct model *model);

#endif
