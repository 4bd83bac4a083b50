#include "output/pprof.h"

#include "base/escape.h"
#include "base/mem.h"
#include "output/exported.h"
#include "output/pprof_locations.h"
#include "output/protobuf.h"
#include "profile/weights.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NS_PER_S 1e9
/* For deflateInit2(): the largest window, in the format of gzip. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8
#define PIECE_BYTES 16384
#define INPUT_MAX ((size_t)1 << 30)
/* A value has 63 bits. */
#define VALUE_MAX 9e18

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13
};
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_INLINED = 10
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4, FUNCTION_START_LINE = 5 };

/* Of profile->by. */
#define BY_MAX 8

/* Not terminated. */
struct label_name {
	const char *at;
	size_t len;
};

/* A file in the making. */
struct pprof {
	const struct profile *profile;
	const struct pprof_options *options;
	struct label_name by[BY_MAX]; /* the labels that stacks begin with */
	size_t nby;
	struct pprof_locations locations;
	frame_id *first;       /* by frame: the first one of its function */
	bool *functions;       /* those that locations have: by first frame, then those alone */
	struct strtab strings; /* of the file, numbered in the order of their ids; 0 is "" */
	double period_ns;      /* of a sample; 0: the weights are the only value */
	struct buf out;
	struct buf part; /* a message of `out` */
	struct buf list; /* a field of `part` */
};

/* Weights are whole numbers there, and not of any size. */
static uint64_t
whole(double value)
{
	return (uint64_t)llround(fmin(value, VALUE_MAX));
}

static uint64_t
string(struct pprof *pprof, const char *text)
{
	return strtab_intern_str(&pprof->strings, text);
}

static void
put_value_type(struct pprof *pprof, unsigned field, const char *type, const char *unit)
{
	struct buf safe = {0};

	escape_utf8(&safe, type, strlen(type));
	protobuf_put_number(&pprof->part, VALUE_TYPE, string(pprof, buf_text(&safe)));
	buf_clear(&safe);
	escape_utf8(&safe, unit, strlen(unit));
	protobuf_put_number(&pprof->part, VALUE_UNIT, string(pprof, buf_text(&safe)));
	protobuf_put_part(&pprof->out, field, &pprof->part);
	buf_release(&safe);
}

static void
put_types(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	const char *metric = strtab_str(&profile->strings, profile->metric);
	const char *event = strtab_str(&profile->strings, profile->event);
	const char *unit = weights_unit(profile);
	const char *type = *metric ? metric : *event ? event : unit;

	if (weights_are_samples(profile))
		put_value_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count");
	else
		put_value_type(pprof, PROFILE_SAMPLE_TYPE, type,
			strcmp(unit, "ns") == 0 ? "nanoseconds" : unit);
	if (pprof->period_ns > 0) {
		put_value_type(pprof, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
		put_value_type(pprof, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
		protobuf_put_number(&pprof->out, PROFILE_PERIOD, whole(pprof->period_ns));
	}
}

static void
put_label(struct pprof *pprof, struct label_name key, const char *text, size_t len)
{
	struct buf safe = {0};

	escape_utf8(&safe, key.at, key.len);
	protobuf_put_number(&pprof->list, LABEL_KEY, string(pprof, buf_text(&safe)));
	buf_clear(&safe);
	escape_utf8(&safe, text, len);
	protobuf_put_number(&pprof->list, LABEL_TEXT, string(pprof, buf_text(&safe)));
	protobuf_put_part(&pprof->part, SAMPLE_LABEL, &pprof->list);
	buf_release(&safe);
}

/* The label whose frame it is: "phase=parse", or of threads and processes the value alone. */
static void
put_frame_label(struct pprof *pprof, struct label_name key, const char *frame)
{
	if (strncmp(frame, key.at, key.len) == 0 && frame[key.len] == '=')
		frame += key.len + 1;
	else if (strncmp(frame, "(no ", 4) == 0)
		return;
	put_label(pprof, key, frame, strlen(frame));
}

/* The labels that are frames, from the root on. */
static void
put_stack_labels(struct pprof *pprof, node_id node)
{
	const struct profile *profile = pprof->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	frame_id first[BY_MAX] = {0};
	size_t depth = 0;

	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		depth++;
	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		if (--depth < pprof->nby)
			first[depth] = nodes[at].frame;
	for (size_t i = 0; i < pprof->nby && first[i] != 0; i++)
		put_frame_label(pprof, pprof->by[i], profile_frame_name(profile, first[i]));
}

/* Those of all samples. */
static void
put_given_labels(struct pprof *pprof)
{
	const char *at = pprof->options->labels;

	while (at && *at) {
		const size_t len = strcspn(at, ",");
		const size_t key = strcspn(at, "=");

		put_label(pprof, (struct label_name){at, key}, at + key + 1, len - key - 1);
		at += len + (at[len] == ',');
	}
}

static void
put_run_label(struct pprof *pprof, size_t run)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", run + 1);
	put_label(pprof, (struct label_name){"run", 3}, text, strlen(text));
}

/* `run` SIZE_MAX: the sum of all. */
static void
put_sample(struct pprof *pprof, node_id node, double weight, size_t run)
{
	for (node_id at = node; at != CTREE_ROOT;)
		protobuf_put_varint(&pprof->list, pprof_locations_next(&pprof->locations, &at));
	protobuf_put_part(&pprof->part, SAMPLE_LOCATION, &pprof->list);
	protobuf_put_varint(&pprof->list, whole(weight));
	if (pprof->period_ns > 0)
		protobuf_put_varint(&pprof->list, whole(weight * pprof->period_ns));
	protobuf_put_part(&pprof->part, SAMPLE_VALUE, &pprof->list);
	put_stack_labels(pprof, node);
	put_given_labels(pprof);
	if (run != SIZE_MAX)
		put_run_label(pprof, run);
	protobuf_put_part(&pprof->out, PROFILE_SAMPLE, &pprof->part);
}

static void
put_text(struct pprof *pprof, unsigned field, str_id text)
{
	const struct strtab *strings = &pprof->profile->strings;
	struct buf safe = {0};

	escape_utf8(&safe, strtab_str(strings, text), strtab_len(strings, text));
	protobuf_put_number(&pprof->part, field, string(pprof, buf_text(&safe)));
	buf_release(&safe);
}

static void
put_mapping(struct pprof *pprof, uint32_t mapping)
{
	const uint64_t key = pprof->locations.mappings.keys[mapping - 1];

	protobuf_put_number(&pprof->part, MAPPING_ID, mapping);
	put_text(pprof, MAPPING_FILE, (str_id)(key >> 32));
	put_text(pprof, MAPPING_BUILD_ID, (str_id)key);
	/* All that is known of names is here: readers need not look for the files. */
	protobuf_put_number(&pprof->part, MAPPING_HAS_FUNCTIONS, true);
	protobuf_put_number(&pprof->part, MAPPING_HAS_FILES, true);
	protobuf_put_number(&pprof->part, MAPPING_HAS_INLINED, true);
	protobuf_put_part(&pprof->out, PROFILE_MAPPING, &pprof->part);
}

/* By frame: the first one of its function. Those of a function differ in their lines. */
static frame_id *
first_frames(const struct profile *profile)
{
	const size_t nframes = profile->frames.nframes;
	frame_id *first = mem_zalloc(nframes, sizeof(*first));
	frame_id *of_number = mem_zalloc(nframes, sizeof(*of_number));
	struct key_map functions = {0}; /* (name, kind) */

	for (frame_id id = 0; id < nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const size_t known = functions.count;
		const uint32_t number =
			key_map_add(&functions, key_of_pair(frame->name, frame->kind));

		if (functions.count > known)
			of_number[number] = id;
		first[id] = of_number[number];
	}
	key_map_release(&functions);
	free(of_number);
	return first;
}

/*
 * The function of a location: its first frame's number. Where it has no line around it that says
 * that it was inlined, its name does, and it is another function.
 */
static uint64_t
function_of(const struct pprof *pprof, uint32_t location)
{
	const frame_id frame = pprof_locations_frame(&pprof->locations, location);
	const struct frame_table *frames = &pprof->profile->frames;
	const bool alone = frames->frames[frame].kind == FRAME_INLINED &&
			   pprof_locations_outer(&pprof->locations, location) == 0;

	return (alone ? frames->nframes : 0) + pprof->first[frame];
}

static uint32_t
line_of(const struct pprof *pprof, uint32_t location)
{
	const frame_id frame = pprof_locations_frame(&pprof->locations, location);

	return pprof->profile->frames.frames[frame].at_line;
}

/* The innermost function comes first. */
static void
put_location(struct pprof *pprof, uint32_t location)
{
	protobuf_put_number(&pprof->part, LOCATION_ID, location);
	protobuf_put_number(
		&pprof->part, LOCATION_MAPPING, pprof->locations.mapping_of[location - 1]);
	for (uint32_t at = location; at != 0; at = pprof_locations_outer(&pprof->locations, at)) {
		const uint64_t function = function_of(pprof, at);

		pprof->functions[function] = true;
		protobuf_put_number(&pprof->list, LINE_FUNCTION, function);
		protobuf_put_number(&pprof->list, LINE_NUMBER, line_of(pprof, at));
		protobuf_put_part(&pprof->part, LOCATION_LINE, &pprof->list);
	}
	protobuf_put_part(&pprof->out, PROFILE_LOCATION, &pprof->part);
}

static void
put_function(struct pprof *pprof, uint64_t function)
{
	const struct profile *profile = pprof->profile;
	const bool alone = function >= profile->frames.nframes;
	const frame_id id = (frame_id)(alone ? function - profile->frames.nframes : function);
	const struct frame *frame = &profile->frames.frames[id];
	struct buf name = {0};
	struct buf safe = {0};

	if (frame->kind == FRAME_INLINED && !alone)
		buf_puts(&name, profile_frame_name(profile, id));
	else
		profile_put_frame(profile, id, &name);
	escape_utf8(&safe, buf_text(&name), name.len);
	protobuf_put_number(&pprof->part, FUNCTION_ID, function);
	protobuf_put_number(&pprof->part, FUNCTION_NAME, string(pprof, buf_text(&safe)));
	put_text(pprof, FUNCTION_FILE, frame->file);
	protobuf_put_number(&pprof->part, FUNCTION_START_LINE, frame->line);
	protobuf_put_part(&pprof->out, PROFILE_FUNCTION, &pprof->part);
	buf_release(&safe);
	buf_release(&name);
}

static bool
fits(const struct pprof *pprof)
{
	return pprof->options->any_size || exported_fits(&pprof->out);
}

/* Those of a run, or of all together (SIZE_MAX). */
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
put_stacks(struct pprof *pprof)
{
	const struct ctree *tree = &pprof->profile->tree;
	const struct pprof_locations *locations = &pprof->locations;
	const size_t nframes = pprof->profile->frames.nframes;
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));

	pprof_locations_init(&pprof->locations, pprof->profile);
	pprof->first = first_frames(pprof->profile);
	pprof->functions = mem_zalloc(2 * nframes, sizeof(*pprof->functions));
	if (!pprof->options->runs)
		put_samples(pprof, SIZE_MAX, weights);
	for (size_t run = 0; pprof->options->runs && run < tree->ncolumns; run++)
		put_samples(pprof, run, weights);
	for (uint32_t i = 1; i <= locations->mappings.count; i++)
		put_mapping(pprof, i);
	for (uint32_t i = 1; i <= locations->keys.count; i++)
		if (locations->used[i - 1])
			put_location(pprof, i);
	for (size_t i = 1; i < 2 * nframes; i++)
		if (pprof->functions[i])
			put_function(pprof, i);
	free(pprof->functions);
	free(pprof->first);
	free(weights);
	pprof_locations_release(&pprof->locations);
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

/*
 * The labels that stacks begin with, and the comment that says so: even of none, as readers take
 * the first mapping to be the program that stacks begin with.
 */
static void
find_by(struct pprof *pprof)
{
	const char *by = strtab_str(&pprof->profile->strings, pprof->profile->by);

	for (const char *at = by; *at && pprof->nby < BY_MAX;) {
		const size_t len = strcspn(at, ",");

		pprof->by[pprof->nby++] = (struct label_name){at, len};
		at += len + (at[len] == ',');
	}
	char *comment = mem_printf(PROFILE_BY_COMMENT "%s", by);

	protobuf_put_number(&pprof->out, PROFILE_COMMENT, string(pprof, comment));
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

	if (weights_sample_cpu_time(profile))
		pprof.period_ns = NS_PER_S / profile->frequency_hz;
	strtab_init(&pprof.strings);
	put_types(&pprof);
	find_by(&pprof);
	put_stacks(&pprof);
	for (str_id id = 0; id < pprof.strings.nentries; id++)
		protobuf_put_bytes(&pprof.out, PROFILE_STRING, strtab_str(&pprof.strings, id),
			strtab_len(&pprof.strings, id));
	protobuf_put_number(
		&pprof.out, PROFILE_TIME_NS, (uint64_t)profile->started * (uint64_t)NS_PER_S);
	protobuf_put_number(&pprof.out, PROFILE_DURATION_NS, whole(profile->duration_s * NS_PER_S));
	const bool fitting = fits(&pprof);

	if (fitting)
		put_gzip(&pprof.out, out);
	strtab_release(&pprof.strings);
	buf_release(&pprof.out);
	buf_release(&pprof.part);
	buf_release(&pprof.list);
	return fitting;
}
