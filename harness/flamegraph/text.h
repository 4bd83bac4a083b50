/*
 * Text in pictures: how wide it is, how it is shortened to fit, and how numbers read.
 *
 * Frames are labelled in a monospaced font, so that a width in columns holds on every machine
 * without measuring glyphs. assets/label.js shortens names by the same rules when it
 * zooms.
 */
#ifndef FLAMEGRAPH_TEXT_H
#define FLAMEGRAPH_TEXT_H

#include "base/buf.h"

#include <stddef.h>

/* Of names in titles and headings. */
#define FLAMEGRAPH_NAME_BYTES_MAX 1000
/* Appends `name`, escaped for XML; of more than `limit` bytes its middle is "..." (one character).
 */
void flamegraph_put_name(struct buf *out, const char *name, size_t len, size_t limit);
/*
 * Appends of what flamegraph_put_name() would what fits into `columns` columns: the argument list
 * is lost first, then template arguments; then C++ and Rust names lose their middle or, in narrow
 * places, their scope, and others their end. Nothing is written for fewer than 3 columns.
 */
void flamegraph_put_label(
	struct buf *out, const char *name, size_t len, size_t limit, size_t columns);
/* Appends `text`, which is no name, escaped for XML: what is beyond `columns` columns is cut. */
void flamegraph_put_line(struct buf *out, const char *text, size_t columns);

/* Bytes of the longest head of valid UTF-8 that takes at most `limit` columns. */
size_t flamegraph_head_bytes(const char *text, size_t len, size_t limit);
/* How many columns valid UTF-8 takes: East Asian wide characters and emoji take two. */
size_t flamegraph_columns(const char *text, size_t len);

/* 1,234,567 or 12.25: at most three decimals. */
void flamegraph_put_weight(struct buf *out, double weight);
/* 12.3 %, with as many decimals as are worth reading. */
void flamegraph_put_percent(struct buf *out, double ratio);
/* A signed change: +7.2 %, or "x2.5" (with a multiplication sign) from +200 % on. */
void flamegraph_put_change(struct buf *out, double change);
/* "12.3 ms" for ns, "1.5 MiB" for bytes, else the number and the unit as it is. */
void flamegraph_put_cost(struct buf *out, double cost, const char *unit);
/* The same for times and sizes; other units are counted to the last digit: "1,234,567 samples". */
void flamegraph_put_amount(struct buf *out, double amount, const char *unit);
/* Two costs, "1.2 ms -> 1.5 ms" with a real arrow, the unit once where it does not change. */
void flamegraph_put_costs(struct buf *out, double before, double after, const char *unit);
/* A confidence interval of a change, in percent: [4.9, 9.6]. */
void flamegraph_put_interval(struct buf *out, double low, double high);

#endif
