#include "spec/shard_plan.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "2/3" */
static int
parse_index(struct shard_plan *plan, const char *text, struct err *err)
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

/* A CI's environment variables for the index of one of its parallel jobs, and their number. */
struct ci_variables {
	const char *index;
	const char *count;
	unsigned first; /* index of the first job */
};

static const struct ci_variables ci_variables[] = {
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1}, /* GitLab */
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
};

static int
refuse_variable(const char *name, const char *value, const char *expected, struct err *err)
{
	return err_set(
		err, ERR_USAGE, "'--shard auto': %s is '%s', expected %s", name, value, expected);
}

static int
read_variables(struct shard_plan *plan, const struct ci_variables *names, const char *count,
	struct err *err)
{
	const char *index = getenv(names->index);
	char text[64];
	char *end;

	/* GitLab sets the number alone where a job has no parallel ones. */
	if (!index && strcmp(count, "1") == 0)
		return parse_index(plan, "1/1", err);
	if (!index || !*index)
		return err_set(err, ERR_USAGE, "'--shard auto': %s is set, but %s is not",
			names->count, names->index);
	unsigned long first = strtoul(index, &end, 10);

	if (*end || strlen(index) > 5 || strspn(index, "0123456789") == 0)
		return refuse_variable(names->index, index, "a number", err);
	if (names->first > first)
		return refuse_variable(names->index, index, "1 or more", err);
	snprintf(text, sizeof(text), "%lu/%.20s", first + 1 - names->first, count);
	if (parse_index(plan, text, err) < 0)
		return err_note(err, "by the variables %s and %s", names->index, names->count);
	return 0;
}

static int
parse_auto(struct shard_plan *plan, struct err *err)
{
	for (size_t i = 0; i < sizeof(ci_variables) / sizeof(ci_variables[0]); i++) {
		const char *count = getenv(ci_variables[i].count);

		if (count && *count)
			return read_variables(plan, &ci_variables[i], count, err);
	}
	err_set(err, ERR_USAGE, "'--shard auto': no variable of a CI names the shard");
	for (size_t i = 0; i < sizeof(ci_variables) / sizeof(ci_variables[0]); i++)
		err_note(err, "looked for %s and %s", ci_variables[i].index, ci_variables[i].count);
	return -1;
}

int
shard_plan_parse(struct shard_plan *plan, const char *text, struct err *err)
{
	return strcmp(text, "auto") == 0 ? parse_auto(plan, err) : parse_index(plan, text, err);
}

/* The same on every machine, which hash_bytes() does not promise. */
static unsigned
shard_by_hash(const char *name, unsigned count)
{
	char text[SHA256_TEXT_SIZE];

	sha256_text(name, strlen(name), text);
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
	arena_release(&plan->arena);
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
	/* The entries are in the order of the names that the plan was made of, which are sorted. */
	const struct shard_entry key = {.workload = workload};
	const struct shard_entry *found =
		bsearch(&key, plan->entries, plan->nentries, sizeof(*plan->entries), by_workload);

	return found ? found->shard : 0;
}

void
shard_plan_choose(struct shard_plan *plan, const struct shard_durations *durations,
	struct workload_list *workloads)
{
	const size_t n = workloads->nworkloads;
	const char **names = mem_zalloc(n + 1, sizeof(*names));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		names[i] = arena_strdup(&plan->arena, workloads->workloads[i].name);
	shard_plan_make(plan, names, n, durations);
	free(names);
	for (size_t i = 0; i < n; i++) {
		struct workload *workload = &workloads->workloads[i];

		if (shard_plan_find(plan, workload->name) == plan->index)
			workloads->workloads[kept++] = *workload;
		else
			workload_release(workload);
	}
	workloads->nworkloads = kept;
}
