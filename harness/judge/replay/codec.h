/*
 * A codec of plain data: one function a struct names its fields once, for writing and for reading,
 * so that no field can be written and forgotten in reading.
 *
 * Whole numbers take as many bytes as they need (LEB128), doubles their eight, exactly. Input is
 * not trusted: every number has a largest value, every text is terminated, and the memory that is
 * allocated is taken from an allowance. The first problem is kept, and everything after it is
 * read as 0 or "", so that only the last caller has to check.
 *
 * Writing does not change its argument; where that is const, a shallow copy is passed.
 */
#ifndef REPLAY_CODEC_H
#define REPLAY_CODEC_H

#include "base/allowance.h"
#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The format that is written. It is raised with any change of what is written, be it by the
 * functions of replay/ or by the tables they walk: those of profile/fields.h and of
 * baseline/baseline.h, in their order. A key that was added later is read where
 * codec_has_format() says that it is there.
 */
#define RECORD_FORMAT 26

/* Each format that added something, by the name of what it added. */
enum record_format {
	RECORD_HAS_COUNTERS = 2,      /* the counters of runs */
	RECORD_HAS_GATE_COUNTERS = 3, /* gate.counters */
	RECORD_HAS_SKIPPED = 4,       /* whether a workload was skipped */
	RECORD_HAS_LINES = 5,         /* source lines of functions with findings */
	RECORD_HAS_STEADINESS = 6,    /* whether runs are steady */
	/* policy.base_fails, and why there is nothing before to compare with */
	RECORD_HAS_BASE_FAILS = 7,
	RECORD_HAS_WEIGHTS = 8, /* what samples weigh */
	/* an input that differs, and a note on the files of both builds */
	RECORD_HAS_CHANGED_INPUT = 9,
	RECORD_HAS_BASE_NOTES = 10,     /* notes on the base of a gate */
	RECORD_HAS_ORPHANS = 11,        /* stored baselines without a workload */
	RECORD_HAS_PLAN = 12,           /* the plan of a workload */
	RECORD_HAS_LOOKS = 13,          /* looks at pairs */
	RECORD_HAS_CPU_CHOICE = 14,     /* files that choose their code by the CPU */
	RECORD_HAS_SCREEN = 15,         /* what the screen of a stored gate leaves to pairs */
	RECORD_HAS_COUNT_TIME = 16,     /* the time of counting */
	RECORD_HAS_UPDATE_COMMAND = 17, /* the command that records a baseline */
	RECORD_HAS_SOURCE_STATES = 18,  /* whose source changed, the files of the builds' output */
	RECORD_HAS_VARIANTS = 19,       /* functions that a file chose from several */
	RECORD_HAS_COUNT_LIMIT = 20,    /* the CPU time that a counted run may use */
	/* whether the baseline's commit builds the candidate's program */
	RECORD_HAS_BASE_IS_CANDIDATE = 21,
	RECORD_HAS_DEFINITIONS = 22, /* which type or macro changed */
	/* the keys of a workload that differ from those of the policy's commit */
	RECORD_HAS_CHANGED_KEYS = 23,
	RECORD_HAS_HUNKS = 24, /* the difference of functions with findings: source, machine code */
	RECORD_HAS_OWNERS = 25,    /* the owners of source files */
	RECORD_HAS_UNREACHED = 26, /* benchmarks that cannot reach the change */
};

struct codec {
	struct buf *out;         /* output when writing; NULL: reading */
	struct arena *arena;     /* owns texts and arrays that are read */
	const char *next;        /* the bytes still to be read ... */
	size_t left;             /* ... and their number */
	struct allowance memory; /* that reading may still take, in bytes */
	const char *problem;     /* the first one of reading; NULL: none */
	unsigned format;         /* of what is read or written */
};

struct codec codec_writer(struct buf *out);
/* Everything read is allocated in `arena`, `memory` bytes at most. Of the latest format. */
struct codec codec_reader(const void *bytes, size_t len, struct arena *arena, size_t memory);

static inline bool
codec_is_reading(const struct codec *codec)
{
	return !codec->out;
}

/* Whether what is read or written has what was added with this format. */
static inline bool
codec_has_format(const struct codec *codec, enum record_format format)
{
	return codec->format >= (unsigned)format;
}

/* Keeps the first problem, and ends reading. `problem` is a constant: "a text without end". */
void codec_fail(struct codec *codec, const char *problem);
/* False, with a problem, where reading may not take so much memory. */
bool codec_take(struct codec *codec, size_t count, size_t size);

/* `most`: the largest value that is accepted when reading. */
void codec_uint(struct codec *codec, uint64_t *value, uint64_t most);
void codec_u64(struct codec *codec, uint64_t *value);
void codec_u32(struct codec *codec, uint32_t *value);
void codec_i64(struct codec *codec, int64_t *value);
void codec_bool(struct codec *codec, bool *value);
void codec_double(struct codec *codec, double *value);
/* The same for finite values of 0 or more; others are a problem when reading. */
void codec_amount(struct codec *codec, double *value);

/* An enum, or another whole number of any type: the lvalue becomes 0 to `most`. */
#define CODEC_WHOLE(codec, lvalue, most)              \
	do {                                          \
		uint64_t whole_ = (uint64_t)(lvalue); \
		codec_uint((codec), &whole_, (most)); \
		if (codec_is_reading(codec))          \
			(lvalue) = whole_;            \
	} while (0)

/* A text, of which NULL is written as ""; one that may be NULL; one in an array of `size` bytes. */
void codec_text(struct codec *codec, const char **text);
void codec_text_or_null(struct codec *codec, const char **text);
/*
 * A command that a report shows, to be pasted; NULL or "": none. When reading it must be one that
 * we write: profile_run judging or recording, or git fetching, with words of escape_shell_word().
 */
void codec_command(struct codec *codec, const char **text);
void codec_command_or_null(struct codec *codec, const char **text);
/* The name or path of a file; when reading escape_is_harmless(). */
void codec_path(struct codec *codec, const char **text);
void codec_chars(struct codec *codec, char *text, size_t size);
/* Any bytes: when reading, *bytes points into the input. */
void codec_bytes(struct codec *codec, const char **bytes, size_t *len);

/* Whether something follows: `there` when writing. */
bool codec_has(struct codec *codec, bool there);

/*
 * How many items follow, each of which takes `least_bytes` of the file or more, so that a count
 * that the rest of the file cannot hold is refused.
 */
void codec_count(struct codec *codec, size_t *count, size_t least_bytes);

/* Writes `items`, or reads as many into the arena; returns them. NULL for none. */
typedef void codec_item(struct codec *codec, void *item);
void *codec_array(
	struct codec *codec, const void *items, size_t *count, size_t size, codec_item *item);

#endif
