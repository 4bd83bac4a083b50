/*
 * pprof files: a message of Protocol Buffers (profile/pprof_fields.h), mostly packed by gzip. The
 * tables come first (pprof_tables.c), then each sample becomes a stack below the node that its
 * labels ask for (pprof_labels.c).
 */
#include "base/allowance.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"
#include "ingest/pprof_internal.h"
#include "profile/metric.h"
#include "profile/pprof_fields.h"
#include "profile/weights.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* All zeros is empty. The arrays are owned, and used again by the next sample. */
struct pprof_sample {
	uint64_t *locations; /* ids, leaf first */
	size_t nlocations;
	size_t locations_capacity;
	int64_t *values; /* by type */
	size_t nvalues;
	bool has_more; /* values than types */
	size_t values_capacity;
};

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
static bool
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

static void
pprof_sample_release(struct pprof_sample *sample)
{
	free(sample->locations);
	free(sample->values);
	*sample = (struct pprof_sample){.nlocations = 0};
}

#define NS_PER_S 1e9
/* For the expanded bytes: what is looked at to detect. */
#define HEAD_BYTES 256
/* For the file as it is stored: samples that are alike are packed to a few bytes each. */
#define FRAMES_A_BYTE 32
#define FRAMES_MIN ((size_t)4 << 20)

struct reading {
	struct profile *profile;
	const char *path;
	struct pprof_tables tables;
	size_t column;
	size_t type;   /* of the values that are read */
	double scale;  /* of them to weights */
	size_t stored; /* bytes of the file */
	struct pprof_frames frames;
	struct pprof_labels labels;
	struct pprof_values values; /* of all types, where `all_types` */
	bool all_types;
	bool pair;                  /* a difference: `column` is before, the next one after */
	struct pprof_sample sample; /* that is being read */
	struct allowance visits;    /* of frames, by all samples */
	size_t limit;               /* of the tree */
	double totals[2];           /* of the columns */
};

/* A type of values: up to two numbers of texts. */
static bool
is_type(struct wire bytes)
{
	struct wire_field field;

	if (wire_left(&bytes) == 0)
		return false;
	while (wire_next(&bytes, &field))
		if (field.type != WIRE_NUMBER || field.number > 2)
			return false;
	return !bytes.failed;
}

/*
 * Whether the fields, the last of which may be cut, are those of a profile: of its numbers and
 * kinds, and one of them a type of values.
 */
static bool
begins_profile(const char *bytes, size_t len)
{
	static const unsigned numbers = 1u << 7 | 1u << 8 | 1u << PPROF_TIME_NS |
					1u << PPROF_DURATION_NS | 1u << PPROF_PERIOD | 1u << 13 |
					1u << PPROF_DEFAULT_TYPE;
	struct wire wire = wire_of(bytes, len);
	struct wire_field field;
	bool typed = false;

	while (wire_next(&wire, &field)) {
		if (field.number > PPROF_DEFAULT_TYPE)
			return false;
		if (field.type != (numbers >> field.number & 1 ? WIRE_NUMBER : WIRE_BYTES))
			return false;
		if (field.number == PPROF_SAMPLE_TYPE && !is_type(field.bytes))
			return false;
		typed = typed || field.number == PPROF_SAMPLE_TYPE;
	}
	return typed;
}

static bool
detect_pprof(const char *bytes, size_t len)
{
	char head[HEAD_BYTES];

	if (!gunzip_is(bytes, len))
		return begins_profile(bytes, len);
	return begins_profile(head, gunzip_head(bytes, len, head, sizeof(head)));
}

static void
set_text(struct reading *reading, str_id *attribute, uint64_t text)
{
	const struct pprof_text found = pprof_text(&reading->tables, text);

	if (*attribute == 0)
		*attribute = strtab_intern(&reading->profile->strings, found.at, found.len);
}

/*
 * For a file of ours, whose types have the names of metrics. Counts have no unit there, and a type
 * of another program's samples, which were converted, can have the name of a counted metric.
 */
static void
describe_metric(struct reading *reading)
{
	const struct pprof_tables *tables = &reading->tables;
	const bool are_counts = pprof_text_is(tables, tables->comment2, PROFILE_COUNTS_COMMENT);
	const uint64_t type = tables->types[reading->type].name;
	const struct metric *metric = metrics;

	while (metric->name && !pprof_text_is(tables, type, metric->name))
		metric++;
	if (!metric->name || (!(metric->counted && are_counts) && !metric->timed))
		return;
	describe_set(reading->profile, &reading->profile->metric, metric->name);
	describe_set(reading->profile, &reading->profile->unit,
		metric->number_unit ? metric->number_unit : metric->unit);
}

/*
 * Whether the weights of a file of ours are the periods of samples. Without this, sampled
 * instructions would be taken for counted ones.
 */
static bool
describe_periods(struct reading *reading)
{
	const struct pprof_text comment = pprof_text(&reading->tables, reading->tables.comment2);
	const size_t start = strlen(PROFILE_PERIODS_COMMENT);
	struct profile *profile = reading->profile;
	char *end;

	if (!reading->labels.is_own || comment.len < start ||
		memcmp(comment.at, PROFILE_PERIODS_COMMENT, start) != 0)
		return false;
	char *text = mem_dup(comment.at + start, comment.len - start);
	const double samples = strtod(text, &end);
	const double effective_samples = strtod(end, &end);

	weights_set_periods(profile, &profile->runs[reading->column], samples, effective_samples);
	describe_set(profile, &profile->unit, *end == ' ' ? end + 1 : NULL);
	free(text);
	return true;
}

static void
describe_profile(struct reading *reading)
{
	const struct pprof_tables *tables = &reading->tables;
	const struct pprof_type *type = &tables->types[reading->type];
	struct profile *profile = reading->profile;
	const struct unit *unit = pprof_type_unit(tables, type);
	const struct unit *period = pprof_type_unit(tables, &tables->period_type);
	/* async-profiler counts samples of the type "cpu". */
	const bool is_samples = pprof_text_is(tables, type->name, "samples") ||
				(!unit && pprof_text_is(tables, type->name, "cpu"));

	/* Our own files name weights without a metric and an event by their unit. */
	if (!reading->labels.is_own || !unit || !pprof_text_is(tables, type->name, unit->base))
		set_text(reading, &profile->event, type->name);
	reading->scale = unit ? unit->scale : 1;
	const bool are_periods = describe_periods(reading);

	describe_set(profile, &profile->unit, unit ? unit->base : NULL);
	if (reading->labels.is_own && !are_periods)
		describe_metric(reading);
	if (!is_samples)
		set_text(reading, &profile->unit, type->name);
	else if (!unit && tables->period > 0 && period && strcmp(period->base, UNIT_NS) == 0)
		profile->frequency_hz = NS_PER_S / ((double)tables->period * period->scale);
	if (profile->started == 0)
		profile->started = (int64_t)(tables->time_ns / (uint64_t)NS_PER_S);
	profile->duration_s += (double)tables->duration_ns / NS_PER_S;
	/* That of a difference is of both sides together. */
	if (!reading->pair)
		profile->runs[reading->column].wall_ns = tables->duration_ns;
}

static int
refuse_sample(const struct reading *reading, const struct wire *file, const struct wire *sample,
	const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: the sample at byte %zu of the expanded profile %s",
		reading->path, (size_t)(sample->at - file->at), why);
}

/* Whether any sample of the file is of the profile that others were compared with. */
static bool
has_base(const struct reading *reading, const struct wire *file)
{
	struct wire wire = *file;
	struct wire_field field;

	while (wire_next(&wire, &field))
		if (field.number == PPROF_SAMPLE && field.type == WIRE_BYTES &&
			pprof_labels_is_base(&reading->labels, &field.bytes))
			return true;
	return false;
}

static int
refuse_negative(const struct reading *reading, const struct wire *file, const struct wire *sample,
	struct err *err)
{
	refuse_sample(reading, file, sample, "is negative", err);
	if (!reading->pair && has_base(reading, file))
		return err_note(err, "it is a difference of two profiles: 'profile_run diff "
				     "--input FILE' reads it");
	err_note(err, "it is a difference of two profiles that lacks what both have in common, as "
		      "'pprof -base' writes it");
	return err_note(err, "give the two profiles to 'profile_run diff --before FILE --after "
			     "FILE', or write their difference by 'pprof -diff_base FILE -proto'");
}

/* Whether the sample just read has a value that is kept. */
static bool
has_value(const struct reading *reading)
{
	if (!reading->all_types)
		return reading->sample.nvalues > reading->type &&
		       reading->sample.values[reading->type] != 0;
	for (size_t i = 0; i < reading->sample.nvalues; i++)
		if (reading->sample.values[i] != 0)
			return true;
	return false;
}

/* The weight of the sample just read; of those before a difference it is stored as a negative one.
 */
static double
weigh(const struct reading *reading, bool before)
{
	const struct pprof_sample *sample = &reading->sample;

	if (sample->nvalues <= reading->type || sample->values[reading->type] == 0)
		return 0;
	const double value = (double)sample->values[reading->type];

	return (before ? -value : value) * reading->scale;
}

/* The node of a location's functions below `node`; CTREE_NONE where there is no such location. */
static node_id
enter_location(struct reading *reading, node_id node, uint64_t id)
{
	const struct pprof_tables *tables = &reading->tables;
	const uint32_t number = key_map_find(&tables->location_ids, id);
	struct ctree *tree = &reading->profile->tree;

	if (number == KEY_MAP_NONE)
		return CTREE_NONE;
	const struct pprof_location *location = &tables->locations[number];

	allowance_take(&reading->visits, location->nlines + 1);
	if (location->nlines == 0)
		return ctree_child(tree, node, reading->frames.unnamed[number]);
	for (size_t i = location->nlines; i-- > 0;)
		node = ctree_child(tree, node, reading->frames.of_lines[location->first_line + i]);
	return node;
}

/* Makes the stack of the sample just read. */
static int
enter_stack(struct reading *reading, const struct wire *file, const struct wire *sample,
	node_id *node, struct err *err)
{
	const struct ctree *tree = &reading->profile->tree;
	const size_t left_out = pprof_labels_left_out(&reading->labels);

	*node = pprof_labels_root(&reading->labels, sample);
	if (left_out < reading->sample.nlocations)
		reading->sample.nlocations -= left_out;
	for (size_t i = reading->sample.nlocations; i-- > 0;) {
		*node = enter_location(reading, *node, reading->sample.locations[i]);
		if (*node == CTREE_NONE)
			return refuse_sample(reading, file, sample,
				"has a location that the file does not have", err);
		if (allowance_is_used(&reading->visits) || tree->nnodes > reading->limit)
			return refuse_sample(reading, file, sample,
				"makes more frames than a file of this size has", err);
	}
	return 0;
}

static int
take_sample(struct reading *reading, const struct wire *file, const struct wire *sample,
	struct err *err)
{
	struct ctree *tree = &reading->profile->tree;
	node_id node;

	if (!pprof_sample_read(&reading->sample, *sample, reading->tables.ntypes))
		return refuse_sample(reading, file, sample, "is not whole", err);
	if (reading->sample.has_more || reading->sample.nvalues < reading->tables.ntypes)
		return refuse_sample(reading, file, sample, "has not one value of each type", err);
	const bool before = reading->pair && pprof_labels_is_base(&reading->labels, sample);
	const size_t column = reading->pair && !before ? 1 : 0;
	const double weight = weigh(reading, before);

	if (weight < 0)
		return refuse_negative(reading, file, sample, err);
	if (allowance_is_used(&reading->labels.values) || tree->nnodes > reading->limit)
		return refuse_sample(
			reading, file, sample, "has more labels than a file of this size has", err);
	if (!has_value(reading) || !pprof_labels_take(&reading->labels, sample))
		return 0;
	if (enter_stack(reading, file, sample, &node, err) < 0)
		return -1;
	if (node == CTREE_ROOT)
		return 0;
	if (reading->all_types && !pprof_values_take(&reading->values, node, sample,
					  reading->sample.values, reading->sample.nvalues))
		return refuse_sample(reading, file, sample,
			"has more values and labels than a file of this size has", err);
	if (weight > 0)
		ctree_add(tree, reading->column + column, node, weight);
	reading->totals[column] += weight;
	return 0;
}

/* The types that the samples have values of, but for the one that is read. */
static void
put_types_with_values(struct reading *reading, const struct wire *file, struct buf *out)
{
	bool *has = mem_zalloc(reading->tables.ntypes, sizeof(*has));
	struct wire wire = *file;
	struct wire_field field;

	while (wire_next(&wire, &field)) {
		if (field.number != PPROF_SAMPLE || field.type != WIRE_BYTES ||
			!pprof_sample_read(&reading->sample, field.bytes, reading->tables.ntypes))
			continue;
		for (size_t i = 0; i < reading->sample.nvalues; i++)
			has[i] = has[i] || reading->sample.values[i] != 0;
	}
	for (size_t i = 0; i < reading->tables.ntypes; i++)
		if (has[i] && i != reading->type)
			pprof_type_list(&reading->tables, i, out);
	free(has);
}

static int
refuse_empty(struct reading *reading, const struct wire *file, struct err *err)
{
	const struct pprof_text name =
		pprof_text(&reading->tables, reading->tables.types[reading->type].name);
	struct buf others = {0};

	err_set(err, ERR_INPUT, "%s: holds no samples of '%.*s'", reading->path, (int)name.len,
		name.at);
	put_types_with_values(reading, file, &others);
	if (others.len > 0)
		err_note(err, "it has some of: %s (--event)", buf_text(&others));
	else
		err_note(err, "the program has to run for longer while it is profiled");
	buf_release(&others);
	return -1;
}

/* A difference of profiles without samples, or of one with itself, has one side at least. */
static int
check_sides(struct reading *reading, const struct wire *file, struct err *err)
{
	if (reading->totals[0] + reading->totals[1] <= 0)
		return refuse_empty(reading, file, err);
	if (!reading->pair || has_base(reading, file))
		return 0;
	err_set(err, ERR_INPUT, "%s: is one profile, not a difference of two", reading->path);
	return err_note(err, "'pprof -diff_base FILE -proto' writes one, with the label "
			     "pprof::base; or give two profiles as '--before' and '--after'");
}

static int
take_samples(struct reading *reading, const struct wire *file, struct err *err)
{
	struct wire wire = *file;
	struct wire_field field;

	reading->visits = allowance_of(FRAMES_MIN, reading->stored, FRAMES_A_BYTE);
	reading->limit = tree_limit(reading->profile, reading->stored);
	while (wire_next(&wire, &field)) {
		if (field.number == PPROF_SAMPLE && field.type == WIRE_BYTES &&
			take_sample(reading, file, &field.bytes, err) < 0)
			return -1;
	}
	if (pprof_labels_check(&reading->labels, file, reading->path, err) < 0)
		return -1;
	return check_sides(reading, file, err);
}

static int
read_message(struct reading *reading, const struct wire *file, const struct ingest_options *options,
	struct err *err)
{
	if (pprof_tables_read(&reading->tables, reading->path, file, reading->stored, err) < 0 ||
		pprof_type_choose(
			&reading->tables, reading->path, options->event, &reading->type, err) < 0)
		return -1;
	pprof_labels_init(&reading->labels, &reading->tables, options, reading->profile,
		pprof_frames_file(&reading->tables, 0), reading->stored);
	reading->pair = options->pair;
	reading->column = profile_add_run(reading->profile);
	if (reading->pair)
		profile_add_run(reading->profile);
	describe_profile(reading);
	pprof_frames_make(&reading->frames, &reading->tables, reading->profile, options->at_lines);
	reading->all_types = options->values && !options->event;
	if (reading->all_types)
		pprof_values_init(&reading->values, &reading->tables, reading->profile,
			options->values, reading->stored);
	if (take_samples(reading, file, err) < 0)
		return -1;
	if (!reading->all_types && !options->event)
		pprof_types_warn(&reading->tables, reading->path, reading->type);
	return 0;
}

static int
read_pprof(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile, .path = path, .stored = view->len};
	struct buf expanded = {0};
	struct wire file = wire_of(view->data, view->len);

	if (gunzip_is(view->data, view->len)) {
		if (gunzip(view->data, view->len, path, &expanded, err) < 0) {
			buf_release(&expanded);
			return -1;
		}
		file = wire_of(buf_text(&expanded), expanded.len);
	}
	int result = read_message(&reading, &file, options, err);

	pprof_tables_release(&reading.tables);
	pprof_frames_release(&reading.frames);
	pprof_sample_release(&reading.sample);
	buf_release(&expanded);
	return result;
}

const struct input_format ingest_pprof = {
	.name = "pprof",
	.summary = "profile.proto of pprof, as Go's runtime writes it",
	.detect = detect_pprof,
	.read = read_pprof,
	.labels = LABELS_ANY,
	.selects = LABELS_ANY,
	.pairs = true,
};
