/*
 * Weighs the samples of a group of events that is read together, by the values of its members.
 */
#include "base/map.h"
#include "base/mem.h"
#include "ingest/perfdata_internal.h"

#include <stdlib.h>

void
group_reads_init(struct group_reads *reads, const struct perfdata_reader *reader,
	const struct event_choice *choice)
{
	*reads = (struct group_reads){0};
	for (size_t i = 0; i < choice->count; i++) {
		const struct perfdata_event *event = perfdata_event(reader, i);

		if (!event_choice_has(choice, i) || event->nsamples > 0 ||
			!event_is_group_read(event) || !event_group_is_usable(event))
			continue;
		for (size_t k = 0; k < event->nids; k++)
			key_map_add(&reads->ids, event->ids[k]);
	}
	reads->last = mem_zalloc(reads->ids.count + 1, sizeof(*reads->last));
}

void
group_reads_release(struct group_reads *reads)
{
	key_map_release(&reads->ids);
	free(reads->last);
	*reads = (struct group_reads){0};
}

uint64_t
group_reads_take(struct group_reads *reads, const struct record_sample *sample)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sample->nvalues; i++) {
		const uint64_t *value = sample->values + i * sample->value_words;
		const uint32_t number = key_map_find(&reads->ids, value[1]);

		if (number == KEY_MAP_NONE)
			continue;
		/* Smaller ones are of a damaged file. */
		if (value[0] > reads->last[number])
			sum += value[0] - reads->last[number];
		reads->last[number] = value[0];
	}
	return sum;
}
