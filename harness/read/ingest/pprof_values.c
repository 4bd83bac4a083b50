/*
 * Keeps all values and labels of the samples of a pprof file, for a writer.
 */
#include "base/mem.h"
#include "ingest/labels.h"
#include "ingest/pprof_internal.h"

#include <assert.h>
#include <string.h>

#define MEMORY_MIN ((uint64_t)64 << 20)
#define MEMORY_RATIO 256

static str_id
text_of(struct pprof_values *values, uint64_t number)
{
	const struct pprof_text text = pprof_text(values->tables, number);

	return strtab_intern(&values->profile->strings, text.at, text.len);
}

static struct value_type
type_of(struct pprof_values *values, const struct pprof_type *type)
{
	return (struct value_type){text_of(values, type->name), text_of(values, type->unit)};
}

static void
keep_type(struct sample_values *values, struct value_type type)
{
	values->types = mem_grow(
		values->types, &values->types_capacity, values->ntypes + 1, sizeof(*values->types));
	values->types[values->ntypes++] = type;
}

/* Adds a sample, without labels, which has these values. */
static void
keep_sample(struct sample_values *values, node_id node, const int64_t *of_types, size_t count)
{
	values->samples = mem_grow(values->samples, &values->samples_capacity, values->nsamples + 1,
		sizeof(*values->samples));
	values->samples[values->nsamples++] = (struct valued_sample){
		.node = node,
		.first_value = values->nvalues,
		.nvalues = count,
		.first_label = values->nlabels,
	};
	if (count == 0)
		return;
	values->values = mem_grow(values->values, &values->values_capacity, values->nvalues + count,
		sizeof(*values->values));
	memcpy(&values->values[values->nvalues], of_types, count * sizeof(*of_types));
	values->nvalues += count;
}

/* Adds a label to the last sample. */
static void
keep_label(struct sample_values *values, const struct value_label *label)
{
	assert(values->nsamples > 0);
	values->labels = mem_grow(values->labels, &values->labels_capacity, values->nlabels + 1,
		sizeof(*values->labels));
	values->labels[values->nlabels++] = *label;
	values->samples[values->nsamples - 1].nlabels++;
}

void
pprof_values_init(struct pprof_values *values, const struct pprof_tables *tables,
	struct profile *profile, struct sample_values *into, size_t stored)
{
	*values = (struct pprof_values){
		.tables = tables,
		.profile = profile,
		.into = into,
		.memory = allowance_of(MEMORY_MIN, stored, MEMORY_RATIO),
	};
	for (size_t i = 0; i < tables->ntypes; i++)
		keep_type(into, type_of(values, &tables->types[i]));
	into->period_type = type_of(values, &tables->period_type);
	into->period = (int64_t)tables->period;
	into->default_type = text_of(values, tables->default_type);
}

/* Many labels can have the same long texts. */
static void
take_label_memory(struct pprof_values *values, const struct pprof_label *label)
{
	const uint64_t texts[] = {label->key, label->text, label->unit};
	size_t bytes = sizeof(struct value_label);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		bytes += pprof_text(values->tables, texts[i]).len;
	allowance_take(&values->memory, bytes);
}

bool
pprof_values_take(struct pprof_values *values, node_id node, const struct wire *sample,
	const int64_t *of_types, size_t count)
{
	struct wire at = *sample;
	struct pprof_label label;

	allowance_take(&values->memory, sizeof(struct valued_sample) + count * sizeof(*of_types));
	keep_sample(values->into, node, of_types, count);
	while (!allowance_is_used(&values->memory) && pprof_labels_next(&at, &label)) {
		take_label_memory(values, &label);
		keep_label(values->into, &(struct value_label){
						 .key = text_of(values, label.key),
						 .text = text_of(values, label.text),
						 .number = (int64_t)label.number,
						 .unit = text_of(values, label.unit),
					 });
	}
	return !allowance_is_used(&values->memory);
}
