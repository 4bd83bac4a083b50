/*
 * A capture as a trace of Chrome, which Perfetto, chrome://tracing and speedscope read: the calls
 * of its threads over time (profile/chart.h), a complete event each.
 *
 * Source: "Trace Event Format", the document of the Chromium project.
 */
#ifndef OUTPUT_CHROME_TRACE_H
#define OUTPUT_CHROME_TRACE_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>

/*
 * Appends it, in whole microseconds: shorter calls are left out. Names have no suffix; the category
 * of an event is the kind of its frame. False where that is too large: see exported.h.
 */
bool chrome_trace_put(
	const struct profile *profile, const struct sample_times *times, struct buf *out);

#endif
