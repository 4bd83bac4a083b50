#include "cli/sharding.h"

#include "base/log.h"
#include "base/mem.h"
#include "output/durations.h"
#include "output/shard_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		return shard_plan_parse(plan, "1/1", err);
	if (!index || !*index)
		return err_set(err, ERR_USAGE, "'--shard auto': %s is set, but %s is not",
			names->count, names->index);
	unsigned long first = strtoul(index, &end, 10);

	if (*end || strlen(index) > 5 || strspn(index, "0123456789") == 0)
		return refuse_variable(names->index, index, "a number", err);
	if (names->first > first)
		return refuse_variable(names->index, index, "1 or more", err);
	snprintf(text, sizeof(text), "%lu/%.20s", first + 1 - names->first, count);
	if (shard_plan_parse(plan, text, err) < 0)
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
sharding_parse(struct sharding *sharding, struct err *err)
{
	if (!sharding->shard)
		return sharding->durations
			       ? err_set(err, ERR_USAGE, "'--durations' is for '--shard'")
			       : 0;
	return strcmp(sharding->shard, "auto") == 0
		       ? parse_auto(&sharding->plan, err)
		       : shard_plan_parse(&sharding->plan, sharding->shard, err);
}

static int
make_plan(struct sharding *sharding, const char *path, const struct workload_list *workloads,
	struct err *err)
{
	struct shard_durations durations = {0};
	size_t n = workloads->nworkloads;

	if (path && durations_read(&durations, path, err) < 0)
		return err_note(err, "while reading '--durations'");
	const char **names = mem_zalloc(n + 1, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = arena_strdup(&sharding->arena, workloads->workloads[i].name);
	shard_plan_make(&sharding->plan, names, n, &durations);
	free(names);
	durations_release(&durations);
	return 0;
}

static void
keep_own(const struct shard_plan *plan, struct workload_list *workloads)
{
	size_t kept = 0;

	for (size_t i = 0; i < workloads->nworkloads; i++) {
		struct workload *workload = &workloads->workloads[i];

		if (shard_plan_find(plan, workload->name) == plan->index)
			workloads->workloads[kept++] = *workload;
		else
			workload_release(workload);
	}
	workloads->nworkloads = kept;
}

int
sharding_choose(struct sharding *sharding, const char *durations, enum gate_mode mode,
	const char *branch, struct workload_list *workloads, struct err *err)
{
	if (!sharding->shard)
		return 0;
	size_t all = workloads->nworkloads;

	shard_settings(workloads, mode, branch, sharding->settings);
	if (make_plan(sharding, durations, workloads, err) < 0)
		return -1;
	keep_own(&sharding->plan, workloads);
	sharding->of_gate.plan = &sharding->plan;
	sharding->of_gate.settings = sharding->settings;
	log_info("shard %u of %u has %zu of %zu workloads", sharding->plan.index,
		sharding->plan.count, workloads->nworkloads, all);
	return 0;
}

void
sharding_release(struct sharding *sharding)
{
	shard_plan_release(&sharding->plan);
	arena_release(&sharding->arena);
}
