/*
 * Profiles in the formats of other viewers but pprof (pprof.h), and the limit and the JSON that all
 * writers of such formats share, that of pprof too.
 *
 * A profile is made in memory; formats that have each stack, or the name of each call, in full can
 * be the square of the profile. So the writers end where it is too large, and return false.
 */
#ifndef OUTPUT_EXPORTED_H
#define OUTPUT_EXPORTED_H

#include "base/buf.h"
#include "base/escape.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends a capture as a trace of Chrome, which Perfetto, chrome://tracing and speedscope read: the
 * calls of its threads over time (profile/chart.h), a complete event each, in whole microseconds:
 * shorter calls are left out. Names have no suffix; the category of an event is the kind of its
 * frame.
 *
 * Source: "Trace Event Format", the document of the Chromium project.
 */
bool chrome_trace_put(
	const struct profile *profile, const struct sample_times *times, struct buf *out);

/*
 * Appends a profile in the processed format of the Firefox Profiler (profiler.firefox.com), version
 * 60, which later versions of it read and upgrade: a thread for each one of `times`, with its
 * samples in order of time and their weights; waits have a marker each, too. Times that samples are
 * the weights of are in ms there. A frame's kind is its category, and names have no suffix.
 *
 * Source: src/types/profile.ts and docs-developer/CHANGELOG-formats.md of
 * github.com/firefox-devtools/profiler.
 */
bool firefox_put(const struct profile *profile, const struct sample_times *times, struct buf *out);

/*
 * Appends a profile in the format of speedscope, a list of frames, and of stacks with their
 * weights: a sampled profile for each thread of `times`, in order of time; adjacent samples of one
 * stack are one. Where `times` has none, one profile with each stack once, in the profile's order,
 * and the sum of its runs. The unit is "nanoseconds", "bytes", or else "none". Names have their
 * suffixes.
 *
 * Source: file-format-spec.ts of github.com/jlfwong/speedscope.
 */
bool speedscope_put(
	const struct profile *profile, const struct sample_times *times, struct buf *out);

/*
 * For the writers: the limit, and strings of JSON.
 */

#define EXPORTED_BYTES_MAX ((size_t)256 << 20)

/* Where this is false they end with what they have so far. */
static inline bool
exported_fits(const struct buf *out)
{
	return out->len <= EXPORTED_BYTES_MAX;
}

/* Appends a string of JSON, in quotes. */
static inline void
exported_put_text(struct buf *out, const char *text, size_t len)
{
	buf_putc(out, '"');
	escape_quoted(out, text, len);
	buf_putc(out, '"');
}

/* Appends a field of JSON: "key":"text" */
static inline void
exported_put_field(struct buf *out, const char *key, const char *text, size_t len)
{
	buf_printf(out, "\"%s\":", key);
	exported_put_text(out, text, len);
}

#endif
