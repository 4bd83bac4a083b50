/* To add a metric: add a line here. harness/doc/HOWTO_ADD_METRIC.md says what else there is. */
#include "profile/metric.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Sums of callgrind's events, by the formulas of KCachegrind (libcore/eventtype.cpp), whose
 * estimate of cycles is Ir + 10 L1m + 100 LLm. I1 is the first level of the cache for instructions,
 * D1 that for data, LL the last level; mr are misses of reads, mw of writes.
 */
static const struct metric_event instructions[] = {{"Ir", 1}, {NULL, 0}};
static const struct metric_event l1_misses[] = {{"I1mr", 1}, {"D1mr", 1}, {"D1mw", 1}, {NULL, 0}};
static const struct metric_event ll_misses[] = {{"ILmr", 1}, {"DLmr", 1}, {"DLmw", 1}, {NULL, 0}};
static const struct metric_event estimated_cycles[] = {{"Ir", 1}, {"I1mr", 10}, {"D1mr", 10},
	{"D1mw", 10}, {"ILmr", 100}, {"DLmr", 100}, {"DLmw", 100}, {NULL, 0}};

static const char *const alloc_keys[] = {"leaks", "peak", NULL};

const struct metric metrics[] = {
	{.name = "cpu",
		.unit = "ns",
		.summary = "CPU time, by samples",
		.kind = METRIC_TIME,
		.counted_by = METRIC_INSTRUCTIONS},
	{.name = "offcpu",
		.unit = "ns",
		.summary = "time that threads waited, each wait timed",
		.kind = METRIC_TIME,
		.timed = true},
	{.name = "wall",
		.unit = "ns",
		.summary = "time of threads, running or waiting",
		.kind = METRIC_TIME,
		.timed = true,
		.first_thread = true},
	{.name = "locks",
		.unit = "ns",
		.summary = "time that threads waited for locks, each wait timed",
		.kind = METRIC_TIME,
		.timed = true,
		.number_unit = "waits"},
	/* gate.counted has the least cost of instructions. */
	{.name = METRIC_INSTRUCTIONS,
		.unit = "instructions",
		.summary = "executed instructions, each counted",
		.kind = METRIC_COUNT,
		.counted = true,
		.events = instructions,
		.sampled_by = "instructions"},
	{.name = "l1_misses",
		.unit = "simulated L1 misses",
		.summary = "misses of the first level of a simulated cache",
		.kind = METRIC_COUNT,
		.counted = true,
		.min_cost = 100,
		.events = l1_misses,
		.simulated = true},
	{.name = "ll_misses",
		.unit = "simulated LL misses",
		.summary = "misses of the last level of a simulated cache",
		.kind = METRIC_COUNT,
		.counted = true,
		.min_cost = 100,
		.events = ll_misses,
		.simulated = true},
	{.name = "estimated_cycles",
		.unit = "estimated cycles",
		.summary = "instructions, and misses of a simulated cache by what they cost",
		.kind = METRIC_COUNT,
		.counted = true,
		.min_cost = 10e3,
		.events = estimated_cycles,
		.simulated = true},
	{.name = "syscalls",
		.unit = "calls",
		.summary = "system calls, each counted",
		.kind = METRIC_COUNT,
		.counted = true,
		.rule_key = "call"},
	{.name = "io",
		.unit = "bytes",
		.summary = "bytes that system calls read and wrote, each call counted",
		.kind = METRIC_BYTES,
		.counted = true,
		.number_unit = "calls"},
	{.name = "alloc",
		.unit = "bytes",
		.summary = "allocated memory, each allocation counted",
		.kind = METRIC_BYTES,
		.counted = true,
		.number_unit = "allocations",
		.gate_keys = alloc_keys},
	{.name = METRIC_SIZE,
		.unit = "bytes",
		.summary = "bytes of code and data in the program's files, without a run",
		.kind = METRIC_BYTES,
		.counted = true,
		.min_cost = 1024,
		.of_files = true,
		.rule_key = "symbol"},
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

const char *
metric_counted_instead(const char *name)
{
	const struct metric *metric = metric_find(name);

	return metric ? metric->counted_by : NULL;
}

bool
metric_is_counted_by(const char *name, const char *event)
{
	const struct metric *metric = metric_find(name);

	return metric && metric->counted &&
	       !(metric->sampled_by && strcmp(metric->sampled_by, event) == 0);
}

const char *
metric_unit(const char *name)
{
	const struct metric *metric = metric_find(name);

	return metric ? metric->unit : "ns";
}

bool
metric_counts_in(const char *name, const char *unit)
{
	const struct metric *metric = metric_find(name);

	if (!metric || !metric->counted)
		return false;
	return strcmp(metric->unit, unit) == 0 ||
	       (metric->number_unit && strcmp(metric->number_unit, unit) == 0);
}

const char *
metric_weight_unit(const char *name)
{
	const struct metric *metric = metric_find(name);

	return metric && (metric->counted || metric->timed) ? metric->unit : "samples";
}

#define BLANKS " \t\r"

struct event_sum
event_sum_single(size_t place)
{
	return (struct event_sum){.terms = {{place, 1}}, .nterms = 1};
}

static void
add_term(struct event_sum *sum, size_t place, double weight)
{
	size_t at = sum->nterms;

	assert(at < METRIC_EVENTS_MAX);
	for (; at > 0 && sum->terms[at - 1].place > place; at--)
		sum->terms[at] = sum->terms[at - 1];
	sum->terms[at].place = place;
	sum->terms[at].weight = weight;
	sum->nterms++;
}

/* The place of the first event of this name; SIZE_MAX if there is none. */
static size_t
find_event(const char *name, const char *names, size_t len)
{
	const size_t name_len = strlen(name);
	size_t place = 0;

	for (size_t at = 0; at < len;) {
		size_t word = 0;

		while (at + word < len && !strchr(BLANKS, names[at + word]))
			word++;
		if (word == name_len && memcmp(names + at, name, word) == 0)
			return place;
		place += word > 0;
		at += word > 0 ? word : 1;
	}
	return SIZE_MAX;
}

bool
event_sum_of_metric(
	struct event_sum *sum, const struct metric *metric, const char *names, size_t len)
{
	*sum = (struct event_sum){0};
	for (const struct metric_event *of = metric->events; of && of->name; of++) {
		size_t place = find_event(of->name, names, len);

		if (place == SIZE_MAX) {
			*sum = (struct event_sum){0};
			return false;
		}
		add_term(sum, place, of->weight);
	}
	return sum->nterms > 0;
}
