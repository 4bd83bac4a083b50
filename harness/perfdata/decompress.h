/*
 * Expands the compressed records of `perf record -z`: all of a file's are one zstd stream of whole
 * records, cut anywhere.
 */
#ifndef PERFDATA_DECOMPRESS_H
#define PERFDATA_DECOMPRESS_H

#include "perfdata/record_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decompressor;

/* Records go to `store`, which must outlive the decompressor and be used by it alone. */
struct decompressor *decompressor_new(struct record_store *store);
void decompressor_free(struct decompressor *decompressor);

/* Gives it the next piece of the stream, from the record at `file_offset`; borrowed until read. */
void decompressor_feed(
	struct decompressor *decompressor, const char *bytes, size_t len, uint64_t file_offset);
/*
 * The next record of what was fed: 1 and *record, whose size has been checked; 0 if more must be
 * fed; -1 and `problem`, a phrase for a message, if the stream is broken or expands without end.
 */
int decompressor_next(struct decompressor *decompressor, const char **record, const char **problem);
/* Whether a record has begun that has not ended. */
bool decompressor_amid(const struct decompressor *decompressor);

#endif
