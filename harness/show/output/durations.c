#include "output/durations.h"

#include "base/file.h"
#include "base/mem.h"
#include "spec/suite.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* For thousands of workloads with thousands of functions each. */
#define VERDICT_MAX ((size_t)256 << 20)
/* A year. */
#define SECONDS_MAX 31536000.0

/* False if it has none, such as a workload that failed before measuring: 0 s. */
static bool
read_seconds(const cJSON *workload, double *seconds)
{
	const cJSON *build = cJSON_GetObjectItemCaseSensitive(workload, "build_s");
	const cJSON *measure = cJSON_GetObjectItemCaseSensitive(workload, "measure_s");

	if (!cJSON_IsNumber(measure) || !(measure->valuedouble > 0))
		return false;
	*seconds = measure->valuedouble + (cJSON_IsNumber(build) ? build->valuedouble : 0);
	return *seconds >= 0 && *seconds <= SECONDS_MAX;
}

static void
read_workloads(struct shard_durations *durations, const cJSON *workloads)
{
	size_t count = (size_t)cJSON_GetArraySize(workloads);
	const cJSON *each;

	durations->items = arena_alloc(&durations->arena, (count + 1) * sizeof(*durations->items));
	cJSON_ArrayForEach(each, workloads)
	{
		const cJSON *name = cJSON_GetObjectItemCaseSensitive(each, "name");
		double seconds;

		if (!cJSON_IsString(name) || !unit_is_name(name->valuestring) ||
			!read_seconds(each, &seconds))
			continue;
		durations->items[durations->count++] = (struct shard_duration){
			arena_strdup(&durations->arena, name->valuestring), seconds};
	}
}

int
durations_parse(struct shard_durations *durations, const char *path, const char *text, size_t len,
	struct err *err)
{
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(text, len, &end, false);
	const cJSON *workloads = cJSON_GetObjectItemCaseSensitive(root, "workloads");
	int result = 0;

	*durations = (struct shard_durations){0};
	if (!root) {
		size_t offset = end ? (size_t)(end - text) : 0;
		const struct location at = location_at(path, text, len, offset);

		result = err_set_at(err, &at, "not JSON");
	} else if (!cJSON_IsArray(workloads)) {
		result = err_set(err, ERR_INPUT, "%s: it has no list of 'workloads'", path);
	} else {
		read_workloads(durations, workloads);
	}
	cJSON_Delete(root);
	return result < 0 ? err_note(err, "expected the verdict.json of a report") : 0;
}

int
durations_read(struct shard_durations *durations, const char *path, struct err *err)
{
	char *file = file_is_dir(path) ? file_join(path, "verdict.json") : mem_strdup(path);
	struct buf text = {0};
	int result = file_read(file, &text, VERDICT_MAX, err);

	if (result == 0)
		result = durations_parse(durations, file, buf_text(&text), text.len, err);
	buf_release(&text);
	free(file);
	return result;
}

void
durations_release(struct shard_durations *durations)
{
	arena_release(&durations->arena);
	*durations = (struct shard_durations){0};
}
