/*
 * Waiting until nothing else takes the machine's CPUs.
 */
#ifndef MACHINE_QUIET_H
#define MACHINE_QUIET_H

#include "base/err.h"

/*
 * Waits until all CPUs were idle, but for a twentieth of their time, for three seconds on end; at
 * most `timeout_s`, after which it warns. Returns at once for 0, and where their load is not known.
 * -1 if it was interrupted.
 */
int quiet_wait(double timeout_s, struct err *err);

#endif
