/*
 * SIGINT, SIGTERM and SIGHUP: they are noted, so that running programs are ended in order before
 * this process ends.
 */
#ifndef PROCESS_SIGNALS_H
#define PROCESS_SIGNALS_H

#include "base/err.h"

/*
 * From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored) are noted instead of ending the
 * process; every wait in process/ and capture/ returns ERR_INTERRUPTED. A second signal ends the
 * process at once, unless it is the same one within half a second: timeout(1) sends its signal to
 * us and to our group. Writing to a pipe without a reader is an error of the write, not a signal.
 */
void signals_catch(void);
/* The signal that was noted; 0: none. */
int signals_caught(void);
/* -1 and ERR_INTERRUPTED if a signal was noted, else 0. */
int signals_check(struct err *err);

#endif
