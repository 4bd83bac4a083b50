/*
 * The events of a perf.data file: their names, and which event a record belongs to.
 */
#include "base/mem.h"
#include "perfdata/reader.h"
#include "perfdata/reader_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
};

void
perfdata_event_name(const struct perf_event_attr *attr, char *name, size_t size)
{
	const size_t nhardware = sizeof(hardware_names) / sizeof(hardware_names[0]);
	const size_t nsoftware = sizeof(software_names) / sizeof(software_names[0]);

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < nhardware)
		snprintf(name, size, "%s", hardware_names[attr->config]);
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config < nsoftware)
		snprintf(name, size, "%s", software_names[attr->config]);
	else
		snprintf(name, size, "type %u config 0x%llx", attr->type,
			(unsigned long long)attr->config);
}

void
event_table_release(struct event_table *table)
{
	free(table->entries);
	free(table->ids);
	*table = (struct event_table){0};
}

void
event_table_add(struct event_table *table, struct arena *arena, const char *attr, size_t attr_bytes,
	struct file_bytes ids)
{
	if (table->count == table->capacity)
		table->entries = mem_grow(table->entries, &table->capacity, table->count + 1,
			sizeof(*table->entries));

	struct event_entry *entry = &table->entries[table->count++];
	struct perfdata_event *event = &entry->event;
	size_t known = attr_bytes < sizeof(event->attr) ? attr_bytes : sizeof(event->attr);

	*entry = (struct event_entry){0};
	memcpy(&event->attr, attr, known);
	event->nids = ids.left / sizeof(*event->ids);
	event->ids = arena_alloc(arena, ids.left + 1);
	file_bytes_take(&ids, event->ids, event->nids * sizeof(*event->ids));
	event->lbr = event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
		     event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	perfdata_event_name(&event->attr, event->name, sizeof(event->name));
	record_layout_init(&entry->layout, &event->attr);
}

static int
compare_ids(const void *a, const void *b)
{
	const struct event_id *one = a;
	const struct event_id *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

/* Without knowing the event, its id must be found: the place is the same for all. */
static bool
ids_stand_alike(const struct record_layout *one, const struct record_layout *other)
{
	if (one->sample_id != other->sample_id)
		return false;
	if (one->trailer_words == 0 || other->trailer_words == 0)
		return true;
	return one->trailer_words - one->trailer_id == other->trailer_words - other->trailer_id;
}

int
event_table_index(struct event_table *table, const char *path, struct err *err)
{
	const struct event_entry *first = table->entries;
	bool build_ids = false;
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct event_entry *entry = &table->entries[i];

		build_ids |= entry->layout.build_ids;
		if (!ids_stand_alike(&entry->layout, &first->layout))
			return err_set(err, ERR_INPUT,
				"%s: events \"%s\" and \"%s\" lay their samples out differently, "
				"without PERF_SAMPLE_IDENTIFIER; record them one by one",
				path, first->event.name, entry->event.name);
		count += entry->event.nids;
	}
	/* perf's own records of processes that ran before bear the first event's number. */
	for (size_t i = 0; i < table->count; i++)
		table->entries[i].layout.build_ids = build_ids;
	free(table->ids);
	table->nids = 0;
	table->ids = mem_zalloc(count + 1, sizeof(*table->ids));
	for (size_t i = 0; i < table->count; i++)
		for (size_t k = 0; k < table->entries[i].event.nids; k++)
			table->ids[table->nids++] =
				(struct event_id){table->entries[i].event.ids[k], i};
	qsort(table->ids, table->nids, sizeof(*table->ids), compare_ids);
	table->by_id = table->count > 1 && first->layout.sample_id >= 0;
	return 0;
}

static const struct event_id *
find_id(const struct event_table *table, uint64_t id)
{
	const struct event_id key = {id, 0};

	if (table->nids == 0)
		return NULL;
	return bsearch(&key, table->ids, table->nids, sizeof(key), compare_ids);
}

struct event_entry *
event_table_find(struct event_table *table, uint64_t id)
{
	const struct event_id *found = find_id(table, id);

	return found ? &table->entries[found->event] : NULL;
}

bool
event_table_of(const struct event_table *table, const struct raw_record *raw, size_t *event)
{
	uint64_t id;

	*event = 0;
	if (!table->by_id)
		return true;
	/* Records that perf made up itself have id 0 and belong to the first event. */
	if (!raw_record_id(raw, &table->entries[0].layout, &id) || id == 0)
		return false;
	const struct event_id *found = find_id(table, id);

	if (found)
		*event = found->event;
	return found != NULL;
}
