/*
 * The file that a record is kept in: one line of text that says what it is, the contents compressed
 * by zstd, and the SHA-256 of all that comes before it.
 *
 *     profile_run-KIND FORMAT TOOL-VERSION UNPACKED-BYTES PACKED-BYTES\n
 *
 * The beginning of the line up to TOOL-VERSION is the same in every format, so that a newer file
 * can be distinguished from a broken one.
 */
#ifndef REPLAY_RECORD_FILE_H
#define REPLAY_RECORD_FILE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Largest size of the unpacked contents; more is neither written nor read. */
#define RECORD_UNPACKED_MAX ((size_t)256 << 20)
/* Packed contents become at most this, and some times their size. */
#define RECORD_UNPACKED_LEAST ((size_t)16 << 20)
#define RECORD_UNPACKED_RATIO 100
/* Memory that reading may allocate: so much, and some times the unpacked contents. */
#define RECORD_MEMORY_LEAST ((size_t)64 << 20)
#define RECORD_MEMORY_RATIO 32
#define RECORD_MEMORY_MAX ((size_t)512 << 20)
/* Largest file: contents that do not compress at all. */
#define RECORD_FILE_MAX (RECORD_UNPACKED_MAX + (1 << 20))

struct record_kind {
	const char *name;     /* KIND of the first line */
	const char *expected; /* where such files are, for the error about another file */
	bool same_tool;       /* only the version that wrote it reads it */
	int level;            /* of zstd */
};

/* The input that one workload was judged by. */
extern const struct record_kind record_replay;
/* Such files of a shard, with a description of the whole gate. */
extern const struct record_kind record_shard;

/* Appends the file. False if the contents are larger than RECORD_UNPACKED_MAX. */
bool record_pack(const struct record_kind *kind, const struct buf *contents,
	const char *tool_version, struct buf *out);

/* The contents of a file, and their format: up to RECORD_FORMAT. */
struct record_contents {
	struct buf bytes;
	unsigned format;
};

/* The memory that reading contents of `len` bytes may allocate. */
size_t record_memory(size_t len);
/* Unpacks a file, `len` bytes, called `path` in messages. On error the contents are empty. */
int record_unpack(const struct record_kind *kind, const char *path, const char *bytes, size_t len,
	struct record_contents *record, struct err *err);

#endif
