/*
 * The end of the output of `baseline update`: the growth that a gate detects with the baseline on
 * this machine, how many more sessions it needs, and the commands that follow.
 */
#ifndef BASELINE_UPDATE_ADVICE_H
#define BASELINE_UPDATE_ADVICE_H

#include "base/buf.h"
#include "measurement/measurement.h"
#include "measurement/session.h"
#include "spec/workload.h"

#include <stddef.h>

struct update_advice {
	unsigned wanted; /* further sessions, of the baseline that lacks most */
	size_t nstored;
	const struct workload *workload; /* of the baseline that was stored first; NULL: none */
};

/*
 * Reads the baseline that was stored in `folder`, of the candidate's runs and those of earlier
 * sessions. Appends its session to *line ("(session 1 of 5)"), and to *power a line on the smallest
 * slowdown that a gate of as many runs detects with it. Appends nothing for counts, which have
 * neither.
 */
void update_advice_add(struct update_advice *advice, const struct session *session,
	const struct measurement *m, const char *folder, struct buf *line, struct buf *power);
/* Appends the commands that follow; nothing if nothing was stored. */
void update_advice_put(
	const struct update_advice *advice, const struct session *session, struct buf *text);

#endif
