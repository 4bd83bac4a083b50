/*
 * Reading profiles of every kind into struct profile; the kind is detected by content.
 *
 * A format is a const struct input_format in input_formats[] (ingest.c), which says how to add one.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "base/err.h"
#include "base/file_view.h"
#include "base/lines.h"
#include "ingest/labels.h"
#include "ingest/sample_weights.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ingest_cache; /* ingest/ingest_cache.h */
struct line_weights;
struct sample_times;
struct sample_values;
struct stack_survey;

/* All zeros: everything, as it is. */
struct ingest_options {
	struct ingest_cache *cache; /* NULL: its own for each read */
	const char *name;           /* of the file, in messages; NULL: its path */
	const char *event;          /* the samples of this event; NULL: of the largest one */
	enum sample_weight weight;  /* of formats with periods: what a sample weighs */
	const char *comm;           /* of threads of this name only; NULL: all */
	bool first_threads;         /* perf.data: of the first thread of each process that was not
				       forked meanwhile: of a command, the program's */
	uint32_t pid;               /* of this process only; 0: all */
	uint32_t tid;
	bool only_operations;    /* perf.data with marks of operations: the times of those
				    (slow_operations.c) */
	uint64_t slower_than_ns; /* ... of those only that took longer */
	uint64_t from_ns;        /* perf.data: from this time on, since the capture's start */
	uint64_t to_ns;          /* ... and before this one; 0: to its end */
	struct labels by;        /* frames at the root of each stack; none: by thread */
	struct label only;       /* samples with this value of a label only ... */
	const char *only_value;  /* ... which is NULL: all */
	bool may_be_empty;       /* perf.data of a view or of operations: none is no error */
	bool may_weigh_nothing;  /* of formats without periods: a profile whose weights are all 0 is
				    no error */
	bool no_inline;          /* no frames of inlined functions */
	bool at_lines;    /* perf.data, pprof: a frame for each line of a function that is known */
	bool no_marks;    /* leave out [broken] and [truncated] before incomplete stacks */
	bool short_names; /* callgrind, gprof: C++ functions without parameters and return type,
			     as samples have them */
	bool pair;        /* a difference: before and after, as two columns */
	unsigned threads; /* that unwind; 0: one a CPU */
	const char *condensed;       /* perf.data: write it here with call chains in place of stack
					copies; NULL: do not */
	bool uncompressed;           /* that file's records are as they are (condense.h) */
	struct stack_survey *survey; /* perf.data: filled in (stack_survey.h); may be NULL */
	/* perf.data with marks of operations: how long each took is appended, doubles in ns; may be
	   NULL */
	struct buf *operation_times;
	struct line_weights *lines; /* of formats with lines: added to; may be NULL */
	struct sample_times *times; /* perf.data: filled in where samples have times, else left
				       empty; may be NULL */
	/* pprof: filled in with the values of all types, and the labels; else left empty; may be
	   NULL */
	struct sample_values *values;
};

/* For a file, detect() gets no more. */
#define INGEST_DETECT_BYTES ((size_t)64 << 10)

/* A format of input: how it is recognised and read, and with which options. */
struct input_format {
	const char *name; /* "perf.data", "perf-script", "folded" */
	const char *summary;
	/* read() accepts a view of a pipe that is not read to its end yet (file_view.h). */
	bool streams;
	bool lines;   /* it tells where in a function its weights are */
	bool periods; /* its samples have periods (ingest_options.weight) */
	bool pairs;   /* it can be a difference of two profiles (ingest_options.pair) */
	/* The advice where all weights of a file are 0; NULL: read() has its own error. */
	const char *if_weightless;
	/* The labels that it can be cut by, and those that it can select samples by (LABEL_BIT()).
	 */
	unsigned labels;
	unsigned selects;
	bool by_thread; /* unless it is cut by others, stacks begin with the name of the thread */
	/* Looks at the first bytes only; at lines by first_lines_next(). */
	bool (*detect)(const char *bytes, size_t len);
	/* Adds its runs as columns to `profile`; fills in their struct run as far as known. */
	int (*read)(struct profile *profile, const struct file_view *view, const char *path,
		const struct ingest_options *options, struct err *err);
};

extern const struct input_format ingest_perfdata;
extern const struct input_format ingest_script;
extern const struct input_format ingest_callgrind;
extern const struct input_format ingest_pprof;
extern const struct input_format ingest_speedscope;
extern const struct input_format ingest_cpuprofile;
extern const struct input_format ingest_firefox;
extern const struct input_format ingest_bpf;
extern const struct input_format ingest_gprof;
extern const struct input_format ingest_offcputime;
extern const struct input_format ingest_elf;
extern const struct input_format ingest_folded;

/* NULL-ended; the first that detects wins, folded is last. */
extern const struct input_format *const input_formats[];

/* The format of a file that starts with these bytes; NULL if none detects it. */
const struct input_format *ingest_find_format(const char *bytes, size_t len);

/*
 * Reads `path` ("-": standard input) as columns added to `profile`. Input that no format detects,
 * or that holds no sample, is an error that says what it looks like and which formats are read.
 * `options` NULL: everything, as it is.
 */
int ingest_file(struct profile *profile, const char *path, const struct ingest_options *options,
	struct err *err);

/*
 * The first lines of a text file, by which its format is detected: input_format.detect().
 */

struct first_lines {
	struct file_view view;
	struct lines lines;
	bool may_be_cut; /* the file may go on */
};

/* `bytes` are what detect() gets, and are borrowed. Binary data have no lines. */
void first_lines_init(struct first_lines *first, const char *bytes, size_t len);
/*
 * Takes the next line; false after the last one. Of a file that may go on, the line at its end is
 * left out unless it is the only one.
 */
bool first_lines_next(struct first_lines *first, struct line *line);

/* Whether these bytes begin an object of JSON, also behind a byte order mark. */
bool json_file_begins(const char *bytes, size_t len);

#endif
