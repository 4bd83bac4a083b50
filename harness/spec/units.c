#include "spec/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
refuse(const char **problem, const char *what)
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
		return refuse(problem, "must not be negative");
	if (start[len] == '.') {
		size_t decimals = strspn(start + len + 1, "0123456789");

		len = whole + decimals > 0 ? len + 1 + decimals : 0;
	}
	if (len == 0)
		return refuse(problem, "is not a number");
	if (len > 30)
		return refuse(problem, "has too many digits");
	char digits[32];

	memcpy(digits, start, len);
	digits[len] = '\0';
	*value = strtod(digits, NULL);
	*text = start + len + strspn(start + len, " ");
	return 0;
}

static const struct unit {
	const char *name;
	double factor;
} durations[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {NULL, 0}},
  frequencies[] = {{"", 1}, {"Hz", 1}, {"kHz", 1e3}, {NULL, 0}},
  sizes[] = {{"", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {NULL, 0}},
  cost_times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {NULL, 0}},
  cost_counts[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}},
  cost_bytes[] = {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {NULL, 0}};

/* The factor of the unit that `text` is, 0 if it is none. */
static double
unit_factor(const struct unit *units, const char *text)
{
	size_t len = strcspn(text, " ");

	if (text[len + strspn(text + len, " ")] != '\0')
		return 0;
	for (; units->name; units++) {
		if (strlen(units->name) == len && strncmp(units->name, text, len) == 0)
			return units->factor;
	}
	return 0;
}

int
units_duration(const char *text, double *seconds, const char **problem)
{
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	double factor = unit_factor(durations, text);

	if (factor == 0 && !(value == 0 && *text == '\0'))
		return refuse(problem, *text ? "has an unknown unit; known are ms, s, m and h"
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
		return refuse(problem, *text ? "has an unknown unit; a percent sign is needed"
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
	double factor = unit_factor(frequencies, text);

	if (factor == 0)
		return refuse(problem, "has an unknown unit; known are Hz and kHz");
	if (value * factor <= 0 || value * factor > 100000)
		return refuse(problem, "is out of range: above 0 and at most 100000 Hz");
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
	double factor = unit_factor(sizes, text);

	if (factor == 0)
		return refuse(problem, "has an unknown unit; known are B, KiB and MiB");
	value *= factor;
	if (value < 8 || value > most)
		return refuse(problem, "is out of range: 8 bytes to 64KiB");
	if (value != floor(value) || (unsigned)value % 8 != 0)
		return refuse(problem, "is not a multiple of 8 bytes");
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
		return refuse(problem, "is not a whole number");
	if (value < min || value > max)
		return refuse(problem, "is out of range");
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
	return refuse(problem, "must be auto, or a number of executions from 1 to 10000");
}

int
units_cost(const char *text, double *cost, enum cost_unit *unit, const char **problem)
{
	static const struct unit *const units[] = {
		[COST_TIME] = cost_times,
		[COST_COUNT] = cost_counts,
		[COST_BYTES] = cost_bytes,
	};
	double value;

	if (scan_number(&text, &value, problem) < 0)
		return -1;
	if (value == 0 && *text == '\0') {
		*cost = 0;
		*unit = COST_NONE;
		return 0;
	}
	for (int i = COST_TIME; i <= COST_BYTES; i++) {
		double factor = unit_factor(units[i], text);

		if (factor == 0)
			continue;
		*cost = value * factor;
		*unit = (enum cost_unit)i;
		return 0;
	}
	return refuse(problem,
		"has an unknown unit; known are ns, us, ms, s and m, k, M and G, B, KiB, MiB and GiB");
}
