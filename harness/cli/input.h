/*
 * What the verbs that read profiles share.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

#define INPUT_HELP "perf.data, folded text or perf script text; - is standard input"

/* Reads `path` ("-": standard input) into a new, sorted profile; on success it is to be released.
 */
int input_read(struct profile *profile, const char *path, struct err *err);

/* Writes `out` to `path` ("-": standard output) whole, and releases it. */
int input_write_result(struct buf *out, const char *path, struct err *err);

#endif
