/*
 * How every report and picture says a time, a cost and a count, so that a number reads the same in
 * the console, the page and the log; the parts of an effect are said by compare/effect.h. All
 * append to `out`; none depends on the locale.
 */
#ifndef FORMAT_WORDS_H
#define FORMAT_WORDS_H

#include "base/buf.h"
#include "compare/effect.h"

#include <stddef.h>
#include <stdint.h>

/* "2026-11-21T01:05:00Z"; `seconds` since 1970. "not known" for 0. */
void words_time(struct buf *out, int64_t seconds);
/* The same without a zone, as JUnit wants it; 1970-01-01T00:00:00 for 0. */
void words_time_bare(struct buf *out, int64_t seconds);
/* "840 ms", "12.3 s", "4 min 5 s". */
void words_duration(struct buf *out, double seconds);
/* "12.3 ms", "3.30 k instructions" of a cost in `unit` ("ns", "bytes", ...); "-" for NAN. */
void words_cost(struct buf *out, double cost, const char *unit);
/* "[4.9, 9.6]" in percent, with effect_decimals(); nothing where the interval is not known. */
void words_interval(struct buf *out, double low, double high);
/* "1 234 567" */
void words_count(struct buf *out, double count);
/* "10 runs", "1 run" */
void words_plural(struct buf *out, size_t count, const char *singular, const char *plural);

/*
 * The sentence of every finding, effect_describe(); where nothing was tested, the shares; nothing
 * where not even they are known.
 */
void words_effect(struct buf *out, const struct effect *effect);

#endif
