/*
 * How long measuring each workload took in a former gate, from its verdict.json.
 */
#ifndef OUTPUT_DURATIONS_H
#define OUTPUT_DURATIONS_H

#include "spec/shard_plan.h"

/*
 * `path` is a report folder or its verdict.json. The duration of a workload is its build_s and
 * measure_s; a workload that was not measured, or could not be, has none. To be released on
 * success.
 */
int durations_read(struct shard_durations *durations, const char *path, struct err *err);
/* Reads the durations from the contents of verdict.json; `path` is for messages. */
int durations_parse(struct shard_durations *durations, const char *path, const char *text,
	size_t len, struct err *err);
void durations_release(struct shard_durations *durations);

#endif
