#include "format/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1e9

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
words_time(struct buf *out, int64_t seconds)
{
	if (seconds == 0)
		buf_puts(out, "not known");
	else
		put_time(out, seconds, "Z");
}

void
words_time_bare(struct buf *out, int64_t seconds)
{
	put_time(out, seconds, "");
}

/* Three significant digits, and never an exponent for what can be read without. */
static void
put_three_digits(struct buf *out, double value)
{
	double size = fabs(value);
	int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;

	buf_printf(out, "%.*f", decimals, value);
}

void
words_duration(struct buf *out, double seconds)
{
	if (!isfinite(seconds)) {
		buf_putc(out, '-');
	} else if (seconds < 0.9995) {
		buf_printf(out, "%.0f ms", seconds * 1000);
	} else if (seconds < 99.95) {
		put_three_digits(out, seconds);
		buf_puts(out, " s");
	} else {
		double minutes = floor(seconds / 60);

		buf_printf(out, "%.0f min %.0f s", minutes, floor(seconds - minutes * 60));
	}
}

struct scale {
	double from;
	const char *unit;
};

static void
put_scaled(struct buf *out, double value, const struct scale *scales)
{
	/* 0.9995: what rounds up to the next unit is written in it. */
	while (scales[1].unit && fabs(value) < scales->from * 0.9995)
		scales++;
	put_three_digits(out, value / scales->from);
	buf_puts(out, scales->unit);
}

void
words_cost(struct buf *out, double cost, const char *unit)
{
	static const struct scale times[] = {
		{NS_PER_SECOND, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}, {0, NULL}};
	static const struct scale bytes[] = {{1024.0 * 1024 * 1024, " GiB"},
		{1024.0 * 1024, " MiB"}, {1024, " KiB"}, {1, " B"}, {0, NULL}};
	static const struct scale counts[] = {
		{1e9, " G "}, {1e6, " M "}, {1e3, " k "}, {1, " "}, {0, NULL}};

	if (!isfinite(cost)) {
		buf_putc(out, '-');
	} else if (cost == 0) {
		buf_putc(out, '0');
	} else if (strcmp(unit, "ns") == 0) {
		put_scaled(out, cost, times);
	} else if (strcmp(unit, "bytes") == 0) {
		put_scaled(out, cost, bytes);
	} else if (fabs(cost) < 1000 && cost == rint(cost)) {
		buf_printf(out, "%.0f %s", cost, unit);
	} else {
		put_scaled(out, cost, counts);
		buf_puts(out, unit);
	}
}

static void
put_bound(struct buf *out, double ratio, int decimals)
{
	if (isinf(ratio))
		buf_puts(out, ratio > 0 ? "any" : "none");
	else
		buf_printf(out, "%.*f", decimals, ratio * 100);
}

void
words_interval(struct buf *out, double low, double high)
{
	int decimals = effect_decimals(high, high - low);

	if (isnan(low) || isnan(high))
		return;
	buf_putc(out, '[');
	put_bound(out, low, decimals);
	buf_puts(out, ", ");
	put_bound(out, high, decimals);
	buf_putc(out, ']');
}

void
words_count(struct buf *out, double count)
{
	char digits[40];
	int len = isfinite(count) ? snprintf(digits, sizeof(digits), "%.0f", count) : 0;

	if (len <= 0 || len >= (int)sizeof(digits)) {
		buf_putc(out, '-');
		return;
	}
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-')
			buf_putc(out, ' ');
		buf_putc(out, digits[i]);
	}
}

void
words_plural(struct buf *out, size_t count, const char *singular, const char *plural)
{
	buf_printf(out, "%zu %s", count, count == 1 ? singular : plural);
}

void
words_effect(struct buf *out, const struct effect *effect)
{
	if (effect->tested) {
		effect_describe(effect, out);
		return;
	}
	if (isfinite(effect->before_share)) {
		effect_put_ratio(effect->before_share, out);
		buf_puts(out, " -> ");
	}
	if (isfinite(effect->after_share)) {
		effect_put_ratio(effect->after_share, out);
		buf_puts(out, " of the whole");
	}
}
