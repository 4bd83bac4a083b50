/*
 * The key `latency` of a workload: where the number of operations of a run is reported, and how
 * long they took.
 */
#include "spec/latency_keys.h"

#include "profile/latency.h"

/* Filled by the table. */
struct reading {
	int format; /* -1: not set */
	int unit;
	const char *file;
	const char *test;
};

#define READING(field) offsetof(struct reading, field)

const struct key latency_keys[] = {
	{.name = "format",
		.type = KEY_CHOICE,
		.offset = READING(format),
		.choices = latency_format_names},
	{.name = "file", .type = KEY_TEXT, .offset = READING(file)},
	{.name = "unit",
		.type = KEY_CHOICE,
		.offset = READING(unit),
		.choices = latency_unit_names},
	{.name = "test", .type = KEY_TEXT, .offset = READING(test)},
	{.name = NULL},
};

/* Keys that only one format has. */
static int
check_format(const struct key_reader *reader, const struct yaml_node *node,
	const struct reading *reading)
{
	const struct yaml_node *unit = keys_find(node, "unit");
	const struct yaml_node *test = keys_find(node, "test");

	if (reading->format < 0)
		return keys_refuse(reader, node,
			"'format' is missing: what prints the latencies, such as wrk; or lines");
	if (reading->format == LATENCY_HDR && !unit)
		return keys_refuse(
			reader, node, "'unit' is missing: files of HdrHistogram have none");
	if (reading->format != LATENCY_HDR && unit)
		return keys_refuse(reader, unit->key,
			"'unit' is for the format 'hdr' only: the output of '%s' has it",
			latency_format_names[reading->format]);
	if (reading->format != LATENCY_REDIS_BENCHMARK && test)
		return keys_refuse(
			reader, test->key, "'test' is for the format 'redis-benchmark' only");
	return 0;
}

int
latency_keys_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct latency_source **source = into;
	struct reading reading = {.format = -1, .unit = -1};

	if (keys_read(reader, node, "'latency'", latency_keys, &reading) < 0 ||
		check_format(reader, node, &reading) < 0)
		return -1;
	*source = arena_alloc(reader->arena, sizeof(**source));
	**source = (struct latency_source){
		.format = (enum latency_format)reading.format,
		.unit = reading.unit,
		.file = reading.file,
		.test = reading.test,
	};
	return 0;
}
