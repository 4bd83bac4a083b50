#include "spec/units.h"

#include "base/unit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

static int
refuse_value(const char **problem, const char *what)
{
	*problem = what;
	return -1;
}

/*
 * Digits with at most one point, without sign or exponent: other forms that strtod() takes (hex,
 * "nan", "1e9") are never meant in a policy. Moves *text behind it and the blanks that follow.
 */
static int
scan_number(const char **text, double *value, const char **problem)
{
	const char *start = *text + strspn(*text, " ");
	size_t whole = strspn(start, "0123456789");
	size_t len = whole;

	if (start[0] == '-')
		return refuse_value(problem, "must not be negative");
	if (start[len] == '.') {
		size_t decimals = strspn(start + len + 1, "0123456789");

		len = whole + decimals > 0 ? len + 1 + decimals : 0;
	}
	if (len == 0)
		return refuse_value(problem, "is not a number");
	if (len > 30)
		return refuse_value(problem, "has too many digits");
	char digits[32];

	memcpy(digits, start, len);
	digits[len] = '\0';
	*value = strtod(digits, NULL);
	*text = start + len + strspn(start + len, " ");
	return 0;
}

/* For quantities that are in no unit of time or size. */
static const struct multiple {
	const char *name;
	double factor;
} frequencies[] = {{"", 1}, {"Hz", 1}, {"kHz", 1e3}, {NULL, 0}},
  counts[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};

/* The length of the one word that `text` is; SIZE_MAX if it is more. */
static size_t
word_len(const char *text)
{
	size_t len = strcspn(text, " ");

	return text[len + strspn(text + len, " ")] == '\0' ? len : SIZE_MAX;
}

/* The factor of the multiple that `text` is, 0 if it is none. */
static double
factor_of(const struct multiple *multiples, const char *text)
{
	size_t len = word_len(text);

	for (; multiples->name; multiples++) {
		if (strlen(multiples->name) == len && strncmp(multiples->name, text, len) == 0)
			return multiples->factor;
	}
	return 0;
}

/* How many `base` the unit that `text` is has; 0 if it is no unit of that. */
static double
scale_of(const char *base, const char *text)
{
	size_t len = word_len(text);
	const struct unit *unit = len == SIZE_MAX ? NULL : unit_of_setting(text, len);

	return unit && strcmp(unit->base, base) == 0 ? unit->scale : 0;
}

int
units_duration(const char *text, double *seconds, const char **problem)
{
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	double factor = scale_of(UNIT_NS, text) / NS_PER_S;

	if (factor == 0 && !(value == 0 && *text == '\0'))
		return refuse_value(problem, *text ? "has an unknown unit; known are ms, s, m and h"
						   : "needs a unit: ms, s, m or h");
	*seconds = value * factor;
	return 0;
}

int
units_percent(const char *text, double *ratio, const char **problem)
{
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	if (text[0] != '%' || text[1 + strspn(text + 1, " ")] != '\0')
		return refuse_value(problem, *text ? "has an unknown unit; a percent sign is needed"
						   : "needs a percent sign");
	*ratio = value / 100;
	return 0;
}

int
units_frequency(const char *text, double *hz, const char **problem)
{
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	double factor = factor_of(frequencies, text);

	if (factor == 0)
		return refuse_value(problem, "has an unknown unit; known are Hz and kHz");
	if (value * factor <= 0 || value * factor > 100000)
		return refuse_value(problem, "is out of range: above 0 and at most 100000 Hz");
	*hz = value * factor;
	return 0;
}

int
units_stack_size(const char *text, unsigned *bytes, const char **problem)
{
	const double most = 65536;
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	double factor = *text == '\0' ? 1 : scale_of(UNIT_BYTES, text);

	if (factor == 0)
		return refuse_value(problem, "has an unknown unit; known are B, KiB and MiB");
	value *= factor;
	if (value < 8 || value > most)
		return refuse_value(problem, "is out of range: 8 bytes to 64KiB");
	if (value != floor(value) || (unsigned)value % 8 != 0)
		return refuse_value(problem, "is not a multiple of 8 bytes");
	/* The largest stack in a sample is one word less than 64 KiB. */
	*bytes = value == most ? (unsigned)most - 8 : (unsigned)value;
	return 0;
}

int
units_count(const char *text, unsigned min, unsigned max, unsigned *count, const char **problem)
{
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	if (*text != '\0' || value != floor(value))
		return refuse_value(problem, "is not a whole number");
	if (value < min || value > max)
		return refuse_value(problem, "is out of range");
	*count = (unsigned)value;
	return 0;
}

int
units_repeat(const char *text, unsigned *executions, const char **problem)
{
	if (strcmp(text, "auto") == 0) {
		*executions = 0;
		return 0;
	}
	if (units_count(text, 1, REPEAT_MAX, executions, problem) == 0)
		return 0;
	return refuse_value(problem, "must be auto, or a number of executions from 1 to 10000");
}

int
units_cost(const char *text, double *cost, enum cost_unit *unit, const char **problem)
{
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	if (value == 0 && *text == '\0') {
		*cost = 0;
		*unit = COST_NONE;
		return 0;
	}
	/* "40KB" of people is "40KiB". */
	if (strlen(text) == 2 && strchr("KMG", text[0]) && text[1] == 'B')
		text = text[0] == 'K' ? "KiB" : text[0] == 'M' ? "MiB" : "GiB";
	const double factors[] = {
		[COST_NONE] = 0,
		[COST_TIME] = scale_of(UNIT_NS, text),
		[COST_COUNT] = factor_of(counts, text),
		[COST_BYTES] = scale_of(UNIT_BYTES, text),
	};

	for (int i = COST_TIME; i <= COST_BYTES; i++) {
		if (factors[i] == 0)
			continue;
		*cost = value * factors[i];
		*unit = (enum cost_unit)i;
		return 0;
	}
	return refuse_value(problem,
		"has an unknown unit; known are ns, us, ms, s and m, k, M and G, B, KiB, MiB and GiB");
}
