/*
 * What is there to make a machine quieter: each step looks at the machine and says what it would
 * change. Changing is prepare.c's.
 */
#ifndef MACHINE_PREPARE_STEPS_H
#define MACHINE_PREPARE_STEPS_H

#include "base/buf.h"
#include "machine/prepare_state.h"

#include <sched.h>

/* What a step would change; what is already as wanted is no change. */
struct prepare_plan {
	const char *root; /* of /sys; "" but for tests */
	const cpu_set_t *program;
	struct prepare_state wanted; /* its changes, in the order to make them */
	struct buf *notes;           /* why a step changes nothing: a line */
	struct buf text;             /* what holds once they are made: "turbo off, ..." */
};

typedef void prepare_step(struct prepare_plan *plan);

/* Ends with NULL. */
extern prepare_step *const prepare_steps[];

/* Makes one change. 0, or -1 with why in `notes`, and then nothing of it remains. */
int prepare_apply(const struct prepare_change *change, const char *root, struct buf *notes);

#endif
