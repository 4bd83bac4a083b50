/*
 * The file of waivers: growth that is accepted for a while. One YAML list:
 *
 *     - function: "parse_*"       # or subtree, module, or total: true
 *       workload: "cjson_*"       # all unless told
 *       max: 12%
 *       reason: checks of the input that were missing
 *       owner: someone@example.org
 *       expires: 2026-12-31       # its last day, UTC
 */
#ifndef SPEC_WAIVERS_H
#define SPEC_WAIVERS_H

#include "base/arena.h"
#include "base/err.h"
#include "spec/policy.h"

struct waivers {
	const struct waiver *items; /* in the order of the file */
	size_t count;
};

/* Everything is taken from `arena`. Every problem is a located error. */
int waivers_read(struct waivers *waivers, struct arena *arena, const char *path, struct err *err);

/* Those of `from` that are about the workload `name`, copied into `arena`. */
struct waivers waivers_of_workload(
	struct arena *arena, const struct waivers *from, const char *name);

#endif
