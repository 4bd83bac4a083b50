#include "base/unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* From this exponent on "%g" writes without one. */
#define LEAST_PLAIN_EXPONENT (-4)
/* Below it an error of half a unit in the last place is far less than TIE_MARGIN. */
#define SCALED_MAX 1e10
#define TIE_MARGIN 1e-5

/* Those that a double holds exactly. */
static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define POWERS ((int)(sizeof(powers) / sizeof(powers[0])))

/*
 * value * 10^power, rounded. False where it is too large, or so close to the middle between two
 * whole numbers: only exact arithmetic says which one printf takes.
 */
static bool
scale(double value, int power, uint64_t *rounded)
{
	double scaled = power >= 0 ? value * powers[power] : value / powers[-power];

	if (!(scaled < SCALED_MAX))
		return false;
	*rounded = (uint64_t)scaled;
	double rest = scaled - (double)*rounded;

	*rounded += rest > 0.5;
	return fabs(rest - 0.5) > TIE_MARGIN;
}

/* The last `count` digits of the value. Returns what is left of it. */
static uint64_t
put_digits(char *text, uint64_t value, size_t count)
{
	for (size_t i = count; i > 0; i--) {
		text[i - 1] = (char)('0' + value % 10);
		value /= 10;
	}
	return value;
}

static size_t
count_digits(uint64_t value)
{
	size_t count = 1;

	for (; value >= 10; value /= 10)
		count++;
	return count;
}

static size_t
length(int printed)
{
	return printed > 0 ? (size_t)printed : 0;
}

size_t
number_fixed(char text[NUMBER_BYTES], double value, unsigned decimals)
{
	char *at = text;
	uint64_t scaled;

	if (!scale(fabs(value), (int)decimals, &scaled))
		return length(snprintf(text, NUMBER_BYTES, "%.*f", (int)decimals, value));
	if (signbit(value))
		*at++ = '-';
	size_t digits = count_digits(scaled);
	size_t whole = digits > decimals ? digits - decimals : 1;
	uint64_t rest = scaled;

	if (decimals > 0) {
		at[whole] = '.';
		rest = put_digits(at + whole + 1, rest, decimals);
	}
	put_digits(at, rest, whole);
	at += whole + (decimals > 0 ? decimals + 1 : 0);
	*at = '\0';
	return (size_t)(at - text);
}

/* The decimal exponent, the larger one in doubt; limited to that of powers[]. */
static int
exponent_of(double value)
{
	int exponent = 0;

	if (value >= 1) {
		while (exponent < POWERS - 1 && value >= powers[exponent + 1])
			exponent++;
	} else {
		while (exponent > 1 - POWERS && value * powers[-exponent] < 1)
			exponent--;
	}
	return exponent;
}

size_t
number_short(char text[NUMBER_BYTES], double value, unsigned digits)
{
	const uint64_t limit = (uint64_t)powers[digits];
	char significant[NUMBER_DIGITS_MAX];
	char *at = text;
	int exponent = exponent_of(fabs(value));
	int power = (int)digits - 1 - exponent;
	uint64_t scaled;

	if (power >= POWERS || power <= -POWERS || !scale(fabs(value), power, &scaled) ||
		scaled > limit || scaled < limit / 10)
		return length(snprintf(text, NUMBER_BYTES, "%.*g", (int)digits, value));
	if (scaled == limit) { /* rounded up */
		scaled /= 10;
		exponent++;
	}
	put_digits(significant, scaled, digits);
	size_t kept = digits;

	while (kept > 1 && significant[kept - 1] == '0')
		kept--;
	if (signbit(value))
		*at++ = '-';
	bool plain = exponent >= LEAST_PLAIN_EXPONENT && exponent < (int)digits;
	/* Digits before the point; less than one where zeros follow it. */
	int whole = plain ? exponent + 1 : 1;

	for (int i = whole < 1 ? whole - 1 : 0; i < (int)kept || i < whole; i++) {
		if (i == whole)
			*at++ = '.';
		*at = '0';
		if (i >= 0 && i < (int)kept)
			*at = significant[i];
		at++;
	}
	*at = '\0';
	if (!plain)
		at += length(snprintf(at, 8, "e%c%02d", exponent < 0 ? '-' : '+',
			exponent < 0 ? -exponent : exponent));
	return (size_t)(at - text);
}

#define KIB 1024.0
#define MICRO_SIGN "\xc2\xb5"
#define GREEK_MU "\xce\xbc"

/* clang-format off */
const struct unit units[] = {
	{"ns", UNIT_NS, 1, true},
	{"us", UNIT_NS, 1e3, true},
	{"ms", UNIT_NS, 1e6, true},
	{"s", UNIT_NS, 1e9, true},
	{"min", UNIT_NS, 60e9, false},
	{"hr", UNIT_NS, 3600e9, false},
	{"B", UNIT_BYTES, 1, true},
	{"KiB", UNIT_BYTES, KIB, true},
	{"MiB", UNIT_BYTES, KIB * KIB, true},
	{"GiB", UNIT_BYTES, KIB * KIB * KIB, true},
	{"TiB", UNIT_BYTES, KIB * KIB * KIB * KIB, true},
	{NULL, NULL, 0, false},
};

/* Without the "s" of a plural. */
static const struct {
	const char *text;
	const char *name;
} spellings[] = {
	{"nanosecond", "ns"}, {"nsec", "ns"},
	{"microsecond", "us"}, {"usec", "us"}, {MICRO_SIGN "s", "us"}, {GREEK_MU "s", "us"},
	{"millisecond", "ms"}, {"msec", "ms"},
	{"second", "s"}, {"sec", "s"},
	{"minute", "min"}, {"hour", "hr"}, {"h", "hr"},
	{"byte", "B"},
	{"kilobyte", "KiB"}, {"kibibyte", "KiB"}, {"kbyte", "KiB"}, {"kb", "KiB"},
	{"megabyte", "MiB"}, {"mebibyte", "MiB"}, {"mbyte", "MiB"}, {"mb", "MiB"},
	{"gigabyte", "GiB"}, {"gibibyte", "GiB"}, {"gbyte", "GiB"}, {"gb", "GiB"},
	{"terabyte", "TiB"}, {"tebibyte", "TiB"}, {"tbyte", "TiB"}, {"tb", "TiB"},
};
/* clang-format on */

static const struct unit *
named(const char *name, size_t len)
{
	for (const struct unit *unit = units; unit->name; unit++)
		if (strlen(unit->name) == len && strncasecmp(unit->name, name, len) == 0)
			return unit;
	return NULL;
}

static const struct unit *
spelled(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (strlen(spellings[i].text) == len &&
			strncasecmp(spellings[i].text, text, len) == 0)
			return named(spellings[i].name, strlen(spellings[i].name));
	return NULL;
}

const struct unit *
unit_find(const char *text, size_t len)
{
	const struct unit *unit = named(text, len);

	if (!unit)
		unit = spelled(text, len);
	if (!unit && len > 2 && (text[len - 1] == 's' || text[len - 1] == 'S'))
		unit = spelled(text, len - 1);
	return unit;
}

const struct unit *
unit_of_setting(const char *text, size_t len)
{
	if (len == 1 && (*text == 'm' || *text == 'h'))
		return *text == 'm' ? named("min", 3) : named("hr", 2);
	const struct unit *unit = named(text, len);

	return unit && memcmp(unit->name, text, len) == 0 ? unit : NULL;
}
