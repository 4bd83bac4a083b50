/*
 * The parts of the reader of pprof files, for ingest_pprof.c. This header declares, in this order:
 *
 *     messages   here
 *     tables     pprof_tables.c
 *     types      pprof_types.c
 *     frames     pprof_frames.c
 *     labels     pprof_labels.c
 *     values     pprof_values.c
 */
#ifndef INGEST_PPROF_INTERNAL_H
#define INGEST_PPROF_INTERNAL_H

#include "base/allowance.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/unit.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "profile/pprof_fields.h"
#include "profile/profile.h"
#include "profile/sample_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Messages: those of Protocol Buffers are read field by field, within bounds.
 *
 * Source: protobuf.dev, "Encoding".
 */

struct wire {
	const unsigned char *at; /* borrowed */
	const unsigned char *end;
	bool failed; /* something did not fit */
};

struct wire_field {
	unsigned number;
	enum wire_type type;
	uint64_t value;    /* WIRE_NUMBER */
	struct wire bytes; /* WIRE_BYTES: a text, a message, or numbers one after the other */
};

static inline struct wire
wire_of(const void *bytes, size_t len)
{
	return (struct wire){.at = bytes, .end = (const unsigned char *)bytes + len};
}

static inline size_t
wire_left(const struct wire *wire)
{
	return (size_t)(wire->end - wire->at);
}

static inline bool
wire_fail(struct wire *wire)
{
	wire->at = wire->end;
	wire->failed = true;
	return false;
}

/* The next number of 7 bits a byte; false at the end, and where it is not whole. */
static inline bool
wire_number(struct wire *wire, uint64_t *value)
{
	unsigned shift = 0;

	if (wire->at == wire->end)
		return false;
	for (*value = 0; wire->at < wire->end && shift < 64; shift += 7) {
		unsigned char byte = *wire->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return wire_fail(wire);
}

static inline bool
wire_skip(struct wire *wire, size_t bytes)
{
	if (wire_left(wire) < bytes)
		return wire_fail(wire);
	wire->at += bytes;
	return true;
}

/* The next field; false at the end, and where it is not whole: then the message has failed. */
static inline bool
wire_next(struct wire *wire, struct wire_field *field)
{
	uint64_t tag;
	uint64_t len;

	if (!wire_number(wire, &tag))
		return false;
	*field = (struct wire_field){.number = (unsigned)(tag >> WIRE_TYPE_BITS),
		.type = tag & ((1u << WIRE_TYPE_BITS) - 1)};
	if (field->number == 0)
		return wire_fail(wire);
	switch (field->type) {
	case WIRE_NUMBER:
		return wire_number(wire, &field->value) || wire_fail(wire);
	case WIRE_BYTES:
		if (!wire_number(wire, &len) || wire_left(wire) < len)
			return wire_fail(wire);
		field->bytes = wire_of(wire->at, (size_t)len);
		wire->at += len;
		return true;
	case WIRE_FIXED_64:
		return wire_skip(wire, 8);
	case WIRE_FIXED_32:
		return wire_skip(wire, 4);
	}
	return wire_fail(wire);
}

/*
 * Tables: the samples of a pprof file refer to them. They have texts, types of values, functions,
 * locations and mappings.
 */

/* Not terminated; without what follows a NUL. */
struct pprof_text {
	const char *at;
	size_t len;
};

/* Numbers of texts. */
struct pprof_type {
	uint64_t name;
	uint64_t unit;
};

struct pprof_function {
	uint64_t name;
	uint64_t file;
	uint32_t line; /* of its declaration; 0: not known */
};

/* The function at an address, or one that was inlined there. */
struct pprof_line {
	uint64_t function; /* its id */
	uint32_t line;     /* of the code; 0: not known */
};

/* The functions at an address, innermost first: first_line and so on of `lines`. */
struct pprof_location {
	uint64_t mapping; /* its id; 0: none */
	size_t first_line;
	size_t nlines;
};

struct pprof_mapping {
	uint64_t file; /* the numbers of texts */
	uint64_t build_id;
};

/* All is owned but for the bytes of the file. Ids are numbered by the maps, and index the arrays.
 */
struct pprof_tables {
	struct pprof_text *texts;
	size_t ntexts;
	size_t texts_capacity;
	struct pprof_type *types; /* of the values of each sample */
	size_t ntypes;
	size_t types_capacity;
	struct key_map function_ids;
	struct pprof_function *functions;
	size_t functions_capacity;
	struct key_map location_ids;
	struct pprof_location *locations;
	size_t locations_capacity;
	struct pprof_line *lines;
	size_t nlines;
	size_t lines_capacity;
	struct key_map mapping_ids;
	struct pprof_mapping *mappings; /* the first is that of the program */
	size_t mappings_capacity;
	struct pprof_type period_type;
	uint64_t period;
	uint64_t default_type; /* the number of a text; 0: not said */
	uint64_t comment;      /* the same, of the first one */
	uint64_t comment2;     /* ... and of the last one, if there are several */
	uint64_t time_ns;
	uint64_t duration_ns;
	struct allowance memory; /* for all of these: entries can be packed to nearly nothing */
};

/*
 * Reads them out of the file's (expanded) bytes, which must outlive them. pprof_tables_release() is
 * needed in any case. `path` is for messages, `stored` the size of the file as it is stored.
 */
int pprof_tables_read(struct pprof_tables *tables, const char *path, const struct wire *file,
	size_t stored, struct err *err);
void pprof_tables_release(struct pprof_tables *tables);

/* Text number `n`; "" where there is none. */
struct pprof_text pprof_text(const struct pprof_tables *tables, uint64_t n);
bool pprof_text_is(const struct pprof_tables *tables, uint64_t n, const char *text);

/*
 * Types: those of the values that each sample has; one of them is read.
 */

/* Adds the name of a type to a list for a message, which ends with "..." where it is long. */
void pprof_type_list(const struct pprof_tables *tables, size_t type, struct buf *out);
/*
 * Sets *type to the index of the type `wanted`; if that is NULL to the one that pprof shows: the
 * file's default, or its last one. Samples say the same as the CPU time that each stands for, and
 * how many there are: they are read instead. `path` is for messages.
 */
int pprof_type_choose(const struct pprof_tables *tables, const char *path, const char *wanted,
	size_t *type, struct err *err);
/* The unit of a type; NULL for all but times and sizes. */
const struct unit *pprof_type_unit(
	const struct pprof_tables *tables, const struct pprof_type *type);
/* Warns of the types that are not read, unless they say the same as `type`. */
void pprof_types_warn(const struct pprof_tables *tables, const char *path, size_t type);

/*
 * Frames: those of a profile, which stand for the functions, locations and mappings of a pprof
 * file.
 */

struct pprof_frames {
	struct profile *profile; /* borrowed, as the tables */
	const struct pprof_tables *tables;
	str_id *interned;   /* by text; 0: not yet */
	frame_id *named;    /* by text, of functions and of inlined ones; 0: not made yet */
	bool at_lines;      /* a frame is of a line of its function, where that is known */
	frame_id *of_lines; /* of tables->lines */
	frame_id *unnamed;  /* of tables->locations without functions */
};

/* Makes those of all locations. */
void pprof_frames_make(struct pprof_frames *frames, const struct pprof_tables *tables,
	struct profile *profile, bool at_lines);
void pprof_frames_release(struct pprof_frames *frames);

/* The name of a mapping's file, behind the last '/'; empty where there is no such mapping. */
struct pprof_text pprof_frames_file(const struct pprof_tables *tables, uint32_t mapping);

/*
 * Labels: a pprof file is cut by those of its samples, and samples are selected by them.
 *
 * Files of our own have frames at the root of their stacks, which are labels, too: a comment says
 * how many. They are left out where the file is cut by others.
 */

struct pprof_labels {
	const struct pprof_tables *tables; /* borrowed, as all below */
	const struct ingest_options *options;
	struct profile *profile;
	struct pprof_text program; /* without its folder; empty: not known */
	bool is_own;               /* the file is of profile_run */
	struct labels own;         /* frames that stacks of the file begin with */
	node_id root;              /* of the program; CTREE_ROOT: not made yet */
	struct allowance values;   /* bytes of values that may still be looked at */
	bool seen[LABELS_MAX + 1]; /* a sample had options->by.all[i]; the last: options->only */
};

/* Sets profile->by. `stored` are the bytes of the file. */
void pprof_labels_init(struct pprof_labels *labels, const struct pprof_tables *tables,
	const struct ingest_options *options, struct profile *profile, struct pprof_text program,
	size_t stored);

/* Whether the sample is selected. */
bool pprof_labels_take(struct pprof_labels *labels, const struct wire *sample);
/* The node that its stack stands below. */
node_id pprof_labels_root(struct pprof_labels *labels, const struct wire *sample);
/* How many frames at the root of its stack are left out. */
size_t pprof_labels_left_out(const struct pprof_labels *labels);

/* Whether the sample is of the profile that others were compared with (pprof -diff_base). */
bool pprof_labels_is_base(const struct pprof_labels *labels, const struct wire *sample);

/* A label of a sample; the numbers of texts, but for its value where `text` is empty. */
struct pprof_label {
	uint64_t key;
	uint64_t text;
	uint64_t number;
	uint64_t unit;
};

/* Moves `at`, a sample or the rest of one, behind its next label. False: it has no more. */
bool pprof_labels_next(struct wire *at, struct pprof_label *label);

/* An error if no sample of `file` had one of the labels asked for. */
int pprof_labels_check(const struct pprof_labels *labels, const struct wire *file, const char *path,
	struct err *err);

/*
 * Values: all of them, and all labels, of the samples of a pprof file, for a writer that keeps
 * them.
 */

struct pprof_values {
	const struct pprof_tables *tables; /* borrowed, as the two below */
	struct profile *profile;
	struct sample_values *into;
	struct allowance memory; /* few bytes can be many values once they are expanded */
};

/* Begins with the types. `stored` is the size of the file. */
void pprof_values_init(struct pprof_values *values, const struct pprof_tables *tables,
	struct profile *profile, struct sample_values *into, size_t stored);

/* Adds a sample with its labels. False: these are more than a file of this size has. */
bool pprof_values_take(struct pprof_values *values, node_id node, const struct wire *sample,
	const int64_t *of_types, size_t count);

#endif
