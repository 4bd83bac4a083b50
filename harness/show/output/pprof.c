#include "output/pprof.h"

#include "base/mem.h"
#include "output/exported.h"
#include "output/gzip.h"
#include "output/pprof_locations.h"
#include "output/pprof_message.h"
#include "output/pprof_places.h"
#include "output/pprof_sample_labels.h"
#include "output/protobuf.h"
#include "profile/pprof_fields.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9
/* A value has 63 bits. */
#define VALUE_MAX 9e18

/* A file in the making. */
struct pprof {
	const struct profile *profile;
	const struct pprof_options *options;
	struct pprof_sample_labels labels;
	struct pprof_locations locations;
	const struct sample_values *values; /* NULL: the weights are all there is */
	double period_ns;                   /* of a sample; 0: the weights are the only value */
	struct pprof_message message;
};

/* Weights are whole numbers there, and not of any size. */
static uint64_t
whole(double value)
{
	return (uint64_t)llround(fmin(value, VALUE_MAX));
}

static void
put_read_type(struct pprof *pprof, unsigned field, const struct value_type *type)
{
	const struct strtab *strings = &pprof->profile->strings;

	pprof_message_put_type(&pprof->message, field, strtab_str(strings, type->name),
		strtab_str(strings, type->unit));
}

static void
put_read_types(struct pprof *pprof, const struct sample_values *values)
{
	struct pprof_message *message = &pprof->message;

	for (size_t i = 0; i < values->ntypes; i++)
		put_read_type(pprof, PPROF_SAMPLE_TYPE, &values->types[i]);
	if (values->period_type.name != 0)
		put_read_type(pprof, PPROF_PERIOD_TYPE, &values->period_type);
	protobuf_put_number(&message->out, PPROF_PERIOD, (uint64_t)values->period);
	protobuf_put_number(&message->out, PPROF_DEFAULT_TYPE,
		pprof_message_str(
			message, strtab_str(&pprof->profile->strings, values->default_type)));
}

/* Among those that pprof knows: readers show any other behind each number. */
static const char *
pprof_unit(const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		return "nanoseconds";
	return strcmp(unit, "bytes") == 0 ? unit : "count";
}

static void
put_types(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	const char *metric = strtab_str(&profile->strings, profile->metric);
	const char *event = strtab_str(&profile->strings, profile->event);
	const char *unit = weights_unit(profile);
	/* The type "cpu" is of times: of periods of another unit it is the event. */
	const bool has_metric =
		*metric && (!weights_are_periods(profile) || weights_are_times(profile));
	const char *type = has_metric ? metric : *event ? event : unit;

	if (weights_are_samples(profile))
		pprof_message_put_type(&pprof->message, PPROF_SAMPLE_TYPE, "samples", "count");
	else
		pprof_message_put_type(&pprof->message, PPROF_SAMPLE_TYPE, type, pprof_unit(unit));
	if (pprof->period_ns > 0) {
		pprof_message_put_type(&pprof->message, PPROF_SAMPLE_TYPE, "cpu", "nanoseconds");
		pprof_message_put_type(&pprof->message, PPROF_PERIOD_TYPE, "cpu", "nanoseconds");
		protobuf_put_number(&pprof->message.out, PPROF_PERIOD, whole(pprof->period_ns));
	}
}

static void
put_locations(struct pprof *pprof, node_id node)
{
	for (node_id at = node; at != CTREE_ROOT;)
		protobuf_put_varint(
			&pprof->message.list, pprof_locations_next(&pprof->locations, &at));
	protobuf_put_part(&pprof->message.part, PPROF_SAMPLE_LOCATION, &pprof->message.list);
}

/* `run` SIZE_MAX: the sum of all. */
static void
put_sample(struct pprof *pprof, node_id node, double weight, size_t run)
{
	struct pprof_message *message = &pprof->message;

	put_locations(pprof, node);
	protobuf_put_varint(&message->list, whole(weight));
	if (pprof->period_ns > 0)
		protobuf_put_varint(&message->list, whole(weight * pprof->period_ns));
	protobuf_put_part(&message->part, PPROF_SAMPLE_VALUE, &message->list);
	pprof_sample_labels_put(&pprof->labels, message, node, run);
	protobuf_put_part(&message->out, PPROF_SAMPLE, &message->part);
}

static bool
fits(const struct pprof *pprof)
{
	return pprof->options->any_size || exported_fits(&pprof->message.out);
}

/* Puts the samples of a run, or of all together (SIZE_MAX). */
static void
put_samples(struct pprof *pprof, size_t run, double *weights)
{
	const struct ctree *tree = &pprof->profile->tree;
	const bool all = run == SIZE_MAX;

	ctree_sum(tree, all ? 0 : run, all ? tree->ncolumns : 1, weights);
	for (node_id node = 1; node < tree->nnodes && fits(pprof); node++)
		if (weights[node] >= 0.5)
			put_sample(pprof, node, weights[node], run);
}

static void
put_weights(struct pprof *pprof)
{
	const struct ctree *tree = &pprof->profile->tree;
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));

	if (!pprof->options->runs)
		put_samples(pprof, SIZE_MAX, weights);
	for (size_t run = 0; pprof->options->runs && run < tree->ncolumns; run++)
		put_samples(pprof, run, weights);
	free(weights);
}

/* Puts the values that were read, of which there is one run. */
static void
put_values(struct pprof *pprof, const struct sample_values *values)
{
	struct pprof_message *message = &pprof->message;
	const size_t run = pprof->options->runs ? 0 : SIZE_MAX;

	for (size_t i = 0; i < values->nsamples && fits(pprof); i++) {
		const struct valued_sample *sample = &values->samples[i];

		put_locations(pprof, sample->node);
		for (size_t k = 0; k < values->ntypes; k++)
			protobuf_put_varint(&message->list,
				k < sample->nvalues
					? (uint64_t)values->values[sample->first_value + k]
					: 0);
		protobuf_put_part(&message->part, PPROF_SAMPLE_VALUE, &message->list);
		pprof_sample_labels_put_read(&pprof->labels, message, values, sample, run);
		protobuf_put_part(&message->out, PPROF_SAMPLE, &message->part);
	}
}

static void
put_stacks(struct pprof *pprof)
{
	pprof_locations_init(&pprof->locations, pprof->profile);
	if (pprof->values)
		put_values(pprof, pprof->values);
	else
		put_weights(pprof);
	pprof_places_put(&pprof->message, &pprof->locations);
	pprof_locations_release(&pprof->locations);
}

int
pprof_check_labels(const char *labels, const char *option, struct err *err)
{
	for (const char *at = labels;; at++) {
		const size_t len = strcspn(at, ",");
		const size_t key = strcspn(at, "=");

		if (key == 0 || key >= len)
			return err_set(err, ERR_USAGE,
				"'--%s %s': expected labels with their values, such as "
				"side=before,workload=parse",
				option, labels);
		at += len;
		if (*at == '\0')
			return 0;
	}
}

static void
put_comment(struct pprof *pprof, const char *comment)
{
	protobuf_put_number(
		&pprof->message.out, PPROF_COMMENT, pprof_message_str(&pprof->message, comment));
}

/* Even where stacks begin with none: readers take the first mapping to be what they begin with. */
static void
put_labels_comment(struct pprof *pprof)
{
	const char *by = strtab_str(&pprof->profile->strings, pprof->profile->by);
	char *comment = mem_printf("%s%s", *by ? PROFILE_BY_COMMENT : PROFILE_COMMENT, by);

	put_comment(pprof, comment);
	free(comment);
}

/* Types and units do not tell counts from samples that weigh their periods, nor how many. */
static void
put_weights_comment(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;

	if (weights_are_counted(profile))
		put_comment(pprof, PROFILE_COUNTS_COMMENT);
	if (!weights_are_periods(profile))
		return;
	char *comment =
		mem_printf(PROFILE_PERIODS_COMMENT "%.17g %.17g %s", weights_samples_sum(profile),
			weights_effective_sum(profile), weights_unit(profile));

	put_comment(pprof, comment);
	free(comment);
}

void
pprof_put(const struct profile *profile, struct buf *out)
{
	const struct pprof_options own = {.any_size = true};

	pprof_put_labelled(profile, &own, out);
}

bool
pprof_put_labelled(
	const struct profile *profile, const struct pprof_options *options, struct buf *out)
{
	struct pprof pprof = {.profile = profile, .options = options};

	if (options->values && options->values->ntypes > 0)
		pprof.values = options->values;
	if (weights_sample_cpu_time(profile))
		pprof.period_ns = NS_PER_S / profile->frequency_hz;
	pprof_message_init(&pprof.message);
	pprof_sample_labels_init(&pprof.labels, profile, options->labels);
	if (pprof.values)
		put_read_types(&pprof, pprof.values);
	else
		put_types(&pprof);
	put_labels_comment(&pprof);
	put_weights_comment(&pprof);
	put_stacks(&pprof);
	pprof_message_put_strings(&pprof.message);
	protobuf_put_number(
		&pprof.message.out, PPROF_TIME_NS, (uint64_t)profile->started * (uint64_t)NS_PER_S);
	protobuf_put_number(
		&pprof.message.out, PPROF_DURATION_NS, whole(profile->duration_s * NS_PER_S));
	const bool fitting = fits(&pprof);

	if (fitting)
		gzip_put(&pprof.message.out, out);
	pprof_message_release(&pprof.message);
	return fitting;
}
