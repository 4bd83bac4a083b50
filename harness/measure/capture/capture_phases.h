/*
 * The phases of a program: what it does for a while, as it says itself while it is captured. It
 * writes the name of each phase, a line, to a pipe that the environment names, or it has functions
 * or USDT probes that mark the begin of each.
 */
#ifndef CAPTURE_CAPTURE_PHASES_H
#define CAPTURE_CAPTURE_PHASES_H

#include "base/err.h"
#include "capture/operation.h"

#include <stdbool.h>
#include <stddef.h>

#define PHASE_PROBES_MAX 8
/* Longer names are cut. */
#define PHASE_NAME_MAX 100

/* All zeros has none. */
struct capture_phases {
	bool pipe;
	struct operation probes[PHASE_PROBES_MAX]; /* a phase each, which begin_event names */
	size_t nprobes;
};

/*
 * Finds the phases of `text`: "pipe", or [NAME=]MARK for each phase, or both, separated by commas.
 * A mark is as operation_find() has it; without a name the phase has that of the function or probe.
 * `option` is for messages. capture_phases_release() is needed in any case.
 */
int capture_phases_find(struct capture_phases *phases, const char *text, const char *option,
	const struct operation_program *program, struct err *err);
void capture_phases_release(struct capture_phases *phases);

#endif
