/*
 * The counters of some runs, as `stat` shows them.
 */
#ifndef OUTPUT_COUNTERS_REPORT_H
#define OUTPUT_COUNTERS_REPORT_H

#include "base/buf.h"
#include "profile/profile.h"

/* For a console: mean, spread, least and most; of one run its values with what they mean. */
void counters_put_text(const struct profile *profile, const char *command, struct buf *out);
/* One JSON object; the manual page says what its keys are. */
void counters_put_json(const struct profile *profile, const char *command, struct buf *out);

#endif
