#include "profile/sample_values.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
sample_values_release(struct sample_values *values)
{
	free(values->types);
	free(values->samples);
	free(values->values);
	free(values->labels);
	*values = (struct sample_values){.ntypes = 0};
}

void
sample_values_add_type(struct sample_values *values, struct value_type type)
{
	values->types = mem_grow(
		values->types, &values->types_capacity, values->ntypes + 1, sizeof(*values->types));
	values->types[values->ntypes++] = type;
}

void
sample_values_add(struct sample_values *values, node_id node, const int64_t *of_types, size_t count)
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

void
sample_values_add_label(struct sample_values *values, const struct value_label *label)
{
	assert(values->nsamples > 0);
	values->labels = mem_grow(values->labels, &values->labels_capacity, values->nlabels + 1,
		sizeof(*values->labels));
	values->labels[values->nlabels++] = *label;
	values->samples[values->nsamples - 1].nlabels++;
}
