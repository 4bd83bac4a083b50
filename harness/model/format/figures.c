#include "format/figures.h"

#include "base/number.h"
#include "base/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A change whose interval is narrower says more than tenths of a percent. */
#define NARROW 0.0005

static void
put_time(struct buf *out, int64_t seconds, const char *zone)
{
	time_t when = (time_t)seconds;
	struct tm utc;

	if (!gmtime_r(&when, &utc)) {
		buf_puts(out, "not known");
		return;
	}
	buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d%s", utc.tm_year + 1900, utc.tm_mon + 1,
		utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, zone);
}

void
format_time(struct buf *out, int64_t seconds)
{
	if (seconds == 0)
		buf_puts(out, "not known");
	else
		put_time(out, seconds, "Z");
}

void
format_time_bare(struct buf *out, int64_t seconds)
{
	put_time(out, seconds, "");
}

void
format_count(struct buf *out, double count)
{
	char digits[NUMBER_BYTES];
	bool is_whole = count == floor(count) || fabs(count) >= 99.9995;

	if (!isfinite(count)) {
		buf_putc(out, '-');
		return;
	}
	if (fabs(count) >= 1e18) {
		buf_printf(out, "%.4g", count);
		return;
	}
	size_t len = number_fixed(digits, is_whole ? round(count) : count, is_whole ? 0 : 3);
	size_t whole = strcspn(digits, ".");

	while (!is_whole && (digits[len - 1] == '0' || digits[len - 1] == '.') && len > whole)
		len--;
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
			buf_putc(out, ',');
		buf_putc(out, digits[i]);
	}
}

void
format_plural(struct buf *out, size_t count, const char *singular, const char *plural)
{
	format_count(out, (double)count);
	buf_putc(out, ' ');
	buf_puts(out, count == 1 ? singular : plural);
}

/* How many of three significant digits are decimals. */
static unsigned
decimals_of_three(double value)
{
	double size = fabs(value);

	return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

/* In the largest unit of which it is at least one. */
static void
put_scaled(struct buf *out, double value, const char *base)
{
	const struct unit *unit = units;
	bool is_base = true;

	while (strcmp(unit->base, base) != 0)
		unit++;
	for (const struct unit *next = unit + 1; next->shown; next++) {
		const double step = next->scale / unit->scale;

		/* 0.9995: a value that rounds up to the next unit is written in that. */
		if (strcmp(next->base, base) != 0 || fabs(value) < step * 0.9995)
			break;
		value /= step;
		unit = next;
		is_base = false;
	}
	if ((is_base && value == floor(value)) || fabs(value) >= 999.5)
		format_count(out, value);
	else
		buf_put_fixed(out, value, decimals_of_three(value));
	buf_putc(out, ' ');
	buf_puts(out, unit->name);
}

static void
put_ns(struct buf *out, double ns)
{
	if (fabs(ns) < 99.95e9) {
		put_scaled(out, ns, UNIT_NS);
		return;
	}
	double seconds = rint(fabs(ns) / 1e9);
	double minutes = floor(seconds / 60);

	buf_puts(out, ns < 0 ? "-" : "");
	format_count(out, minutes);
	buf_printf(out, " min %.0f s", seconds - minutes * 60);
}

static bool
is_bytes(const char *unit)
{
	return strcmp(unit, UNIT_BYTES) == 0 || strcmp(unit, "B") == 0;
}

bool
format_is_scaled(const char *unit)
{
	return strcmp(unit, UNIT_NS) == 0 || is_bytes(unit);
}

void
format_cost_as(struct buf *out, double cost, const char *unit, escape_text escape)
{
	if (!isfinite(cost)) {
		buf_putc(out, '-');
	} else if (cost == 0 && format_is_scaled(unit)) {
		buf_putc(out, '0');
	} else if (strcmp(unit, UNIT_NS) == 0) {
		put_ns(out, cost);
	} else if (is_bytes(unit)) {
		put_scaled(out, cost, UNIT_BYTES);
	} else {
		format_count(out, cost);
		if (unit[0])
			buf_putc(out, ' ');
		escape(out, unit, strlen(unit));
	}
}

void
format_cost(struct buf *out, double cost, const char *unit)
{
	format_cost_as(out, cost, unit, escape_utf8);
}

void
format_duration(struct buf *out, double seconds)
{
	format_cost(out, seconds * 1e9, UNIT_NS);
}

void
format_percent(struct buf *out, double ratio)
{
	double percent = ratio * 100;
	double size = fabs(percent);
	/* All of it, by a sum of its parts. */
	bool is_all = fabs(percent - 100) < 1e-7;

	if (!isfinite(ratio)) {
		buf_putc(out, '-');
		return;
	}
	buf_put_fixed(out, percent,
		ratio == 0 || is_all ? 0
		: size >= 0.995      ? 1
		: size >= 0.0995     ? 2
				     : 3);
	buf_puts(out, " %");
}

void
format_setting(struct buf *out, double ratio)
{
	char digits[NUMBER_BYTES];
	size_t len;

	if (!isfinite(ratio)) {
		buf_putc(out, '-');
		return;
	}
	len = number_fixed(digits, ratio * 100, fabs(ratio) < 0.00995 ? 3 : 1);
	while (strchr(digits, '.') && (digits[len - 1] == '0' || digits[len - 1] == '.')) {
		len--;
		digits[len] = '\0';
	}
	buf_puts(out, digits);
	buf_puts(out, " %");
}

/* How a change, and its interval with it, is written. */
struct scale {
	bool is_factor;
	bool is_exact;
	unsigned decimals;
};

static struct scale
scale_of(double change, double width)
{
	double size = fabs(change);

	if (change >= FORMAT_FACTOR_FROM)
		return (struct scale){true, width == 0, decimals_of_three(1 + change)};
	if (!(width < NARROW) || size >= 0.1)
		return (struct scale){false, width == 0, 1};
	return (struct scale){false, width == 0, size >= 0.01 ? 2 : 3};
}

/* A ratio over almost nothing. */
static bool
is_beyond(double change, double low, double high)
{
	return change > FORMAT_FACTOR_MOST && !(low == high);
}

void
format_change(struct buf *out, double change)
{
	format_estimate(out, change, NAN, NAN);
}

void
format_estimate(struct buf *out, double change, double low, double high)
{
	struct scale scale = scale_of(change, high - low);

	if (!isfinite(change)) {
		buf_putc(out, '-');
	} else if (is_beyond(change, low, high)) {
		buf_printf(out, ">%dx", FORMAT_FACTOR_MOST + 1);
	} else if (!scale.is_factor) {
		buf_puts(out, signbit(change) ? "" : "+");
		buf_put_fixed(out, change * 100, scale.decimals);
		buf_puts(out, " %");
	} else {
		if (scale.decimals > 0)
			buf_put_fixed(out, 1 + change, scale.decimals);
		else
			format_count(out, 1 + change);
		buf_putc(out, 'x');
	}
}

static void
put_end(struct buf *out, double change, const struct scale *scale)
{
	if (isinf(change) || (change > FORMAT_FACTOR_MOST && !scale->is_exact))
		buf_puts(out, change > 0 ? "any" : "none");
	else if (scale->is_factor && scale->decimals == 0)
		format_count(out, rint(1 + change));
	else
		buf_put_fixed(out, scale->is_factor ? 1 + change : change * 100, scale->decimals);
}

void
format_interval(struct buf *out, double change, double low, double high)
{
	struct scale scale = scale_of(change, high - low);

	if (isnan(low) || isnan(high) || is_beyond(change, low, high))
		return;
	buf_putc(out, '[');
	put_end(out, low, &scale);
	buf_puts(out, ", ");
	put_end(out, high, &scale);
	buf_putc(out, ']');
}

void
format_ci(struct buf *out, double confidence)
{
	if (!isnan(confidence))
		buf_printf(out, "%.4g %% ", confidence * 100);
	buf_puts(out, "CI");
}

void
format_estimate_words(struct buf *out, double change, double low, double high, double confidence)
{
	struct scale scale = scale_of(change, high - low);

	format_estimate(out, change, low, high);
	if (isnan(low) || isnan(high) || is_beyond(change, low, high))
		return;
	buf_puts(out, " (");
	format_ci(out, confidence);
	buf_putc(out, ' ');
	put_end(out, low, &scale);
	buf_puts(out, " to ");
	put_end(out, high, &scale);
	buf_putc(out, ')');
}

void
format_estimate_interval(struct buf *out, double change, double low, double high)
{
	format_estimate(out, change, low, high);
	if (!(high > low) || !isfinite(high) || is_beyond(change, low, high))
		return;
	buf_putc(out, ' ');
	format_interval(out, change, low, high);
}

void
format_p(struct buf *out, double p)
{
	char text[32];

	if (isnan(p)) {
		buf_putc(out, '-');
	} else if (p >= 0.00995) {
		buf_put_fixed(out, p, 2);
	} else if (p < 1e-99) {
		buf_puts(out, "below 1e-99");
	} else {
		snprintf(text, sizeof(text), "%.0e", p);
		/* "4e-04" reads worse than "4e-4". */
		char *zero = strstr(text, "e-0");

		if (zero)
			memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
		buf_puts(out, text);
	}
}
