/*
 * The functions that a pattern of a rule or a waiver matches, and the cost of their group.
 */
#ifndef GATE_PATTERN_H
#define GATE_PATTERN_H

#include "compare/comparison.h"
#include "spec/policy.h"

#include <stdbool.h>

/*
 * Whether an fnmatch(3) pattern matches a frame; `kind` decides what it is matched with.
 *
 * Functions: the canonical or the original name, with or without the suffix of its kind.
 * "foo.part.0" matches all of foo, since a build need not split it. "[unknown]" is all code without
 * a name. Marks of incomplete stacks match their own name only.
 *
 * Modules: the file that the function's code lies in, by its path or the last part of that.
 * "[kernel]" is the kernel with its modules; other names in brackets ("[vdso]") match literally.
 * Code without a file matches no pattern.
 *
 * Calls: the name of a system call, in profiles of the metric syscalls.
 */
bool pattern_matches(
	enum rule_kind kind, const char *pattern, const struct profile *profile, frame_id frame);

/* The prefix of a pattern that names its kind: "subtree ", "module "; "" for functions. */
const char *pattern_prefix(enum rule_kind kind);

/* Whether the group's self or total cost is meant. */
enum quantity group_quantity(const struct gate_rule_spec *spec);
/* Which frames belong to the group, by frame_id; free() it. */
bool *group_members(const struct comparison *comparison, const struct gate_rule_spec *spec);
#endif
