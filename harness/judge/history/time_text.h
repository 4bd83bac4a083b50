/* Times as people and other tools write them. */
#ifndef HISTORY_TIME_TEXT_H
#define HISTORY_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Seconds since 1970 of ISO 8601, "2026-01-31", "2026-01-31 12:00:00+02:00" (UTC where no zone is
 * given), or of a number (history_epoch()); false where it is none, or before 1970.
 */
bool history_time(const char *text, int64_t *seconds);
/* The same of a number of seconds, or of milli-, micro- or nanoseconds since 1970, by its size. */
bool history_epoch(double number, int64_t *seconds);

#endif
