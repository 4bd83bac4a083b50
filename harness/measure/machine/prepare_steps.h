/*
 * The steps of preparing the machine: each inspects the machine and plans the changes of settings
 * that it would make.
 */
#ifndef MACHINE_PREPARE_STEPS_H
#define MACHINE_PREPARE_STEPS_H

#include "base/buf.h"
#include "machine/prepare_state.h"

#include <sched.h>

/* The planned changes; a setting that already has the value is no change. */
struct prepare_plan {
	const char *root;            /* of /sys; "" but for tests */
	const cpu_set_t *program;    /* the CPUs that programs will run on */
	struct prepare_state wanted; /* its changes, in the order to make them */
	struct buf *notes;           /* why a step changes nothing: a line */
	struct buf text;             /* the settings once they are made: "turbo off, ..." */
};

/* Takes all steps: adds to plan->wanted, plan->notes and plan->text. */
void prepare_steps_plan(struct prepare_plan *plan);

#endif
