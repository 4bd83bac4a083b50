/*
 * Expands what gzip compressed (RFC 1952).
 */
#ifndef INGEST_GUNZIP_H
#define INGEST_GUNZIP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether these are the first bytes of a gzip file. */
bool gunzip_is(const char *bytes, size_t len);

/* Expands at most `room` bytes from the beginning into `out`: how many. The input may be cut. */
size_t gunzip_head(const char *bytes, size_t len, char *out, size_t room);

/*
 * Appends all of it. It is an error if it is damaged, cut, or expands to more than 64 MiB and a
 * hundred times its size: no profile does. `path` is for messages.
 */
int gunzip(const char *bytes, size_t len, const char *path, struct buf *out, struct err *err);

#endif
