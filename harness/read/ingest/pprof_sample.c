#include "ingest/pprof_sample.h"

#include "base/mem.h"
#include "profile/pprof_fields.h"

#include <stdlib.h>

static void
add_location(struct pprof_sample *sample, uint64_t id)
{
	sample->locations = mem_grow(sample->locations, &sample->locations_capacity,
		sample->nlocations + 1, sizeof(*sample->locations));
	sample->locations[sample->nlocations++] = id;
}

static void
add_value(struct pprof_sample *sample, uint64_t number, size_t ntypes)
{
	if (sample->nvalues == ntypes) {
		sample->has_more = true;
		return;
	}
	sample->values = mem_grow(sample->values, &sample->values_capacity, sample->nvalues + 1,
		sizeof(*sample->values));
	sample->values[sample->nvalues++] = (int64_t)number;
}

/* Each location and value is a separate field, or many are in one. */
bool
pprof_sample_read(struct pprof_sample *sample, struct wire message, size_t ntypes)
{
	struct wire_field field;

	sample->nlocations = 0;
	sample->nvalues = 0;
	sample->has_more = false;
	while (wire_next(&message, &field)) {
		const bool packed = field.type == WIRE_BYTES;
		uint64_t number = field.value;

		if (field.number != PPROF_SAMPLE_LOCATION && field.number != PPROF_SAMPLE_VALUE)
			continue;
		while (!packed || wire_number(&field.bytes, &number)) {
			if (field.number == PPROF_SAMPLE_LOCATION)
				add_location(sample, number);
			else
				add_value(sample, number, ntypes);
			if (!packed)
				break;
		}
		if (packed && field.bytes.failed)
			return false;
	}
	return !message.failed;
}

void
pprof_sample_release(struct pprof_sample *sample)
{
	free(sample->locations);
	free(sample->values);
	*sample = (struct pprof_sample){.nlocations = 0};
}
