/*
 * Waiting until nothing else takes the machine's CPUs.
 */
#ifndef MACHINE_QUIET_H
#define MACHINE_QUIET_H

#include "base/err.h"

/*
 * Waits until the CPUs together were at most 5 % busy in each of three consecutive seconds; at most
 * `timeout_s`, after which it warns. Returns at once for 0, and where their load is not known. -1
 * if it was interrupted.
 */
int quiet_wait(double timeout_s, struct err *err);

#endif
