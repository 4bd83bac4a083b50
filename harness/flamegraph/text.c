#include "flamegraph/text.h"

#include "base/escape.h"
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
/* In fewer columns there is no room for where a function belongs, only for what it is called. */
#define SCOPE_COLUMNS 16

/* Where `text` can be cut at or before `at` without splitting a character. */
static size_t
cut_before(const char *text, size_t at)
{
	size_t back = 0;

	while (at > 0 && back < 3 && ((unsigned char)text[at] & 0xc0) == 0x80) {
		at--;
		back++;
	}
	return at;
}

/* Appends a long name without its middle: its end says what the function is called. */
static void
put_ends(struct buf *out, const char *name, size_t len, size_t limit)
{
	size_t tail = cut_before(name, len - limit / 2);

	buf_put(out, name, cut_before(name, limit / 2));
	buf_puts(out, ELLIPSIS);
	buf_put(out, name + tail, len - tail);
}

void
flamegraph_put_name(struct buf *out, const char *name, size_t len, size_t limit)
{
	struct buf ends;

	if (len <= limit) {
		escape_xml(out, name, len);
		return;
	}
	buf_init(&ends);
	put_ends(&ends, name, len, limit);
	escape_xml(out, buf_text(&ends), ends.len);
	buf_release(&ends);
}

/* Length of the valid UTF-8 character at `s`, and its width in columns. */
static size_t
character(const char *s, size_t *columns)
{
	unsigned char c = (unsigned char)s[0];

	*columns = 1;
	if (c < 0x80)
		return 1;
	if (c < 0xe0)
		return 2;
	/* Hangul, CJK, full width forms and everything beyond the basic plane: two columns. */
	unsigned char next = (unsigned char)s[1];

	if (c == 0xe1 && next >= 0x84 && next <= 0x85)
		*columns = 2;
	else if ((c == 0xe2 && next >= 0xba) || (c >= 0xe3 && c <= 0xed) ||
		 (c == 0xef && next >= 0xbc && next < 0xbf) || c >= 0xf0)
		*columns = 2;
	if (c < 0xf0)
		return 3;
	return 4;
}

size_t
flamegraph_columns(const char *text, size_t len)
{
	size_t total = 0;
	size_t columns;

	for (size_t i = 0; i < len; total += columns)
		i += character(text + i, &columns);
	return total;
}

size_t
flamegraph_head_bytes(const char *text, size_t len, size_t limit)
{
	size_t used = 0;
	size_t columns;

	for (size_t i = 0; i < len;) {
		size_t n = character(text + i, &columns);

		if (used + columns > limit)
			return i;
		used += columns;
		i += n;
	}
	return len;
}

/* Where the longest tail that takes at most `limit` columns begins. */
static size_t
tail_start(const char *text, size_t len, size_t limit)
{
	size_t total = flamegraph_columns(text, len);
	size_t at = 0;
	size_t columns;

	while (at < len && total > limit) {
		at += character(text + at, &columns);
		total -= columns;
	}
	return at;
}

/*
 * The length of a C++ name without its argument list, or `len` if it has none. The parentheses of
 * "operator()" and "(anonymous namespace)::" are part of the name.
 */
static size_t
without_arguments(const char *name, size_t len)
{
	size_t close = len;
	size_t depth = 0;

	while (close > 0 && name[close - 1] != ')')
		close--;
	if (close == 0)
		return len;
	for (size_t i = close; i > 0; i--) {
		if (name[i - 1] == ')') {
			depth++;
		} else if (name[i - 1] == '(' && --depth == 0) {
			size_t open = i - 1;
			bool is_operator = open >= 8 && memcmp(name + open - 8, "operator", 8) == 0;
			bool is_scope = close < len && name[close] == ':';

			return open == 0 || is_operator || is_scope ? len : open;
		}
	}
	return len;
}

/* Where the '<' at `open` is closed, or `len` if it is not. The '>' of "->" closes nothing. */
static size_t
matching_angle(const char *name, size_t len, size_t open)
{
	size_t depth = 0;

	for (size_t i = open; i < len; i++) {
		if (name[i] == '<')
			depth++;
		else if (name[i] == '>' && (i == 0 || name[i - 1] != '-') && --depth == 0)
			return i;
	}
	return len;
}

/* Appends `name` with template arguments shortened to an ellipsis; operator< and such are kept. */
static void
put_without_templates(struct buf *out, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool is_operator = (i >= 8 && memcmp(name + i - 8, "operator", 8) == 0) ||
				   (i >= 9 && memcmp(name + i - 9, "operator<", 9) == 0);
		size_t close = name[i] == '<' && !is_operator ? matching_angle(name, len, i) : len;

		buf_putc(out, name[i]);
		if (close < len) {
			buf_puts(out, ELLIPSIS ">");
			i = close;
		}
	}
}

static bool
is_scoped(const char *name, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (name[i] == '<' || (name[i] == ':' && name[i + 1] == ':'))
			return true;
	return false;
}

/* Where the last part of a scoped name begins. */
static size_t
last_part(const char *name, size_t len)
{
	for (size_t i = len; i > 2; i--)
		if (name[i - 1] != ':' && name[i - 2] == ':' && name[i - 3] == ':')
			return i - 1;
	return 0;
}

/* Valid UTF-8 in at most `columns` columns: what does not fit loses its end. */
static void
put_beginning(struct buf *out, const char *text, size_t len, size_t columns)
{
	if (flamegraph_columns(text, len) <= columns) {
		escape_xml(out, text, len);
		return;
	}
	escape_xml(out, text, flamegraph_head_bytes(text, len, columns - 1));
	buf_puts(out, ELLIPSIS);
}

static void
put_shortened(struct buf *out, const char *name, size_t len, size_t columns)
{
	if (is_scoped(name, len) && columns >= SCOPE_COLUMNS) {
		/* The end says what it does, the beginning where it belongs. */
		size_t head = flamegraph_head_bytes(name, len, (columns - 1) / 3);
		size_t tail = tail_start(name, len, columns - 1 - (columns - 1) / 3);

		escape_xml(out, name, head);
		buf_puts(out, ELLIPSIS);
		escape_xml(out, name + tail, len - tail);
		return;
	}
	size_t start = last_part(name, len);

	put_beginning(out, name + start, len - start, columns);
}

void
flamegraph_put_line(struct buf *out, const char *text, size_t columns)
{
	struct buf valid;

	buf_init(&valid);
	escape_utf8(&valid, text, strlen(text));
	put_beginning(out, buf_text(&valid), valid.len, columns);
	buf_release(&valid);
}

void
flamegraph_put_label(struct buf *out, const char *name, size_t len, size_t limit, size_t columns)
{
	struct buf valid;
	struct buf brief;

	if (columns < 3)
		return;
	buf_init(&valid);
	buf_init(&brief);
	if (len > limit) {
		put_ends(&brief, name, len, limit);
		escape_utf8(&valid, buf_text(&brief), brief.len);
		buf_clear(&brief);
	} else {
		escape_utf8(&valid, name, len);
	}
	const char *text = buf_text(&valid);
	size_t bytes = valid.len;

	if (flamegraph_columns(text, bytes) > columns)
		bytes = without_arguments(text, bytes);
	if (flamegraph_columns(text, bytes) > columns) {
		put_without_templates(&brief, text, bytes);
		text = buf_text(&brief);
		bytes = brief.len;
	}
	if (flamegraph_columns(text, bytes) <= columns)
		escape_xml(out, text, bytes);
	else
		put_shortened(out, text, bytes, columns);
	buf_release(&brief);
	buf_release(&valid);
}

void
flamegraph_put_weight(struct buf *out, double weight)
{
	char digits[NUMBER_BYTES];
	unsigned decimals = weight == floor(weight) || fabs(weight) >= 1e6 ? 0 : 3;

	if (!(fabs(weight) < 1e18)) {
		buf_printf(out, "%.4g", weight);
		return;
	}
	size_t len = number_fixed(digits, weight, decimals);
	size_t whole = strcspn(digits, ".");

	while (whole < len && (digits[len - 1] == '0' || digits[len - 1] == '.')) {
		len--;
		if (len == whole)
			break;
	}
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
			buf_putc(out, ',');
		buf_putc(out, digits[i]);
	}
}

void
flamegraph_put_percent(struct buf *out, double ratio)
{
	double percent = ratio * 100;
	double size = fabs(percent);
	unsigned decimals = size >= 99.95 ? 0 : size >= 0.995 || percent == 0 ? 1 : 2;

	if (percent != 0 && size < 0.005) {
		buf_puts(out, "&lt;0.01 %");
		return;
	}
	buf_put_fixed(out, percent, decimals);
	buf_puts(out, " %");
}

void
flamegraph_put_change(struct buf *out, double change)
{
	double size = fabs(change) * 100;

	if (change >= 2) {
		buf_puts(out, "\xc3\x97");
		buf_put_fixed(out, change + 1, change < 9 ? 1 : 0);
		return;
	}
	buf_puts(out, change < 0 ? "\xe2\x88\x92" : "+");
	buf_put_fixed(out, size, size < 10 ? 1 : 0);
	buf_puts(out, " %");
}

static void
put_scaled(struct buf *out, double cost, const char *const *units, double step)
{
	size_t i = 0;

	while (units[i + 1] && fabs(cost) >= step * 0.9995) {
		cost /= step;
		i++;
	}
	double size = fabs(cost);
	unsigned decimals = size >= 99.95 || cost == 0 ? 0 : size >= 9.995 ? 1 : 2;

	buf_put_fixed(out, cost, decimals);
	buf_putc(out, ' ');
	buf_puts(out, units[i]);
}

void
flamegraph_put_cost(struct buf *out, double cost, const char *unit)
{
	static const char *const times[] = {"ns", "\xc2\xb5s", "ms", "s", NULL};
	static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};

	if (strcmp(unit, "ns") == 0) {
		put_scaled(out, cost, times, 1000);
	} else if (strcmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0) {
		put_scaled(out, cost, sizes, 1024);
	} else {
		flamegraph_put_weight(out, fabs(cost) < 100 ? cost : round(cost));
		buf_putc(out, ' ');
		escape_xml(out, unit, strlen(unit));
	}
}

/* Whether its numbers are written in steps of their unit. */
static bool
is_scaled(const char *unit)
{
	return strcmp(unit, "ns") == 0 || strcmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0;
}

void
flamegraph_put_amount(struct buf *out, double amount, const char *unit)
{
	if (is_scaled(unit)) {
		flamegraph_put_cost(out, amount, unit);
		return;
	}
	flamegraph_put_weight(out, amount);
	buf_putc(out, ' ');
	escape_xml(out, unit, strlen(unit));
}

void
flamegraph_put_costs(struct buf *out, double before, double after, const char *unit)
{
	if (is_scaled(unit))
		flamegraph_put_cost(out, before, unit);
	else
		flamegraph_put_weight(out, fabs(before) < 100 ? before : round(before));
	buf_puts(out, " \xe2\x86\x92 ");
	flamegraph_put_cost(out, after, unit);
}

void
flamegraph_put_interval(struct buf *out, double low, double high)
{
	const double ends[] = {low, high};

	for (int i = 0; i < 2; i++) {
		double size = fabs(ends[i]) * 100;

		buf_puts(out, i == 0 ? "[" : ", ");
		buf_puts(out, ends[i] < 0 ? "\xe2\x88\x92" : "");
		buf_put_fixed(out, size, size < 9.95 ? 1 : 0);
	}
	buf_putc(out, ']');
}
