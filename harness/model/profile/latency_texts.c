/* Latencies as lines of names and values, and as HdrHistogram writes its percentiles. */
#include "profile/hdr_log.h"
#include "profile/latency_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The value that a line is of; LATENCY_VALUES: none. */
static enum latency_value
find_value(const char *name)
{
	static const char *const names[] = {
		[LATENCY_OPERATIONS] = "operations",
		[LATENCY_MEAN] = "mean",
		[LATENCY_P50] = "p50",
		[LATENCY_P90] = "p90",
		[LATENCY_P99] = "p99",
		[LATENCY_P99_9] = "p99.9",
		[LATENCY_MAX] = "max",
	};
	size_t i = 0;

	while (i < LATENCY_VALUES && strcmp(names[i], name) != 0)
		i++;
	return (enum latency_value)i;
}

static int
refuse(struct latency_text *text, const char *problem)
{
	return err_set(text->err, ERR_MEASURE, "in the latencies, '%.80s' %s", text->line, problem);
}

/* Lines of other names are the program's own matter. */
int
latency_read_lines(struct latency_text *text)
{
	while (latency_next_line(text)) {
		char name[16];
		char value[32];
		char unit[16] = "";
		double number = NAN;
		int end = 0;

		if (sscanf(text->line, "%15s %31s %15s %n", name, value, unit, &end) < 2)
			continue;
		const enum latency_value found = find_value(name);

		if (found == LATENCY_VALUES)
			continue;
		if (unit[0] && text->line[end])
			return refuse(text, "has more than a name, a value and a unit");
		if (!isnan(text->latency->values[found]))
			return refuse(text, "comes twice");
		if (found == LATENCY_OPERATIONS)
			number = latency_number(value);
		else if (unit[0])
			number = latency_time(value, unit);
		if (isnan(number))
			return refuse(
				text, found == LATENCY_OPERATIONS
					      ? "is no 'operations NUMBER'"
					      : "is no 'NAME VALUE UNIT', in ns, us, ms or s");
		text->latency->values[found] = number;
	}
	return 0;
}

/* For lines such as "#[Max     =        2.623, Total count    =       100000]". */
static void
read_footer(struct latency_text *text, const char *unit)
{
	char first[32];
	double count;

	if (sscanf(text->line, "#[Mean = %31[0-9.],", first) == 1)
		text->latency->values[LATENCY_MEAN] = latency_time(first, unit);
	if (sscanf(text->line, "#[Max = %31[0-9.], Total count = %lf", first, &count) == 2) {
		text->latency->values[LATENCY_MAX] = latency_time(first, unit);
		text->latency->values[LATENCY_OPERATIONS] = count;
	}
}

/* The number of all operations: the count of the table's last line. */
static double
count_of_table(struct latency_text text)
{
	double last = NAN;

	while (latency_next_line(&text) && text.line[0] != '#') {
		double count;

		if (sscanf(text.line, " %*[0-9.] %*[0-9.] %lf", &count) == 1)
			last = count;
	}
	return last;
}

/* A log, or a table: other text may be ahead of that, and behind it. */
int
latency_read_hdr(struct latency_text *text)
{
	const char *unit = latency_unit_names[text->source->unit];
	bool in_table = false;
	double all = NAN;

	if (hdr_log_is(text))
		return hdr_log_read(text);
	while (latency_next_line(text)) {
		struct latency_quantile quantile;
		char value[32];
		double count;

		if (strstr(text->line, "Value") && strstr(text->line, "Percentile")) {
			if (in_table || !isnan(text->latency->values[LATENCY_OPERATIONS]))
				return err_set(text->err, ERR_MEASURE,
					"the latencies have more than one table of percentiles");
			in_table = true;
			all = count_of_table(*text);
		} else if (in_table && text->line[0] == '#') {
			read_footer(text, unit);
			if (strncmp(text->line, "#[Max", 5) == 0)
				in_table = false;
		} else if (in_table && sscanf(text->line, " %31[0-9.] %lf %lf", value,
					       &quantile.listed, &count) == 3) {
			quantile.reached = count / all;
			quantile.ns = latency_time(value, unit);
			latency_set_quantile(text->latency, &quantile);
		}
	}
	return 0;
}
