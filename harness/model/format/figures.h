/*
 * How numbers are written for people: the same in the console, the log, the reports, the pages and
 * the pictures. The text is ASCII, does not depend on the locale, and needs no escape in any
 * output. Files that programs read (JSON, folded text) hold the plain numbers.
 *
 * - Counts: thousands are grouped, "167,472". Below 100 a fraction has up to three decimals,
 *   "12.25"; from there on it is rounded. So are costs in any unit but time and bytes,
 *   "1,234,567 instructions".
 * - Times and bytes: three significant digits in the unit that fits, "12.3 ms", "1.50 KiB"; whole
 *   in their smallest unit, "42 ns", and "0"; from 100 s on "4 min 5 s".
 * - Percentages: one decimal, and below 1 % two significant digits, but at most three decimals:
 *   "12.3 %", "0.052 %". "0 %" and "100 %" are exactly nothing and all.
 * - Changes: with their sign and one decimal, "+7.2 %"; where their interval is narrower than 0.05
 *   points three significant digits, at most three decimals, "+0.110 %". From +200 % on a factor
 *   with three significant digits, "3.25x"; above 10x, unless it is exact, ">10x" without an
 *   interval, because the costs say more than a ratio over almost nothing.
 * - Intervals: the unit and the decimals of the change that they belong to: "+7.2 % [4.9, 9.6]",
 *   "6.40x [4.20, 9.60]".
 * - p: two decimals, below 0.01 one digit, "4e-4".
 * - Not known (NAN): "-".
 *
 * flamegraph/assets/figures.js follows the same rules.
 */
#ifndef FORMAT_FIGURES_H
#define FORMAT_FIGURES_H

#include "base/buf.h"
#include "base/escape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From this change on, 2 being +200 %, a factor is written. */
#define FORMAT_FACTOR_FROM 2
/* From this one on only that it is more, unless it is exact: its ratio is one over almost nothing.
 */
#define FORMAT_FACTOR_MOST 9

/* "2026-11-21T01:05:00Z"; `seconds` since 1970. "not known" for 0. */
void format_time(struct buf *out, int64_t seconds);
/* The same without a zone, as JUnit wants it; 1970-01-01T00:00:00 for 0. */
void format_time_bare(struct buf *out, int64_t seconds);

/* "1,234,567" */
void format_count(struct buf *out, double count);
/* "10 runs", "1 run" */
void format_plural(struct buf *out, size_t count, const char *singular, const char *plural);

/* "840 ms", "12.3 s", "4 min 5 s". */
void format_duration(struct buf *out, double seconds);
/* Whether numbers in `unit` are written in steps of it: of "ns", "bytes" and "B". */
bool format_is_scaled(const char *unit);
/* "12.3 ms", "3,300 instructions". */
void format_cost(struct buf *out, double cost, const char *unit);
/* The same with the unit, if it comes from a file, made safe. */
void format_cost_as(struct buf *out, double cost, const char *unit, escape_text escape);

/* "12.3 %" for 0.123. */
void format_percent(struct buf *out, double ratio);
/* "15 %", "38.4 %", "0.05 %": a setting, without zeros at the end of the decimals. */
void format_setting(struct buf *out, double ratio);
/* "+7.2 %" for 0.072, "6.40x" for 5.4. */
void format_change(struct buf *out, double change);
/* The same of a change whose interval is known; `low` or `high` is NAN where it is not. */
void format_estimate(struct buf *out, double change, double low, double high);
/* Both: "+7.2 % [4.9, 9.6]"; without an interval that is unknown, infinite or empty. */
void format_estimate_interval(struct buf *out, double change, double low, double high);
/* The same in a sentence, "+7.2 % (95 % CI 4.9 to 9.6)"; ends as format_interval() has them. */
void format_estimate_words(
	struct buf *out, double change, double low, double high, double confidence);
/* "95 % CI" for 0.95; "CI" for NAN. */
void format_ci(struct buf *out, double confidence);
/*
 * The interval of `change`, "[4.9, 9.6]"; "none" for an infinite lower end, "any" for an upper one
 * above 10x; nothing for NAN.
 */
void format_interval(struct buf *out, double change, double low, double high);
/* "4e-4" */
void format_p(struct buf *out, double p);

#endif
