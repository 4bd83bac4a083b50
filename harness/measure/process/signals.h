/*
 * SIGINT, SIGTERM and SIGHUP: noted, so that running programs are ended in order.
 */
#ifndef PROCESS_SIGNALS_H
#define PROCESS_SIGNALS_H

#include "base/err.h"

/*
 * From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored) are noted instead of ending the
 * process; every wait in process/ and capture/ returns ERR_INTERRUPTED. A second one ends the
 * process at once, unless it is the same within half a second: timeout(1) sends its signal to us
 * and to our group. Writing to a pipe without a reader is an error of the write, not a signal.
 */
void signals_catch(void);
/* The signal that was noted, 0 if none. */
int signals_caught(void);
/* -1 and ERR_INTERRUPTED if one was noted, else 0. */
int signals_check(struct err *err);

#endif
