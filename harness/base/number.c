#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* From this decimal exponent on, "%g" writes no exponent but zeros behind the point. */
#define LEAST_PLAIN_EXPONENT (-4)
/* Below this value, the rounding error of a double is far less than TIE_MARGIN. */
#define SCALED_MAX 1e10
/* Nearer to the middle of two whole numbers, only exact arithmetic tells how printf rounds. */
#define TIE_MARGIN 1e-5

/* The powers of ten that a double holds exactly. */
static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define POWERS ((int)(sizeof(powers) / sizeof(powers[0])))

/*
 * Sets *rounded to value * 10^power, rounded to a whole number. False where that is SCALED_MAX or
 * more, or within TIE_MARGIN of the middle between two whole numbers.
 */
static bool
scale_and_round(double value, int power, uint64_t *rounded)
{
	double scaled = power >= 0 ? value * powers[power] : value / powers[-power];

	if (!(scaled < SCALED_MAX))
		return false;
	*rounded = (uint64_t)scaled;
	double rest = scaled - (double)*rounded;

	*rounded += rest > 0.5;
	return fabs(rest - 0.5) > TIE_MARGIN;
}

/* Writes the last `count` digits of the value; returns the value without them. */
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

/* The length of a text that snprintf() has written; 0 where it has failed. */
static size_t
printed_len(int printed)
{
	return printed > 0 ? (size_t)printed : 0;
}

size_t
number_fixed(char text[NUMBER_BYTES], double value, unsigned decimals)
{
	char *at = text;
	uint64_t scaled;

	if (!scale_and_round(fabs(value), (int)decimals, &scaled))
		return printed_len(snprintf(text, NUMBER_BYTES, "%.*f", (int)decimals, value));
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

/*
 * The exponent of the largest power of ten that is at most `value`, or one more where rounding
 * leaves that in doubt; at most the largest of powers[], and likewise below 1.
 */
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

/*
 * Writes significant digits, `whole` of them before the point. Where `whole` is 0 or less, "0." and
 * zeros come ahead of them; where there are fewer digits than `whole`, zeros follow, and no point.
 * Returns the end.
 */
static char *
put_plain(char *at, const char *significant, int ndigits, int whole)
{
	if (whole < 1) {
		*at++ = '0';
		*at++ = '.';
	}
	for (int i = whole; i < 0; i++)
		*at++ = '0';
	for (int i = 0; i < ndigits || i < whole; i++) {
		if (i > 0 && i == whole)
			*at++ = '.';
		*at++ = (char)(i < ndigits ? significant[i] : '0');
	}
	return at;
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

	if (power >= POWERS || power <= -POWERS || !scale_and_round(fabs(value), power, &scaled) ||
		scaled > limit || scaled < limit / 10)
		return printed_len(snprintf(text, NUMBER_BYTES, "%.*g", (int)digits, value));
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
	at = put_plain(at, significant, (int)kept, plain ? exponent + 1 : 1);
	*at = '\0';
	if (!plain)
		at += printed_len(snprintf(at, 8, "e%c%02d", exponent < 0 ? '-' : '+',
			exponent < 0 ? -exponent : exponent));
	return (size_t)(at - text);
}
