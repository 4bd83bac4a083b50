/*
 * Rewrites a perf.data file as a smaller one: the registers and stack copies of its samples are
 * replaced by the call chains unwound from them, and the records are compressed as by `perf record
 * -z`. perf report and perf script (since Linux 5.2) read it, and so do we.
 */
#ifndef PERFDATA_CONDENSE_H
#define PERFDATA_CONDENSE_H

#include "base/err.h"
#include "perfdata/reader.h"

#include <stddef.h>
#include <stdint.h>

struct perfdata_condenser;

/*
 * `source` is borrowed until the end. NULL on error. Perf's own records about the events are
 * written as known at this call: another thread may go on reading the source while records are put.
 */
struct perfdata_condenser *perfdata_condenser_open(
	const char *path, const struct perfdata_reader *source, struct err *err);
/*
 * Turns compression off, for a perf that was built without zstd (see perf version --build-options).
 * To be called before the first record.
 */
void perfdata_condenser_expand(struct perfdata_condenser *condenser);
/*
 * Adds a record of the source, in the order they are read. `chain` is the new call chain of a
 * sample, leaf first, with PERF_CONTEXT_* markers; NULL keeps the one it has. If a chain is too
 * long for a record (8,000 frames), its last frames are left out.
 */
int perfdata_condenser_put(struct perfdata_condenser *condenser, const struct record *record,
	const uint64_t *chain, size_t nchain, struct err *err);
/* Puts the file in its place, whole or not at all. Frees the condenser, also on error. */
int perfdata_condenser_finish(struct perfdata_condenser *condenser, struct err *err);
/* Leaves nothing behind. */
void perfdata_condenser_abandon(struct perfdata_condenser *condenser);

#endif
