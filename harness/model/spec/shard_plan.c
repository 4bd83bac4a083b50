#include "spec/shard_plan.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
shard_plan_parse(struct shard_plan *plan, const char *text, struct err *err)
{
	unsigned index = 0;
	unsigned count = 0;
	int end = 0;

	if (sscanf(text, "%5u/%5u%n", &index, &count, &end) < 2 || text[end] ||
		strspn(text, "0123456789/") != strlen(text))
		return err_set(err, ERR_USAGE,
			"'--shard %s': expected INDEX/COUNT, such as 2/3, or 'auto'", text);
	if (count < 1 || count > SHARD_COUNT_MAX)
		return err_set(err, ERR_USAGE, "'--shard %s': expected 1 to %d shards", text,
			SHARD_COUNT_MAX);
	if (index < 1 || index > count)
		return err_set(
			err, ERR_USAGE, "'--shard %s': the index counts from 1 to %u", text, count);
	plan->index = index;
	plan->count = count;
	return 0;
}

/* The same on every machine, which hash_bytes() does not promise. */
static unsigned
shard_by_hash(const char *name, unsigned count)
{
	char text[HASH_TEXT_SIZE];

	hash_text(name, strlen(name), text);
	text[8] = '\0';
	return (unsigned)(strtoul(text, NULL, 16) % count) + 1;
}

/* A workload whose duration is known. */
struct timed {
	struct shard_entry *entry;
	double seconds;
};

/* The longest first. */
static int
by_seconds(const void *a, const void *b)
{
	const struct timed *x = a;
	const struct timed *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return strcmp(x->entry->workload, y->entry->workload);
}

static int
by_name(const void *a, const void *b)
{
	const struct shard_duration *x = a;
	const struct shard_duration *y = b;

	return strcmp(x->workload, y->workload);
}

/* The first of the shards with the shortest total duration. */
static unsigned
least_loaded(const double *seconds, unsigned count)
{
	unsigned least = 0;

	for (unsigned i = 1; i < count; i++) {
		if (seconds[i] < seconds[least])
			least = i;
	}
	return least;
}

/* Fills timed[] with the workloads whose duration is known; returns their number. */
static size_t
find_durations(
	struct shard_plan *plan, const struct shard_durations *durations, struct timed *timed)
{
	size_t ntimed = 0;

	if (!durations || durations->count == 0)
		return 0;
	struct shard_duration *sorted = mem_zalloc(durations->count, sizeof(*sorted));

	memcpy(sorted, durations->items, durations->count * sizeof(*sorted));
	qsort(sorted, durations->count, sizeof(*sorted), by_name);
	for (size_t i = 0; i < plan->nentries; i++) {
		const struct shard_duration key = {.workload = plan->entries[i].workload};
		const struct shard_duration *found =
			bsearch(&key, sorted, durations->count, sizeof(*sorted), by_name);

		if (found)
			timed[ntimed++] = (struct timed){&plan->entries[i], found->seconds};
	}
	free(sorted);
	return ntimed;
}

void
shard_plan_make(struct shard_plan *plan, const char *const *names, size_t n,
	const struct shard_durations *durations)
{
	struct timed *timed = mem_zalloc(n + 1, sizeof(*timed));
	double *load = mem_zalloc(plan->count, sizeof(*load));
	double sum = 0;

	plan->entries = mem_zalloc(n + 1, sizeof(*plan->entries));
	plan->nentries = n;
	for (size_t i = 0; i < n; i++)
		plan->entries[i].workload = names[i];
	size_t ntimed = find_durations(plan, durations, timed);

	qsort(timed, ntimed, sizeof(*timed), by_seconds);
	for (size_t i = 0; i < ntimed; i++) {
		sum += timed[i].seconds;
		timed[i].entry->shard = plan->count;
	}
	for (size_t i = 0; i < n; i++) {
		struct shard_entry *entry = &plan->entries[i];

		if (entry->shard > 0)
			continue;
		entry->shard = shard_by_hash(entry->workload, plan->count);
		load[entry->shard - 1] += ntimed > 0 ? sum / (double)ntimed : 0;
	}
	for (size_t i = 0; i < ntimed; i++) {
		unsigned shard = least_loaded(load, plan->count);

		timed[i].entry->shard = shard + 1;
		load[shard] += timed[i].seconds;
	}
	free(load);
	free(timed);
}

void
shard_plan_release(struct shard_plan *plan)
{
	free(plan->entries);
	*plan = (struct shard_plan){0};
}

static int
by_workload(const void *a, const void *b)
{
	return strcmp(((const struct shard_entry *)a)->workload,
		((const struct shard_entry *)b)->workload);
}

unsigned
shard_plan_find(const struct shard_plan *plan, const char *workload)
{
	const struct shard_entry key = {.workload = workload};
	const struct shard_entry *found =
		bsearch(&key, plan->entries, plan->nentries, sizeof(*plan->entries), by_workload);

	return found ? found->shard : 0;
}
