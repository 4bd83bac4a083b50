/*
 * Any bytes as a pprof file, compressed or not: an error, or a profile with weights; by the file's
 * own type of values, by one that is requested, with all types, and as a difference.
 */
#include "base/log.h"
#include "ingest/ingest.h"
#include "output/pprof.h"
#include "profile/sample_values.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_as(const struct file_view *view, const struct ingest_options *options)
{
	struct profile profile;
	struct err err = {0};

	profile_init(&profile);
	if (ingest_pprof.read(&profile, view, "fuzz", options, &err) == 0) {
		const size_t nruns = options->pair ? 2 : 1;
		double total = 0;

		for (size_t i = 0; i < profile.nruns; i++)
			total += profile_column_total(&profile, i);
		if (profile.nruns != nruns || !(total > 0))
			abort();
		if (options->values) {
			const struct pprof_options all = {.values = options->values};
			struct buf out = {0};

			pprof_put_labelled(&profile, &all, &out);
			buf_release(&out);
		}
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	profile_release(&profile);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A terminator would hide a read beyond the end. */
	const struct file_view view = {.data = (const char *)data, .len = size};

	log_set_level(LOG_ERROR);
	ingest_pprof.detect(view.data, view.len);
	struct sample_values values = {0};

	read_as(&view, &(struct ingest_options){.event = NULL});
	read_as(&view, &(struct ingest_options){.event = "alloc_objects"});
	read_as(&view, &(struct ingest_options){.pair = true});
	read_as(&view, &(struct ingest_options){.values = &values, .at_lines = true});
	sample_values_release(&values);
	return 0;
}
