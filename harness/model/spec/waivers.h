/*
 * The file of waivers: growth that is accepted for a while. One YAML list:
 *
 *     - function: "parse_*"       # or subtree, module, or total: true
 *       workload: "cjson_*"       # by default all
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
#include "spec/yaml.h"

/* Reads them into the gate, in file order; all from `arena`. Every problem is a located error. */
int waivers_read(struct gate_policy *gate, struct arena *arena, const char *path, struct err *err);
/* The same of a file that has been parsed. */
int waivers_read_parsed(struct gate_policy *gate, struct arena *arena, const struct yaml_file *file,
	struct err *err);

/*
 * Sets the last day, "2026-12-31", and with it when it expires. False if it has another form, or is
 * not a day of the calendar: then *no_such_day is set.
 */
bool waiver_set_last_day(struct waiver *waiver, const char *day, bool *no_such_day);

/* Whether both waivers are equal, apart from their places in files. */
bool waiver_is_same(const struct waiver *waiver, const struct waiver *other);

/* Keeps those of the gate that are about the workload `name`, in a list from `arena`. */
void waivers_select(struct gate_policy *gate, struct arena *arena, const char *name);

/*
 * Adding a waiver to its file, which stays as it is: comments, order and layout.
 */

/* Makes the folder of the file, unless it is there. */
int waivers_make_folder(const char *path, struct err *err);
/*
 * Appends entries to the file at `path`, which is created if needed. Written whole or not at all,
 * and only if the result reads as the old list plus these waivers: a list in YAML's flow style, for
 * example, cannot be appended to.
 */
int waivers_append(const char *path, const struct waiver *waivers, size_t n, struct err *err);

#endif
