#include "output/pprof.h"

#include "base/mem.h"
#include "output/exported.h"
#include "output/pprof_message.h"
#include "profile/pprof_fields.h"
#include "profile/weights.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NS_PER_S 1e9
/* A value has 63 bits. */
#define VALUE_MAX 9e18
#define RUN_LABEL "run"
/* The labels of profile->by. */
#define BY_MAX 8
/* For deflateInit2(): the largest window, in the format of gzip. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8
#define PIECE_BYTES 16384
#define INPUT_MAX ((size_t)1 << 30)

/* Not terminated. */
struct label_name {
	const char *at;
	size_t len;
};

/* The labels of the samples. */
struct sample_labels {
	const struct profile *profile; /* borrowed, as all below */
	const char *given;             /* of all samples; NULL: none */
	struct label_name by[BY_MAX];  /* the labels that stacks begin with */
	size_t nby;
};

static void
sample_labels_init(struct sample_labels *labels, const struct profile *profile, const char *given)
{
	*labels = (struct sample_labels){.profile = profile, .given = given};
	for (const char *at = strtab_str(&profile->strings, profile->by);
		*at && labels->nby < BY_MAX;) {
		const size_t len = strcspn(at, ",");

		labels->by[labels->nby++] = (struct label_name){at, len};
		at += len + (at[len] == ',');
	}
}

static void
put_text_label(struct pprof_message *message, struct label_name key, const char *text, size_t len)
{
	protobuf_put_number(
		&message->list, PPROF_LABEL_KEY, pprof_message_text(message, key.at, key.len));
	protobuf_put_number(
		&message->list, PPROF_LABEL_TEXT, pprof_message_text(message, text, len));
	protobuf_put_part(&message->part, PPROF_SAMPLE_LABEL, &message->list);
}

/* The label whose frame it is: "phase=parse", or of threads and processes the value alone. */
static void
put_frame_label(struct pprof_message *message, struct label_name key, const char *frame)
{
	if (strncmp(frame, key.at, key.len) == 0 && frame[key.len] == '=')
		frame += key.len + 1;
	else if (strncmp(frame, "(no ", 4) == 0)
		return;
	put_text_label(message, key, frame, strlen(frame));
}

/* The labels that are frames, from the root on. */
static void
put_stack_labels(const struct sample_labels *labels, struct pprof_message *message, node_id node)
{
	const struct profile *profile = labels->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	frame_id first[BY_MAX] = {0};
	size_t depth = 0;

	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		depth++;
	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		if (--depth < labels->nby)
			first[depth] = nodes[at].frame;
	for (size_t i = 0; i < labels->nby && first[i] != 0; i++)
		put_frame_label(message, labels->by[i], profile_frame_name(profile, first[i]));
}

/* The labels of all samples. */
static void
put_given_labels(const struct sample_labels *labels, struct pprof_message *message)
{
	const char *at = labels->given;

	while (at && *at) {
		const size_t len = strcspn(at, ",");
		const size_t key = strcspn(at, "=");

		put_text_label(message, (struct label_name){at, key}, at + key + 1, len - key - 1);
		at += len + (at[len] == ',');
	}
}

static void
put_run_label(struct pprof_message *message, size_t run)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", run + 1);
	put_text_label(
		message, (struct label_name){RUN_LABEL, strlen(RUN_LABEL)}, text, strlen(text));
}

/*
 * Puts those of a sample into message->part: of its first frames, those given, and its run unless
 * that is SIZE_MAX.
 */
static void
put_labels(
	const struct sample_labels *labels, struct pprof_message *message, node_id node, size_t run)
{
	put_stack_labels(labels, message, node);
	put_given_labels(labels, message);
	if (run != SIZE_MAX)
		put_run_label(message, run);
}

static bool
label_is_named(struct label_name name, const char *key)
{
	return strlen(key) == name.len && memcmp(key, name.at, name.len) == 0;
}

static bool
label_is_given(const char *given, const char *key)
{
	for (const char *at = given; at && *at;) {
		const size_t len = strcspn(at, ",");

		if (label_is_named((struct label_name){at, strcspn(at, "=")}, key))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

/* Whether samples have a label of this name that is not the one that was read. */
static bool
label_is_replaced(const struct sample_labels *labels, const char *key)
{
	for (size_t i = 0; i < labels->nby; i++)
		if (label_is_named(labels->by[i], key))
			return true;
	return label_is_given(labels->given, key);
}

static void
put_read_label(const struct sample_labels *labels, struct pprof_message *message,
	const struct value_label *label)
{
	const struct strtab *strings = &labels->profile->strings;

	protobuf_put_number(&message->list, PPROF_LABEL_KEY,
		pprof_message_str(message, strtab_str(strings, label->key)));
	if (label->text != 0) {
		protobuf_put_number(&message->list, PPROF_LABEL_TEXT,
			pprof_message_str(message, strtab_str(strings, label->text)));
	} else {
		protobuf_put_number(&message->list, PPROF_LABEL_NUMBER, (uint64_t)label->number);
		protobuf_put_number(&message->list, PPROF_LABEL_UNIT,
			pprof_message_str(message, strtab_str(strings, label->unit)));
	}
	protobuf_put_part(&message->part, PPROF_SAMPLE_LABEL, &message->list);
}

/*
 * The same of a sample that was read with labels: these too, but for those with the name of
 * another.
 */
static void
put_read_labels(const struct sample_labels *labels, struct pprof_message *message,
	const struct sample_values *values, const struct valued_sample *sample, size_t run)
{
	for (size_t i = 0; i < sample->nlabels; i++) {
		const struct value_label *label = &values->labels[sample->first_label + i];
		const char *key = strtab_str(&labels->profile->strings, label->key);

		/* It had its runs before. */
		if (strcmp(key, RUN_LABEL) == 0)
			run = SIZE_MAX;
		if (!label_is_replaced(labels, key))
			put_read_label(labels, message, label);
	}
	put_labels(labels, message, sample->node, run);
}

/* A file in the making. */
struct pprof {
	const struct profile *profile;
	const struct pprof_options *options;
	struct sample_labels labels;
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

/* Puts a type of values, with its unit. */
static void
put_type(struct pprof_message *message, unsigned field, const char *type, const char *unit)
{
	protobuf_put_number(&message->part, PPROF_TYPE_NAME, pprof_message_str(message, type));
	protobuf_put_number(&message->part, PPROF_TYPE_UNIT, pprof_message_str(message, unit));
	protobuf_put_part(&message->out, field, &message->part);
}

static void
put_read_type(struct pprof *pprof, unsigned field, const struct value_type *type)
{
	const struct strtab *strings = &pprof->profile->strings;

	put_type(&pprof->message, field, strtab_str(strings, type->name),
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
		put_type(&pprof->message, PPROF_SAMPLE_TYPE, "samples", "count");
	else
		put_type(&pprof->message, PPROF_SAMPLE_TYPE, type, pprof_unit(unit));
	if (pprof->period_ns > 0) {
		put_type(&pprof->message, PPROF_SAMPLE_TYPE, "cpu", "nanoseconds");
		put_type(&pprof->message, PPROF_PERIOD_TYPE, "cpu", "nanoseconds");
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
	put_labels(&pprof->labels, message, node, run);
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
		put_read_labels(&pprof->labels, message, values, sample, run);
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
	pprof_locations_put(&pprof->locations, &pprof->message);
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

/* Types and units do not say whether weights are counts or periods, nor how many samples there are.
 */
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

static void *
take(void *context, unsigned count, unsigned size)
{
	(void)context;
	return mem_zalloc(count, size);
}

static void
give_back(void *context, void *memory)
{
	(void)context;
	free(memory);
}

/* Appends `bytes`, compressed, to `out`. */
static void
put_gzip(const struct buf *bytes, struct buf *out)
{
	z_stream stream = {.zalloc = take, .zfree = give_back};
	unsigned char piece[PIECE_BYTES];
	size_t done = 0;

	int ready = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
		GZIP_MEMORY, Z_DEFAULT_STRATEGY);

	assert(ready == Z_OK); /* only wrong settings fail: take() does not */
	(void)ready;
	do {
		size_t left = bytes->len - done;

		stream.next_in = (unsigned char *)bytes->data + done;
		stream.avail_in = (unsigned)(left < INPUT_MAX ? left : INPUT_MAX);
		done += stream.avail_in;
		do {
			stream.next_out = piece;
			stream.avail_out = sizeof(piece);
			deflate(&stream, done == bytes->len ? Z_FINISH : Z_NO_FLUSH);
			buf_put(out, piece, sizeof(piece) - stream.avail_out);
		} while (stream.avail_out == 0);
	} while (done < bytes->len);
	deflateEnd(&stream);
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
	sample_labels_init(&pprof.labels, profile, options->labels);
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
		put_gzip(&pprof.message.out, out);
	pprof_message_release(&pprof.message);
	return fitting;
}
