#include "base/file.h"
#include "base/mem.h"
#include "ingest/describe.h"
#include "ingest/gunzip.h"
#include "ingest/ingest.h"
#include "ingest/pprof_frames.h"
#include "ingest/pprof_labels.h"
#include "ingest/pprof_tables.h"
#include "ingest/tree_limit.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9
/* Of the expanded bytes: what is looked at to detect. */
#define HEAD_BYTES 256
/* Of the file as it is stored: samples that are alike are packed to a few bytes each. */
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
	uint64_t *locations; /* of the sample being read, leaf first */
	size_t nlocations;
	size_t locations_capacity;
	struct allowance visits; /* of frames, by all samples */
	size_t limit;            /* of the tree */
	double total;
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
detect(const char *bytes, size_t len)
{
	char head[HEAD_BYTES];

	if (!gunzip_is(bytes, len))
		return begins_profile(bytes, len);
	return begins_profile(head, gunzip_head(bytes, len, head, sizeof(head)));
}

/* A type's unit in ours, and how many of them one is. */
static const char *
unit_of(const struct pprof_tables *tables, const struct pprof_type *type, double *scale)
{
	const struct pprof_text unit = pprof_text(tables, type->unit);

	return describe_unit(unit.at, unit.len, scale);
}

static int
no_type(const struct reading *reading, const char *wanted, struct err *err)
{
	const struct pprof_tables *tables = &reading->tables;
	struct buf names = {0};

	for (size_t i = 0; i < tables->ntypes; i++) {
		const struct pprof_text name = pprof_text(tables, tables->types[i].name);

		buf_printf(&names, "%s%.*s", i > 0 ? ", " : "", (int)name.len, name.at);
	}
	err_set(err, ERR_INPUT, "%s: has no event '%s'", reading->path, wanted);
	err_note(err, "its events are: %s", buf_text(&names));
	buf_release(&names);
	return -1;
}

static size_t
find_type(const struct pprof_tables *tables, const char *name)
{
	size_t i = 0;

	while (i < tables->ntypes && !pprof_text_is(tables, tables->types[i].name, name))
		i++;
	return i;
}

/*
 * The type `wanted`, else the one that pprof shows: the file's default, or its last one. Samples
 * say the same as the CPU time that each stands for, and how many there are.
 */
static int
choose_type(struct reading *reading, const char *wanted, struct err *err)
{
	const struct pprof_tables *tables = &reading->tables;

	if (tables->ntypes == 0)
		return err_set(err, ERR_INPUT, "%s: has no types of values", reading->path);
	if (wanted) {
		reading->type = find_type(tables, wanted);
		return reading->type < tables->ntypes ? 0 : no_type(reading, wanted, err);
	}
	reading->type = tables->ntypes - 1;
	for (size_t i = 0; tables->default_type && i < tables->ntypes; i++)
		if (tables->types[i].name == tables->default_type)
			reading->type = i;
	const size_t samples = find_type(tables, "samples");

	if (samples < tables->ntypes &&
		pprof_text_is(tables, tables->types[reading->type].name, "cpu"))
		reading->type = samples;
	return 0;
}

static void
set_text(struct reading *reading, str_id *attribute, uint64_t text)
{
	const struct pprof_text found = pprof_text(&reading->tables, text);

	if (*attribute == 0)
		*attribute = strtab_intern(&reading->profile->strings, found.at, found.len);
}

static void
describe(struct reading *reading)
{
	const struct pprof_tables *tables = &reading->tables;
	const struct pprof_type *type = &tables->types[reading->type];
	struct profile *profile = reading->profile;
	const char *unit = unit_of(tables, type, &reading->scale);
	double period_scale;
	const char *period_unit = unit_of(tables, &tables->period_type, &period_scale);

	set_text(reading, &profile->event, type->name);
	if (unit)
		describe_set(profile, &profile->unit, unit);
	else if (!pprof_text_is(tables, type->name, "samples"))
		set_text(reading, &profile->unit, type->name);
	else if (tables->period > 0 && period_unit && strcmp(period_unit, "ns") == 0)
		profile->frequency_hz = NS_PER_S / ((double)tables->period * period_scale);
	if (profile->started == 0)
		profile->started = (int64_t)(tables->time_ns / (uint64_t)NS_PER_S);
	profile->duration_s += (double)tables->duration_ns / NS_PER_S;
	profile->runs[reading->column].wall_ns = tables->duration_ns;
}

static int
refuse_sample(const struct reading *reading, const struct wire *file, const struct wire *sample,
	const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: the sample at byte %zu of the expanded profile %s",
		reading->path, (size_t)(sample->at - file->at), why);
}

static void
add_location(struct reading *reading, uint64_t id)
{
	reading->locations = mem_grow(reading->locations, &reading->locations_capacity,
		reading->nlocations + 1, sizeof(*reading->locations));
	reading->locations[reading->nlocations++] = id;
}

/* Locations and values, each of them a field of its own, or many in one. False if it is not whole.
 */
static bool
read_sample(struct reading *reading, struct wire sample, int64_t *value)
{
	struct wire_field field;
	size_t nvalues = 0;

	reading->nlocations = 0;
	*value = 0;
	while (wire_next(&sample, &field)) {
		const bool packed = field.type == WIRE_BYTES;
		uint64_t number = field.value;

		if (field.number != PPROF_SAMPLE_LOCATION && field.number != PPROF_SAMPLE_VALUE)
			continue;
		while (!packed || wire_number(&field.bytes, &number)) {
			if (field.number == PPROF_SAMPLE_LOCATION)
				add_location(reading, number);
			else if (nvalues++ == reading->type)
				*value = (int64_t)number;
			if (!packed)
				break;
		}
		if (packed && field.bytes.failed)
			return false;
	}
	return !sample.failed;
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

static int
take_sample(struct reading *reading, const struct wire *file, const struct wire *sample,
	struct err *err)
{
	struct ctree *tree = &reading->profile->tree;
	int64_t value;

	if (!read_sample(reading, *sample, &value))
		return refuse_sample(reading, file, sample, "is not whole", err);
	if (value < 0) {
		refuse_sample(reading, file, sample, "is negative", err);
		return err_note(err, "it is a difference of two profiles: give both to "
				     "'profile_run diff'");
	}
	if (allowance_is_used(&reading->labels.values) || tree->nnodes > reading->limit)
		return refuse_sample(
			reading, file, sample, "has more labels than a file of this size has", err);
	if (value == 0 || !pprof_labels_take(&reading->labels, sample))
		return 0;
	const size_t left_out = pprof_labels_left_out(&reading->labels);
	node_id node = pprof_labels_root(&reading->labels, sample);

	if (left_out < reading->nlocations)
		reading->nlocations -= left_out;
	for (size_t i = reading->nlocations; i-- > 0;) {
		node = enter_location(reading, node, reading->locations[i]);
		if (node == CTREE_NONE)
			return refuse_sample(reading, file, sample,
				"has a location that the file does not have", err);
		if (allowance_is_used(&reading->visits) || tree->nnodes > reading->limit)
			return refuse_sample(reading, file, sample,
				"makes more frames than a file of this size has", err);
	}
	const double weight = (double)value * reading->scale;

	if (node != CTREE_ROOT)
		ctree_add(tree, reading->column, node, weight);
	reading->total += node != CTREE_ROOT ? weight : 0;
	return 0;
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
	if (reading->total > 0)
		return 0;
	const struct pprof_text name =
		pprof_text(&reading->tables, reading->tables.types[reading->type].name);

	return err_set(err, ERR_INPUT, "%s: holds no samples of '%.*s'", reading->path,
		(int)name.len, name.at);
}

static int
read_message(struct reading *reading, const struct wire *file, const struct ingest_options *options,
	struct err *err)
{
	if (pprof_tables_read(&reading->tables, reading->path, file, reading->stored, err) < 0 ||
		choose_type(reading, options->event, err) < 0)
		return -1;
	pprof_labels_init(&reading->labels, &reading->tables, options, reading->profile,
		pprof_frames_file(&reading->tables, 0), reading->stored);
	reading->column = profile_add_run(reading->profile);
	describe(reading);
	pprof_frames_make(&reading->frames, &reading->tables, reading->profile);
	return take_samples(reading, file, err);
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
	free(reading.locations);
	buf_release(&expanded);
	return result;
}

const struct input_format ingest_pprof = {
	.name = "pprof",
	.summary = "profile.proto of pprof, as Go's runtime writes it",
	.detect = detect,
	.read = read_pprof,
	.labels = LABELS_ANY,
	.selects = LABELS_ANY,
};
