/*
 * A quieter machine while measuring: the governor at performance and turbo off for the program's
 * CPUs, and the other threads of its cores idle.
 *
 * Old values are first written to a file (prepare_internal.h), below /run/profile_run for root and
 * $XDG_RUNTIME_DIR/profile_run for others. They are restored by prepare_end(); if we die, by a
 * small process that waits for our end; if that dies too, by the next prepare_begin() or
 * prepare_restore(). Of several processes that prepare at the same time the first records the old
 * values, and the last restores them.
 *
 * Each step is taken where the machine and our rights allow it. Steps not taken are noted, a line
 * each, and are no error: measuring goes on as it would have without.
 */
#ifndef MACHINE_PREPARE_H
#define MACHINE_PREPARE_H

#include "base/buf.h"
#include "base/err.h"

#include <sched.h>
#include <stdbool.h>

struct prepare_options {
	const char *root;         /* of /sys and /run; "" but for tests */
	const cpu_set_t *program; /* the CPUs that programs will run on */
	bool unkept;              /* no process waits for our end; for tests */
};

struct prepare;

/*
 * Prepares, and appends to `notes` the steps not taken and the settings restored for dead
 * processes. Called before there are threads. Never NULL; for prepare_end().
 */
struct prepare *prepare_begin(const struct prepare_options *options, struct buf *notes);
/* The current state: "governor performance, turbo off"; "nothing could be changed". Borrowed. */
const char *prepare_text(const struct prepare *prepare);
/* Restores everything, unless others still measure. NULL is allowed. */
void prepare_end(struct prepare *prepare, struct buf *notes);

/*
 * Restores settings left behind by dead processes; changes of living ones stay. Notes what was
 * done, if anything. An error if the file of changes cannot be read, written or understood.
 */
int prepare_restore(const char *root, struct buf *notes, struct err *err);

#endif
