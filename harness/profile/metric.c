/* To add a metric: add a line here. harness/doc/HOWTO_ADD_METRIC.md says what else there is. */
#include "profile/metric.h"

#include <stddef.h>
#include <string.h>

const struct metric metrics[] = {
	{"cpu", "ns", "CPU time, by samples", METRIC_TIME, false, NULL},
	{"instructions", "instructions", "executed instructions, each counted", METRIC_COUNT, true,
		NULL},
	{"syscalls", "calls", "system calls, each counted", METRIC_COUNT, true, NULL},
	{"alloc", "bytes", "allocated memory, each allocation counted", METRIC_BYTES, true,
		"allocations"},
	{.name = NULL},
};

const struct metric *
metric_find(const char *name)
{
	for (const struct metric *at = metrics; at->name; at++) {
		if (strcmp(at->name, name) == 0)
			return at;
	}
	return NULL;
}

bool
metric_is_counted_unit(const char *unit)
{
	for (const struct metric *at = metrics; at->name; at++) {
		if (at->counted && (strcmp(at->unit, unit) == 0 ||
					   (at->number_unit && strcmp(at->number_unit, unit) == 0)))
			return true;
	}
	return false;
}
